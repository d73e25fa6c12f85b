// Quantiles of small samples: an order statistic, and the two order statistics between which the true one lies.

/// A quantile of a small sample.
package struct SampleQuantile: Hashable, Sendable {
  /// The smallest value that at least the given share of the values do not exceed (nearest rank).
  package let value: Double
  /// Two of the values, which cover the true quantile at least with the confidence asked for, and the confidence that they
  /// really have; nil where even the smallest and the largest value do not.
  package let interval: ConfidenceInterval?
  /// The ranks of the interval's ends among the sorted values, from 1.
  package let ranks: ClosedRange<Int>?

  /// The quantile of `values` for a share between 0 and 1; nil for no values. O(n log n).
  ///
  /// The interval is that of Thompson (1936) in David & Nagaraja (2003), Order Statistics, 7.1: distribution-free, from the binomial
  /// distribution of the number of values below the quantile, each end with half of the error.
  package init?(_ values: [Double], share: Double, confidence: Double = 0.95) {
    precondition(share > 0 && share < 1, "a share lies between 0 and 1")
    guard !values.isEmpty else { return nil }
    let sorted = values.sorted()
    let count = sorted.count
    value = sorted[min(count, max(1, Int((share * Double(count)).rounded(.up)))) - 1]
    let half = (1 - confidence) / 2
    // Of B values below the true quantile, the r-th smallest lies above it if B < r.
    let low = (1...count).last { SampleQuantile.atMost($0 - 1, of: count, share: share) <= half }
    let high = (1...count).first { 1 - SampleQuantile.atMost($0 - 1, of: count, share: share) <= half }
    guard let low, let high else {
      (interval, ranks) = (nil, nil)
      return
    }
    ranks = low...high
    let coverage =
      SampleQuantile.atMost(high - 1, of: count, share: share) - SampleQuantile.atMost(low - 1, of: count, share: share)
    interval = ConfidenceInterval(low: sorted[low - 1], high: sorted[high - 1], confidence: coverage)
  }

  /// The chance of at most `successes` in `count` trials: I₁₋ₚ(n − k, k + 1) (DLMF 8.17.5).
  private static func atMost(_ successes: Int, of count: Int, share: Double) -> Double {
    if successes < 0 { return 0 }
    if successes >= count { return 1 }
    return SpecialFunctions.incompleteBeta(
      a: Double(count - successes), b: Double(successes + 1), x: 1 - share, y: share)
  }
}
