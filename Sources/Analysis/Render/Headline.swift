// The one sentence that says what won: with its interval, or that nothing beats the baseline beyond the noise.

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
      return "Nothing to compare with: the baseline has no runs. \(strong(best)) shows the fewest \(words.headline), \(loaders(best))."
    }
    if let confirmation = summary.confirmation,
      let fresh = FreshHeadline(summary: summary, confirmation: confirmation, names: names, markup: markup).text
    {
      return fresh + "."
    }
    guard summary.points.count > 1 else { return "Only one point: \(strong(baseline)) shows \(loaders(baseline)) \(words.headline)." }
    if let winner = summary.winner { return won(winner, baseline) + tied(winner) + ahead(of: winner, best) + "." }
    if hasSameMean(best, baseline) { return level(best, baseline) }
    return unresolved(best, baseline) + "."
  }

  // MARK: Cases

  private func won(_ winner: PointSummary, _ baseline: PointSummary) -> String {
    guard let comparison = winner.comparison else { return "" }
    let start = "\(strong(winner)) wins: \(loaders(winner)) \(words.headline) against \(against(baseline, comparison)), "
    switch comparison.verdict.ground {
    case .deterministic:
      return start + "\(difference(comparison))\(percent(comparison)); the scenario has no randomness, so the difference is exact"
    case .everyRepetition:
      return start + "\(difference(comparison))\(percent(comparison)), the same in each of \(comparison.pairs) repetitions"
    default:
      let family = summary.familySize == 1 ? "" : "; the verdict holds for all \(summary.familySize) comparisons at once"
      return start + "\(difference(comparison)) \(ends(comparison))\(percent(comparison)) "
        + "(paired \(level), \(comparison.pairs) repetitions)\(family)"
    }
  }

  private func tied(_ winner: PointSummary) -> String {
    let others = summary.points.count { hasSameMean($0, winner) } - 1
    guard others > 0 else { return "" }
    return "; \(others == 1 ? "1 other point shows" : "\(others) other points show") the same mean, none with \(words.lessCost)"
  }

  /// A lower mean that the runs do not tell from the baseline's.
  private func ahead(of winner: PointSummary, _ best: PointSummary) -> String {
    guard !hasSameMean(best, winner), !best.isBaseline else { return "" }
    return "; \(strong(best)) shows \(loaders(best)), but not beyond the noise"
  }

  private func level(_ best: PointSummary, _ baseline: PointSummary) -> String {
    let others = summary.points.count { hasSameMean($0, baseline) } - 1
    let start =
      "Nothing beats the baseline: with \(loaders(baseline)) \(words.headline) it has the lowest mean of \(summary.points.count) points"
    guard others > 0 else { return start + "." }
    let shared = start + ", together with \(others == 1 ? "1 other" : "\(others) others")"
    guard !best.isBaseline, let mine = best.mean(summary.schema.cost), let its = baseline.mean(summary.schema.cost), mine < its else {
      return shared + "."
    }
    return shared + "; \(strong(best)) does it with \(words.lessCost), \(cost(best)) against \(cost(baseline)) a run."
  }

  private func unresolved(_ best: PointSummary, _ baseline: PointSummary) -> String {
    guard let comparison = best.comparison else { return "Nothing beats the baseline" }
    let values = "\(loaders(best)) \(words.headline) against \(against(baseline, comparison))"
    switch (comparison.verdict.outcome, comparison.verdict.ground) {
    case (_, .oneRepetition):
      return "\(strong(best)) shows the fewest \(words.counted), \(values), but one repetition cannot tell that from noise; run more"
    case (_, .noPairs):
      return "\(strong(best)) shows the fewest \(words.counted), \(values), but they have no repetition in common; run the sweep again"
    case (.equivalent, _):
      return "Nothing beats the baseline by more than the margin of \(marginText): \(strong(best)) shows \(values), "
        + "\(difference(comparison)) \(ends(comparison))\(percent(comparison)) (paired \(level))"
    case (_, .everyRepetition):
      return "\(strong(best)) shows \(values), \(difference(comparison)) in each of \(comparison.pairs) repetitions, "
        + "which are too few to tell that from chance"
    default:
      let alone = comparison.differenceInterval.map { $0.high < 0 } ?? false
      let isOneOfMany = alone && summary.familySize > 1
      let reason = isOneOfMany ? "; that holds for this point alone, not for \(summary.familySize) comparisons at once" : ""
      let beyond = summary.margin == .none ? "the noise" : "the noise and the margin of \(marginText)"
      return "Nothing beats the baseline beyond \(beyond): the best, \(strong(best)), shows \(values), "
        + "\(difference(comparison)) \(ends(comparison))\(percent(comparison)) (paired \(level))\(reason)"
    }
  }

  // MARK: Words

  private var words: RunSchema.Words { summary.schema.words }

  private func strong(_ point: PointSummary) -> String { markup.strong(names.name(of: point)) }

  private func hasSameMean(_ point: PointSummary, _ other: PointSummary) -> Bool {
    guard let mean = point.headlineMean, let otherMean = other.headlineMean else { return false }
    return (mean - otherMean).magnitude <= 1e-9 * max(1, otherMean.magnitude)
  }

  private func loaders(_ point: PointSummary) -> String { HeadlineText.mean(point, confidence: summary.confidence) }

  /// The baseline's loaders in the repetitions that the comparison is made of.
  private func against(_ baseline: PointSummary, _ comparison: PointComparison) -> String {
    guard comparison.pairs < baseline.repetitions, let mean = comparison.baselineMean else { return "\(loaders(baseline)) of the baseline" }
    let interval = baseline.interval(summary.schema.headline, confidence: summary.confidence)
    return "\(Precision.text(mean, interval, limit: Digits.loaders)) of the baseline in the same repetitions"
  }

  /// With its unit: `66.3 MB`.
  private func cost(_ point: PointSummary) -> String { "\(CostText.mean(point, confidence: summary.confidence)) \(words.costShort)" }

  private func difference(_ comparison: PointComparison) -> String {
    Precision.signed(comparison.difference, comparison.differenceInterval, limit: Digits.difference)
  }

  private func ends(_ comparison: PointComparison) -> String {
    Precision.signedEnds(comparison.differenceInterval, limit: Digits.difference)
  }

  /// The per cent in brackets, after a comma; nothing where there is none that is supported.
  private func percent(_ comparison: PointComparison) -> String {
    guard let percent = comparison.percent, comparison.percentInterval != nil || summary.isDeterministic else { return "" }
    return ", \(Precision.signed(percent, comparison.percentInterval, limit: Digits.percent)) %"
  }

  private var level: String { "\(ConfidenceText.percent(summary.confidence)) interval" }

  private var marginText: String {
    switch summary.margin {
    case .percent: summary.margin.text
    case .absolute: "\(summary.margin.text) \(words.headline)"
    }
  }
}
