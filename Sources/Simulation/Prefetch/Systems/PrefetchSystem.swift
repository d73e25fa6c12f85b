// A prefetcher made of eight traits, which expresses most known prefetch systems, and the windows that several of them share.

/// A prefetcher made of eight traits: window, order, amount, concurrency, cancel rule, trigger, pagination and gate.
/// It plans the active item whole, then the other visible items, then its window. The order is part of the window.
struct PrefetchSystem<Window: PrefetchWindow>: Prefetcher {
  var window: Window
  var amount = PrefetchAmount.whole
  var gate = PrefetchGate.open
  var cancelCondition = CancelCondition.leftWindow
  /// False if prefetches and visible items wait in one queue, first in, first out.
  var hasLowPriority = true
  /// False if a waiting prefetch keeps its place in the queue when its item becomes visible.
  var promotes = true
  var trigger = PlanTrigger.standard
  var concurrency: Int?
  var keptConnections = 0
  var cancelRule: DownloadSettings.CancelRule?
  var keepsPartial: Bool?
  var pageTrigger: PageTrigger?
  var pageLatch: PageLatch?
  var pageMaxSize: Int?

  private static var queueLimit: Int { 256 }
  /// Earlier planned fetches that are not stored yet, oldest first.
  var queue: ContiguousArray<Plan.Fetch> = []
  /// The items of earlier planned fetches that are not stored yet, oldest first, if their order counts.
  var order: ContiguousArray<Int> = []

  enum CancelCondition: String, CaseIterable {
    /// The item of a fetch has left the window; the cancel rule then decides.
    case leftWindow
    /// Planned fetches stay planned, before newer ones, until they are stored: a queue without removal.
    case never
  }

  mutating func plan(for view: borrowing FeedView, into plan: inout Plan) {
    plan.fetch(view.activeItem)
    for item in view.visibleItems where item != view.activeItem { plan.fetch(item, bytes: Plan.toReady, priority: 1) }
    let shown = plan.count
    plan.askAgain = gate.nextCheck(view)
    guard gate.isOpen(view) else { return }
    for fetch in queue where !isStored(fetch, view) { plan.fetch(fetch.item, bytes: fetch.bytes, priority: fetch.priority) }
    window.fetch(view, amount: amount, into: &plan)
    if cancelCondition == .never { remember(view, plan, from: shown) }
    if !hasLowPriority || !promotes { reorder(view, shown: shown, &plan) }
  }

  /// Moves items that waited before to their place in the queue. Without promotion only the first ones are planned. O(plan × queue).
  private mutating func reorder(_ view: borrowing FeedView, shown: Int, _ plan: inout Plan) {
    let fetches = (0..<plan.count).map { plan[$0] }
    let isFirst = fetches.indices.map { hasLowPriority && $0 < shown && !order.contains(fetches[$0].item) }
    let waiting = fetches.indices.filter { !isFirst[$0] && !isStored(fetches[$0], view) }
    let queued = waiting.map { (order.firstIndex(of: fetches[$0].item) ?? order.count, $0) }.sorted { $0 < $1 }.map { fetches[$0.1] }
    plan.removeAll(limit: plan.limit)
    for (fetch, isFirst) in zip(fetches, isFirst) where isFirst { plan.fetch(fetch.item, bytes: fetch.bytes, priority: fetch.priority) }
    order = []
    for fetch in queued {
      if !order.contains(fetch.item) { order.append(fetch.item) }
      if !promotes, let concurrency, order.count > concurrency { continue }
      plan.fetch(fetch.item, bytes: fetch.bytes, priority: hasLowPriority ? order.count : 0)
    }
  }

  /// Keeps the planned fetches that are not stored, without duplicates. O(plan).
  private mutating func remember(_ view: borrowing FeedView, _ plan: borrowing Plan, from first: Int) {
    queue = []
    for index in first..<max(first, plan.count) where queue.count < Self.queueLimit {
      let fetch = plan[index]
      if !isStored(fetch, view), !queue.contains(where: { $0.item == fetch.item && $0.bytes == fetch.bytes }) { queue.append(fetch) }
    }
  }

  private func isStored(_ fetch: Plan.Fetch, _ view: borrowing FeedView) -> Bool {
    let item = view.items[fetch.item]
    return view.storedBytes(fetch.item) >= min(item.bytes, fetch.bytes == Plan.toReady ? item.readyBytes : fetch.bytes)
  }
}

extension Setting {
  static func concurrency<Window>(or words: String = "no limit") -> Setting where Target == PrefetchSystem<Window> {
    Setting(.integer("concurrency", in: 1...256, "Prefetches at once.").optional(words), \.concurrency)
  }

  static func cancel<Window>() -> Setting where Target == PrefetchSystem<Window> {
    .choice("cancel", \.cancelCondition, "Cancels a prefetch when its item has left the window, or never.")
  }
}

/// A condition for prefetching anything but the visible items.
enum PrefetchGate {
  case open
  /// All of the active item is stored.
  case activeComplete
  /// All of the active item is stored, or the active video has more than a number of seconds in its buffer.
  case buffered(seconds: Double)

  func isOpen(_ view: borrowing FeedView) -> Bool {
    switch self {
    case .open: true
    case .activeComplete: view.isComplete(view.activeItem)
    case .buffered(let seconds): view.isComplete(view.activeItem) || view.bufferedSeconds > seconds
    }
  }

  /// Returns the instant at which the gate may close or open without another trigger; nil for none.
  func nextCheck(_ view: borrowing FeedView) -> Instant? {
    guard case .buffered(let seconds) = self, !view.isComplete(view.activeItem) else { return nil }
    return view.now + Interval(nanoseconds: Int64(max(0.1, view.bufferedSeconds - seconds) * 1e9))
  }
}

enum PrefetchAmount {
  case whole
  /// The bytes that make it ready: all, or a video's prefix.
  case ready
  /// A number of bytes from its start.
  case bytes(Int64)
  /// A number of seconds of a video, at least its prefix; other kinds whole.
  case seconds(Double)

  private func bytes(of item: Item) -> Int64 {
    switch self {
    case .whole: return .max
    case .ready: return Plan.toReady
    case .bytes(let count): return count
    case .seconds(let seconds):
      guard item.bitsPerSecond > 0 else { return .max }
      let bytes = (Double(item.bitsPerSecond) * seconds / 8).rounded(.up)
      return max(item.readyBytes, Int64(min(bytes, Double(item.bytes))))
    }
  }

  /// Plans this amount of each listed one of `items`, backwards if `isReversed`; the first planned has `priority`.
  func fetch(_ items: Range<Int>, _ view: borrowing FeedView, priority: Int = 1, isReversed: Bool = false, into plan: inout Plan) {
    let items = items.clamped(to: 0..<view.items.count)
    let isUniform = if case .seconds = self { false } else { true }
    if let first = items.first, isUniform, !isReversed { return plan.fetch(items, bytes: bytes(of: view.items[first]), priority: priority) }
    for rank in 0..<items.count {
      let item = isReversed ? items.upperBound - 1 - rank : items.lowerBound + rank
      plan.fetch(item, bytes: bytes(of: view.items[item]), priority: priority + rank)
    }
  }

  /// Plans the items of a range after the visible ones, then those before them, nearest first.
  func fetch(_ items: Range<Int>, around visible: Range<Int>, _ view: borrowing FeedView, into plan: inout Plan) {
    fetch(min(max(visible.upperBound, items.lowerBound), items.upperBound)..<items.upperBound, view, into: &plan)
    let end = max(items.lowerBound, min(visible.lowerBound, items.upperBound))
    fetch(items.lowerBound..<end, view, isReversed: true, into: &plan)
  }

  /// Plans the items within distances of the screen, given in points: the side of the movement first, nearest first.
  func fetch(_ points: (before: Double, after: Double), _ view: borrowing FeedView, priority: Int = 1, into plan: inout Plan) {
    let isForward = view.direction > 0
    let bottom = view.contentOffset + view.viewportHeight
    let after = view.items(from: bottom, to: bottom + points.after)
    let before = view.items(from: view.contentOffset - points.before, to: view.contentOffset)
    if isForward { fetch(after, view, priority: priority, into: &plan) }
    fetch(before, view, priority: priority + (isForward ? after.count : 0), isReversed: true, into: &plan)
    if !isForward { fetch(after, view, priority: priority + before.count, into: &plan) }
  }
}

/// A window: the items that a system prefetches, in its order.
protocol PrefetchWindow: Sendable {
  /// Plans `amount` of each item of the window. Visible items may be planned again.
  mutating func fetch(_ view: borrowing FeedView, amount: PrefetchAmount, into plan: inout Plan)
}

/// A number of items ahead in the direction of the movement, nearest first.
struct ItemWindow: PrefetchWindow {
  var ahead: Int

  func fetch(_ view: borrowing FeedView, amount: PrefetchAmount, into plan: inout Plan) {
    let visible = view.visibleItems
    if view.direction > 0 {
      let first = max(view.activeItem + 1, visible.upperBound)
      amount.fetch(first..<first + ahead, view, into: &plan)
    } else {
      let end = min(view.activeItem, visible.lowerBound)
      amount.fetch(end - ahead..<end, view, isReversed: true, into: &plan)
    }
  }
}

/// The items within a distance of the screen, in screens (as in Texture): `leading` on the side of the movement, `trailing` on the other.
struct ScreenWindow: PrefetchWindow {
  var leading: Double
  var trailing: Double

  /// Returns the distances before and after the screen, in points.
  func reach(screen length: Double, isForward: Bool) -> (before: Double, after: Double) {
    ((isForward ? trailing : leading) * length, (isForward ? leading : trailing) * length)
  }

  func fetch(_ view: borrowing FeedView, amount: PrefetchAmount, into plan: inout Plan) {
    fetch(view, amount: amount, priority: 1, into: &plan)
  }

  func fetch(_ view: borrowing FeedView, amount: PrefetchAmount, priority: Int, into plan: inout Plan) {
    amount.fetch(reach(screen: view.viewportHeight, isForward: view.direction > 0), view, priority: priority, into: &plan)
  }
}
