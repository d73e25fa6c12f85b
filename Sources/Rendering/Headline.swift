// The one sentence that says what won: with its interval, or that nothing beats the baseline beyond the noise.

import Analysis

/// The answer in one sentence, for Markdown or plain text.
struct Headline {
  private let summary: SweepSummary
  private let names: PointNames
  private let markup: Markup

  init(_ summary: SweepSummary, names: PointNames, markup: Markup) {
    self.summary = summary
    self.names = names
    self.markup = markup
  }

  /// The sentence; it has no line's end.
  var text: String {
    guard let best = summary.best.first else { return "No setting has runs in every stratum." }
    guard let baseline = summary.baseline else {
      return "Nothing to compare with: the baseline has no runs. \(strong(best)) has the lowest mean, \(words.counted(loaders(best)))."
    }
    if let confirmation = summary.confirmation,
      let fresh = FreshHeadline(summary: summary, confirmation: confirmation, names: names, markup: markup).text
    {
      return fresh + "."
    }
    guard summary.points.count > 1 else { return "Only one point: \(strong(baseline)) shows \(words.counted(loaders(baseline)))." }
    if let winner = summary.winner { return won(winner, baseline) + tied(winner) + ahead(of: winner, best) + "." }
    if best.hasSameMean(as: baseline) || best.isBaseline { return level(best, baseline) }
    return unresolved(best, baseline) + "."
  }

  // MARK: Cases

  private func won(_ winner: PointSummary, _ baseline: PointSummary) -> String {
    guard let comparison = winner.comparison else { return "" }
    let start = "\(strong(winner)) wins: \(words.counted(loaders(winner))) against \(against(baseline, comparison)), "
    switch comparison.verdict.ground {
    case .deterministic:
      return start + "\(difference(comparison))\(percent(comparison)); the scenario has no randomness, so the difference is exact"
    case .equalPairs:
      return start + equal(comparison)
        + FamilyText.clause(summary, pairs: comparison.pairs, subject: "comparisons", hasInterval: false)
    default:
      return start + "\(difference(comparison)) \(ends(comparison))\(percent(comparison)) "
        + "(paired \(level), \(comparison.pairs) repetitions)"
        + FamilyText.clause(summary, pairs: comparison.pairs, subject: "comparisons")
    }
  }

  private func tied(_ winner: PointSummary) -> String {
    let others = summary.points.filter { $0.hasSameMean(as: winner) && !$0.isDropped && $0.axisValues != winner.axisValues }
    guard !others.isEmpty else { return "" }
    let subject = others.count == 1 ? "1 other point shows" : "\(others.count) other points show"
    let costs = others.map { $0.mean(summary.schema.cost) }
    guard let mine = winner.mean(summary.schema.cost), costs.allSatisfy({ $0.map { $0 >= mine } ?? false }) else {
      return "; \(subject) the same mean"
    }
    return "; \(subject) the same mean, none with \(words.lessCost)"
  }

  /// A lower mean whose verdict is another.
  private func ahead(of winner: PointSummary, _ best: PointSummary) -> String {
    guard !best.hasSameMean(as: winner), !best.isBaseline, let verdict = best.comparison?.verdict else { return "" }
    return "; \(strong(best)) shows \(loaders(best)), but its verdict is: \(verdict.description)"
  }

  private func level(_ best: PointSummary, _ baseline: PointSummary) -> String {
    let others = summary.points.count { $0.hasSameMean(as: baseline) } - 1
    let start =
      "Nothing beats the baseline: with \(words.counted(loaders(baseline))) it has the lowest mean of \(summary.points.count) points"
    guard others > 0 else { return start + "." }
    let shared = start + ", together with \(others == 1 ? "1 other" : "\(others) others")"
    // Costs that are written alike are not distinguished.
    guard !best.isBaseline, let mine = best.mean(summary.schema.cost), let its = baseline.mean(summary.schema.cost), mine < its,
      cost(best) != cost(baseline)
    else { return shared + "." }
    return shared + "; \(strong(best)) does it with \(words.lessCost), \(cost(best)) against \(cost(baseline)) a run."
  }

  private func unresolved(_ best: PointSummary, _ baseline: PointSummary) -> String {
    guard let comparison = best.comparison else { return "Nothing is compared with the baseline" }
    let values = "\(words.counted(loaders(best))) against \(against(baseline, comparison))"
    let change = [difference(comparison), ends(comparison)].filter { !$0.isEmpty }.joined(separator: " ") + percent(comparison)
    switch (comparison.verdict.outcome, comparison.verdict.ground) {
    case (_, .oneRepetition):
      return "\(strong(best)) has the lowest mean, \(values), but one repetition cannot tell that from noise; run more"
    case (_, .noPairs):
      return "\(strong(best)) has the lowest mean, \(values), but they have no repetition in common; run the sweep again"
    case (.equivalent, _):
      return "\(strong(best)) is within the margin of the baseline (\(marginText)) and has the lowest mean: \(values), \(change)"
        + basis(comparison)
    case (.identical, _):
      return "\(strong(best)) shows the same as the baseline in each of \(comparison.pairs) common repetitions"
    case (.inconclusive, .equalPairs):
      return "\(strong(best)) has the lowest mean, \(values), \(equal(comparison)); "
        + "\(comparison.pairs) are too few to tell that from chance"
    case (_, .tooFewRepetitions):
      return "\(strong(best)) has the lowest mean, \(values), \(change), but \(comparison.pairs) repetitions are too few for an interval; "
        + "run more"
    default:
      let alone = comparison.differenceInterval.map { $0.high < 0 } ?? false
      let isOneOfMany = alone && summary.familySize > 1 && summary.margin == .none
      let reason = isOneOfMany ? "; that holds for this point alone, not for \(summary.familySize) comparisons at once" : ""
      let beyond = summary.margin == .none ? "the noise" : "the noise and the margin of \(marginText)"
      return "Nothing beats the baseline beyond \(beyond): the lowest mean, that of \(strong(best)), is \(values), "
        + "\(change)\(basis(comparison))\(reason)"
    }
  }

  // MARK: Words

  private var words: RunSchema.Words { summary.schema.words }

  private func strong(_ point: PointSummary) -> String { markup.strong(names.name(of: point)) }

  private func loaders(_ point: PointSummary) -> String { HeadlineText.mean(point, confidence: summary.confidence) }

  /// The baseline's loaders in the repetitions that the comparison is made of.
  private func against(_ baseline: PointSummary, _ comparison: PointComparison) -> String {
    guard comparison.pairs < baseline.repetitions, let mean = comparison.baselineMean else {
      return "\(HeadlineText.mean(baseline, confidence: summary.confidence, beside: [comparison])) of the baseline"
    }
    let interval = baseline.headlineInterval(confidence: summary.confidence)
    let text = Precision.text(mean, interval, limit: Digits.loaders, atLeast: comparison.shownDecimals)
    return "\(text) of the baseline in the same repetitions"
  }

  /// With its unit: `66.3 MB`.
  private func cost(_ point: PointSummary) -> String { "\(CostText.mean(point, confidence: summary.confidence)) \(words.costShort)" }

  private func difference(_ comparison: PointComparison) -> String { comparison.differenceText }

  private func ends(_ comparison: PointComparison) -> String {
    Precision.signedEnds(comparison.differenceInterval, limit: Digits.difference)
  }

  /// The per cent after a comma; nothing where there is none.
  private func percent(_ comparison: PointComparison) -> String {
    comparison.percent == nil ? "" : ", \(comparison.percentText) %"
  }

  /// The difference that all pairs share, and its per cent, which only the means have.
  private func equal(_ comparison: PointComparison) -> String {
    let percent = percent(comparison)
    return "\(difference(comparison)) in each of \(comparison.pairs) repetitions\(percent)\(percent.isEmpty ? "" : " of the mean")"
  }

  /// What the difference rests on, in brackets.
  private func basis(_ comparison: PointComparison) -> String {
    switch comparison.verdict.ground {
    case .deterministic: " (exact)"
    case .equalPairs(let count): " (\(count) equal pairs)"
    default: comparison.differenceInterval == nil ? "" : " (paired \(level))"
    }
  }

  private var level: String { "\(ConfidenceText.percent(summary.confidence)) interval" }

  private var marginText: String { MarginText.text(summary) }
}

/// The margin in words.
enum MarginText {
  /// `2 % of the baseline`, `1 loader per 1000`.
  static func text(_ summary: SweepSummary) -> String {
    switch summary.margin {
    case .percent: summary.margin.text
    case .absolute: summary.schema.words.counted(summary.margin.text)
    }
  }
}

/// For how many comparisons at once a verdict holds.
enum FamilyText {
  /// A clause after a semicolon; empty for one comparison. Where so few repetitions let no exact sign-flip test reach Bonferroni's level,
  /// the intervals alone carry the verdict, and the clause says how many comparisons the test could carry.
  static func clause(_ summary: SweepSummary, pairs: Int, subject: String, familySize: Int? = nil, hasInterval: Bool = true) -> String {
    let size = familySize ?? summary.familySize
    guard size > 1 else { return "" }
    let all = size == 2 ? "both" : "all \(size)"
    let least = SignFlipTest.smallestPValue(count: pairs)
    let level = 1 - summary.lookConfidence
    if least * Double(size) <= level * (1 + 1e-12) { return "; the verdict holds for \(all) \(subject) at once" }
    if !hasInterval { return "; judged by itself, not for \(all) \(subject) at once" }
    let reached = Int((level * (1 + 1e-12) / least).rounded(.down))
    let exact =
      reached < 1 ? "does not reach \(ConfidenceText.percent(summary.confidence)) even for 1" : "supports at most \(reached) at once"
    return
      "; for \(all) \(subject) at once it rests on the intervals alone, which keep so small an error only for differences that are "
      + "not skewed: with \(pairs) repetitions the exact sign-flip test \(exact)"
  }
}
