// Footnotes and legends: the warnings behind the marks of tables, and the explanations below them.

import Analysis
import Base

enum Notes {
  static func general(_ part: ReportPart) -> [String] {
    let (summary, members) = (part.summary, part.summary.strata?.members.map(\.summary) ?? [])
    var notes = summary.warnings + members.flatMap(\.warnings) + part.sweep.warnings
    if let bias = selection(part) { notes.append(bias) }
    if ([summary] + members).contains(where: { $0.points.contains { $0.comparison?.differenceInterval != nil } }) {
      notes.append(PairedComparison.assumption + hidden([summary] + members))
    }
    return notes
  }

  /// Returns the sentence on the outcomes that a whole list of points may lack; empty if each point shows all that are not rare.
  private static func hidden(_ summaries: [SweepSummary]) -> String {
    guard let summary = summaries.max(by: { $0.familySize < $1.familySize }), summary.familySize > 1 else { return "" }
    let error = (1 - summary.confidence) / Double(summary.familySize)
    let pairs = summary.points.compactMap { $0.isDropped ? nil : $0.comparison?.pairs }.max() ?? 0
    let share = GateRule.hiddenShare(pairs: pairs, error: error), rarest = PairedComparison.rarestShare
    guard pairs > 0, share > rarest else { return "" }
    let fewest = PairedComparison.fewestPairs(showing: rarest, error: error)
    return " Of \(summary.familySize) points at once, one may lack an outcome of \(DecimalText.fixed(share * 100, decimals: 0)) % of "
      + "\(summary.schema.kind == RunSchema.feed.kind ? "sessions" : "repetitions"); it takes \(fewest) repetitions to see one of "
      + "\(DecimalText.fixed(rarest * 100, decimals: 0)) % at all of them."
  }

  /// Returns the warning about selection bias: the winner looks better than it is because it is the best of many points.
  private static func selection(_ part: ReportPart) -> String? {
    let summary = part.summary
    guard let comparison = summary.winner?.comparison, comparison.verdict.ground == .interval, summary.familySize > 1,
      summary.confirmation == nil
    else { return nil }
    let text = selectionBias(summary.familySize, comparison)
    return "Selection bias: the best of \(summary.familySize) equal settings would look better than the baseline by \(text) "
      + "\(text == "1" ? part.words.headlineOfOne : part.words.headline) on average."
  }

  /// Returns the expected selection bias of the best of `count` equal settings, as text.
  static func selectionBias(_ count: Int, _ comparison: PointComparison) -> String {
    let bias = Normal.selectionBias(ofBest: count, standardError: comparison.standardError)
    return DecimalText.fixed(bias, decimals: max(0, Precision.decimals(halfWidth: bias, limit: Digits.difference) ?? 0))
  }

  static func row(_ point: PointSummary, confidence: Double) -> [String] {
    guard let comparison = point.comparison else { return [] }
    let counted = point.schema.words.counted
    var notes: [String] = []
    if let pairs = comparison.equalPairs, comparison.verdict.ground != .deterministic {
      // In the words of the gate.
      let share = DecimalText.fixed(GateRule.hiddenShare(pairs: pairs, error: 1 - confidence) * 100, decimals: 1)
      let isIdentical = comparison.verdict.outcome == .identical
      let subject = isIdentical ? "The settings differ, but all pairs are equal: a" : "The difference is equal in all pairs: another"
      let unit = point.schema.kind == RunSchema.feed.kind ? "sessions" : "repetitions"
      notes.append("\(subject) difference in fewer than \(share) % of \(unit) may be absent from \(pairs) pairs.")
    }
    if comparison.isBaselineZero {
      notes.append("The baseline has no \(counted), so that a difference in per cent is undefined.")
    } else if comparison.pairs > 0, comparison.percent == nil {
      notes.append("The interval of the baseline's mean contains zero, so that no difference in per cent is given.")
    }
    return notes
  }

  /// Returns the explanations of the columns and marks that the `shown` points use.
  static func legend(_ summary: SweepSummary, _ shown: [Int], columns: Set<Table.ID>, hasNeeded: Bool = true) -> String {
    var sentences = [summary.schema.words.meaning]
    let points = shown.map { summary.points[$0] }
    let comparisons = points.compactMap(\.comparison)
    if columns.contains(.difference), !summary.isDeterministic {
      let ofEach = comparisons.contains { $0.differenceInterval != nil } ? ", with an interval for each point alone" : ""
      sentences.append(
        "Differences from the baseline are paired by repetition\(ofEach)"
          + (ofEach.isEmpty || summary.familySize < 2 ? "." : "; verdicts hold for all points at once."))
    } else if columns.contains(.difference) {
      sentences.append("Differences from the baseline are exact.")
    }
    if points.contains(where: { $0.repetitions < summary.baseline?.repetitions ?? 0 && !$0.isDropped }) {
      sentences.append("Points with fewer repetitions are ranked by the baseline's mean plus their paired difference.")
    }
    if summary.points.contains(where: \.isDropped) {
      sentences.append("Dropped points follow, the last dropped first; they are not on the front.")
    }
    if columns.contains(.cost) { sentences.append(summary.schema.words.costMeaning) }
    if columns.contains(.front), points.contains(where: \.isOnFront) {
      let counted = summary.schema.words.counted
      sentences.append("◆: on the Pareto front; no other point has fewer \(counted) at the same or a lower cost.")
    }
    if points.contains(where: \.isOracle) {
      sentences.append(
        "Reference: its prefetcher knows the future, which no app does, and never wins. It is not the lower bound; over TCP others may be "
          + "ahead of it.")
    }
    if points.contains(where: \.isAsGoodAsWinner) {
      sentences.append("≈: not shown to be worse than the winner by a paired comparison with it.")
    }
    if hasNeeded, comparisons.contains(where: { $0.neededRepetitions != nil }) {
      sentences.append("Inconclusive (N more): about N more repetitions would probably decide it.")
    }
    if points.contains(where: { !$0.constraints.areKept }) {
      sentences.append("Breaks, unclear: the mean surely lies beyond that bound, or its interval does not tell; such a point does not win.")
    }
    if columns.contains(.headroom) {
      sentences.append("Above bound: loaders per 1000 above the lower bound, the fewest of any schedule on the link without its latency.")
    }
    return sentences.joined(separator: " ")
  }
}
