// Ranks with ties: what the rank tests have in common.

/// The ranks of some values from 1 up; equal values share the mean of their ranks.
package struct Ranking {
  /// Twice the rank of each value, in the values' order: whole numbers, ties or not.
  package let doubled: [Int]
  /// The number of values that share each rank, by rising value.
  let tieSizes: [Int]

  /// Ranks `values`; those closer than 1e-9 of the largest are equal but for rounding. O(n log n).
  package init(_ values: [Double]) {
    let tolerance = values.reduce(0) { max($0, $1.magnitude) } * 1e-9
    let order = values.indices.sorted { (values[$0], $0) < (values[$1], $1) }
    var doubled = [Int](repeating: 0, count: values.count)
    var sizes: [Int] = []
    var start = 0
    while start < order.count {
      var end = start + 1
      while end < order.count, values[order[end]] - values[order[start]] <= tolerance { end += 1 }
      // The mean of the ranks start + 1 … end, doubled.
      for place in start..<end { doubled[order[place]] = start + 1 + end }
      sizes.append(end - start)
      start = end
    }
    self.doubled = doubled
    tieSizes = sizes
  }
}
