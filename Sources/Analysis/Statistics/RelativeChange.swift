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
  /// Central moments of the difference d and the baseline b: `moments[k][j]` is the mean of dᵏ⁻ʲ·bʲ.
  private let moments: [[Double]]

  /// The change of paired values; both arrays have one value a repetition, in the same order. O(n).
  init(baseline: [Double], differences: [Double]) {
    count = baseline.count
    let n = Double(max(1, count))
    baselineMean = baseline.reduce(0, +) / n
    differenceMean = differences.reduce(0, +) / n
    var sums: [[Double]] = [[], [], [0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0, 0]]
    for (before, change) in zip(baseline, differences) {
      let (b, d) = (before - baselineMean, change - differenceMean)
      let (dd, db, bb) = (d * d, d * b, b * b)
      sums[2][0] += dd
      sums[2][1] += db
      sums[2][2] += bb
      sums[3][0] += dd * d
      sums[3][1] += dd * b
      sums[3][2] += d * bb
      sums[3][3] += bb * b
      sums[4][0] += dd * dd
      sums[4][1] += dd * db
      sums[4][2] += dd * bb
      sums[4][3] += db * bb
      sums[4][4] += bb * bb
    }
    moments = sums.map { $0.map { $0 / n } }
  }

  /// The interval for Student's quantiles at the levels of its two ends; nil where the baseline's mean is not above zero with the same
  /// confidence, so that the change has no bounds.
  func interval(lowQuantile: Double, highQuantile: Double) -> (low: Double, high: Double)? {
    guard baselineMean > 0, count > 2 else { return nil }
    let baseline = (2...4).map { moments[$0][$0] }
    let distance = distance(baseline[0], -baseline[1], baseline[2], quantile: max(lowQuantile, highQuantile))
    guard distance < baselineMean * (1 - 1e-6) else { return nil }
    guard let low = end(-1, quantile: lowQuantile), let high = end(1, quantile: highQuantile) else { return nil }
    return (low, high)
  }

  /// The change at which the end of the interval of difference − θ · baseline is 0: the high one for `sign` 1, the low one for −1.
  private func end(_ sign: Double, quantile: Double) -> Double? {
    // Positive while θ is inside the interval.
    func inside(_ change: Double) -> Bool {
      let (b, c) = (moments[3], moments[4])
      let second = moments[2][0] - change * (2 * moments[2][1] - change * moments[2][2])
      let third = b[0] - change * (3 * b[1] - change * (3 * b[2] - change * b[3]))
      let fourth = c[0] - change * (4 * c[1] - change * (6 * c[2] - change * (4 * c[3] - change * c[4])))
      return sign * (differenceMean - change * baselineMean) + distance(second, sign * third, fourth, quantile: quantile) > 0
    }
    var inner = differenceMean / baselineMean
    let first = distance(moments[2][0], sign * moments[3][0], moments[4][0], quantile: quantile) / baselineMean
    var step = max(first, inner.magnitude * 1e-12, 1e-12)
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
  private func distance(_ second: Double, _ third: Double, _ fourth: Double, quantile: Double) -> Double {
    // What rounding alone leaves is no spread.
    guard second > 1e-24 * (baselineMean * baselineMean + differenceMean * differenceMean) else { return 0 }
    let n = Double(count)
    let skewness = (n * (n - 1)).squareRoot() / (n - 2) * third / (second * second.squareRoot())
    let standardError = (second / (n - 1)).squareRoot()
    return standardError
      * Sample.adjustedDistance(quantile: quantile, skewness: skewness, excessKurtosis: fourth / second / second - 3, count: count)
  }
}
