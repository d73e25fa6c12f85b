// The eight traits that every prefetch system is a choice of, the one loop that plays them, and the windows that several systems share.

/// A prefetch system: its window with its order, and around it the seven other traits.
///
/// The taxonomy of what the field does needs eight words: *window* (which items), *order* (the window's own), *amount* (how much of
/// each), *concurrency*, *cancel*, *trigger*, *pagination* and *gate* (what must hold before anything is prefetched). The active item
/// comes first, whole, and then whatever else is on screen. Traits that are left out are the plainest.
struct PrefetchSystem<Window: PrefetchWindow>: Prefetcher {
  var window: Window
  var amount = PrefetchAmount.whole
  var gate = PrefetchGate.open
  /// True if what has been planned stays wanted, before anything newer, until it is stored: a queue that nobody takes anything from.
  /// Otherwise the cancel rule decides about what has left the window.
  var keepsQueue = false
  var trigger = PlanTrigger.standard
  var concurrency: Int?
  var cancelRule: DownloadSettings.CancelRule?
  var keepsPartial: Bool?
  var pageTrigger: PageTrigger?
  var pageLatch: PageLatch?
  var pageMaxSize: Int?

  /// The most fetches that a queue holds.
  private static var queueLimit: Int { 256 }
  /// The fetches planned earlier and not stored yet, oldest first.
  var queue: ContiguousArray<Plan.Fetch> = []

  mutating func plan(for view: borrowing FeedView, into plan: inout Plan) {
    plan.fetch(view.activeItem)
    for item in view.visibleItems where item != view.activeItem { plan.fetch(item, bytes: Plan.toReady, priority: 1) }
    let shown = plan.count
    guard gate.isOpen(view) else { return }
    for fetch in queue where !isStored(fetch, view) { plan.fetch(fetch.item, bytes: fetch.bytes, priority: fetch.priority) }
    window.fetch(view, amount: amount, into: &plan)
    if keepsQueue { remember(view, plan, from: shown) }
  }

  /// Keeps what is planned and not stored, each item once. O(plan).
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

/// What must hold before a system prefetches anything but the active item.
enum PrefetchGate {
  case open
  /// All of the active item is stored.
  case activeComplete
  /// All of the active item is stored, or the active video has more than so many seconds to play.
  case buffered(seconds: Double)

  func isOpen(_ view: borrowing FeedView) -> Bool {
    switch self {
    case .open: true
    case .activeComplete: view.isComplete(view.activeItem)
    case .buffered(let seconds): view.isComplete(view.activeItem) || view.bufferedSeconds > seconds
    }
  }
}

enum PrefetchAmount {
  case whole
  /// What makes it ready: all, or a video's prefix.
  case ready
  /// So many bytes from its start.
  case bytes(Int64)
  /// So many seconds of a video, and at least what makes it ready; all of anything else.
  case seconds(Double)

  /// The bytes of an item, as a plan counts them.
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

  /// Plans this much of each listed one of `items`, from the last to the first if `isReversed`; the first planned has `priority`.
  func fetch(_ items: Range<Int>, _ view: borrowing FeedView, priority: Int = 1, isReversed: Bool = false, into plan: inout Plan) {
    let items = items.clamped(to: 0..<view.items.count)
    let isUniform = if case .seconds = self { false } else { true }
    if let first = items.first, isUniform, !isReversed {
      return plan.fetch(items, bytes: bytes(of: view.items[first]), priority: priority)
    }
    for rank in 0..<items.count {
      let item = isReversed ? items.upperBound - 1 - rank : items.lowerBound + rank
      plan.fetch(item, bytes: bytes(of: view.items[item]), priority: priority + rank)
    }
  }

  /// Plans the items within so many points of the screen, those on the leading side first, nearest first on either side.
  func fetch(
    _ points: (before: Double, after: Double), _ view: borrowing FeedView, priority: Int = 1, into plan: inout Plan
  ) {
    let isForward = view.direction > 0
    let bottom = view.contentOffset + view.viewportHeight
    let after = view.items(from: bottom, to: bottom + points.after)
    let before = view.items(from: view.contentOffset - points.before, to: view.contentOffset)
    if isForward { fetch(after, view, priority: priority, into: &plan) }
    fetch(before, view, priority: priority + (isForward ? after.count : 0), isReversed: true, into: &plan)
    if !isForward { fetch(after, view, priority: priority + before.count, into: &plan) }
  }
}

/// Which items a system wants, in its order.
protocol PrefetchWindow: Sendable {
  /// Plans the items wanted besides those on screen, `amount` of each. Those on screen may be planned again.
  mutating func fetch(_ view: borrowing FeedView, amount: PrefetchAmount, into plan: inout Plan)
}

/// So many items ahead in the direction of the movement, nearest first.
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

/// The items within so many screens of the screen, as Texture counts them: so many on the side that the user moves to, so many on the
/// other.
struct ScreenWindow: PrefetchWindow {
  var leading: Double
  var trailing: Double

  /// The points before and after a screen of a length, for a user who moves to later items or not.
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
