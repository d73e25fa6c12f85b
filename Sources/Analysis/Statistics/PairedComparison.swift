// A point against the baseline, repetition by repetition: with common random numbers only the paired differences tell.

/// Paired values of a candidate and the baseline, and all that is said of their difference (candidate less baseline).
package struct PairedComparison: Hashable, Sendable {
  /// The differences, one a repetition.
  package let differences: [Double]
  /// Their mean, spread and skewness.
  package let sample: Sample
  /// The candidate's mean in relation to the baseline's.
  package let ratio: RatioOfMeans

  private let baseline: [Double]
  /// How many differences are not the commonest one.
  private let others: Int

  /// Compares paired values: both arrays have one value a repetition, in the same order. O(n log n).
  package init(baseline: [Double], candidate: [Double]) {
    precondition(baseline.count == candidate.count, "paired values come in pairs")
    // A difference that rounding alone explains is none.
    let commonest = CommonestValue(
      zip(baseline, candidate).map { $1 - $0 }, tolerance: CommonestValue.tolerance(baseline, candidate))
    differences = commonest.values
    others = commonest.others
    sample = Sample(differences)
    ratio = RatioOfMeans(baseline: baseline, candidate: candidate)
    self.baseline = baseline
  }

  package var count: Int { differences.count }

  /// True if candidate and baseline are equal in every repetition (and there is one).
  package var isIdentical: Bool { count > 0 && differences.allSatisfy { $0 == 0 } }

  /// True if the difference is the same in each of at least two repetitions, and not zero.
  package var isConstantShift: Bool { count > 1 && sample.standardDeviation == 0 && !isIdentical }

  /// An interval, or why there is none.
  package enum IntervalState: Hashable, Sendable {
    case interval(ConfidenceInterval)
    /// No pair or one: nothing is known of the spread.
    case fewerThanTwoPairs
    /// All differences are equal: there is no spread to make an interval of.
    case equalPairs
    /// Fewer than 5 pairs, or fewer than 4 (3 of less than 10 pairs) that differ from the commonest difference.
    case tooFewRepetitions
  }

  /// The assumption that all intervals of paired differences rest on.
  package static let assumption =
    "Intervals hold for paired differences no more skewed than a lognormal distribution with σ = 1 (no method holds for every skew), and say "
    + "nothing of outcomes that have not occurred: below about 30 repetitions, one that occurs in 1 session of 10 may not have."

  /// The fewest differences apart from the commonest one that support an interval: fewer say too little of rare outcomes.
  private var fewestOthers: Int { count < 10 ? 3 : 4 }

  /// The skewness-adjusted interval of the mean difference (`Sample.adjustedInterval`), or why there is none.
  package func intervalState(confidence: Double = 0.95) -> IntervalState {
    guard count > 1 else { return .fewerThanTwoPairs }
    guard sample.standardDeviation > 0 else { return .equalPairs }
    guard others >= fewestOthers, let interval = sample.adjustedInterval(confidence: confidence) else { return .tooFewRepetitions }
    return .interval(interval)
  }

  /// The interval of the mean difference; nil where `intervalState` says why.
  package func interval(confidence: Double = 0.95) -> ConfidenceInterval? {
    if case .interval(let interval) = intervalState(confidence: confidence) { interval } else { nil }
  }

  /// The interval of the difference in per cent of the baseline's mean; nil where the difference has none, and where the baseline's mean
  /// is not above zero with the same confidence. It holds 0 if and only if the interval of the difference does.
  package func percentInterval(confidence: Double = 0.95) -> ConfidenceInterval? {
    guard interval(confidence: confidence) != nil else { return nil }
    let quantile = StudentT.criticalValue(alpha: 1 - confidence, degreesOfFreedom: Double(count - 1))
    // What cannot be negative cannot fall by more than all of it.
    let least = isNonNegative ? -1 : -Double.infinity
    return changeInterval(lowQuantile: quantile, highQuantile: quantile).map {
      ConfidenceInterval(low: max(least, $0.low) * 100, high: max(least, $0.high) * 100, confidence: confidence)
    }
  }

  /// True if no value of either side is negative.
  private var isNonNegative: Bool { zip(baseline, differences).allSatisfy { $0 >= 0 && $0 + $1 >= -1e-9 * $0 } }

  /// The interval of the baseline's own mean: the hull of Student's and the skewness-adjusted one.
  /// Without spread, and of one pair, it is the mean alone.
  func baselineInterval(confidence: Double) -> ConfidenceInterval {
    let sample = Sample(baseline)
    guard let student = sample.interval(confidence: confidence) else {
      return ConfidenceInterval(low: sample.mean, high: sample.mean, confidence: confidence)
    }
    return sample.adjustedInterval(confidence: confidence).map(student.hull) ?? student
  }

  /// The mean difference in per cent of the baseline's mean; nil where the interval of that mean holds zero.
  package func percent(confidence: Double) -> Double? {
    count > 0 && baselineInterval(confidence: confidence).low > 0 ? ratio.percent : nil
  }

  /// The interval of the change in relation to the baseline's mean, for Student's quantiles at the levels of its two ends; nil where that
  /// mean is not above zero with the same confidence, so that the change has no bounds.
  ///
  /// It is the hull of two: Fieller's (1954, https://www.jstor.org/stable/2984043), which allows for noise of the baseline, and that
  /// of the mean of difference − θ · baseline at the θ observed, which allows for skewness. It is cut to the quotients that the intervals of
  /// the two means allow, and extended to 0 where that of the difference holds 0. So it holds 0 if and only if that of the difference does.
  func changeInterval(lowQuantile: Double, highQuantile: Double) -> (low: Double, high: Double)? {
    let mean = ratio.baselineMean
    guard mean > 0, count > 2 else { return nil }
    func ends(_ sample: Sample, low: Double, high: Double) -> (low: Double, high: Double) {
      (sample.adjustedEnd(.low, quantile: low, ofCount: count), sample.adjustedEnd(.high, quantile: high, ofCount: count))
    }
    let quantile = max(lowQuantile, highQuantile)
    let base = ends(Sample(baseline), low: quantile, high: quantile)
    guard base.low > mean * 1e-6, let low = ratio.ends(quantile: lowQuantile)?.low, let high = ratio.ends(quantile: highQuantile)?.high
    else { return nil }
    let difference = ends(sample, low: lowQuantile, high: highQuantile)
    let residual = Sample(zip(baseline, differences).map { $1 - sample.mean / mean * $0 })
    let rest = ends(residual, low: lowQuantile, high: highQuantile)
    let change = (
      low: max(
        difference.low / (difference.low < 0 ? base.low : base.high), min(low - 1, (sample.mean + rest.low - residual.mean) / mean)),
      high: min(
        difference.high / (difference.high < 0 ? base.high : base.low), max(high - 1, (sample.mean + rest.high - residual.mean) / mean))
    )
    return difference.low <= 0 && difference.high >= 0 ? (min(change.low, 0), max(change.high, 0)) : change
  }

  /// The exact sign-flip test of the differences.
  package var signFlipTest: SignFlipTest { SignFlipTest(differences: differences) }
}

/// The commonest value of a sample, and the sample without what rounding adds.
package struct CommonestValue {
  /// The values; those that are equal but for rounding are equal.
  package let values: [Double]
  /// How many values differ from the commonest one.
  package let others: Int

  /// Values up to `tolerance` apart count as equal. O(n log n).
  package init(_ values: [Double], tolerance: Double) {
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

  /// The differences that rounding alone may make of values of this size.
  package static func tolerance(_ first: [Double], _ second: [Double]) -> Double {
    let size = zip(first, second).reduce(0) { max($0, $1.0.magnitude, $1.1.magnitude) }
    // Differences of whole numbers are exact, and nothing is known of infinities.
    let isExact = size <= 0x1p53 && zip(first, second).allSatisfy { $0.rounded() == $0 && $1.rounded() == $1 }
    return isExact || !size.isFinite ? 0 : size * 1e-14
  }
}
