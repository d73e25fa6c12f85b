// An unpaired test beside the paired ones of the program, for results with different seeds.

import Analysis

/// Welch's test of two independent samples (Welch 1947, doi:10.1093/biomet/34.1-2.28).
package enum WelchTest {
  /// Returns the two-sided p-value with Satterthwaite's degrees of freedom (1946); nil below two values a sample, and without spread.
  package static func pValue(_ first: [Double], _ second: [Double]) -> Double? {
    let (x, y) = (Sample(first), Sample(second))
    let (a, b) = (x.standardError * x.standardError, y.standardError * y.standardError)
    let standardError = (a + b).squareRoot()
    guard x.count > 1, y.count > 1, standardError > 0 else { return nil }
    let degrees = (a + b) * (a + b) / (a * a / Double(x.count - 1) + b * b / Double(y.count - 1))
    return StudentT.twoSidedTail((y.mean - x.mean) / standardError, degreesOfFreedom: degrees)
  }
}
