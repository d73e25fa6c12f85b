// The agreement of two rankings of the same settings.

import Base

/// A rank correlation, with its interval if there are enough pairs.
package struct RankCorrelation: Hashable, Sendable {
  /// The coefficient, −1 … 1; nil if all values of one side are equal.
  package let value: Double?
  /// The interval of the coefficient; nil below `fewestPairs`, and if the coefficient is ±1.
  package let interval: ConfidenceInterval?

  /// The fewest pairs for which Fisher's z gives a useful interval.
  package static let fewestPairs = 6

  /// Returns Kendall's τ-b, with ties (Kendall 1945, doi:10.1093/biomet/33.3.239). Its interval is Fisher's z with the variance
  /// 0.437/(n − 4) (Fieller, Hartley & Pearson 1957, doi:10.1093/biomet/44.3-4.470). O(n²).
  package static func kendall(_ first: [Double], _ second: [Double], confidence: Double = 0.95) -> RankCorrelation {
    precondition(first.count == second.count, "every pair has two values")
    let (one, other) = (Ranking(first).doubled, Ranking(second).doubled)
    var (agreement, oneUntied, otherUntied) = (0, 0, 0)
    for left in one.indices {
      for right in (left + 1)..<max(left + 1, one.count) {
        let signs = ((one[right] - one[left]).signum(), (other[right] - other[left]).signum())
        agreement += signs.0 * signs.1
        oneUntied += signs.0 * signs.0
        otherUntied += signs.1 * signs.1
      }
    }
    let scale = (Double(oneUntied) * Double(otherUntied)).squareRoot()
    return RankCorrelation(
      scale > 0 ? Double(agreement) / scale : nil, variance: { _ in 0.437 / Double(first.count - 4) }, pairs: first.count,
      confidence: confidence)
  }

  /// Returns Spearman's ρ, Pearson's of the ranks (Spearman 1904, doi:10.2307/1412159). Its interval is Fisher's z with the variance
  /// (1 + ρ²/2)/(n − 3) (Bonett & Wright 2000, doi:10.1007/BF02294183). O(n log n).
  package static func spearman(_ first: [Double], _ second: [Double], confidence: Double = 0.95) -> RankCorrelation {
    precondition(first.count == second.count, "every pair has two values")
    let (one, other) = (Ranking(first).doubled, Ranking(second).doubled)
    // Twice the rank less twice the mean rank, n + 1: whole numbers.
    let middle = first.count + 1
    var (product, oneSquare, otherSquare) = (0, 0, 0)
    for (left, right) in zip(one, other) {
      product += (left - middle) * (right - middle)
      oneSquare += (left - middle) * (left - middle)
      otherSquare += (right - middle) * (right - middle)
    }
    let scale = (Double(oneSquare) * Double(otherSquare)).squareRoot()
    return RankCorrelation(
      scale > 0 ? Double(product) / scale : nil, variance: { (1 + $0 * $0 / 2) / Double(first.count - 3) }, pairs: first.count,
      confidence: confidence)
  }

  private init(_ value: Double?, variance: (Double) -> Double, pairs: Int, confidence: Double) {
    self.value = value
    guard let value, value.magnitude < 1, pairs >= Self.fewestPairs else {
      interval = nil
      return
    }
    let middle = StableMath.log((1 + value) / (1 - value)) / 2
    let half = Normal.upperQuantile((1 - confidence) / 2) * variance(value).squareRoot()
    func back(_ z: Double) -> Double {
      let power = StableMath.exp(2 * z)
      return (power - 1) / (power + 1)
    }
    interval = ConfidenceInterval(low: back(middle - half), high: back(middle + half))
  }
}
