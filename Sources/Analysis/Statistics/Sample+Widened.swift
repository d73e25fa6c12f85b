// What Student's interval leaves out: where differences lean to one side, the mean has not seen enough of that side yet.

extension Sample {
  /// Student's interval, widened on the side to which the sample leans; nil below two values. Never narrower than Student's.
  ///
  /// Where most pairs are equal and a few differ by much, a mean that has met too few of these comes with a spread that is too small,
  /// and Student's upper end then lies below the truth far too often. Hall's cubic transformation (1992,
  /// doi:10.1111/j.2517-6161.1992.tb01872.x) takes the skewness out of the studentized mean; its quantile is used on the side where
  /// it is farther out. On the other side, where it would shorten the interval by a skewness that is itself only estimated, Student's
  /// stays. How well it does is in Results/calibration.
  public func widenedInterval(confidence: Double = 0.95) -> ConfidenceInterval? { widenedInterval(confidence: confidence, ofCount: count) }

  /// The same as it would be of so many values, if mean, spread and skewness stay as they are.
  func widenedInterval(confidence: Double, ofCount count: Int) -> ConfidenceInterval? {
    guard let student = interval(confidence: confidence, ofCount: count) else { return nil }
    let standardError = standardDeviation / Double(count).squareRoot()
    guard let skewness, standardError > 0 else { return student }
    let quantile = student.halfWidth / standardError
    // A sample that leans up has its truth above the mean more often than below.
    let isUp = skewness > 0
    let width = max(quantile, Self.hallQuantile(quantile, skewness: skewness.magnitude, count: count)) * standardError
    return ConfidenceInterval(
      low: isUp ? student.low : min(student.low, mean - width), high: isUp ? max(student.high, mean + width) : student.high,
      confidence: confidence)
  }

  /// How far, in standard errors, the truth may lie on the side to which the sample leans: −g⁻¹(−q) with
  /// g(t) = t + γt²/(3√n) + γ²t³/(27n) + γ/(6√n), whose inverse is 3√n/γ · (∛(1 + γ·(x/√n − γ/(6n))) − 1).
  private static func hallQuantile(_ quantile: Double, skewness: Double, count: Int) -> Double {
    let root = Double(count).squareRoot()
    let inner = 1 - skewness * (quantile / root + skewness / (6 * Double(count)))
    let size = inner == 0 ? 0 : Elementary.power(inner.magnitude, 1.0 / 3)
    return 3 * root / skewness * (1 - (inner < 0 ? -size : size))
  }
}
