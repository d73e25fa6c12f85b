// One point against the baseline, repetition by repetition.

/// A point held against the baseline in loaders per 1000: paired by repetition, only those that both have.
package struct PointComparison: Sendable {
  /// The number of common repetitions.
  package let pairs: Int
  /// The baseline's mean over the common repetitions, in loaders per 1000; nil without one.
  package let baselineMean: Double?
  /// The mean difference, point less baseline, in loaders per 1000; nil without a common repetition.
  package let difference: Double?
  /// Its interval, for this point alone; nil where `intervalState` says why.
  package let differenceInterval: ConfidenceInterval?
  /// The standard error of the mean difference.
  package let standardError: Double
  /// The interval, or why there is none.
  package let intervalState: PairedComparison.IntervalState
  /// The difference in per cent of the baseline's mean; nil where the interval of that mean holds zero.
  package let percent: Double?
  /// The interval of the per cent (`PairedComparison.percentInterval`), for this point alone; nil where it has no ends.
  package let percentInterval: ConfidenceInterval?
  /// The exact sign-flip p-value; nil where the scenario has no randomness.
  package let pValue: Double?
  /// The same after Holm's correction for all points.
  package internal(set) var holmPValue: Double?
  /// The verdict, by the simultaneous interval against the margin.
  package let verdict: Verdict
  /// How many repetitions in all an inconclusive comparison would need, if its mean and spread stay as they are; nil where the
  /// verdict is another, or no number would do.
  package let neededRepetitions: Int?
  /// Whether the baseline shows no loaders, so that no per cent of it can be said.
  package let isBaselineZero: Bool
  /// What makes the intervals doubtful.
  package let warnings: [SampleWarning]

  /// The number of equal pairs; nil where pairs differ, or there is only one.
  package var equalPairs: Int? { intervalState == .equalPairs ? pairs : nil }

  /// The differences as far as a chart shows them.
  package let dots: DifferenceDots

  package init(
    baseline: PointRuns, candidate: PointRuns, isDropped: Bool, confidence: Double, margin: Margin, familySize: Int, isDeterministic: Bool
  ) {
    let (first, second) = PointComparison.pairs(baseline, candidate)
    dots = DifferenceDots(zip(first, second).map { $1 - $0 })
    let paired = PairedComparison(baseline: first, candidate: second)
    pairs = paired.count
    baselineMean = first.isEmpty ? nil : Sample(first).mean
    difference = paired.count > 0 ? paired.sample.mean : nil
    intervalState = paired.intervalState(confidence: confidence)
    differenceInterval = paired.interval(confidence: confidence)
    standardError = paired.sample.standardError
    percent = isDeterministic ? paired.ratio.percent : paired.percent(confidence: confidence)
    percentInterval = percent == nil ? nil : paired.percentInterval(confidence: confidence)
    pValue = isDeterministic || paired.count == 0 || isDropped ? nil : paired.signFlipTest.pValue
    verdict =
      isDropped
      ? Verdict(.inconclusive, .dropped)
      : Verdict(paired, margin: margin, confidence: confidence, familySize: familySize, isDeterministic: isDeterministic)
    let isOpen = verdict.outcome == .inconclusive && verdict.ground == .interval
    neededRepetitions =
      isOpen
      ? NeededRepetitions.count(
        paired, baselineMean: Sample(first).mean, margin: margin,
        confidence: MultipleTests.simultaneousConfidence(confidence, count: familySize)) : nil
    isBaselineZero = paired.count > 0 && paired.ratio.isBaselineZero
    warnings = isDeterministic ? [] : paired.sample.warnings
  }

  /// The values of the repetitions that both have, in order. O(n).
  static func pairs(_ baseline: PointRuns, _ candidate: PointRuns) -> ([Double], [Double]) {
    var (first, second): ([Double], [Double]) = ([], [])
    var index = 0
    for (repetition, value) in zip(candidate.repetitions, candidate.headline) where !value.isNaN {
      while index < baseline.count, baseline.repetitions[index] < repetition { index += 1 }
      guard index < baseline.count, baseline.repetitions[index] == repetition, !baseline.headline[index].isNaN else { continue }
      first.append(baseline.headline[index])
      second.append(value)
    }
    return (first, second)
  }
}
