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
      return "Nothing to compare with: the baseline has no runs. \(strong(best)) shows the fewest loaders per 1000, \(loaders(best))."
    }
    if let confirmation = summary.confirmation,
      let fresh = FreshHeadline(summary: summary, confirmation: confirmation, names: names, markup: markup).text
    {
      return fresh + "."
    }
    guard summary.points.count > 1 else { return "Only one point: \(strong(baseline)) shows \(loaders(baseline)) loaders per 1000." }
    if let winner = summary.winner { return won(winner, baseline) + tied(winner) + ahead(of: winner, best) + "." }
    if hasSameMean(best, baseline) { return level(best, baseline) }
    return unresolved(best, baseline) + "."
  }

  // MARK: Cases

  private func won(_ winner: PointSummary, _ baseline: PointSummary) -> String {
    guard let comparison = winner.comparison else { return "" }
    let start = "\(strong(winner)) wins: \(loaders(winner)) loaders per 1000 against \(against(baseline, comparison)), "
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
    return "; \(others == 1 ? "1 other point shows" : "\(others) other points show") the same mean, none with fewer bytes received"
  }

  /// A lower mean that the runs do not tell from the baseline's.
  private func ahead(of winner: PointSummary, _ best: PointSummary) -> String {
    guard !hasSameMean(best, winner), !best.isBaseline else { return "" }
    return "; \(strong(best)) shows \(loaders(best)), but not beyond the noise"
  }

  private func level(_ best: PointSummary, _ baseline: PointSummary) -> String {
    let others = summary.points.count { hasSameMean($0, baseline) } - 1
    let start =
      "Nothing beats the baseline: with \(loaders(baseline)) loaders per 1000 it has the lowest mean of \(summary.points.count) points"
    guard others > 0 else { return start + "." }
    let shared = start + ", together with \(others == 1 ? "1 other" : "\(others) others")"
    guard !best.isBaseline, let bytes = best.mean(.bytesReceived), let more = baseline.mean(.bytesReceived), bytes < more else {
      return shared + "."
    }
    return shared + "; \(strong(best)) does it with fewer bytes received, \(megabytes(best)) MB against \(megabytes(baseline)) MB a run."
  }

  private func unresolved(_ best: PointSummary, _ baseline: PointSummary) -> String {
    guard let comparison = best.comparison else { return "Nothing beats the baseline" }
    let values = "\(loaders(best)) loaders per 1000 against \(against(baseline, comparison))"
    switch (comparison.verdict.outcome, comparison.verdict.ground) {
    case (_, .oneRepetition):
      return "\(strong(best)) shows the fewest loaders, \(values), but one repetition cannot tell that from noise; run more"
    case (_, .noPairs):
      return "\(strong(best)) shows the fewest loaders, \(values), but they have no repetition in common; run the sweep again"
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

  private func strong(_ point: PointSummary) -> String { markup.strong(names.name(of: point)) }

  private func hasSameMean(_ point: PointSummary, _ other: PointSummary) -> Bool {
    guard let mean = point.mean(.loadersPer1000), let otherMean = other.mean(.loadersPer1000) else { return false }
    return (mean - otherMean).magnitude <= 1e-9 * max(1, otherMean.magnitude)
  }

  private func loaders(_ point: PointSummary) -> String {
    Precision.text(point.mean(.loadersPer1000), point.interval(.loadersPer1000, confidence: summary.confidence), limit: Digits.loaders)
  }

  /// The baseline's loaders in the repetitions that the comparison is made of.
  private func against(_ baseline: PointSummary, _ comparison: PointComparison) -> String {
    guard comparison.pairs < baseline.repetitions, let mean = comparison.baselineMean else { return "\(loaders(baseline)) of the baseline" }
    let interval = baseline.interval(.loadersPer1000, confidence: summary.confidence)
    return "\(Precision.text(mean, interval, limit: Digits.loaders)) of the baseline in the same repetitions"
  }

  private func megabytes(_ point: PointSummary) -> String { MegabyteText.received(point, confidence: summary.confidence) }

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
    case .absolute: "\(summary.margin.text) loaders per 1000"
    }
  }
}
