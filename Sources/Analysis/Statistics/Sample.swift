// The moments of a sample, and the intervals of its mean.

package struct Sample: Hashable, Sendable {
  package let count: Int
  /// The arithmetic mean; 0 for no values.
  package let mean: Double
  /// The standard deviation with n − 1; 0 for fewer than two values.
  package let standardDeviation: Double
  /// The adjusted Fisher–Pearson skewness G₁ (Joanes & Gill 1998, doi:10.1111/1467-9884.00122); nil below three values or without spread.
  package let skewness: Double?
  /// The fourth central moment over the square of the second, less the normal distribution's 3; 0 without spread.
  package let excessKurtosis: Double

  /// Computes the moments of `values` in two passes. O(n).
  package init(_ values: some Collection<Double>) {
    let n = Double(values.count)
    let center = values.isEmpty ? 0 : values.reduce(0, +) / n
    var (squares, cubes, fourths, largest) = (0.0, 0.0, 0.0, 0.0)
    for value in values {
      let deviation = value - center
      let square = deviation * deviation
      squares += square
      cubes += square * deviation
      fourths += square * square
      largest = max(largest, value.magnitude)
    }
    (count, mean) = (values.count, center)
    // A spread within rounding error of a constant counts as none.
    let hasSpread = count > 1 && squares > n * (largest * 1e-12) * (largest * 1e-12)
    excessKurtosis = hasSpread ? fourths / squares / squares * n - 3 : 0
    standardDeviation = hasSpread ? (squares / (n - 1)).squareRoot() : 0
    let deviation = (squares / n).squareRoot()
    skewness = count > 2 && hasSpread ? (n * (n - 1)).squareRoot() / (n - 2) * (cubes / n) / (deviation * deviation * deviation) : nil
  }

  /// Computes the moments of the values that are not NaN. O(n).
  init(known column: ArraySlice<Double>) { self.init(column.filter { !$0.isNaN }) }

  package var standardError: Double { count > 0 ? standardDeviation / Double(count).squareRoot() : 0 }

  /// Returns Student's interval of the mean, x̄ ± t·s/√n (Student 1908); nil below two values.
  package func interval(confidence: Double = 0.95) -> ConfidenceInterval? {
    guard count > 1 else { return nil }
    let half = StudentT.criticalValue(alpha: 1 - confidence, degreesOfFreedom: Double(count - 1)) * standardError
    return ConfidenceInterval(low: mean - half, high: mean + half)
  }

  /// The most repetitions that reports recommend.
  static let repetitionLimit = 1_000_000

  /// The fewest values that support an interval: no sample of 4 tells a normal distribution from a lognormal one.
  static let fewestForInterval = 5

  /// Returns the skewness-adjusted interval of the mean, within `range`; nil below 5 values or without spread. It is never narrower than
  /// Student's. With `ofCount` it is that of as many values with this mean, spread and skewness.
  package func adjustedInterval(
    confidence: Double = 0.95, ofCount size: Int? = nil, within range: ClosedRange<Double> = -Double.infinity...Double.infinity
  ) -> ConfidenceInterval? {
    let size = size ?? count
    guard size >= Self.fewestForInterval, standardDeviation > 0 else { return nil }
    let quantile = StudentT.criticalValue(alpha: 1 - confidence, degreesOfFreedom: Double(size - 1))
    let ends = adjustedInterval(lowQuantile: quantile, highQuantile: quantile, ofCount: size)
    return ConfidenceInterval(low: max(range.lowerBound, ends.low), high: min(range.upperBound, ends.high))
  }

  /// True if the values are more skewed than chance explains (twice the standard error of the skewness, Cramer 1997), and by enough to
  /// change the coverage of Student's interval; false below 5 values.
  var isSkewed: Bool {
    guard let skewness, count >= 5 else { return false }
    let n = Double(count)
    let error = (6 * n * (n - 1) / ((n - 2) * (n + 1) * (n + 3))).squareRoot()
    return skewness.magnitude > max(1, 2 * error)
  }

  /// Returns the smallest number above `count`, up to `repetitionLimit`, that suffices; nil if none does. Doubles, then bisects.
  static func fewest(above count: Int, suffices: (Int) -> Bool) -> Int? {
    var (low, high) = (count, count + 1)
    while !suffices(high) {
      guard high < repetitionLimit else { return nil }
      (low, high) = (high, min(high * 2, repetitionLimit))
    }
    while high - low > 1 {
      let middle = (low + high) / 2
      if suffices(middle) { high = middle } else { low = middle }
    }
    return high
  }

  /// Returns the skewness-adjusted interval of the mean, for Student's quantiles at the level of each end.
  func adjustedInterval(lowQuantile: Double, highQuantile: Double, ofCount count: Int) -> ConfidenceInterval {
    func end(_ sign: Double, _ quantile: Double) -> Double {
      let distance = Self.adjustedDistance(
        quantile: quantile, skewness: sign * (skewness ?? 0), excessKurtosis: excessKurtosis, count: count)
      return mean + sign * distance * standardDeviation / Double(count).squareRoot()
    }
    return ConfidenceInterval(low: end(-1, lowQuantile), high: end(1, highQuantile))
  }

  /// Returns the distance from the mean to an interval end, in standard errors; `skewness` is positive if the sample is skewed to that end.
  static func adjustedDistance(quantile: Double, skewness: Double, excessKurtosis: Double, count: Int) -> Double {
    // Hall's transformation (1992, doi:10.1111/j.2517-6161.1992.tb01872.x), inverted as a series to the second order of u = γ/√n: with
    // x = q + u/6 the end lies at x + ux²/3 + 5u²x³/27. A sample understates the skewness of its distribution. So γ is the sample's
    // skewness plus the square root of its excess kurtosis if positive, because a few values far out may be on either side by chance.
    // The understatement grows with u and for small samples, hence the term in u². These constants are calibrated (Results/calibration),
    // as are the limit, which keeps intervals of few normal values usable, and the factor below 13 values.
    let n = Double(count)
    let factor = max(1, 1.76 - 0.06 * n)
    let estimate = (skewness + max(0, excessKurtosis).squareRoot()) / n.squareRoot()
    guard estimate > 0 else { return factor * quantile }
    let u = estimate * (1 + (1 + 40 / n) * estimate)
    let x = quantile + u / 6
    let end = x + u * x * x / 3 + 5 * u * u * x * x * x / 27
    return factor * min(end, quantile * max(2.5, n / 8))
  }
}
