// One point against the baseline, repetition by repetition.

/// A point held against the baseline in loaders per 1000: paired by repetition, only those that both have.
package struct PointComparison {
  package let pairs: Int
  /// The baseline's mean over the common repetitions, in loaders per 1000; nil without one.
  package let baselineMean: Double?
  /// The mean difference, point less baseline, in loaders per 1000; nil without a common repetition.
  package let difference: Double?
  package let standardError: Double
  /// The interval of the difference, for this point alone, or why there is none.
  package let intervalState: PairedComparison.IntervalState
  /// The difference in per cent of the baseline's mean; nil where the interval of that mean holds zero.
  package let percent: Double?
  /// The interval of the per cent (`PairedComparison.percentInterval`), for this point alone; nil where it has no ends.
  package let percentInterval: ConfidenceInterval?
  /// The exact sign-flip p-value, after Holm's correction for all points; nil where the scenario has no randomness.
  package internal(set) var holmPValue: Double?
  /// The verdict, by the simultaneous interval against the margin.
  package let verdict: Verdict
  /// How many repetitions in all an inconclusive comparison would need, if its mean and spread stay as they are; nil where the
  /// verdict is another, or no number would do.
  package let neededRepetitions: Int?
  /// Whether the baseline shows no loaders, so that no per cent of it can be said.
  package let isBaselineZero: Bool
  /// True if the differences are so skewed that their interval is adjusted for it.
  package let isSkewed: Bool

  /// The interval; nil where `intervalState` says why.
  package var differenceInterval: ConfidenceInterval? {
    if case .interval(let interval) = intervalState { interval } else { nil }
  }

  /// The number of equal pairs; nil where pairs differ, or there is only one.
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

  /// The values of the repetitions that both have, in order. O(n).
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
  /// The fewest pairs in all with which the interval would leave the margin's edge, if mean, spread and skewness stay as they are; more
  /// than there are. Nil where no number would do, or more than a million.
  ///
  /// The interval is the one that decides: the skewness-adjusted one at `confidence`, which is adjusted for the family. Its end must reach
  /// the nearest edge of the margin: `better` or `worse` if the mean lies beyond it, `equivalent` if within (Cochran 1977, 4.4).
  func neededCount(margin: Margin, confidence: Double) -> Int? {
    let (mean, edge) = (sample.mean, margin.amount(ofMean: ratio.baselineMean))
    guard mean.magnitude != edge, sample.standardDeviation > 0 else { return nil }
    return Sample.fewest(above: count) { count in
      guard let interval = sample.adjustedInterval(confidence: confidence, ofCount: count) else { return false }
      if mean.magnitude < edge { return interval.low >= -edge && interval.high <= edge }
      return mean > 0 ? interval.low >= edge : interval.high <= -edge
    }
  }
}
