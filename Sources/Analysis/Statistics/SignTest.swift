// The simplest paired test: how often up, how often down.

/// The sign test (Dixon & Mood 1946, doi:10.1080/01621459.1946.10501898), two-sided; zeros are dropped.
package struct SignTest: Hashable, Sendable {
  /// How many differences are positive.
  package let positiveCount: Int
  /// How many are negative.
  package let negativeCount: Int
  /// The two-sided p-value from the binomial distribution; 1 where all differences are zero.
  package let pValue: Double

  /// Tests whether positive and negative differences are equally likely.
  package init(differences: [Double]) {
    positiveCount = differences.count { $0 > 0 }
    negativeCount = differences.count { $0 < 0 }
    let (few, all) = (min(positiveCount, negativeCount), positiveCount + negativeCount)
    pValue = all == 0 ? 1 : min(1, 2 * SpecialFunctions.incompleteBeta(a: Double(all - few), b: Double(few + 1), x: 0.5))
  }
}
