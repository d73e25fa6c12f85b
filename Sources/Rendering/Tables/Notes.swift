// Footnotes and legends: the warnings behind the marks of tables, and the explanations below them.

import Analysis

enum Notes {
  static func general(_ part: ReportPart) -> [String] {
    let (summary, members) = (part.summary, part.summary.strata?.members.map(\.summary) ?? [])
    var notes = summary.warnings + members.flatMap(\.warnings) + part.sweep.warnings
    if let bias = selection(part) { notes.append(bias) }
    if ([summary] + members).contains(where: { $0.points.contains { $0.comparison?.differenceInterval != nil } }) {
      notes.append(PairedComparison.assumption)
    }
    return notes
  }

  /// Returns the warning about selection bias: the winner looks better than it is because it is the best of many points.
  private static func selection(_ part: ReportPart) -> String? {
    let summary = part.summary
    guard let comparison = summary.winner?.comparison, comparison.verdict.ground == .interval, summary.familySize > 1,
      summary.confirmation == nil
    else { return nil }
    let text = selectionBias(summary.familySize, comparison)
    return "The best of many looks better than it is: among \(summary.familySize) equal settings the winner would seem ahead by \(text) "
      + "\(text == "1" ? part.words.headlineOfOne : part.words.headline) in the mean. Fresh seeds tell: confirm: 30."
  }

  /// Returns the expected selection bias of the best of `count` equal settings, as text.
  static func selectionBias(_ count: Int, _ comparison: PointComparison) -> String {
    let bias = Normal.selectionBias(ofBest: count, standardError: comparison.standardError)
    return DecimalText.fixed(bias, decimals: Precision.decimals(halfWidth: bias, limit: Digits.difference))
  }

  static func row(_ point: PointSummary, confidence: Double) -> [String] {
    guard let comparison = point.comparison else { return [] }
    let counted = point.schema.words.counted
    var notes: [String] = []
    if let pairs = comparison.equalPairs, comparison.verdict.ground != .deterministic {
      // In the words of the gate.
      let share = DecimalText.fixed(GateRule.hiddenShare(pairs: pairs, error: 1 - confidence) * 100, decimals: 1)
      let isIdentical = comparison.verdict.outcome == .identical
      let subject = isIdentical ? "The settings differ and show the same: a" : "The difference is the same in \(pairs) pairs: another"
      let unit = point.schema == .feed ? "sessions" : "repetitions"
      notes.append("\(subject) difference in fewer than \(share) % of \(unit) could hide in \(pairs) pairs.")
    }
    if comparison.isBaselineZero {
      notes.append("The baseline shows no \(counted): there is no per cent of zero.")
    } else if comparison.pairs > 0, comparison.percent == nil {
      notes.append("The interval of the baseline's own \(counted) holds zero: no per cent of them is given.")
    }
    if comparison.differenceInterval != nil, comparison.isSkewed {
      notes.append("The paired differences of this point are skewed: its interval is skewness-adjusted.")
    }
    return notes
  }

  /// Returns the explanations of the columns and marks that the `shown` points use.
  static func legend(_ summary: SweepSummary, _ shown: [Int], parts: [PointTable.Part]) -> String {
    var sentences: [String] = []
    let points = shown.map { summary.points[$0] }
    let comparisons = points.compactMap(\.comparison)
    if parts.contains(.difference), !summary.isDeterministic {
      let ofEach = comparisons.contains { $0.differenceInterval != nil } ? ", with the interval of each point by itself" : ""
      sentences.append(
        "Differences are to the baseline, paired by repetition\(ofEach)"
          + (ofEach.isEmpty || summary.familySize < 2 ? "." : "; the verdict is stricter."))
      if summary.familySize > 1, comparisons.contains(where: { $0.equalPairs != nil }) {
        sentences.append("Equal pairs are judged one comparison at a time.")
      }
    } else if parts.contains(.difference) {
      sentences.append("Differences are to the baseline, and exact.")
    }
    if points.contains(where: { $0.repetitions < summary.baseline?.repetitions ?? 0 && !$0.isDropped }) {
      sentences.append("Points of fewer repetitions stand where their difference to the baseline puts them.")
    }
    if summary.points.contains(where: \.isDropped) {
      sentences.append("Dropped points follow, the last one dropped first; they are not on the front.")
    }
    if parts.contains(.megabytes) { sentences.append(summary.schema.words.costMeaning) }
    if parts.contains(.front), points.contains(where: \.isOnFront) {
      let counted = summary.schema.words.counted
      sentences.append("◆: on the front, where no other point shows fewer \(counted) at the same cost or less.")
    }
    if comparisons.contains(where: { $0.neededRepetitions != nil }) {
      sentences.append("Inconclusive: about so many more repetitions would tell, if mean and spread stay as they are.")
    }
    if parts.contains(.headroom) {
      sentences.append("Above bound: loaders per 1000 more than a clairvoyant prefetcher would have shown on the same link.")
    }
    return sentences.joined(separator: " ")
  }
}
