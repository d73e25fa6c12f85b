// The verdict of a comparison: an interval against a margin, never "p > 0.05".

package struct Verdict: Hashable, Sendable, CustomStringConvertible {
  /// `better`, `worse`: the whole interval lies beyond the margin. `equivalent`: it lies within, which needs a margin above zero.
  /// `identical`: all repetitions are equal. `inconclusive`: none of these.
  package enum Outcome: String, Hashable, Sendable { case better, worse, equivalent, identical, inconclusive }

  package enum Ground: Hashable, Sendable {
    case interval
    /// All pairs, this many, have the same difference, so that there is no spread to compute an interval from.
    case equalPairs(Int)
    /// All pairs, this many, differ to one side beyond the margin, and too few of them differ from the most common one for an interval.
    case oneSide(Int)
    /// There is only one repetition of a scenario that has randomness.
    case oneRepetition
    /// The scenario has no randomness: the difference is exact.
    case deterministic
    case noPairs
    /// A search dropped the point after few repetitions.
    case dropped
    case tooFewRepetitions
    /// There are 5 pairs or more, of which too few differ from the most common difference.
    case tooFewDiffering
    /// The baseline's mean may be zero, so that a margin in per cent is undefined.
    case zeroBaseline
  }

  package let outcome: Outcome
  package let ground: Ground

  package init(_ outcome: Outcome, _ ground: Ground) { (self.outcome, self.ground) = (outcome, ground) }

  /// The outcome, with its ground in brackets unless that is an interval.
  package var description: String {
    switch (outcome, ground) {
    case (.identical, _), (_, .interval): outcome.rawValue
    case (.inconclusive, .equalPairs(let count)): "too few repetitions (\(count) equal pairs)"
    case (_, .equalPairs(let count)): "\(outcome.rawValue) (\(count) equal pairs)"
    case (_, .oneSide(let count)): "\(outcome.rawValue) (\(count) pairs on one side)"
    case (_, .oneRepetition): "\(outcome.rawValue) (one repetition)"
    case (_, .deterministic): "\(outcome.rawValue) (exact)"
    case (_, .dropped): "dropped"
    case (_, .tooFewRepetitions): "too few repetitions"
    case (_, .tooFewDiffering): "too few pairs differ"
    case (_, .noPairs): "\(outcome.rawValue) (no common repetition)"
    case (_, .zeroBaseline): "\(outcome.rawValue) (baseline may be zero)"
    }
  }

  package var word: String { ground == .dropped ? "dropped" : outcome.rawValue }

  static func outcome(_ interval: ConfidenceInterval, limit: Double) -> Outcome {
    if interval.high < -limit { return .better }
    if interval.low > limit { return .worse }
    return interval.low > -limit && interval.high < limit ? .equivalent : .inconclusive
  }
}

extension PairedComparison {
  /// Judges the comparison in a metric of which less is better, at a confidence that holds for `familySize` comparisons at once
  /// (Bonferroni). Equal differences are judged without an interval, if they are enough that no frequent outcome is absent (`limit` is the
  /// metric's largest value).
  package func verdict(
    margin: Margin = .none, confidence: Double = 0.95, familySize: Int = 1, limit: Double = .infinity, isDeterministic: Bool = false
  ) -> Verdict {
    if count == 0 { return Verdict(.inconclusive, .noPairs) }
    if !sample.mean.isFinite { return Verdict(.inconclusive, .interval) }
    let exact = exact(margin)
    if isDeterministic { return Verdict(exact, .deterministic) }
    if count == 1 { return Verdict(.inconclusive, .oneRepetition) }
    let adjusted = MultipleTests.simultaneousConfidence(confidence, count: familySize)
    var isSupported: Bool { count >= fewestPairs(beyond: margin, confidence: adjusted, limit: limit) }
    if isIdentical || isConstantShift { return Verdict(isSupported || exact == .identical ? exact : .inconclusive, .equalPairs(count)) }
    guard let interval = interval(confidence: adjusted) else {
      guard intervalState() == .tooFewDiffering else { return Verdict(.inconclusive, .tooFewRepetitions) }
      guard leastDifference > edge(margin), isSupported else { return Verdict(.inconclusive, .tooFewDiffering) }
      return Verdict(sample.mean < 0 ? .better : .worse, .oneSide(count))
    }
    switch margin {
    case .absolute(let value): return Verdict(Verdict.outcome(interval, limit: value), .interval)
    case .percent(let value):
      if let percent = percentInterval(confidence: adjusted) { return Verdict(Verdict.outcome(percent, limit: value), .interval) }
      // The limit in the headline's unit is at most this, whatever the baseline's mean is.
      let most = value / 100 * max(0, baselineInterval(confidence: adjusted).high)
      let judged = Verdict.outcome(interval, limit: most)
      return judged == .better || judged == .worse ? Verdict(judged, .interval) : Verdict(.inconclusive, .zeroBaseline)
    }
  }

  /// Returns the outcome of a difference without spread. Any difference is beyond a margin in per cent of zero.
  private func exact(_ margin: Margin) -> Verdict.Outcome {
    if isIdentical { return .identical }
    // A difference that exceeds the margin by rounding alone does not exceed it.
    guard sample.mean.magnitude > edge(margin) * (1 + 1e-12) else { return .equivalent }
    return sample.mean < 0 ? .better : .worse
  }

  /// The smallest difference if all lie on one side of zero; 0 if they do not.
  private var leastDifference: Double {
    guard let low = differences.min(), let high = differences.max() else { return 0 }
    return max(0, low, -high)
  }

  private func edge(_ margin: Margin) -> Double { margin.amount(ofMean: ratio.baselineMean.magnitude) }

  /// Returns the fewest pairs, equal or all on one side, that decide against a margin; `limit` is the largest value of the metric.
  func fewestPairs(beyond margin: Margin, confidence: Double, limit: Double) -> Int {
    // In a share s of sessions, another outcome can bring the mean back to the margin only if s·limit + (1 − s)·|difference| reaches that
    // far, so that a large difference of a bounded metric needs fewer pairs.
    let (size, edge) = (leastDifference, edge(margin))
    let shown = Self.fewestPairs(showing: max(Self.rarestShare, (size - edge) / (size + limit)), error: 1 - confidence)
    return max(SignFlipTest.fewestDifferences(reaching: 1 - confidence), shown)
  }
}
