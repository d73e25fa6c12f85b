// The pairs of one guard: the intervals that a gate judges by, and what they say.

/// The pairs of one guard at one look.
struct GatePairs {
  /// The one-sided nominal levels of an interval's ends: of the end that decides "worse" and of that which decides "not worse".
  typealias Levels = (worse: Double, kept: Double)

  let comparison: PairedComparison
  /// How far the pairs are beyond the margin: positive on the bad side.
  let excess: Sample
  /// How many pairs differ from the commonest one, in the difference and in the excess.
  let others: [Int]
  let baselineMean: Double
  let candidateMean: Double

  private let guarded: GateGuard

  init(_ guarded: GateGuard, baseline: [Double], candidate: [Double]) {
    self.guarded = guarded
    comparison = PairedComparison(baseline: baseline, candidate: candidate)
    let excess = CommonestValue(
      zip(baseline, candidate).map { guarded.excess(baseline: $0, candidate: $1) },
      tolerance: CommonestValue.tolerance(baseline, candidate))
    self.excess = Sample(excess.values)
    others = [comparison.others, excess.others]
    let count = Double(max(1, baseline.count))
    baselineMean = baseline.reduce(0, +) / count
    candidateMean = candidate.reduce(0, +) / count
  }

  /// The number of pairs.
  var count: Int { comparison.count }

  /// True if the metric's mean moves to the good side.
  var isBetter: Bool { guarded.side == .rise ? comparison.sample.mean < 0 : comparison.sample.mean > 0 }

  /// The verdict at these levels; if `size` is given, that of so many pairs with the same means, spreads and skewness.
  func outcome(_ levels: Levels, ofCount size: Int? = nil) -> GateFinding.Outcome {
    let size = size ?? count
    let degrees = Double(size - 1)
    let worse = StudentT.criticalValue(alpha: 2 * levels.worse, degreesOfFreedom: degrees)
    let kept = levels.kept == levels.worse ? worse : StudentT.criticalValue(alpha: 2 * levels.kept, degreesOfFreedom: degrees)
    let limit = guarded.limit(baselineMean: baselineMean)
    let rises = guarded.side == .rise
    func low(_ sample: Sample) -> Double { sample.adjustedEnd(.low, quantile: rises ? worse : kept, ofCount: size) }
    func high(_ sample: Sample) -> Double { sample.adjustedEnd(.high, quantile: rises ? kept : worse, ofCount: size) }
    // An excess is positive on the bad side, whichever that is.
    let beyond = (
      low: excess.adjustedEnd(.low, quantile: worse, ofCount: size), high: excess.adjustedEnd(.high, quantile: kept, ofCount: size)
    )
    let sample = comparison.sample
    let change = rises ? (low: low(sample), high: high(sample)) : (low: -high(sample), high: -low(sample))
    if beyond.low > 0, change.low > limit { return .worse }
    guard beyond.high < 0, change.high < limit else { return .inconclusive }
    return change.high < 0 ? .better : .notWorse
  }

  /// The interval of the difference; nil where all differences are equal.
  func differenceInterval(_ levels: Levels) -> ConfidenceInterval? {
    let sample = comparison.sample
    guard sample.standardDeviation > 0 else { return nil }
    let (low, high) = quantiles(levels)
    return ConfidenceInterval(
      low: sample.adjustedEnd(.low, quantile: low, ofCount: count), high: sample.adjustedEnd(.high, quantile: high, ofCount: count),
      confidence: 1 - levels.worse - levels.kept)
  }

  /// The interval in per cent that agrees with the verdict: it holds the interval of the change and that of the difference.
  func percentInterval(_ levels: Levels) -> ConfidenceInterval? {
    let (low, high) = quantiles(levels)
    guard let difference = differenceInterval(levels),
      let change = comparison.relativeChange.interval(lowQuantile: low, highQuantile: high)
    else { return nil }
    return ConfidenceInterval(low: change.low * 100, high: change.high * 100, confidence: difference.confidence)
      .hull(with: difference.scaled(by: 100 / baselineMean))
  }

  /// Student's quantiles of an interval's low and high end.
  private func quantiles(_ levels: Levels) -> (low: Double, high: Double) {
    let (low, high) = guarded.side == .rise ? (levels.worse, levels.kept) : (levels.kept, levels.worse)
    let degrees = Double(count - 1)
    return (
      StudentT.criticalValue(alpha: 2 * low, degreesOfFreedom: degrees), StudentT.criticalValue(alpha: 2 * high, degreesOfFreedom: degrees)
    )
  }
}
