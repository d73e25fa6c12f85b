// The paired comparison of one point with the baseline.

/// The comparison of a point with the baseline in the headline metric, paired by repetition.
package struct PointComparison {
  package let pairs: Int
  /// The baseline's mean over the common repetitions; nil if there are none.
  package let baselineMean: Double?
  /// The mean difference, point less baseline; nil without a common repetition.
  package let difference: Double?
  package let standardError: Double
  /// The interval of the difference, for this point alone, or the reason why there is none.
  package let intervalState: PairedComparison.IntervalState
  /// The difference in per cent of the baseline's mean; nil if the interval of that mean contains zero.
  package let percent: Double?
  /// The interval of `percent` (see `PairedComparison.percentInterval`), for this point alone; nil if it is unbounded.
  package let percentInterval: ConfidenceInterval?
  /// The exact sign-flip p-value after Holm's correction for all points; nil if the scenario has no randomness.
  package internal(set) var holmPValue: Double?
  /// The verdict: the simultaneous interval against the margin.
  package let verdict: Verdict
  /// The total number of repetitions that would settle an inconclusive comparison if mean and spread stay as they are; nil for other
  /// verdicts, and if no number would.
  package let neededRepetitions: Int?
  /// True if the baseline has no loaders, so that a difference in per cent is undefined.
  package let isBaselineZero: Bool
  /// True if the differences are so skewed that their interval is skewness-adjusted.
  package let isSkewed: Bool

  /// The interval of the difference; nil for a reason that `intervalState` gives.
  package var differenceInterval: ConfidenceInterval? {
    if case .interval(let interval) = intervalState { interval } else { nil }
  }

  /// The number of equal pairs; nil if pairs differ or there is only one.
  package var equalPairs: Int? { intervalState == .equalPairs ? pairs : nil }

  package init(
    baseline: PointRuns, candidate: PointRuns, isDropped: Bool, confidence: Double, margin: Margin, familySize: Int, isDeterministic: Bool
  ) {
    let (first, second) = PointComparison.pairs(baseline, candidate)
    let paired = PairedComparison(baseline: first, candidate: second)
    pairs = paired.count
    baselineMean = first.isEmpty ? nil : paired.ratio.baselineMean
    difference = paired.count > 0 ? paired.sample.mean : nil
    intervalState = paired.intervalState(confidence: confidence)
    standardError = paired.sample.standardError
    percent = isDeterministic ? paired.ratio.percent : paired.percent(confidence: confidence)
    percentInterval = percent == nil ? nil : paired.percentInterval(confidence: confidence)
    holmPValue = isDeterministic || paired.count == 0 || isDropped ? nil : paired.signFlipTest.pValue
    verdict =
      isDropped
      ? Verdict(.inconclusive, .dropped)
      : Verdict(paired, margin: margin, confidence: confidence, familySize: familySize, isDeterministic: isDeterministic)
    neededRepetitions =
      verdict.outcome == .inconclusive && verdict.ground == .interval
      ? paired.neededCount(
        margin: margin, confidence: MultipleTests.simultaneousConfidence(confidence, count: familySize)) : nil
    isBaselineZero = paired.count > 0 && paired.ratio.isBaselineZero
    isSkewed = !isDeterministic && paired.sample.isSkewed
  }

  /// Returns the headline values of the repetitions that both points have, in order. O(n).
  static func pairs(_ baseline: PointRuns, _ candidate: PointRuns) -> ([Double], [Double]) {
    var (first, second): ([Double], [Double]) = ([], [])
    var rest = zip(baseline.repetitions, baseline.headline).makeIterator()
    var next = rest.next()
    for (repetition, value) in zip(candidate.repetitions, candidate.headline) where !value.isNaN {
      while let known = next, known.0 < repetition { next = rest.next() }
      guard let (known, base) = next, known == repetition, !base.isNaN else { continue }
      first.append(base)
      second.append(value)
    }
    return (first, second)
  }
}

extension PairedComparison {
  /// Returns the total number of pairs at which the interval would reach an edge of the margin, if mean, spread and skewness stay as they
  /// are; nil above a million.
  func neededCount(margin: Margin, confidence: Double) -> Int? {
    // The interval is the skewness-adjusted one at `confidence`, which the caller adjusts for the family. Its end must reach the nearest
    // edge of the margin: `better` or `worse` if the mean lies beyond it, `equivalent` if it lies within (Cochran 1977, 4.4).
    let (mean, edge) = (sample.mean, margin.amount(ofMean: ratio.baselineMean))
    guard mean.magnitude != edge, sample.standardDeviation > 0 else { return nil }
    return Sample.fewest(above: count) { count in
      guard let interval = sample.adjustedInterval(confidence: confidence, ofCount: count) else { return false }
      if mean.magnitude < edge { return interval.low >= -edge && interval.high <= edge }
      return mean > 0 ? interval.low >= edge : interval.high <= -edge
    }
  }
}
