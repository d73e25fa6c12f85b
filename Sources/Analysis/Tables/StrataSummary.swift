// The strata of a sweep beside each other, and where each row of the grid went.

/// The strata of a sweep, each with its own baseline, ranking and verdicts.
package struct StrataSummary: Sendable {
  /// One of them.
  package struct Member: Sendable {
    /// What it is called.
    package let name: String
    /// Its share of the whole.
    package let weight: Double
    /// Whether it is the scenario's own, the lab.
    package let isLab: Bool
    /// True if it is the model that the others are compared with: the transport packet.
    let isPacket: Bool
    /// Its points.
    package internal(set) var summary: SweepSummary
  }

  /// Up to so many strata are shown by themselves, with tables and charts of their own; of more, the rows are in summary.csv.
  package static let shownLimit = 12

  /// Where they come from.
  package let kind: SweepDescription.Strata.Kind
  /// Those that have runs, in the grid's order.
  package internal(set) var members: [Member]
  /// For each row of the grid's order, its stratum among `members` and its place in that.
  package let gridOrder: [(member: Int, point: Int)]
  /// All axes of the sweep.
  package let gridAxes: [String]

  /// The lab; nil where strata come from axes, or where it has no runs.
  package var lab: Member? { members.first { $0.isLab } }

  /// Those that have charts of their own: where there is one stratum alone, the whole's are its own.
  package var drawn: [Member] { members.count > 1 ? Array(members.prefix(Self.shownLimit)) : [] }

  /// What the weighted whole is called.
  package var wholeName: String { kind == .population ? "field" : "all" }

  /// What a member is.
  package var memberName: String { kind == .models ? "model" : "stratum" }
}

extension SweepSummary {
  /// The whole; where there is none, the first stratum on the transport packet, or else the first, with its name.
  package var principal: (name: String?, summary: SweepSummary) {
    guard points.isEmpty, let strata, let member = strata.members.first(where: \.isPacket) ?? strata.members.first else {
      return (nil, self)
    }
    return (member.name, member.summary)
  }

  /// Points sorted into strata, compared within each, and combined over all.
  static func stratified(
    _ samples: PointSamples, strata: SweepDescription.Strata, axes: [String], sweep: SweepDescription, margin: Margin, limits: SampleLimits
  ) throws -> SweepSummary {
    let columns = strata.paths.map { path in axes.firstIndex(of: path) ?? 0 }
    let kept = axes.indices.filter { !columns.contains($0) }
    var byStratum = [[PointSummary]](repeating: [], count: strata.members.count)
    var order: [(member: Int, point: Int)] = []
    for point in samples.points {
      let values = columns.map { point.axisValues[$0] }
      guard let stratum = strata.members.firstIndex(where: { $0.values == values }) else { throw ReportError.unknownStratum(values) }
      var point = point
      point.axisValues = kept.map { point.gridValues[$0] }
      order.append((stratum, byStratum[stratum].count))
      byStratum[stratum].append(point)
    }
    var groups = strata.members.indices.map { index in
      let baseline = strata.members[index].baseline
      return ComparedPoints(
        byStratum[index], baseline: (baseline.point, kept.map { baseline.axisValues[$0] }), sweep: sweep, margin: margin)
    }
    try compare(&groups, samples, order)
    var members: [StrataSummary.Member] = []
    var places = [Int](repeating: 0, count: strata.members.count)
    for (index, stratum) in strata.members.enumerated() where !byStratum[index].isEmpty {
      let summary = SweepSummary(axes: kept.map { axes[$0] }, groups[index])
      places[index] = members.count
      members.append(
        StrataSummary.Member(
          name: stratum.name, weight: stratum.weight, isLab: stratum.isLab,
          isPacket: strata.kind == .models && zip(strata.paths, stratum.values).contains { $0 == ("network.transport", "packet") },
          summary: summary))
    }
    let all = StrataSummary(
      kind: strata.kind, members: members, gridOrder: order.map { (places[$0.member], $0.point) }, gridAxes: axes)
    return try combined(
      all, samples, axes: kept.map { axes[$0] }, strataCount: strata.members.count, sweep: sweep, margin: margin, limits: limits)
  }

  /// Compares the points of all strata, each with its own baseline; `order` says where the samples' points have gone.
  private static func compare(_ groups: inout [ComparedPoints], _ samples: PointSamples, _ order: [(member: Int, point: Int)]) throws {
    var bases = [RunSample?](repeating: nil, count: groups.count)
    let isBaseline = order.map { groups[$0.member].baseline == $0.point }
    try samples.forEach(where: { isBaseline[$0] }) { place, sample in bases[order[place].member] = sample }
    try samples.forEach(where: { !isBaseline[$0] && bases[order[$0].member] != nil }) { place, sample in
      let (member, point) = order[place]
      if let base = bases[member] { groups[member].compare(point, sample, with: base) }
    }
  }

  /// The settings that every weighted stratum has, over all of them.
  private static func combined(
    _ strata: StrataSummary, _ samples: PointSamples, axes: [String], strataCount: Int, sweep: SweepDescription, margin: Margin,
    limits: SampleLimits
  ) throws -> SweepSummary {
    // Nothing is averaged over a choice of model.
    let weighted = strata.kind == .models ? [] : strata.members.indices.filter { strata.members[$0].weight > 0 }
    // A baseline may be one of the grid's points in one stratum and an extra one in another.
    func key(_ point: PointSummary) -> [String] { point.isBaseline ? ["baseline"] : ["point"] + point.axisValues }
    var places = strata.members.map { [Int](repeating: 0, count: $0.summary.points.count) }
    for (place, item) in strata.gridOrder.enumerated() { places[item.member][item.point] = place }
    var order: [[String]] = []
    var parts: [[String]: [(point: PointSummary, place: Int, weight: Double)]] = [:]
    for index in weighted {
      let member = strata.members[index]
      for (point, place) in zip(member.summary.points, places[index]) {
        let key = key(point)
        if parts[key] == nil { order.append(key) }
        parts[key, default: []].append((point, place, member.weight))
      }
    }
    let whole = weighted.reduce(0) { $0 + strata.members[$1].weight }
    // A search by strata drops a setting here and not there; only what ran in full everywhere can be weighed.
    let isSearch = sweep.search != nil && strata.kind == .axes
    let isComplete = (whole - 1).magnitude < 1e-6
    var points: [PointSummary] = []
    var settings: [CombinedSamples.Setting] = []
    for key in order {
      guard let parts = parts[key], isComplete, parts.count == weighted.count, !isSearch || !parts.contains(where: \.point.isDropped),
        let point = PointSummary(combining: parts.map { ($0.point, $0.weight) })
      else { continue }
      points.append(point)
      settings.append(CombinedSamples.Setting(parts: parts.map { ($0.place, $0.weight) }, repetitions: point.runs))
    }
    let baseline = points.first { $0.isBaseline }
    var group = ComparedPoints(points, baseline: baseline.map { ($0.point, $0.axisValues) }, sweep: sweep, margin: margin)
    let sums = CombinedSamples(settings, samples: samples, limit: limits.gathered)
    try group.compareAll(sums, areCombined: true)
    var summary = SweepSummary(axes: axes, group)
    let all = (summary, Array(points.indices), sweep.baseline)
    if strata.kind == .models { summary.warnings = [] }
    summary.groups = try GroupMeans.all([all], pointCount: points.count, sweep: sweep, samples: sums, limit: limits.gathered)[0]
    summary.strata = try grouped(strata, places, samples, hasWhole: !points.isEmpty, sweep: sweep, limits: limits)
    if strata.members.count < strataCount {
      summary.warnings.append(
        "\(strataCount - strata.members.count) of \(strataCount) \(strata.kind == .models ? "models" : "strata") have no runs.")
    }
    if points.count < order.count {
      summary.warnings.append(
        "\(order.count - points.count) of \(order.count) settings have no repetition in common over all strata and are left out of the whole."
      )
    }
    return summary
  }

  /// The strata with what axes show in those that are drawn, in common passes; `places` are those of their points in the samples.
  private static func grouped(
    _ strata: StrataSummary, _ places: [[Int]], _ samples: PointSamples, hasWhole: Bool, sweep: SweepDescription, limits: SampleLimits
  ) throws -> StrataSummary {
    // Where there is no whole, the first stratum's charts stand for it, even if it is the only one.
    let own = hasWhole ? strata.drawn : Array(strata.members.prefix(StrataSummary.shownLimit))
    let parts = zip(own, places).map { member, places in
      (member.summary, places, sweep.strata?.members.first { $0.name == member.name }?.baseline ?? sweep.baseline)
    }
    let groups = try GroupMeans.all(
      parts, pointCount: samples.points.count, sweep: sweep, samples: samples, limit: limits.gathered)
    var strata = strata
    for (index, groups) in groups.enumerated() { strata.members[index].summary.groups = groups }
    return strata
  }
}
