// From a point's id to its places in the grid: the journal knows ids, the tables need places.

/// The places of points by their ids: a hash table of 8 to 16 bytes a point.
///
/// Two places that resolve to the same scenario share an id; all places of an id are found.
struct PointPlaces: Sendable {
  /// By place; 0 for a point whose id is not known.
  private let ids: [UInt64]
  private let slots: [UInt32]

  /// A table of the ids that are known. O(points).
  init(_ ids: [UInt64]) {
    self.ids = ids
    var size = 16
    while size < ids.count * 2 { size *= 2 }
    var slots = [UInt32](repeating: 0, count: size)
    for (place, id) in ids.enumerated() where id != 0 {
      var slot = Self.slot(id, size)
      while slots[slot] != 0 { slot = (slot + 1) & (size - 1) }
      slots[slot] = UInt32(place + 1)
    }
    self.slots = slots
  }

  /// Calls `body` with each place of an id. O(places) on average.
  func forEach(of id: UInt64, _ body: (Int) -> Void) {
    guard id != 0 else { return }
    var slot = Self.slot(id, slots.count)
    while slots[slot] != 0 {
      let place = Int(slots[slot]) - 1
      if ids[place] == id { body(place) }
      slot = (slot + 1) & (slots.count - 1)
    }
  }

  // Ids are hashes already.
  private static func slot(_ id: UInt64, _ size: Int) -> Int { Int(truncatingIfNeeded: id & UInt64(size - 1)) }
}
