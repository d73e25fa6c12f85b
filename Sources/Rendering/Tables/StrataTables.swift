// The tables of sweeps with strata: the winner of each stratum, and the scenario beside the population.

import Analysis
import Base

struct StrataTables {
  let part: ReportPart
  let strata: StrataSummary
  var title: String { strata.kind == .models ? "The best of each model" : "The winner of each stratum" }

  /// The table with a row per stratum: its baseline, its best point with the difference, and the numbers of better and worse points.
  var winners: Table {
    let words = part.words
    let isPopulation = strata.kind == .population
    var table = Table(
      columns: [Table.Column(strata.memberName)] + (isPopulation ? [.right("share")] : []) + [
        "best", .right(words.headline, id: .headline, short: words.headlineShort), .right("baseline", id: .baseline),
        .right("%", id: .percent, level: part.intervalLevel), .right(words.cost, id: .cost, short: words.costShort),
        .right("better", id: .better), .right("worse", id: .worse), Table.Column("verdict", id: .verdict),
      ])
    let whole = part.summary.points.isEmpty ? [] : [Row(part)]
    let rows = part.members.map(Row.init)
    let digits = ColumnDigits((rows + whole).flatMap { [$0.best, $0.baseline].compactMap(\.self) }, of: part)
    for (member, row) in zip(strata.members, rows) {
      let share = member.weight > 0 ? "\(DecimalText.trimmed(member.weight * 100, decimals: 1)) %" : ""
      append([.text(member.name)] + (isPopulation ? [.text(share)] : []), row, digits, to: &table)
    }
    if let row = whole.first { append([.text(strata.wholeName)] + (isPopulation ? [""] : []), row, digits, to: &table, .strong) }
    return table
  }

  /// The steps that make `winners` narrower.
  static let steps: [Table.Step] = [
    .shortenHeading(.headline), .shortenHeading(.cost), .omit([.better, .worse]), .omit([.cost]), .omit([.baseline]),
    .omitIntervals(.percent), .omit([.percent]),
  ]

  /// A stratum's best point, by its confirmation if there is one, and the baseline.
  private struct Row {
    let part: ReportPart, chosen: PointSummary, best: PointSummary, baseline: PointSummary?

    init(_ part: ReportPart) {
      let summary = part.summary
      chosen = summary.confirmedWinner ?? (summary.confirmation == nil ? summary.unbeatenBaseline : summary.leader) ?? summary.best[0]
      (self.part, best, baseline) = (part, summary.afterConfirmation(chosen), summary.baseline.map(summary.afterConfirmation))
    }
  }

  /// Appends the row of a stratum. Its verdict says whether the best point is the winner, only has the lowest mean, or is the baseline.
  private func append(_ names: [Table.Value], _ row: Row, _ digits: ColumnDigits, to table: inout Table, _ style: Table.Style = .plain) {
    let (summary, part, best) = (row.part.summary, row.part.with(digits), row.best)
    let comparison = best.comparison
    let counts = [Verdict.Outcome.better, .worse].map { outcome in summary.points.count { $0.comparison?.verdict.outcome == outcome } }
    let isConfirmed = best.isSame(as: row.chosen) && summary.confirmation?.points.first(like: row.chosen) != nil
    let tied = summary.confirmation == nil ? summary.points.count { !$0.isDropped && $0.hasSameMean(as: best) } - 1 : 0
    let word = best.withConstraints(comparison?.verdict.word ?? "not compared", isShort: true)
    // On new seeds the best point of the sweep need not have the lowest mean.
    let role = summary.confirmedWinner != nil ? "winner" : best.isBaseline ? "baseline" : isConfirmed ? word : "lowest, \(word)"
    let peers = summary.confirmedWinner == nil ? 0 : summary.points.count(where: \.isAsGoodAsWinner)
    let verdict = role + (peers > 0 ? ", \(peers) ≈" : tied > 0 ? ", \(tied) tied" : "")
    let numbers = [part.mean(best), part.mean(row.baseline?.headlineMean), part.percent(comparison), part.cost(best)]
    let values = names + [.text(part.name(row.chosen))] + numbers.map { .number($0) } + counts.map { .count($0) }
    let ofVerdict: Table.Style = comparison.flatMap { PointTable.styles[$0.verdict.outcome] } ?? style
    table.append(values.map { Table.Cell($0, style: style) } + [Table.Cell(verdict, style: ofVerdict)])
  }

  /// Returns the table with a row per setting: its results in the scenario and over the population, each against its own baseline.
  func scenarioAndPopulation(_ scenario: SweepSummary, shown: [Int]) -> Table {
    let level = part.intervalLevel
    var table = Table(
      columns: [.right("#")] + part.nameColumns + [
        .right("scenario"), .right("scenario %", id: .percentInScenario, level: level), "scenario verdict",
        .right("whole"), .right("whole %", id: .percent, level: level), "whole verdict",
      ])
    let own = ReportPart(scenario, sweep: part.sweep)
    let whole = part.listing(shown)
    let inScenario = own.with(ColumnDigits(shown.compactMap { scenario.points.first(like: part.summary.points[$0]) }, of: own))
    func cells(_ point: PointSummary?, in part: ReportPart) -> [Table.Value] {
      guard let point else { return ["", "", ""] }
      return [.number(part.mean(point)), .number(part.percent(point.comparison)), .text(point.withConstraints(point.verdictText))]
    }
    for index in shown {
      let point = part.summary.points[index]
      let rank = (part.summary.ranking.firstIndex(of: index) ?? 0) + 1
      table.append(
        [.count(rank)] + part.nameCells(point) + cells(scenario.points.first(like: point), in: inScenario) + cells(point, in: whole),
        point.isBaseline ? .strong : .plain)
    }
    return table
  }
}
