// By how many per cent a mean changes, with an interval that allows for noise of the baseline and for skewness.

/// The change of a mean in relation to the baseline's mean, from paired values.
///
/// Its interval is the hull of two: Fieller's (1954, https://www.jstor.org/stable/2984043), which allows for noise of the baseline, and that
/// of the mean of difference − θ · baseline at the θ observed, which allows for skewness. It is cut to the quotients that the intervals of
/// the two means allow, and extended to 0 where that of the difference holds 0. So it holds 0 if and only if that of the difference does.
package struct RelativeChange {
  private let baseline: Sample
  private let difference: Sample
  private let residual: Sample
  private let ratio: RatioOfMeans

  /// The change of paired values; both arrays have one value a repetition, in the same order. O(n).
  package init(baseline: [Double], differences: [Double], ratio: RatioOfMeans) {
    self.baseline = Sample(baseline)
    difference = Sample(differences)
    let change = difference.mean / self.baseline.mean
    residual = Sample(zip(baseline, differences).map { $1 - change * $0 })
    self.ratio = ratio
  }

  /// The interval for Student's quantiles at the levels of its two ends; nil where the baseline's mean is not above zero with the same
  /// confidence, so that the change has no bounds.
  package func interval(lowQuantile: Double, highQuantile: Double) -> (low: Double, high: Double)? {
    let count = difference.count
    guard baseline.mean > 0, count > 2 else { return nil }
    let quantile = max(lowQuantile, highQuantile)
    let least = baseline.adjustedEnd(.low, quantile: quantile, ofCount: count)
    let most = baseline.adjustedEnd(.high, quantile: quantile, ofCount: count)
    guard least > baseline.mean * 1e-6, let low = ratio.ends(quantile: lowQuantile)?.low,
      let high = ratio.ends(quantile: highQuantile)?.high
    else { return nil }
    let ends = (
      low: difference.adjustedEnd(.low, quantile: lowQuantile, ofCount: count),
      high: difference.adjustedEnd(.high, quantile: highQuantile, ofCount: count)
    )
    let rest = (
      low: difference.mean + residual.adjustedEnd(.low, quantile: lowQuantile, ofCount: count) - residual.mean,
      high: difference.mean + residual.adjustedEnd(.high, quantile: highQuantile, ofCount: count) - residual.mean
    )
    let change = (
      low: max(ends.low / (ends.low < 0 ? least : most), min(low - 1, rest.low / baseline.mean)),
      high: min(ends.high / (ends.high < 0 ? most : least), max(high - 1, rest.high / baseline.mean))
    )
    return ends.low <= 0 && ends.high >= 0 ? (min(change.low, 0), max(change.high, 0)) : change
  }
}
