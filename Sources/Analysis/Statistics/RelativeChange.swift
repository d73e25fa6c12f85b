// By how many per cent a mean changes, with an interval that allows for noise of the baseline and for skewness.

/// The change of a mean in relation to the baseline's mean, from paired values.
///
/// Fieller's device (1954, https://www.jstor.org/stable/2984043): a change θ lies in the interval if the interval of the mean of
/// difference − θ · baseline holds 0. Here that interval is the skewness-adjusted one, so that the interval of the change holds 0 if and
/// only if that of the difference does.
struct RelativeChange {
  private let count: Int
  private let differenceMean: Double
  private let baselineMean: Double
  /// Central moments, named by their factors: d is the difference, b the baseline.
  private let (dd, db, bb, ddd, ddb, dbb, bbb): (Double, Double, Double, Double, Double, Double, Double)

  /// The change of paired values; both arrays have one value a repetition, in the same order. O(n).
  init(baseline: [Double], differences: [Double]) {
    count = baseline.count
    let n = Double(max(1, count))
    let (x, y) = (baseline.reduce(0, +) / n, differences.reduce(0, +) / n)
    var sums = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for (before, change) in zip(baseline, differences) {
      let (b, d) = (before - x, change - y)
      sums.0 += d * d
      sums.1 += d * b
      sums.2 += b * b
      sums.3 += d * d * d
      sums.4 += d * d * b
      sums.5 += d * b * b
      sums.6 += b * b * b
    }
    (baselineMean, differenceMean) = (x, y)
    (dd, db, bb) = (sums.0 / n, sums.1 / n, sums.2 / n)
    (ddd, ddb, dbb, bbb) = (sums.3 / n, sums.4 / n, sums.5 / n, sums.6 / n)
  }

  /// The interval for Student's quantiles at the levels of its two ends; nil where the baseline's mean is not above zero with the same
  /// confidence, so that the change has no bounds.
  func interval(lowQuantile: Double, highQuantile: Double) -> (low: Double, high: Double)? {
    guard baselineMean > 0, count > 2 else { return nil }
    let baseline = distance(second: bb, third: -bbb, quantile: max(lowQuantile, highQuantile))
    guard baseline < baselineMean * (1 - 1e-6) else { return nil }
    guard let low = end(-1, quantile: lowQuantile), let high = end(1, quantile: highQuantile) else { return nil }
    return (low, high)
  }

  /// The change at which the end of the interval of difference − θ · baseline is 0: the high one for `sign` 1, the low one for −1.
  private func end(_ sign: Double, quantile: Double) -> Double? {
    // Positive while θ is inside the interval.
    func inside(_ change: Double) -> Bool {
      let second = dd - 2 * change * db + change * change * bb
      let third = ddd - 3 * change * ddb + 3 * change * change * dbb - change * change * change * bbb
      return sign * (differenceMean - change * baselineMean) + distance(second: second, third: sign * third, quantile: quantile) > 0
    }
    var inner = differenceMean / baselineMean
    var step = max(distance(second: dd, third: sign * ddd, quantile: quantile) / baselineMean, inner.magnitude * 1e-12, 1e-12)
    var outer = inner + sign * step
    while inside(outer) {
      inner = outer
      step *= 2
      outer = inner + sign * step
      guard step < 1e12 else { return nil }
    }
    for _ in 0..<100 {
      let middle = (inner + outer) / 2
      guard middle != inner, middle != outer else { break }
      if inside(middle) { inner = middle } else { outer = middle }
    }
    return inner
  }

  /// The distance of an interval's end from the mean, for central moments of which the third is positive towards that end.
  private func distance(second: Double, third: Double, quantile: Double) -> Double {
    // What rounding alone leaves is no spread.
    guard second > 1e-24 * (baselineMean * baselineMean + differenceMean * differenceMean) else { return 0 }
    let n = Double(count)
    let skewness = (n * (n - 1)).squareRoot() / (n - 2) * third / (second * second.squareRoot())
    let standardError = (second / (n - 1)).squareRoot()
    return Sample.adjustedDistance(quantile: quantile, skewness: skewness, count: count) * standardError
  }
}
