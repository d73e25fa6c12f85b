// What a comparison comes to, in one word: by an interval against a margin, never by "p > 0.05".

/// The verdict on a candidate held against the baseline.
package struct Verdict: Hashable, Sendable, CustomStringConvertible {
  /// Better, worse or equivalent if the whole interval lies beyond the margin on the good or on the bad side, or within it, which it never
  /// does without a margin; identical if all repetitions are the same; inconclusive if the runs do not tell.
  package enum Outcome: String, Hashable, Sendable {
    case better, worse, equivalent, identical, inconclusive
  }

  package enum Ground: Hashable, Sendable {
    case interval
    /// All pairs, so many, show the same difference, or none: there is no spread to make an interval of.
    case equalPairs(Int)
    /// There is only one repetition of a scenario that has randomness.
    case oneRepetition
    /// The scenario has no randomness: the difference is exact.
    case deterministic
    case noPairs
    /// A search has dropped it: its few repetitions were worse than others', and nothing more is said of it.
    case dropped
    case tooFewRepetitions
    /// The baseline's mean may be zero, so that a margin in per cent means nothing.
    case zeroBaseline
  }

  package let outcome: Outcome
  package let ground: Ground

  package init(_ outcome: Outcome, _ ground: Ground) { (self.outcome, self.ground) = (outcome, ground) }

  /// Judges a comparison for a metric of which less is better.
  ///
  /// The interval is the comparison's own at the confidence that holds for the whole family of `familySize` comparisons at once
  /// (Bonferroni); for a margin in per cent it is the one in per cent at the same confidence. Equal differences have no interval: they are
  /// judged exactly, once their sign-flip p-value, 2¹⁻ⁿ, is at most 1 − confidence.
  package init(
    _ comparison: PairedComparison, margin: Margin = .none, confidence: Double = 0.95, familySize: Int = 1,
    isDeterministic: Bool = false
  ) {
    (outcome, ground) = Self.judged(
      comparison, margin, confidence: confidence, familySize: familySize, isDeterministic: isDeterministic)
  }

  private static func judged(
    _ comparison: PairedComparison, _ margin: Margin, confidence: Double, familySize: Int, isDeterministic: Bool
  ) -> (Outcome, Ground) {
    let count = comparison.count
    if count == 0 { return (.inconclusive, .noPairs) }
    if !comparison.sample.mean.isFinite { return (.inconclusive, .interval) }
    let exact = exact(comparison, margin)
    if isDeterministic { return (exact, .deterministic) }
    if count == 1 { return (.inconclusive, .oneRepetition) }
    if comparison.isIdentical || comparison.isConstantShift {
      let isSupported = SignFlipTest.smallestPValue(count: count) <= (1 - confidence) * (1 + 1e-12)
      return (isSupported || exact == .identical ? exact : .inconclusive, .equalPairs(count))
    }
    let adjusted = MultipleTests.simultaneousConfidence(confidence, count: familySize)
    guard let interval = comparison.interval(confidence: adjusted) else { return (.inconclusive, .tooFewRepetitions) }
    switch margin {
    case .absolute(let value): return (outcome(interval, limit: value), .interval)
    case .percent(let value):
      if let percent = comparison.percentInterval(confidence: adjusted) {
        return (outcome(percent, limit: value), .interval)
      }
      // The margin lies between zero and this, whatever the baseline's mean is.
      let most = value / 100 * max(0, comparison.baselineInterval(confidence: adjusted).high)
      let judged = outcome(interval, limit: most)
      return judged == .better || judged == .worse ? (judged, .interval) : (.inconclusive, .zeroBaseline)
    }
  }

  /// The word, with what it rests on where that is not an interval.
  package var description: String {
    switch (outcome, ground) {
    case (.identical, _), (_, .interval): outcome.rawValue
    case (.inconclusive, .equalPairs(let count)): "too few repetitions (\(count) equal pairs)"
    case (_, .equalPairs(let count)): "\(outcome.rawValue) (\(count) equal pairs)"
    case (_, .oneRepetition): "\(outcome.rawValue) (one repetition)"
    case (_, .deterministic): "\(outcome.rawValue) (exact)"
    case (_, .dropped): "dropped"
    case (_, .tooFewRepetitions): "too few repetitions"
    case (_, .noPairs): "\(outcome.rawValue) (no common repetition)"
    case (_, .zeroBaseline): "\(outcome.rawValue) (baseline not told from zero)"
    }
  }

  /// A difference without spread against the margin; any is beyond a margin in per cent of zero.
  private static func exact(_ comparison: PairedComparison, _ margin: Margin) -> Outcome {
    if comparison.isIdentical { return .identical }
    let (mean, limit) = (comparison.sample.mean, margin.amount(ofMean: comparison.ratio.baselineMean.magnitude))
    // What rounding alone puts beyond the margin is not beyond it.
    guard mean.magnitude > limit * (1 + 1e-12) else { return .equivalent }
    return mean < 0 ? .better : .worse
  }

  private static func outcome(_ interval: ConfidenceInterval, limit: Double) -> Outcome {
    if interval.high < -limit { return .better }
    if interval.low > limit { return .worse }
    return interval.low > -limit && interval.high < limit ? .equivalent : .inconclusive
  }
}
