// The strata of a sweep, and the position of each row of the grid in them.

import Base

package struct StrataSummary {
  package struct Member {
    let stratum: SweepDescription.Stratum
    package internal(set) var summary: SweepSummary

    package var name: String { stratum.name }
    package var weight: Double { stratum.weight }
  }

  /// The most strata with tables and charts of their own; rows of the others are in summary.csv only.
  package static let shownLimit = 12

  package let kind: SweepDescription.Strata.Kind
  /// The strata that have runs, in the grid's order.
  package internal(set) var members: [Member]
  /// The index of the stratum in `members`, and of the point in that stratum, for each row of the grid.
  package let gridOrder: [(member: Int, point: Int)]
  package let gridAxes: [String]

  /// The scenario's own stratum; nil if strata come from axes, or if it has no runs.
  package var scenario: Member? { members.first { $0.stratum.isLab } }

  /// The strata with charts and tables of their own; none of worlds, or if there is only one, whose charts are the whole's.
  package var drawn: [Member] { members.count > 1 && kind != .worlds ? Array(members.prefix(Self.shownLimit)) : [] }

  /// A sentence about strata without tables and charts of their own; empty if all have them.
  package var selection: String {
    if members.count <= Self.shownLimit || kind == .worlds { return "" }
    return "\(Self.shownLimit) of \(members.count) strata have tables and charts; summary.csv has all points."
  }

  /// The number of strata that the whole is about.
  package var weightedCount: Int { members.count { $0.weight > 0 } }

  package var wholeName: String { kind == .worlds && weightedCount < members.count ? "worlds as measured" : kind.wholeName }

  /// The weights of the whole in words, e.g. `80 % Wi-Fi, 20 % LTE`, with more digits than tables have.
  package var weights: String {
    members.filter { $0.weight > 0 }.map { "\(DecimalText.trimmed($0.weight * 100, decimals: 6)) % \($0.name)" }.joined(separator: ", ")
  }

  package var memberName: String {
    switch kind {
    case .axes, .population: "stratum"
    case .models: "model"
    case .worlds: "world"
    }
  }

  package var membersName: String { memberName == "stratum" ? "strata" : "\(memberName)s" }
}

extension SweepSummary {
  package var parts: [SweepSummary] { strata?.members.map(\.summary) ?? [self] }

  /// The weighted whole, or the strata if there is none.
  package var judged: [SweepSummary] { points.isEmpty ? parts : [self] }

  /// The weighted whole; if there is none, the principal stratum, else the first, with its name.
  package var principal: (name: String?, summary: SweepSummary) {
    guard points.isEmpty, let members = strata?.members else { return (nil, self) }
    let principal = members.first { $0.stratum.isPrincipal == true } ?? members.first
    return (principal?.name, principal?.summary ?? self)
  }
}

extension RunColumns {
  /// Returns the summary of points sorted into strata, compared within each and combined over all.
  /// - Throws: `ReportError.unknownStratum` if a point's values belong to no stratum.
  func stratified(_ strata: SweepDescription.Strata, sweep: SweepDescription, margin: Margin) throws(ReportError) -> SweepSummary {
    let columns = strata.paths.map { path in axes.firstIndex(of: path) ?? 0 }
    let kept = axes.indices.filter { !columns.contains($0) }
    let keptAxes = kept.map { axes[$0] }
    var parts = [[PointSummary]](repeating: [], count: strata.members.count)
    var order: [(member: Int, point: Int)] = []
    for runs in points {
      let values = columns.map { runs.axisValues[$0] }
      guard let stratum = strata.members.firstIndex(where: { $0.values == values }) else { throw .unknownStratum(values) }
      order.append((stratum, parts[stratum].count))
      parts[stratum].append(PointSummary(runs, axes: kept))
    }
    let present = strata.members.indices.filter { !parts[$0].isEmpty }
    var members = present.map { index in
      let stratum = strata.members[index]
      let baseline = (stratum.baseline.point, kept.map { stratum.baseline.axisValues[$0] })
      return StrataSummary.Member(
        stratum: stratum, summary: SweepSummary(axes: keptAxes, points: parts[index], baseline: baseline, sweep: sweep, margin: margin))
    }
    // Results of different models are never averaged.
    let weighted = strata.kind == .models ? [] : members.filter { $0.weight > 0 }
    let isWhole = (weighted.reduce(0) { $0 + $1.weight } - 1).magnitude < 1e-6
    // A search by strata drops a setting in one stratum only; the whole takes the settings that no stratum dropped.
    let isSearch = sweep.search != nil && strata.kind == .axes
    let dropped = Set(weighted.flatMap(\.summary.points).filter { isSearch && $0.isDropped }.map(\.point))
    let combined = RunColumns(axes: keptAxes, schema: schema).append(
      settingsOver: weighted.map { ($0.summary.points.map { ($0.runs, $0.axisValues, $0.isBaseline) }, $0.weight) })
    let own = Array(keptAxes.indices)
    let settings = combined.compactMap { setting -> PointSummary? in
      guard isWhole, let runs = setting.runs, !setting.points.contains(where: { dropped.contains($0.point) }) else { return nil }
      var point = PointSummary(runs, axes: own)
      point.isBaseline = setting.isBaseline
      return point
    }
    let baseline = settings.first { $0.isBaseline }.map { ($0.point, $0.axisValues) }
    var summary = SweepSummary(axes: keptAxes, points: settings, baseline: baseline, sweep: sweep, margin: margin)
    if strata.kind == .models { summary.warnings = [] }
    summary.warnings += settings.isEmpty ? [] : schema.judged.filter { !$0.isAveraged }.map { $0.warning(ofWhole: strata.kind.wholeName) }
    summary.marginalMeans = MarginalMeans(summary, isBaselineInGrid: sweep.baseline.inGrid, sweep: sweep)
    // Without a whole, the first stratum's charts stand for it, even if it is the only stratum.
    for index in members.indices.prefix(StrataSummary.shownLimit) where strata.kind != .worlds && (members.count > 1 || settings.isEmpty) {
      let isInGrid = strata.members[present[index]].baseline.inGrid
      members[index].summary.marginalMeans = MarginalMeans(members[index].summary, isBaselineInGrid: isInGrid, sweep: sweep)
    }
    summary.strata = StrataSummary(
      kind: strata.kind, members: members, gridOrder: order.map { (present.firstIndex(of: $0.member) ?? 0, $0.point) }, gridAxes: axes)
    let (all, lost) = (strata.members.count, combined.count - settings.count)
    if members.count < all {
      summary.warnings.append("\(all - members.count) of \(all) \(strata.kind == .models ? "models" : "strata") have no runs.")
    }
    if lost > 0 {
      summary.warnings.append(
        "\(lost) of \(combined.count) settings have no repetition in common over all strata and are left out of the whole.")
    }
    return summary
  }
}
