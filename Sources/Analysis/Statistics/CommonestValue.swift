// Samples in which most values are equal: the few others are all that is known of the spread.

/// The commonest value of a sample, and the sample without what rounding adds.
package struct CommonestValue {
  /// The values; those that are equal but for rounding are equal.
  package let values: [Double]
  /// How many values differ from the commonest one.
  package let others: Int

  /// Values up to `tolerance` apart count as equal. O(n log n).
  package init(_ values: [Double], tolerance: Double) {
    var merged = values
    var (start, commonest) = (0, 0)
    let order = values.indices.sorted { values[$0] < values[$1] }
    for (rank, index) in order.enumerated() {
      if values[index] - values[order[start]] > tolerance { start = rank }
      merged[index] = values[order[start]].magnitude <= tolerance ? 0 : values[order[start]]
      commonest = max(commonest, rank - start + 1)
    }
    self.values = merged
    others = values.count - commonest
  }

  /// The differences that rounding alone may make of values of this size.
  package static func tolerance(_ first: [Double], _ second: [Double]) -> Double {
    let size = zip(first, second).reduce(0) { max($0, $1.0.magnitude, $1.1.magnitude) }
    // Differences of whole numbers are exact, and nothing is known of infinities.
    let isExact = size <= 0x1p53 && zip(first, second).allSatisfy { $0.rounded() == $0 && $1.rounded() == $1 }
    return isExact || !size.isFinite ? 0 : size * 1e-14
  }
}
