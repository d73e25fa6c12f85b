// The scan of the web's InfiniteLoader: which rows near the screen are missing, in batches worth asking for.

/// Finds what a web list asks its server for.
package enum UnloadedRanges {
  /// The ranges of rows that are not loaded within `rows`. The last one is made longer forwards, then the first one backwards,
  /// until they hold `minimumBatch` rows, as far as the rows there are missing too. O(rows + minimumBatch).
  package static func scan(
    _ rows: ClosedRange<Int>, count: Int, minimumBatch: Int = 10, isLoaded: (Int) -> Bool
  ) -> [ClosedRange<Int>] {
    var ranges: [ClosedRange<Int>] = []
    var start: Int?
    for row in rows {
      if !isLoaded(row) {
        start = start ?? row
      } else if let first = start {
        ranges.append(first...row - 1)
        start = nil
      }
    }
    if let first = start {
      var last = rows.upperBound
      while last + 1 < min(first + minimumBatch, count), !isLoaded(last + 1) { last += 1 }
      ranges.append(first...last)
    }
    if let range = ranges.first {
      var first = range.lowerBound
      while first > 0, range.upperBound - first + 1 < minimumBatch, !isLoaded(first - 1) { first -= 1 }
      ranges[0] = first...range.upperBound
    }
    return ranges
  }

  /// The rows that are looked at: those on screen and `threshold` more on either side.
  package static func window(around visible: ClosedRange<Int>, threshold: Int = 15, count: Int) -> ClosedRange<Int> {
    let first = max(0, visible.lowerBound - threshold)
    return first...max(first, min(count - 1, visible.upperBound + threshold))
  }
}
