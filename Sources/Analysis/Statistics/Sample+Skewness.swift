// Intervals of a mean whose sample may be skewed: Student's cover too little then.

extension Sample {
  /// The fewest values that support an interval: no sample of 4 tells a normal distribution from a lognormal one.
  static let fewestForInterval = 5

  /// The skewness-adjusted interval of the mean; nil below 5 values or without spread. Never narrower than Student's.
  package func adjustedInterval(confidence: Double = 0.95) -> ConfidenceInterval? {
    adjustedInterval(confidence: confidence, ofCount: count)
  }

  /// The interval of `count` values with this mean, spread and skewness.
  func adjustedInterval(confidence: Double, ofCount count: Int) -> ConfidenceInterval? {
    guard count >= Self.fewestForInterval, standardDeviation > 0 else { return nil }
    let quantile = StudentT.criticalValue(alpha: 1 - confidence, degreesOfFreedom: Double(count - 1))
    return ConfidenceInterval(
      low: adjustedEnd(.low, quantile: quantile, ofCount: count), high: adjustedEnd(.high, quantile: quantile, ofCount: count),
      confidence: confidence)
  }

  /// A side of an interval.
  package enum End { case low, high }

  /// One end of the interval, for Student's quantile at the end's level.
  func adjustedEnd(_ end: End, quantile: Double, ofCount count: Int) -> Double {
    let sign: Double = end == .high ? 1 : -1
    let distance = Self.adjustedDistance(
      quantile: quantile, skewness: sign * (skewness ?? 0), excessKurtosis: excessKurtosis, count: count)
    return mean + sign * distance * standardDeviation / Double(count).squareRoot()
  }

  /// The distance from the mean to an end of its interval, in standard errors; `skewness` is positive if the sample is skewed to that end.
  ///
  /// Hall's transformation (1992, doi:10.1111/j.2517-6161.1992.tb01872.x), inverted as a series to the second order of u = γ/√n: with
  /// x = q + u/6 the end lies at x + ux²/3 + 5u²x³/27. A sample understates the skewness that it comes from: γ is the sample's plus the
  /// square root of its excess kurtosis, as far as that is positive, because few values far out may lie on either side by chance; the more
  /// so the larger u is and the smaller the sample, hence the term in u². These constants are calibrated (Results/calibration), as are the
  /// limit, which keeps intervals of few normal values usable, and the factor below 13 values, where a sample tells little of its shape.
  static func adjustedDistance(quantile: Double, skewness: Double, excessKurtosis: Double, count: Int) -> Double {
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
