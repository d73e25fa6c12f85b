// The strata of a sweep beside each other, and where each row of the grid went.

/// The strata of a sweep, each with its own baseline, ranking and verdicts.
public struct StrataSummary: Sendable {
  /// One of them.
  public struct Member: Sendable {
    /// What it is called.
    public let name: String
    /// Its share of the whole.
    public let weight: Double
    /// Whether it is the scenario's own, the lab.
    public let isLab: Bool
    /// Its points.
    public let summary: SweepSummary
  }

  /// Where they come from.
  public let kind: SweepDescription.Strata.Kind
  /// Those that have runs, in the grid's order.
  public let members: [Member]
  /// For each row of the grid's order, its stratum among `members` and its place in that.
  let gridOrder: [(member: Int, point: Int)]
  /// All axes of the sweep.
  let gridAxes: [String]

  /// The lab; nil where strata come from axes, or where it has no runs.
  public var lab: Member? { members.first { $0.isLab } }

  /// What the weighted whole is called.
  public var wholeName: String { kind == .population ? "field" : "all" }
}

extension SweepSummary {
  /// Points sorted into strata, compared within each, and combined over all.
  static func stratified(
    _ points: [PointSummary], strata: SweepDescription.Strata, axes: [String], sweep: SweepDescription, margin: Margin
  ) throws(ReportError) -> SweepSummary {
    let columns = strata.paths.map { path in axes.firstIndex(of: path) ?? 0 }
    let kept = axes.indices.filter { !columns.contains($0) }
    var byStratum = [[PointSummary]](repeating: [], count: strata.members.count)
    var order: [(member: Int, point: Int)] = []
    for point in points {
      let values = columns.map { point.axisValues[$0] }
      guard let stratum = strata.members.firstIndex(where: { $0.values == values }) else { throw .unknownStratum(values) }
      var point = point
      point.axisValues = kept.map { point.gridValues[$0] }
      order.append((stratum, byStratum[stratum].count))
      byStratum[stratum].append(point)
    }
    var members: [StrataSummary.Member] = []
    var places = [Int](repeating: 0, count: strata.members.count)
    for (index, stratum) in strata.members.enumerated() where !byStratum[index].isEmpty {
      let baseline = (stratum.baseline.point, kept.map { stratum.baseline.axisValues[$0] })
      let summary = SweepSummary(axes: kept.map { axes[$0] }, points: byStratum[index], baseline: baseline, sweep: sweep, margin: margin)
      places[index] = members.count
      members.append(StrataSummary.Member(name: stratum.name, weight: stratum.weight, isLab: stratum.isLab, summary: summary))
    }
    let all = StrataSummary(
      kind: strata.kind, members: members, gridOrder: order.map { (places[$0.member], $0.point) }, gridAxes: axes)
    return combined(all, axes: kept.map { axes[$0] }, strataCount: strata.members.count, sweep: sweep, margin: margin)
  }

  /// The settings that every weighted stratum has, over all of them.
  private static func combined(
    _ strata: StrataSummary, axes: [String], strataCount: Int, sweep: SweepDescription, margin: Margin
  ) -> SweepSummary {
    let weighted = strata.members.filter { $0.weight > 0 }
    // A baseline may be one of the grid's points in one stratum and an extra one in another.
    func key(_ point: PointSummary) -> [String] { point.isBaseline ? ["baseline"] : ["point"] + point.axisValues }
    var order: [[String]] = []
    var parts: [[String]: [(point: PointSummary, weight: Double)]] = [:]
    for member in weighted {
      for point in member.summary.points {
        let key = key(point)
        if parts[key] == nil { order.append(key) }
        parts[key, default: []].append((point, member.weight))
      }
    }
    let whole = weighted.reduce(0) { $0 + $1.weight }
    // A search by strata drops a setting here and not there; only what ran in full everywhere can be weighed.
    let isSearch = sweep.search != nil && strata.kind == .axes
    let isComplete = (whole - 1).magnitude < 1e-6
    func combined(_ parts: [(point: PointSummary, weight: Double)]) -> PointSummary? {
      guard isComplete, parts.count == weighted.count, !isSearch || !parts.contains(where: \.point.isDropped) else { return nil }
      return PointSummary(combining: parts)
    }
    let points = order.compactMap { key in parts[key].flatMap(combined) }
    let baseline = points.first { $0.isBaseline }
    var summary = SweepSummary(
      axes: axes, points: points, baseline: baseline.map { ($0.point, $0.axisValues) }, sweep: sweep, margin: margin)
    summary.strata = strata
    if strata.members.count < strataCount {
      summary.warnings.append("\(strataCount - strata.members.count) of \(strataCount) strata have no runs.")
    }
    if points.count < order.count {
      summary.warnings.append(
        "\(order.count - points.count) of \(order.count) settings have no repetition in common over all strata and are left out of the whole."
      )
    }
    return summary
  }
}
