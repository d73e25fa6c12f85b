// The unpaired t test: only for results with different seeds; paired results deserve a paired test.

/// Welch's test of two independent samples (Welch 1947, doi:10.1093/biomet/34.1-2.28): only for results with different seeds.
package struct WelchTest: Hashable, Sendable {
  /// The mean of the second sample less that of the first.
  package let difference: Double
  /// The statistic; nil where neither sample has any spread.
  package let t: Double?
  /// The degrees of freedom after Satterthwaite (1946); nil where there is no statistic.
  package let degreesOfFreedom: Double?
  /// The two-sided p-value; nil where there is no statistic.
  package let pValue: Double?

  private let standardError: Double

  /// Compares two samples of at least two values each.
  package init(_ first: [Double], _ second: [Double]) {
    let (x, y) = (Sample(first), Sample(second))
    let (a, b) = (x.standardError * x.standardError, y.standardError * y.standardError)
    difference = y.mean - x.mean
    standardError = (a + b).squareRoot()
    guard x.count > 1, y.count > 1, standardError > 0 else {
      (t, degreesOfFreedom, pValue) = (nil, nil, nil)
      return
    }
    let degrees = (a + b) * (a + b) / (a * a / Double(x.count - 1) + b * b / Double(y.count - 1))
    t = difference / standardError
    degreesOfFreedom = degrees
    pValue = StudentT.twoSidedTail(difference / standardError, degreesOfFreedom: degrees)
  }

  /// The interval of the difference; nil where there is no statistic.
  package func interval(confidence: Double = 0.95) -> ConfidenceInterval? {
    guard let degreesOfFreedom else { return nil }
    let half = StudentT.criticalValue(alpha: 1 - confidence, degreesOfFreedom: degreesOfFreedom) * standardError
    return ConfidenceInterval(low: difference - half, high: difference + half, confidence: confidence)
  }
}
