// The paired comparison of one point with the baseline.

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
  /// The total number of repetitions that would decide an inconclusive comparison; nil for other verdicts, and above a million.
  package let neededRepetitions: Int?
  /// True if the baseline has no loaders, so that a difference in per cent is undefined.
  package let isBaselineZero: Bool

  package var differenceInterval: ConfidenceInterval? { intervalState.interval }

  /// The number of equal pairs; nil if pairs differ or there is only one.
  package var equalPairs: Int? { intervalState == .equalPairs ? pairs : nil }

  init(
    baseline: PointRuns, candidate: PointRuns, isDropped: Bool, confidence: Double, margin: Margin, familySize: Int, isDeterministic: Bool
  ) {
    let (first, second) = PointComparison.pairs(baseline, candidate)
    let paired = PairedComparison(baseline: first, candidate: second)
    let limit = candidate.columns.schema.headline.limit
    pairs = paired.count
    baselineMean = first.isEmpty ? nil : paired.ratio.baselineMean
    difference = paired.count > 0 ? paired.sample.mean : nil
    intervalState = paired.intervalState(confidence: confidence)
    standardError = paired.sample.standardError
    let isBounded = isDeterministic || paired.count > 0 && paired.baselineInterval(confidence: confidence).low > 0
    percent = isBounded ? paired.ratio.percent : nil
    percentInterval = percent == nil ? nil : paired.percentInterval(confidence: confidence)
    holmPValue = isDeterministic || paired.count == 0 || isDropped ? nil : SignFlipTest(differences: paired.differences).pValue
    verdict =
      isDropped
      ? Verdict(.inconclusive, .dropped)
      : paired.verdict(margin: margin, confidence: confidence, familySize: familySize, limit: limit, isDeterministic: isDeterministic)
    let adjusted = MultipleTests.simultaneousConfidence(confidence, count: familySize)
    neededRepetitions =
      switch (verdict.outcome, verdict.ground) {
      case (.inconclusive, .interval): paired.neededCount(margin: margin, confidence: adjusted)
      case (.inconclusive, .equalPairs): paired.fewestPairs(beyond: margin, confidence: adjusted, limit: limit)
      default: nil
      }
    isBaselineZero = paired.count > 0 && paired.ratio.isBaselineZero
  }

  /// Returns a column's values, by default the headline's, of the repetitions that both points have, in order. O(n).
  static func pairs(
    _ baseline: PointRuns, _ candidate: PointRuns, _ column: KeyPath<PointRuns, ArraySlice<Double>> = \.headline
  ) -> ([Double], [Double]) {
    let known = baseline.values(baseline[keyPath: column], of: candidate.repetitions)
    let pairs = zip(known, candidate[keyPath: column]).filter { !$0.isNaN && !$1.isNaN }
    return (pairs.map(\.0), pairs.map(\.1))
  }
}

extension PairedComparison {
  /// The predictive probability of a verdict that `neededCount` reaches. Reports say "probably", which also holds for skewed laws.
  private static let decidingChance = 0.85

  /// Returns the smallest total number of pairs, these included, that gives a verdict in most cases; nil above a million. Planted laws:
  /// at least 8 of 10 if normal, 7 of 10 if exponential, 6 of 10 if lognormal with σ = 1, more than half if 9 of 10 differences are equal.
  func neededCount(margin: Margin, confidence: Double) -> Int? {
    let (edge, n) = (margin.amount(ofMean: ratio.baselineMean), Double(count))
    guard count > 1, sample.standardDeviation > 0 else { return nil }
    // The probability of a verdict, given these pairs and a flat prior (assurance: O'Hagan, Stevens & Campbell 2005, doi:10.1002/pst.175).
    // The mean of k pairs, n of them known, is Student's t around the present mean with the scale s·√(1/n − 1/k). A sample understates
    // the spread of skewed laws, so s is larger by one standard error of a variance, √((κ + 2)/n) (Cramér 1946, 27.4).
    let spread = (1 + ((2 + max(0, sample.excessKurtosis)) / n).squareRoot()).squareRoot()
    return Sample.fewest(above: count) { total in
      guard let interval = sample.adjustedInterval(confidence: confidence, ofCount: total) else { return false }
      let (below, above) = (spread * (sample.mean - interval.low), spread * (interval.high - sample.mean))
      let scale = spread * sample.standardDeviation * (1 / n - 1 / Double(total)).squareRoot()
      /// Returns the probability that the mean of all pairs is at most `end`.
      func chance(upTo end: Double) -> Double {
        let t = (end - sample.mean) / scale
        let tail = StudentT.twoSidedTail(t.magnitude, degreesOfFreedom: n - 1) / 2
        return t < 0 ? tail : 1 - tail
      }
      let within = max(0, chance(upTo: edge - above) - chance(upTo: below - edge))
      return chance(upTo: -edge - above) + 1 - chance(upTo: edge + below) + within >= Self.decidingChance
    }
  }
}
