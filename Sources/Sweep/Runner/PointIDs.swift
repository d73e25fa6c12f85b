// The ids of points by their places in the grid, as far as they are known.

/// Ids by place; 0 stands for a point whose id is not known.
///
/// A whole sweep takes 8 bytes a point. A shard that meets few points of a large grid takes some 30 bytes for each that it meets.
package struct PointIDs: Sendable {
  private var dense: [UInt64] = []
  private var sparse: [Int: UInt64] = [:]

  /// No ids yet, of `pointCount` points of which at most `metCount` will have one.
  package init(pointCount: Int, metCount: Int) {
    if metCount * 4 >= pointCount { dense = [UInt64](repeating: 0, count: pointCount) }
  }

  /// The given ids, for tests.
  package init(_ ids: [UInt64]) { dense = ids }

  /// How many may be known: all of a whole sweep's, or those of a shard that are.
  package var count: Int { dense.isEmpty ? sparse.count : dense.count }

  package subscript(place: Int) -> UInt64 {
    get { dense.isEmpty ? sparse[place] ?? 0 : dense[place] }
    set { if dense.isEmpty { sparse[place] = newValue } else { dense[place] = newValue } }
  }

  /// Calls `body` with each place whose id is known, in ascending order.
  package func forEach(_ body: (_ place: Int, _ id: UInt64) -> Void) {
    for (place, id) in dense.enumerated() where id != 0 { body(place, id) }
    for place in sparse.keys.sorted() { body(place, self[place]) }
  }
}
