// Media3's order of preloading: the nearest first.

/// The order of Media3's preload manager, which preloads one source at a time.
package enum PreloadOrder {
  /// Sources by distance, those equally far in the order in which they were added. O(n log n).
  package static func sorted(_ ranks: [Int], around current: Int) -> [Int] {
    ranks.enumerated().sorted { left, right in
      let (a, b) = (abs(left.element - current), abs(right.element - current))
      return a == b ? left.offset < right.offset : a < b
    }.map(\.element)
  }
}
