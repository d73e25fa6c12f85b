// The moments of one sample, its mean's t interval, and what makes that interval doubtful.

/// A sample's mean, spread and skewness.
package struct Sample: Hashable, Sendable {
  /// The number of values.
  package let count: Int
  /// The arithmetic mean; 0 for no values.
  package let mean: Double
  /// The standard deviation with n − 1; 0 for fewer than two values.
  package let standardDeviation: Double
  /// The adjusted Fisher–Pearson skewness G₁ (Joanes & Gill 1998, doi:10.1111/1467-9884.00122); nil below three values or without spread.
  package let skewness: Double?

  /// The fourth central moment by the square of the second, less the normal distribution's 3; 0 without spread.
  package let excessKurtosis: Double

  /// The moments of `values`, in two passes. O(n).
  package init(_ values: [Double]) {
    let n = Double(values.count)
    let center = values.isEmpty ? 0 : values.reduce(0, +) / n
    var squares = 0.0
    var cubes = 0.0
    var fourths = 0.0
    for value in values {
      let deviation = value - center
      let square = deviation * deviation
      squares += square
      cubes += square * deviation
      fourths += square * square
    }
    self.init(
      count: values.count, mean: center, squares: squares, cubes: cubes, fourths: fourths,
      largest: values.reduce(0) { max($0, $1.magnitude) })
  }

  /// A sample of this size and mean with these sums of powers of the deviations; `largest` is the largest magnitude of a value.
  package init(count: Int, mean: Double, squares: Double, cubes: Double, fourths: Double, largest: Double) {
    self.count = count
    self.mean = mean
    let n = Double(count)
    // What rounding alone leaves of a constant is no spread.
    let hasSpread = count > 1 && squares > n * (largest * 1e-12) * (largest * 1e-12)
    excessKurtosis = hasSpread ? fourths / squares / squares * n - 3 : 0
    standardDeviation = hasSpread ? (squares / (n - 1)).squareRoot() : 0
    if count > 2, hasSpread {
      let deviation = (squares / n).squareRoot()
      skewness = (n * (n - 1)).squareRoot() / (n - 2) * (cubes / n) / (deviation * deviation * deviation)
    } else {
      skewness = nil
    }
  }

  /// The standard error of the mean.
  package var standardError: Double { count > 0 ? standardDeviation / Double(count).squareRoot() : 0 }

  /// Student's interval of the mean, x̄ ± t·s/√n (Student 1908); nil below two values.
  package func interval(confidence: Double = 0.95) -> ConfidenceInterval? { interval(confidence: confidence, ofCount: count) }

  /// The same as it would be of so many values, if mean and spread stay as they are.
  package func interval(confidence: Double, ofCount count: Int) -> ConfidenceInterval? {
    guard count > 1 else { return nil }
    let half =
      StudentT.criticalValue(alpha: 1 - confidence, degreesOfFreedom: Double(count - 1)) * (standardDeviation / Double(count).squareRoot())
    return ConfidenceInterval(low: mean - half, high: mean + half, confidence: confidence)
  }

  /// What a reader of the interval must know.
  package var warnings: [SampleWarning] {
    var warnings: [SampleWarning] = []
    if count < SampleWarning.fewestRepetitions { warnings.append(.tooFewRepetitions(count: count)) }
    if isSkewed, let skewness { warnings.append(.skewed(skewness: skewness)) }
    return warnings
  }

  /// True if the values are more skewed than by chance (twice the standard error of the skewness, Cramer 1997), and by enough to move the
  /// coverage of Student's interval; never below five values.
  var isSkewed: Bool {
    guard let skewness, count >= 5 else { return false }
    let n = Double(count)
    let error = (6 * n * (n - 1) / ((n - 2) * (n + 1) * (n + 3))).squareRoot()
    return skewness.magnitude > max(1, 2 * error)
  }

  /// The smallest of `values` that at least the given share of them do not exceed (nearest rank); nil for no values. O(n log n).
  package static func quantile(_ values: [Double], share: Double) -> Double? {
    values.isEmpty ? nil : values.sorted()[min(values.count, max(1, Int((share * Double(values.count)).rounded(.up)))) - 1]
  }

  /// More repetitions are no remedy.
  static let repetitionLimit = 1_000_000
}
