// A test of whether successive repetitions are alike: their intervals would be too narrow.

/// The correlation of successive values of a series, by their ranks.
package struct SerialCorrelation: Hashable, Sendable {
  /// The coefficient of each value's rank with the next one's, about −1 … 1; 0 without spread.
  package let value: Double
  /// The one-sided p-value of values that are more alike than in a random order; 1 below 5 values and without spread.
  package let pValue: Double

  /// Tests values in their order (Wald & Wolfowitz 1943, doi:10.1214/aoms/1177731358), with the moments of a random order. O(n log n).
  package init(_ values: [Double]) {
    let n = Double(values.count)
    let ranks = Ranking(values).doubled.map { Double($0) - (n + 1) }
    let squares = ranks.reduce(0) { $0 + $1 * $1 }
    guard values.count >= Sample.fewestForInterval, squares > 0 else {
      (value, pValue) = (0, 1)
      return
    }
    let fourths = ranks.reduce(0) { $0 + $1 * $1 * $1 * $1 }
    let products = zip(ranks, ranks.dropFirst()).reduce(0) { $0 + $1.0 * $1.1 }
    // The mean of the sum of products over all orders is −S₂/n. Its square has n − 1 products with themselves, 2(n − 2) with a neighbour
    // and (n − 2)(n − 3) with others, of which the means follow from S₂ and S₄, since the ranks add up to 0.
    let square = squares * squares
    let variance =
      (square - fourths) / n + 2 * (2 * fourths - square) / (n * (n - 1)) + (3 * square - 6 * fourths) / (n * (n - 1)) - square / (n * n)
    value = products / squares
    pValue = variance > 0 ? Normal.upperTail((products + squares / n) / variance.squareRoot()) : 1
  }
}
