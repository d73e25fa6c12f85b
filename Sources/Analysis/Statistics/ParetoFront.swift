// The choices worth having: those that no other beats in both of two costs.

/// The Pareto front of two costs (Pareto 1906; Kung, Luccio & Preparata 1975, doi:10.1145/321906.321910).
package enum ParetoFront {
  /// The places of the pairs that no other pair is below in one cost without being above in the other; equal pairs stand or fall
  /// together. Pairs with a cost that is not known are not on it. O(n log n).
  package static func indices(_ costs: [(Double?, Double?)]) -> [Int] {
    let known = costs.indices.compactMap { index -> (first: Double, second: Double, index: Int)? in
      guard let first = costs[index].0, let second = costs[index].1 else { return nil }
      return (first, second, index)
    }.sorted { ($0.first, $0.second, $0.index) < ($1.first, $1.second, $1.index) }
    var front: [Int] = []
    var last: (first: Double, second: Double)?
    for pair in known {
      if let last, pair.second > last.second || (pair.second == last.second && pair.first > last.first) { continue }
      front.append(pair.index)
      last = (pair.first, pair.second)
    }
    return front.sorted()
  }
}
