// Who wins where, and lab beside field: the tables that only a sweep with strata has.

import Analysis

/// Builds the tables that set strata beside each other.
struct StrataTables {
  let summary: SweepSummary
  let strata: StrataSummary
  let names: PointNames

  /// The heading of `whoWinsWhere`.
  static func title(_ strata: StrataSummary) -> String { strata.kind == .models ? "The best of each model" : "Who wins where" }

  /// One row a stratum: its baseline, its best point and how far that is ahead, and how many points are better and worse.
  var whoWinsWhere: Table {
    let level = ConfidenceText.percent(summary.confidence)
    let words = summary.schema.words
    let isPopulation = strata.kind == .population
    var columns = [Table.Column(strata.memberName)]
    if isPopulation { columns.append(Table.Column("share", .right)) }
    columns += [
      Table.Column("baseline", .right), Table.Column("best"), Table.Column(words.headline, .right),
      Table.Column(summary.isDeterministic ? "%" : "% [\(level)]", .right), Table.Column(words.cost, .right), Table.Column("verdict"),
      Table.Column("better", .right), Table.Column("worse", .right),
    ]
    var table = Table(columns: columns)
    for member in strata.members {
      let share = member.weight > 0 ? "\(DecimalText.trimmed(member.weight * 100, decimals: 1)) %" : ""
      table.append(row(member.summary, name: member.name, share: isPopulation ? share : nil, style: .plain))
    }
    if !summary.points.isEmpty { table.append(row(summary, name: strata.wholeName, share: isPopulation ? "" : nil, style: .strong)) }
    return table
  }

  private func row(_ part: SweepSummary, name: String, share: String?, style: Table.Style) -> [Table.Cell] {
    let chosen = part.provenWinner ?? (part.confirmation == nil ? part.best[0] : part.leader ?? part.best[0])
    let best = part.onFreshSeeds(chosen)
    let comparison = best.comparison
    let counts = [Verdict.Outcome.better, .worse].map { outcome in part.points.count { $0.comparison?.verdict.outcome == outcome } }
    let texts =
      [name] + (share.map { [$0] } ?? [])
      + [
        part.baseline.map { HeadlineText.mean(part.onFreshSeeds($0), confidence: part.confidence, beside: [comparison].compactMap { $0 }) }
          ?? "",
        best.isBaseline ? "the baseline" : names.name(of: chosen),
        HeadlineText.mean(best, confidence: part.confidence), PointTable.percent(comparison),
        CostText.mean(best, confidence: part.confidence),
        best.isBaseline ? "" : comparison?.verdict.description ?? "",
      ]
    return texts.map { Table.Cell($0, style: style) } + counts.map { Table.Cell(String($0), style: style) }
  }

  /// One row a setting: what it shows in the lab and in the field, each against its own baseline, best in the field first.
  func labAndField(_ lab: SweepSummary, shown: [Int]) -> Table {
    let level = summary.isDeterministic ? "" : " [\(ConfidenceText.percent(summary.confidence))]"
    let axes = names.axes.isEmpty ? ["point"] : names.axes
    var table = Table(
      columns: [Table.Column("#", .right)] + axes.map { Table.Column($0) }
        + [
          Table.Column("lab", .right), Table.Column("lab %\(level)", .right), Table.Column("lab verdict"), Table.Column("field", .right),
          Table.Column("field %\(level)", .right), Table.Column("field verdict"),
        ])
    for index in shown {
      let point = summary.points[index]
      let there = StrataHeadline.point(like: point, in: lab)
      let rank = (summary.ranking.firstIndex(of: index) ?? 0) + 1
      let cells =
        there.map { [HeadlineText.mean($0, confidence: lab.confidence), PointTable.percent($0.comparison), verdict($0)] } ?? ["", "", ""]
      let texts =
        [String(rank)] + (names.axes.isEmpty ? [names.name(of: point)] : point.axisValues) + cells
        + [HeadlineText.mean(point, confidence: summary.confidence), PointTable.percent(point.comparison), verdict(point)]
      table.append(texts.map { Table.Cell($0, style: point.isBaseline ? .strong : .plain) })
    }
    return table
  }

  private func verdict(_ point: PointSummary) -> String { point.isBaseline ? "baseline" : point.comparison?.verdict.description ?? "" }
}
