// What a comparison comes to, in one word: by an interval against a margin, never by "p > 0.05".

/// The verdict on a candidate held against the baseline.
public struct Verdict: Hashable, Sendable, CustomStringConvertible {
  /// The word.
  public enum Outcome: String, Hashable, Sendable {
    /// The whole interval lies beyond the margin on the good side.
    case better
    /// The whole interval lies beyond the margin on the bad side.
    case worse
    /// The whole interval lies within the margin; never without a margin.
    case equivalent
    /// The same in every repetition.
    case identical
    /// None of these: the runs do not tell.
    case inconclusive
  }

  /// What it rests on.
  public enum Ground: Hashable, Sendable {
    /// The adjusted interval.
    case interval
    /// Every repetition shows the same difference, or none: there is no spread to make an interval of.
    case everyRepetition
    /// There is only one repetition of a scenario that has randomness.
    case oneRepetition
    /// The scenario has no randomness: the difference is exact.
    case deterministic
    /// Candidate and baseline have no repetition in common.
    case noPairs
    /// A search has dropped it: its few repetitions were worse than others', and nothing more is said of it.
    case dropped
    /// There are too few repetitions for an interval.
    case tooFewRepetitions
    /// The baseline's mean is not told from zero, so that a margin in per cent means nothing.
    case zeroBaseline
  }

  /// The word.
  public let outcome: Outcome
  /// What it rests on.
  public let ground: Ground

  /// A verdict.
  public init(_ outcome: Outcome, _ ground: Ground) {
    self.outcome = outcome
    self.ground = ground
  }

  /// Judges a comparison for a metric of which less is better, unless `isHigherBetter`.
  ///
  /// The interval is the comparison's own at the confidence that holds for the whole family of `familySize` comparisons at once
  /// (Bonferroni); for a margin in per cent it is the one in per cent at the same confidence. A constant shift has no interval: it
  /// counts once its sign-flip p-value, 2¹⁻ⁿ, is at most 1 − confidence.
  public init(
    _ comparison: PairedComparison, margin: Margin = .none, confidence: Double = 0.95, familySize: Int = 1,
    isDeterministic: Bool = false, isHigherBetter: Bool = false
  ) {
    let mean = comparison.sample.mean
    guard comparison.count > 0 else {
      self.init(.inconclusive, .noPairs)
      return
    }
    if isDeterministic {
      let percent = comparison.ratio.percent.map { ConfidenceInterval(low: $0, high: $0, confidence: 1) }
      let interval = ConfidenceInterval(low: mean, high: mean, confidence: 1)
      let judged = Verdict.outcome(interval, percent: percent, margin: margin, isHigherBetter: isHigherBetter)
      // An exact difference that is not beyond the margin is within it.
      let outcome = judged.map { $0 == .inconclusive ? .equivalent : $0 } ?? .inconclusive
      self.init(comparison.isIdentical ? .identical : outcome, judged == nil ? .zeroBaseline : .deterministic)
      return
    }
    if comparison.count == 1 {
      self.init(.inconclusive, .oneRepetition)
      return
    }
    if comparison.isIdentical {
      self.init(.identical, .everyRepetition)
      return
    }
    let adjusted = MultipleTests.simultaneousConfidence(confidence, count: familySize)
    if comparison.isConstantShift {
      self.init(constantShift: comparison, margin: margin, confidence: confidence, isHigherBetter: isHigherBetter)
      return
    }
    guard let interval = comparison.interval(confidence: adjusted) else {
      self.init(.inconclusive, .tooFewRepetitions)
      return
    }
    let percent = comparison.percentInterval(confidence: adjusted)
    guard let judged = Verdict.outcome(interval, percent: percent, margin: margin, isHigherBetter: isHigherBetter)
    else {
      self.init(.inconclusive, .zeroBaseline)
      return
    }
    self.init(judged, .interval)
  }

  /// Judges differences that are all equal.
  private init(constantShift comparison: PairedComparison, margin: Margin, confidence: Double, isHigherBetter: Bool) {
    let interval = ConfidenceInterval(low: comparison.sample.mean, high: comparison.sample.mean, confidence: confidence)
    let percent = comparison.ratio.percentInterval(confidence: confidence)
    guard let judged = Verdict.outcome(interval, percent: percent, margin: margin, isHigherBetter: isHigherBetter) else {
      self.init(.inconclusive, .zeroBaseline)
      return
    }
    let isSupported = SignFlipTest.smallestPValue(count: comparison.count) <= (1 - confidence) * (1 + 1e-12)
    self.init(isSupported ? judged : .inconclusive, .everyRepetition)
  }

  /// The word, with what it rests on where that is not an interval.
  public var description: String {
    switch (outcome, ground) {
    case (.identical, _), (_, .interval): outcome.rawValue
    case (_, .everyRepetition): "\(outcome.rawValue) (constant shift)"
    case (_, .oneRepetition): "\(outcome.rawValue) (one repetition)"
    case (_, .deterministic): "\(outcome.rawValue) (exact)"
    case (_, .dropped): "dropped"
    case (_, .tooFewRepetitions): "\(outcome.rawValue) (too few repetitions)"
    case (_, .noPairs): "\(outcome.rawValue) (no common repetition)"
    case (_, .zeroBaseline): "\(outcome.rawValue) (zero baseline)"
    }
  }

  /// The interval against the margin; nil where the margin is in per cent of a baseline that has none.
  private static func outcome(
    _ interval: ConfidenceInterval, percent: ConfidenceInterval?, margin: Margin, isHigherBetter: Bool
  ) -> Outcome? {
    let judged: ConfidenceInterval
    let limit: Double
    switch margin {
    case .absolute(let value): (judged, limit) = (interval, value)
    case .percent(let value):
      guard let percent else { return nil }
      (judged, limit) = (percent, value)
    }
    if judged.high < -limit { return isHigherBetter ? .worse : .better }
    if judged.low > limit { return isHigherBetter ? .better : .worse }
    return judged.low > -limit && judged.high < limit ? .equivalent : .inconclusive
  }
}
