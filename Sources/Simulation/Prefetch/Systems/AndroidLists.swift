// Lists on Android: Glide's preloader, RecyclerView's row between two frames.

/// The items that Glide's ring of targets holds, in the order in which it asked for them.
package struct GlideWindow: PrefetchWindow {
  private var preloader: ListPreloader

  /// A window of at most `maxPreload` items beyond the screen.
  package init(maxPreload: Int) { preloader = ListPreloader(maxPreload: maxPreload) }

  /// What the ring holds after this scroll; an item it let go of is cancelled.
  package mutating func want(_ view: borrowing FeedView, amount: PrefetchAmount, into plan: inout Plan) {
    let visible = view.visibleItems
    _ = preloader.scroll(firstVisible: visible.lowerBound, visibleCount: visible.count, itemCount: view.items.count)
    for (place, item) in preloader.held.enumerated() { amount.want(item, view, priority: 1 + place, into: &plan) }
  }
}

extension PrefetchSystem where Window == GlideWindow {
  /// Glide's preloader, ten items ahead in the direction of the scroll; a change of direction cancels all. The number is the app's;
  /// ten is that of Glide's own tests.
  package static func glide(maxPreload: Int = 10) -> Self {
    Self(window: GlideWindow(maxPreload: maxPreload), amount: .ready, cancelRule: .keep)
  }
}

/// What Glide's `ListPreloader` asks for as a list scrolls.
///
/// It loads up to `maxPreload` items beyond the screen, only those that its last step had not loaded yet, towards the side to which
/// the first visible item moved. A change of direction cancels all. It holds `maxPreload + 1` loads; one more lets go of the oldest.
struct ListPreloader: Sendable {
  /// What one step does, each in its order.
  struct Step: Hashable {
    /// Items asked for.
    var requested: [Int] = []
    /// Items let go of by a change of direction.
    var cancelled: [Int] = []
    /// Items let go of because their place in the ring was needed.
    var evicted: [Int] = []
  }

  private let maxPreload: Int
  /// The items that the ring holds, oldest first; nil for a place not used yet or let go of.
  private var ring: [Int?]
  private var oldest = 0
  /// The bounds of the last step, which may have crossed at the end of the list.
  private var lastStart = 0
  private var lastEnd = 0
  private var lastFirst = -1
  private var isForward = true

  init(maxPreload: Int) {
    self.maxPreload = maxPreload
    ring = Array(repeating: nil, count: maxPreload + 1)
  }

  /// The items that it holds, whether they have come or not; oldest first.
  var held: [Int] { ring.indices.compactMap { ring[(oldest + $0) % ring.count] } }

  /// The list has scrolled. O(items asked for).
  mutating func scroll(firstVisible: Int, visibleCount: Int, itemCount: Int) -> Step {
    defer { lastFirst = firstVisible }
    guard firstVisible != lastFirst else { return Step() }
    var step = Step()
    let forward = firstVisible > lastFirst
    if forward != isForward {
      isForward = forward
      step.cancelled = held
      for place in ring.indices { ring[place] = nil }
    }
    let near = firstVisible + (forward ? visibleCount : 0)
    let start = forward ? max(lastEnd, near) : near - maxPreload
    let end = forward ? near + maxPreload : min(lastStart, near)
    lastStart = min(itemCount, max(0, start))
    lastEnd = min(itemCount, end)
    if lastStart < lastEnd {
      let items = lastStart..<lastEnd
      step.requested = forward ? Array(items) : items.reversed()
    }
    for item in step.requested {
      if let old = ring[oldest] { step.evicted.append(old) }
      ring[oldest] = item
      oldest = (oldest + 1) % ring.count
    }
    return step
  }
}

/// The rows that RecyclerView prepares between two frames.
package struct FrameTaskWindow: PrefetchWindow {
  /// Items in a row.
  package var span: Int

  package init(span: Int) { self.span = span }

  /// One row beyond the screen on the side of the movement, nearest first.
  package func want(_ view: borrowing FeedView, amount: PrefetchAmount, into plan: inout Plan) {
    guard let first = view.visibleItems.first, let last = view.visibleItems.last else { return }
    for place in 1...max(1, span) {
      amount.want(view.direction > 0 ? last + place : first - place, view, priority: place, into: &plan)
    }
  }
}

extension PrefetchSystem where Window == FrameTaskWindow {
  /// RecyclerView's prefetch (GapWorker): one row beyond the screen while it moves. It prepares views; what they show is asked for then.
  package static func recyclerView(span: Int = 1) -> Self {
    Self(window: FrameTaskWindow(span: span), trigger: [.standard, .scrollTick], cancelRule: .keep)
  }
}

extension PrefetcherDefinition {
  static let glide = PrefetcherDefinition(
    "glide-10", "Glide's preloader: ten ahead in a ring, all cancelled when the direction changes.",
    settings: [.integer("maxPreload", default: 10, in: 0...10_000, "The most items beyond the screen.")]
  ) { PrefetchSystem.glide(maxPreload: $0.integer("maxPreload")) }

  static let recyclerView = PrefetcherDefinition(
    "recyclerview", "RecyclerView's prefetch: one row beyond the screen.",
    settings: [.integer("span", default: 1, in: 1...100, "Items in a row.")]
  ) { PrefetchSystem.recyclerView(span: $0.integer("span")) }
}
