// A test of whether successive repetitions are alike: their intervals would be too narrow.

package struct SerialCorrelation: Hashable, Sendable {
  private static let (orders, longest) = (999, 500)

  /// The one-sided p-value of neighbours that are more alike than in a random order; 1 below 5 repetitions and without spread.
  package let pValue: Double

  /// Compares the products of neighbours' ranks (Wald & Wolfowitz 1943, doi:10.1214/aoms/1177731358) with those of 999 random orders of the
  /// repetitions, the same for all series: this holds for any distribution, and for series that share a baseline. O(k · n²).
  package init(_ series: [[Double]]) {
    let size = min(series.first?.count ?? 0, Self.longest)
    guard size >= Sample.fewestForInterval else {
      pValue = 1
      return
    }
    var products = [[Double]](repeating: [Double](repeating: 0, count: size), count: size)
    for values in series {
      let ranks = Ranking(Array(values.prefix(size))).doubled.map { Double($0 - size - 1) }
      for first in 0..<size {
        for second in 0..<size { products[first][second] += ranks[first] * ranks[second] }
      }
    }
    func sum(_ order: [Int]) -> Double { zip(order, order.dropFirst()).reduce(0) { $0 + products[$1.0][$1.1] } }
    var order = Array(0..<size)
    let observed = sum(order)
    var (random, atLeast) = (TestNumbers(), 1)
    for _ in 0..<Self.orders {
      for index in 1..<size { order.swapAt(index, Int(random.next() % UInt64(index + 1))) }
      if sum(order) >= observed { atLeast += 1 }
    }
    pValue = Double(atLeast) / Double(Self.orders + 1)
  }
}

/// Random numbers of tests, the same on every machine: the upper bits of Knuth's linear congruential generator (MMIX).
struct TestNumbers {
  private var state: UInt64 = 1943

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state >> 33
  }
}
