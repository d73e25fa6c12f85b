// Paired statistics: with common random numbers only the differences within repetitions count.

import Base

/// The paired values of a candidate and the baseline, and the statistics of their difference (candidate less baseline).
package struct PairedComparison: Hashable, Sendable {
  package let differences: [Double]
  package let sample: Sample
  /// The ratio of the candidate's mean to the baseline's.
  package let ratio: RatioOfMeans
  private let baseline: [Double]
  /// The number of differences that are not the most common one.
  private let others: Int

  /// Compares two arrays with one value per repetition, in the same order. O(n log n).
  package init(baseline: [Double], candidate: [Double]) {
    precondition(baseline.count == candidate.count, "paired values come in pairs")
    // A difference within rounding error counts as zero.
    let commonest = CommonestValue(zip(baseline, candidate).map { $1 - $0 }, tolerance: CommonestValue.tolerance(baseline, candidate))
    (differences, others) = (commonest.values, commonest.others)
    sample = Sample(differences)
    ratio = RatioOfMeans(baseline: baseline, candidate: candidate)
    self.baseline = baseline
  }

  package var count: Int { differences.count }

  /// True if there are pairs, and candidate and baseline are equal in each.
  package var isIdentical: Bool { count > 0 && differences.allSatisfy { $0 == 0 } }

  /// True if the difference is the same in each of at least two repetitions, and not zero.
  package var isConstantShift: Bool { count > 1 && sample.standardDeviation == 0 && !isIdentical }

  /// An interval, or the reason why there is none.
  package enum IntervalState: Hashable, Sendable {
    case interval(ConfidenceInterval)
    /// There are fewer than two pairs, so that the spread is unknown.
    case fewerThanTwoPairs
    /// All differences are equal, so that there is no spread to compute an interval from.
    case equalPairs
    /// There are fewer than 5 pairs.
    case tooFewRepetitions
    /// Fewer than 4 pairs (3 of less than 10) differ from the most common difference.
    case tooFewDiffering

    var interval: ConfidenceInterval? { if case .interval(let interval) = self { interval } else { nil } }
  }

  /// The assumption of all intervals of paired differences, as reports print it.
  package static let assumption =
    "All intervals of differences are skewness-adjusted. They hold for paired differences no more skewed than a lognormal distribution with σ = 1 (no method holds for every skew), and say "
    + "nothing of outcomes that have not occurred: 5 repetitions may lack one of 45 % of sessions, 10 one of 26 %, 30 one of 10 %."

  /// The smallest share of sessions with a rare outcome for which the promised error rates hold: a rarer one may be absent from the pairs.
  package static let rarestShare = 0.1

  /// Returns the fewest pairs that lack an outcome of a share of sessions with a probability of at most `error`.
  package static func fewestPairs(showing share: Double, error: Double) -> Int {
    Int(min(StableMath.log(error) / StableMath.log(1 - share), Double(Sample.repetitionLimit)).rounded(.up))
  }

  /// Returns the skewness-adjusted interval of the mean difference (`Sample.adjustedInterval`), or the reason why there is none.
  package func intervalState(confidence: Double = 0.95) -> IntervalState {
    guard count > 1 else { return .fewerThanTwoPairs }
    guard sample.standardDeviation > 0 else { return .equalPairs }
    guard let interval = sample.adjustedInterval(confidence: confidence) else { return .tooFewRepetitions }
    // Fewer differences apart from the most common one say too little about rare outcomes.
    guard others >= (count < 10 ? 3 : 4) else { return .tooFewDiffering }
    // A quantity that is never negative cannot fall by more than the baseline's mean, which may be at the upper end of its own interval.
    guard interval.low < -ratio.baselineMean, isNonNegative else { return .interval(interval) }
    let least = -baselineInterval(confidence: confidence).high
    return .interval(ConfidenceInterval(low: max(least, interval.low), high: interval.high))
  }

  /// Returns the interval of the mean difference; nil for a reason that `intervalState` gives.
  package func interval(confidence: Double = 0.95) -> ConfidenceInterval? { intervalState(confidence: confidence).interval }

  /// Returns the interval of the difference in per cent of the baseline's mean; nil without an interval of the difference, and unless the
  /// baseline's mean is above zero with the same confidence. It contains 0 exactly if the interval of the difference does.
  package func percentInterval(confidence: Double = 0.95) -> ConfidenceInterval? {
    guard interval(confidence: confidence) != nil else { return nil }
    let quantile = StudentT.criticalValue(alpha: 1 - confidence, degreesOfFreedom: Double(count - 1))
    // A quantity that is never negative cannot fall by more than 100 %.
    let least = isNonNegative ? -1 : -Double.infinity
    return changeInterval(lowQuantile: quantile, highQuantile: quantile).map {
      ConfidenceInterval(low: max(least, $0.low) * 100, high: max(least, $0.high) * 100)
    }
  }

  private var isNonNegative: Bool { zip(baseline, differences).allSatisfy { $0 >= 0 && $0 + $1 >= -1e-9 * $0 } }

  /// Returns the hull of Student's and the skewness-adjusted interval of the baseline's mean; without spread, or for one pair, the mean.
  func baselineInterval(confidence: Double) -> ConfidenceInterval {
    let sample = Sample(baseline)
    guard let student = sample.interval(confidence: confidence) else { return ConfidenceInterval(low: sample.mean, high: sample.mean) }
    return sample.adjustedInterval(confidence: confidence).map(student.hull) ?? student
  }

  /// Returns the interval of the relative change for Student's quantiles at the levels of its two ends; nil unless the baseline's mean is
  /// above zero with the same confidence. It contains 0 exactly if the interval of the difference does.
  func changeInterval(lowQuantile: Double, highQuantile: Double) -> ConfidenceInterval? {
    // The hull of two intervals: Fieller's (1954, https://www.jstor.org/stable/2984043), which allows for noise of the baseline, and that
    // of the mean of difference − θ · baseline at the observed θ, which allows for skewness. It is cut to the quotients that the intervals
    // of the two means allow. If the interval of the difference contains 0, it is extended beyond 0 to the nearest such quotients, so that
    // the ends of both intervals have the same signs.
    let mean = ratio.baselineMean
    guard mean > 0, count > 2 else { return nil }
    let quantile = max(lowQuantile, highQuantile)
    let base = Sample(baseline).adjustedInterval(lowQuantile: quantile, highQuantile: quantile, ofCount: count)
    guard base.low > mean * 1e-6, let low = ratio.interval(quantile: lowQuantile)?.low,
      let high = ratio.interval(quantile: highQuantile)?.high
    else { return nil }
    let difference = sample.adjustedInterval(lowQuantile: lowQuantile, highQuantile: highQuantile, ofCount: count)
    let residual = Sample(zip(baseline, differences).map { $1 - sample.mean / mean * $0 })
    let rest = residual.adjustedInterval(lowQuantile: lowQuantile, highQuantile: highQuantile, ofCount: count)
    let change = ConfidenceInterval(
      low: max(difference.low / (difference.low < 0 ? base.low : base.high), min(low - 1, (sample.mean + rest.low - residual.mean) / mean)),
      high: min(
        difference.high / (difference.high < 0 ? base.high : base.low), max(high - 1, (sample.mean + rest.high - residual.mean) / mean)))
    guard difference.low <= 0 && difference.high >= 0 else { return change }
    return change.hull(with: ConfidenceInterval(low: difference.low / base.high, high: difference.high / base.high))
  }
}

/// The most common value of a sample, and the sample without rounding noise.
struct CommonestValue {
  /// The values, with those that differ by rounding alone made equal.
  let values: [Double]
  /// The number of values that differ from the most common one.
  let others: Int

  /// Merges values that are up to `tolerance` apart. O(n log n).
  init(_ values: [Double], tolerance: Double) {
    var merged = values
    var (start, commonest) = (0, 0)
    let order = values.indices.sorted { values[$0] < values[$1] }
    for (rank, index) in order.enumerated() {
      if values[index] - values[order[start]] > tolerance { start = rank }
      merged[index] = values[order[start]].magnitude <= tolerance ? 0 : values[order[start]]
      commonest = max(commonest, rank - start + 1)
    }
    self.values = merged
    others = values.count - commonest
  }

  /// Returns the differences that rounding alone can cause between values of this size.
  static func tolerance(_ first: [Double], _ second: [Double]) -> Double {
    let size = zip(first, second).reduce(0) { max($0, $1.0.magnitude, $1.1.magnitude) }
    // Differences of whole numbers are exact; for infinite values there is no tolerance.
    let isExact = size <= 0x1p53 && zip(first, second).allSatisfy { $0.rounded() == $0 && $1.rounded() == $1 }
    return isExact || !size.isFinite ? 0 : size * 1e-14
  }
}
