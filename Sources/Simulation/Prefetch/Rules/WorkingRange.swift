// Which rows a list prepares around those on screen: IGListKit's working range, RecyclerView's gap worker.

/// IGListKit's working range.
package enum WorkingRange {
  /// The items up to `size` on either side of what is visible, which is part of them; whatever the direction.
  package static func around(_ visible: ClosedRange<Int>, size: Int, count: Int) -> Range<Int> {
    let start = max(visible.lowerBound - size, 0)
    return start..<max(start, min(visible.upperBound + 1 + size, count))
  }
}

/// RecyclerView's gap worker.
package enum GapWorker {
  /// The items that a layout prepares after a movement of `delta`: one row beyond the screen, which is `span` items wide, nearest first.
  package static func prefetched(visible: ClosedRange<Int>, delta: Int, span: Int = 1, count: Int) -> [Int] {
    guard delta != 0 else { return [] }
    let candidates = (1...max(1, span)).map { delta > 0 ? visible.upperBound + $0 : visible.lowerBound - $0 }
    return candidates.filter { 0 <= $0 && $0 < count }
  }
}
