// Two small tests: the sign test, and Welch's for results with different seeds.

/// The sign test (Dixon & Mood 1946, doi:10.1080/01621459.1946.10501898), two-sided; zeros are dropped.
public struct SignTest: Hashable, Sendable {
  /// How many differences are positive.
  public let positiveCount: Int
  /// How many are negative.
  public let negativeCount: Int
  /// The two-sided p-value from the binomial distribution; 1 where all differences are zero.
  public let pValue: Double

  /// Tests whether positive and negative differences are equally likely.
  public init(differences: [Double]) {
    positiveCount = differences.count { $0 > 0 }
    negativeCount = differences.count { $0 < 0 }
    let (few, all) = (min(positiveCount, negativeCount), positiveCount + negativeCount)
    pValue = all == 0 ? 1 : min(1, 2 * SpecialFunctions.incompleteBeta(a: Double(all - few), b: Double(few + 1), x: 0.5))
  }
}

/// Welch's test of two independent samples (Welch 1947, doi:10.1093/biomet/34.1-2.28): only for results with different seeds.
public struct WelchTest: Hashable, Sendable {
  /// The mean of the second sample less that of the first.
  public let difference: Double
  /// The statistic; nil where neither sample has any spread.
  public let t: Double?
  /// The degrees of freedom after Satterthwaite (1946); nil where there is no statistic.
  public let degreesOfFreedom: Double?
  /// The two-sided p-value; nil where there is no statistic.
  public let pValue: Double?

  private let standardError: Double

  /// Compares two samples of at least two values each.
  public init(_ first: [Double], _ second: [Double]) {
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
  public func interval(confidence: Double = 0.95) -> ConfidenceInterval? {
    guard let degreesOfFreedom else { return nil }
    let half = StudentT.criticalValue(alpha: 1 - confidence, degreesOfFreedom: degreesOfFreedom) * standardError
    return ConfidenceInterval(low: difference - half, high: difference + half, confidence: confidence)
  }
}
