// The findings of a gate as a table, the worst first where there are strata.

import Analysis

/// Builds the table of a gate.
struct GateTable {
  let sentence: GateSentence

  /// All rows that there are.
  var count: Int { sentence.items.count }

  /// The first rows, at most so many.
  func table(limit: Int = .max) -> Table {
    let result = sentence.result
    let hasStrata = sentence.hasStrata
    var table = Table(
      columns: (hasStrata ? [Table.Column("stratum")] : []) + [
        Table.Column("guard"), Table.Column("baseline", .right), Table.Column("candidate", .right),
        Table.Column("change [\(Words.percent(result.rule.confidence))]", .right), Table.Column("verdict"),
      ])
    for item in (hasStrata ? sentence.worstFirst : sentence.items).prefix(limit) {
      let finding = item.finding
      let style: Table.Style =
        switch finding.outcome {
        case .worse: .bad
        case .better: .good
        default: .plain
        }
      let name = item.stratum.isWhole ? "\(item.stratum.name ?? "") (weighted)" : item.stratum.name ?? ""
      let cells = [
        finding.guarded.text, mean(finding.baselineMean, finding), mean(finding.candidateMean, finding), sentence.change(finding),
        finding.outcome.rawValue,
      ]
      table.append(((hasStrata ? [name] : []) + cells).map { Table.Cell($0, style: style) })
    }
    return table
  }

  /// A sentence on the rows beyond `limit`; nil if there are none.
  func rest(limit: Int) -> String? {
    let left = sentence.worstFirst.dropFirst(limit)
    guard !left.isEmpty else { return nil }
    let words = [GateFinding.Outcome.worse, .inconclusive, .notWorse, .better, .identical].compactMap { outcome in
      let count = left.count { $0.finding.outcome == outcome }
      return count > 0 ? "\(count) \(outcome.rawValue)" : nil
    }
    return "\(left.count) more \(left.count == 1 ? "comparison" : "comparisons"): \(words.joined(separator: ", ")); --json has them all."
  }

  /// A mean with the digits that the difference supports.
  private func mean(_ value: Double, _ finding: GateFinding) -> String {
    let unit = GateUnit(finding.guarded.metric)
    return Precision.text(value * unit.scale, finding.differenceInterval?.scaled(by: unit.scale), limit: unit.decimals) + unit.suffix
  }

  /// The parts of the scenario that each stratum has of its own: in the sweep's order, or of more than `limit` the worst.
  func heads(limit: Int) -> [(name: String, lines: [SweepDescription.HeadLine])] {
    var strata = sentence.result.strata
    if strata.count > limit {
      let order = sentence.worstFirst.map(\.stratum.name)
      strata = order.prefix(limit).enumerated().filter { !order[..<$0.offset].contains($0.element) }.compactMap { name in
        strata.first { $0.name == name.element }
      }
    }
    return strata.filter { !$0.isWhole && !$0.head.isEmpty }.map { ($0.name ?? "", $0.head) }
  }
}
