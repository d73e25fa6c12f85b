// Which items a system prefetches, in which order, and how much of each.

/// Which items a system wants, in its order.
package protocol PrefetchWindow: Sendable {
  /// Appends the items that it wants besides those on screen, `amount` of each. Those on screen may be listed again.
  mutating func want(_ view: borrowing FeedView, amount: PrefetchAmount, into plan: inout Plan)
}

extension PrefetchWindow {
  /// Plans the items within so many points of the screen, those on the leading side first, nearest first on either side.
  func want(
    _ view: borrowing FeedView, points: (before: Double, after: Double), amount: PrefetchAmount, priority: Int, into plan: inout Plan
  ) {
    let isForward = view.direction > 0
    let bottom = view.contentOffset + view.viewportHeight
    let after = view.items(from: bottom, to: bottom + points.after)
    let before = view.items(from: view.contentOffset - points.before, to: view.contentOffset)
    if isForward { amount.want(after, view, priority: priority, into: &plan) }
    amount.wantBackwards(before, view, priority: priority + (isForward ? after.count : 0), into: &plan)
    if !isForward { amount.want(after, view, priority: priority + before.count, into: &plan) }
  }
}

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

  /// Plans this much of each of `items`, in order; the first has `priority`.
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

  /// Plans one item if it is listed.
  func want(_ item: Int, _ view: borrowing FeedView, priority: Int, into plan: inout Plan) {
    if 0 <= item, item < view.items.count { plan.fetch(item, bytes: bytes(of: view.items[item]), priority: priority) }
  }
}

/// So many items ahead in the direction of the movement, nearest first, then so many behind.
package struct ItemWindow: PrefetchWindow {
  package var ahead: Int
  package var behind: Int

  package init(ahead: Int, behind: Int = 0) {
    self.ahead = ahead
    self.behind = behind
  }

  package func want(_ view: borrowing FeedView, amount: PrefetchAmount, into plan: inout Plan) {
    let visible = view.visibleItems
    let after = max(view.activeItem, visible.upperBound - 1) + 1
    let before = min(view.activeItem, visible.lowerBound)
    let isForward = view.direction > 0
    let (down, up) = isForward ? (ahead, behind) : (behind, ahead)
    if isForward { amount.want(after..<after + down, view, into: &plan) }
    amount.wantBackwards(before - up..<before, view, priority: isForward ? 1 + down : 1, into: &plan)
    if !isForward { amount.want(after..<after + down, view, priority: 1 + up, into: &plan) }
  }
}

/// How far a window reaches beyond the screen, as Texture counts it: so many screens to the side that the user moves to, so
/// many to the other.
package struct ScreenRange: Hashable, Sendable {
  /// Screens on the side that the user moves to.
  package var leading: Double
  /// Screens on the other side.
  package var trailing: Double

  package init(leading: Double, trailing: Double) {
    self.leading = leading
    self.trailing = trailing
  }

  /// How far it reaches before and after a screen of a length, for a user who moves to later items or not.
  func reach(screen length: Double, isForward: Bool) -> (before: Double, after: Double) {
    ((isForward ? trailing : leading) * length, (isForward ? leading : trailing) * length)
  }
}

/// The items within so many screens of the screen: leading ones first.
package struct ScreenWindow: PrefetchWindow {
  package var range: ScreenRange

  package init(_ range: ScreenRange) { self.range = range }

  package func want(_ view: borrowing FeedView, amount: PrefetchAmount, into plan: inout Plan) {
    let points = range.reach(screen: view.viewportHeight, isForward: view.direction > 0)
    want(view, points: points, amount: amount, priority: 1, into: &plan)
  }
}

/// The items within so many points of the screen on either side, by the class of the network.
package struct MarginWindow: PrefetchWindow {
  package var points: ByNetwork<Double>

  package init(points: ByNetwork<Double>) { self.points = points }

  package func want(_ view: borrowing FeedView, amount: PrefetchAmount, into plan: inout Plan) {
    let margin = points[view.networkClass]
    want(view, points: (margin, margin), amount: amount, priority: 1, into: &plan)
  }
}

/// One value for each class of network that an operating system knows.
package struct ByNetwork<Value: Hashable & Sendable>: Hashable, Sendable {
  package var wifi: Value, cellular4G: Value, cellular3G: Value, cellular2G: Value

  package init(wifi: Value, cellular4G: Value, cellular3G: Value, cellular2G: Value) {
    (self.wifi, self.cellular4G, self.cellular3G, self.cellular2G) = (wifi, cellular4G, cellular3G, cellular2G)
  }

  package subscript(network: NetworkClass) -> Value {
    switch network {
    case .wifi: wifi
    case .cellular4G: cellular4G
    case .cellular3G: cellular3G
    case .cellular2G: cellular2G
    }
  }
}
