// How much of an item a system prefetches.

/// An amount of an item.
package enum PrefetchAmount: Hashable, Sendable {
  /// All of it.
  case whole
  /// What makes it ready: all, or a video's prefix.
  case ready
  /// So many bytes from its start.
  case bytes(Int64)
  /// So many seconds of a video, and at least what makes it ready; all of anything else.
  case seconds(Double)

  /// The bytes of an item, as a plan counts them.
  package func bytes(of item: Item) -> Int64 {
    switch self {
    case .whole: return .max
    case .ready: return Plan.toReady
    case .bytes(let count): return count
    case .seconds(let seconds):
      guard item.bitsPerSecond > 0 else { return .max }
      let wanted = (Double(item.bitsPerSecond) * seconds / 8).rounded(.up)
      return max(item.readyBytes, Int64(min(wanted, Double(item.bytes))))
    }
  }

  /// Wishes for this much of each of `items`, in order; the first has `priority`.
  func want(_ items: Range<Int>, _ view: borrowing FeedView, priority: Int = 1, into plan: inout Plan) {
    let items = items.clamped(to: 0..<view.items.count)
    if case .seconds = self {
      for item in items { plan.fetch(item, bytes: bytes(of: view.items[item]), priority: priority + item - items.lowerBound) }
    } else if let first = items.first {
      plan.fetch(items, bytes: bytes(of: view.items[first]), priority: priority)
    }
  }

  /// The same from the last to the first.
  func wantBackwards(_ items: Range<Int>, _ view: borrowing FeedView, priority: Int = 1, into plan: inout Plan) {
    let items = items.clamped(to: 0..<view.items.count)
    for item in items.reversed() {
      plan.fetch(item, bytes: bytes(of: view.items[item]), priority: priority + items.upperBound - 1 - item)
    }
  }

  /// Wishes for one item, if there is such a one.
  func want(_ item: Int, _ view: borrowing FeedView, priority: Int, into plan: inout Plan) {
    if 0 <= item, item < view.items.count { plan.fetch(item, bytes: bytes(of: view.items[item]), priority: priority) }
  }
}
