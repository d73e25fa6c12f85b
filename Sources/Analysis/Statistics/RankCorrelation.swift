// The agreement of two rankings of the same settings.

import Base

package struct RankCorrelation: Hashable, Sendable {
  /// The coefficient, −1 … 1; nil if all values of one side are equal.
  package let value: Double?
  /// The 95 % interval of the coefficient; nil below `fewestPairs`, and if the coefficient is ±1.
  package let interval: ConfidenceInterval?

  /// The fewest pairs for which Fisher's z gives a useful interval.
  package static let fewestPairs = 6

  /// Returns Kendall's τ-b, with ties (Kendall 1945, doi:10.1093/biomet/33.3.239). Its interval is Fisher's z with the variance
  /// 0.437/(n − 4) (Fieller, Hartley & Pearson 1957, doi:10.1093/biomet/44.3-4.470). O(n²).
  package static func kendall(_ first: [Double], _ second: [Double]) -> RankCorrelation {
    RankCorrelation(first, second, variance: { _ in 0.437 / Double(first.count - 4) }) { one, other, add in
      for left in one.indices {
        for right in one.indices.dropFirst(left + 1) { add((one[right] - one[left]).signum(), (other[right] - other[left]).signum()) }
      }
    }
  }

  /// Returns Spearman's ρ, Pearson's of the ranks (Spearman 1904, doi:10.2307/1412159). Its interval is Fisher's z with the variance
  /// (1 + ρ²/2)/(n − 3) (Bonett & Wright 2000, doi:10.1007/BF02294183). O(n log n).
  package static func spearman(_ first: [Double], _ second: [Double]) -> RankCorrelation {
    RankCorrelation(first, second, variance: { (1 + $0 * $0 / 2) / Double(first.count - 3) }) { one, other, add in
      // Twice the rank less twice the mean rank, n + 1: whole numbers.
      for (left, right) in zip(one, other) { add(left - first.count - 1, right - first.count - 1) }
    }
  }

  /// Creates the correlation of the scores that `addAll` adds for both lists' doubled ranks.
  private init(
    _ first: [Double], _ second: [Double], variance: (Double) -> Double,
    _ addAll: (_ one: [Int], _ other: [Int], _ add: (Int, Int) -> Void) -> Void
  ) {
    precondition(first.count == second.count, "every pair has two values")
    var (product, oneSquare, otherSquare) = (0, 0, 0)
    addAll(Ranking(first).doubled, Ranking(second).doubled) { one, other in
      product += one * other
      oneSquare += one * one
      otherSquare += other * other
    }
    let scale = (Double(oneSquare) * Double(otherSquare)).squareRoot()
    value = scale > 0 ? Double(product) / scale : nil
    guard let value, value.magnitude < 1, first.count >= Self.fewestPairs else {
      interval = nil
      return
    }
    let middle = StableMath.log((1 + value) / (1 - value)) / 2
    let half = Normal.upperQuantile((1 - 0.95) / 2) * variance(value).squareRoot()
    func back(_ z: Double) -> Double {
      let power = StableMath.exp(2 * z)
      return (power - 1) / (power + 1)
    }
    interval = ConfidenceInterval(low: back(middle - half), high: back(middle + half))
  }
}
