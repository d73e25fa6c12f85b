// The pairs of one guard: the intervals by which the gate judges them, and its verdict.

struct GatePairs {
  /// Student's quantiles for the interval end that decides "worse" and for the end that decides "not worse".
  struct Quantiles {
    let worse: Double, kept: Double

    /// Returns the quantiles of `count` pairs at one-sided nominal levels.
    init(worse: Double, kept: Double, count: Int) {
      let degrees = Double(max(1, count - 1))
      self.worse = StudentT.criticalValue(alpha: 2 * worse, degreesOfFreedom: degrees)
      self.kept = kept == worse ? self.worse : StudentT.criticalValue(alpha: 2 * kept, degreesOfFreedom: degrees)
    }
  }

  private let guarded: GateGuard
  let comparison: PairedComparison
  /// The amounts by which the pairs exceed the margin; positive in the bad direction.
  let excess: Sample
  let baselineMean: Double, candidateMean: Double
  /// The largest change that the plain difference may have.
  private let limit: Double

  /// Creates the pairs of a guard with the margin, or with `floors` in its place (`GateGuard.floors`).
  init(_ guarded: GateGuard, baseline: [Double], candidate: [Double], floors: [Double]? = nil) {
    self.guarded = guarded
    comparison = PairedComparison(baseline: baseline, candidate: candidate)
    let excess = CommonestValue(
      baseline.indices.map { guarded.excess(baseline: baseline[$0], candidate: candidate[$0]) - (floors?[$0] ?? 0) },
      tolerance: CommonestValue.tolerance(baseline, candidate))
    self.excess = Sample(excess.values)
    (baselineMean, candidateMean) = (Sample(baseline).mean, Sample(candidate).mean)
    limit = floors.map { Sample($0).mean } ?? guarded.limit(baselineMean: baselineMean)
  }

  var count: Int { comparison.count }

  /// True if the metric's mean moves in the good direction.
  var isBetter: Bool { guarded.side == .rise ? comparison.sample.mean < 0 : comparison.sample.mean > 0 }

  /// Returns the verdict; with `size`, the verdict of that many pairs with the same means, spreads and skewness.
  func outcome(_ quantiles: Quantiles, ofCount size: Int? = nil) -> GateFinding.Outcome {
    let size = size ?? count
    // An excess is positive in the bad direction.
    let beyond = excess.adjustedInterval(lowQuantile: quantiles.worse, highQuantile: quantiles.kept, ofCount: size)
    let ends = differenceInterval(quantiles, ofCount: size)
    let change = guarded.side == .rise ? ends : ConfidenceInterval(low: -ends.high, high: -ends.low)
    if beyond.low > 0, change.low > limit { return .worse }
    guard beyond.high < 0, change.high < limit else { return .inconclusive }
    return change.high < 0 ? .better : .notWorse
  }

  /// Returns the interval of the difference; nil if all differences are equal.
  func differenceInterval(_ quantiles: Quantiles) -> ConfidenceInterval? {
    comparison.sample.standardDeviation > 0 ? differenceInterval(quantiles, ofCount: count) : nil
  }

  /// Returns the interval in per cent, moved to agree with the verdict if the margin is in per cent; nil if it is unbounded.
  func percentInterval(_ quantiles: Quantiles) -> ConfidenceInterval? {
    let isRise = guarded.side == .rise
    let (low, high) = isRise ? (quantiles.worse, quantiles.kept) : (quantiles.kept, quantiles.worse)
    guard comparison.sample.standardDeviation > 0, let change = comparison.changeInterval(lowQuantile: low, highQuantile: high)
    else { return nil }
    var (start, end) = (change.low * 100, change.high * 100)
    if case .percent(let value) = guarded.margin {
      let limit = isRise ? value : -value
      switch outcome(quantiles) {
      case .inconclusive: (start, end) = (min(start, limit), max(end, limit))
      case let outcome where (outcome == .worse) == isRise: start = max(start, limit.nextUp)
      default: end = min(end, limit.nextDown)
      }
    }
    return ConfidenceInterval(low: start, high: end)
  }

  private func differenceInterval(_ quantiles: Quantiles, ofCount size: Int) -> ConfidenceInterval {
    let (low, high) = guarded.side == .rise ? (quantiles.worse, quantiles.kept) : (quantiles.kept, quantiles.worse)
    return comparison.sample.adjustedInterval(lowQuantile: low, highQuantile: high, ofCount: size)
  }
}
