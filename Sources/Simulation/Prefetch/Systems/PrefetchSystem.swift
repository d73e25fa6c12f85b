// The eight traits that every prefetch system is a choice of, and the one loop that plays them.

/// A prefetch system: its window with its order, and around it the seven other traits.
///
/// The taxonomy of what the field does needs eight words: *window* (which items), *order* (the window's own), *amount* (how much of
/// each), *concurrency*, *cancel*, *trigger*, *pagination* and *gate* (what must hold before anything is prefetched). The active item
/// comes first, whole, and then whatever else is on screen.
package struct PrefetchSystem<Window: PrefetchWindow>: Prefetcher {
  /// Which items besides those on screen, and in which order.
  package var window: Window
  /// How much of each.
  package var amount: PrefetchAmount
  /// What must hold before anything is prefetched.
  package var gate: PrefetchGate
  /// What becomes of prefetches that the window does not want any more.
  package var memory: PrefetchMemory
  /// When it is asked.
  package var trigger: PlanTrigger
  /// The most prefetches on the way at once.
  package var concurrency: Int?
  /// What happens to the transfers on the way.
  package var cancelRule: DownloadSettings.CancelRule?
  /// Whether the bytes of what is cut are kept.
  package var keepsPartial: Bool?
  /// What makes it ask for the next page.
  package var pageTrigger: PageTrigger?
  /// What keeps it from asking twice.
  package var pageLatch: PageLatch?
  /// The most items that stay listed.
  package var pageMaxSize: Int?

  /// What was asked for earlier and is not there yet, oldest first.
  private var pending: ContiguousArray<Plan.Entry> = []

  /// A system of the given traits; those left out are the plainest.
  package init(
    window: Window, amount: PrefetchAmount = .whole, gate: PrefetchGate = .open, memory: PrefetchMemory = .none,
    trigger: PlanTrigger = .standard, concurrency: Int? = nil, cancelRule: DownloadSettings.CancelRule? = nil, keepsPartial: Bool? = nil,
    pageTrigger: PageTrigger? = nil, pageLatch: PageLatch? = nil, pageMaxSize: Int? = nil
  ) {
    (self.window, self.amount, self.gate, self.memory, self.trigger) = (window, amount, gate, memory, trigger)
    (self.concurrency, self.cancelRule, self.keepsPartial) = (concurrency, cancelRule, keepsPartial)
    (self.pageTrigger, self.pageLatch, self.pageMaxSize) = (pageTrigger, pageLatch, pageMaxSize)
  }

  /// What is on screen, then what is remembered, then the window.
  package mutating func plan(for view: borrowing FeedView, into plan: inout Plan) {
    plan.fetch(view.activeItem)
    for item in view.visibleItems where item != view.activeItem { plan.fetch(item, bytes: Plan.toReady, priority: 1) }
    let shown = plan.count
    guard gate.isOpen(view) else { return }
    if memory == .untilDone { recall(view, into: &plan) }
    window.want(view, amount: amount, into: &plan)
    if memory == .untilDone { remember(view, plan, from: shown) }
  }

  private mutating func recall(_ view: borrowing FeedView, into plan: inout Plan) {
    for entry in pending where !isThere(entry, view) { plan.fetch(entry.item, bytes: entry.bytes, priority: entry.priority) }
  }

  /// Keeps what is planned and not there, each item once. O(plan).
  private mutating func remember(_ view: borrowing FeedView, _ plan: borrowing Plan, from first: Int) {
    var kept: ContiguousArray<Plan.Entry> = []
    for index in first..<max(first, plan.count) where kept.count < PrefetchMemory.limit {
      let entry = plan[index]
      if !isThere(entry, view), !kept.contains(where: { $0.item == entry.item && $0.bytes == entry.bytes }) { kept.append(entry) }
    }
    pending = kept
  }

  private func isThere(_ entry: Plan.Entry, _ view: borrowing FeedView) -> Bool {
    let item = view.items[entry.item]
    return view.storedBytes(entry.item) >= min(item.bytes, entry.bytes == Plan.toReady ? item.readyBytes : entry.bytes)
  }
}

/// What must hold before a system prefetches anything but the active item.
package enum PrefetchGate: Hashable, Sendable {
  /// Nothing.
  case open
  /// All of the active item is there.
  case activeComplete
  /// All of the active item is there, or the active video has more than so many seconds to play.
  case buffered(seconds: Double)

  func isOpen(_ view: borrowing FeedView) -> Bool {
    switch self {
    case .open: true
    case .activeComplete: view.isComplete(view.activeItem)
    case .buffered(let seconds): view.isComplete(view.activeItem) || view.bufferedSeconds > seconds
    }
  }
}

/// What becomes of prefetches that the window does not want any more.
package enum PrefetchMemory: Hashable, Sendable {
  /// They are left to the cancel rule.
  case none
  /// They stay wanted, before anything newer, until they are there: a queue that nobody takes anything from.
  case untilDone

  /// The most that is remembered.
  static let limit = 256
}
