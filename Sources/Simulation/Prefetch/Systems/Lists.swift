// Lists on iOS and Android, and the image libraries that load for them: UIKit, the articles' lists, queues, IGListKit, Glide, RecyclerView.

/// When a list cancels a prefetch.
private enum WindowCancel: String, CaseIterable {
  /// When its item has left the window.
  case leftWindow
  case never

  static let parameter = Parameter.choice(
    "cancel", default: WindowCancel.leftWindow, "Cancels a prefetch when its item has left the window, or never.")
}

extension PrefetcherDefinition {
  /// Apple does not say how far UICollectionView's prefetching reaches. One item after the active one is what the original team saw, with
  /// one item a screen; there, the call that cancels a prefetch never came. The documentation says that it comes when an item has left the
  /// window.
  static let uikitOne = PrefetcherDefinition(
    "uikit-1", "UICollectionView as observed: one item ahead, whole (observational).", settings: [.ahead(1), WindowCancel.parameter]
  ) {
    PrefetchSystem(
      window: ItemWindow(ahead: $0.integer("ahead")), keepsQueue: $0.choice("cancel") == WindowCancel.never, cancelRule: .keep)
  }

  /// Three quarters of a screen: 24 items where 32 are visible, as the author of Nuke observed it.
  static let uikitScreens = PrefetcherDefinition(
    "uikit-0.75screen", "UICollectionView as observed: three quarters of a screen ahead (observational).",
    settings: [.number("screens", default: 0.75, in: 0...100, "Screens ahead that are prefetched."), WindowCancel.parameter]
  ) {
    PrefetchSystem(
      window: ScreenWindow(leading: $0.number("screens"), trailing: 0), keepsQueue: $0.choice("cancel") == WindowCancel.never,
      cancelRule: .keep)
  }

  // MARK: The articles' lists, which differ only in the place at which they ask for the next page

  private static func list(
    _ name: String, _ summary: String, settings: [Parameter] = [], trigger: @escaping @Sendable (PrefetcherSettings) -> PageTrigger
  ) -> PrefetcherDefinition {
    let latch = Parameter.choice("latch", default: PageLatch.inFlight, "Asks for a page once while it is in flight, or at each trigger.")
    return PrefetcherDefinition(name, summary, settings: settings + [.ahead(0), latch]) {
      PrefetchSystem(
        window: ItemWindow(ahead: $0.integer("ahead")), amount: .ready, pageTrigger: trigger($0), pageLatch: $0.choice("latch"))
    }
  }

  private static let ratio = Parameter.share("ratio", default: 0.7, "The share after which the next page is asked for.")

  static let infinite = list("infinite", "Infinite scroll: the next page at the end of the list, no prefetch.") { _ in .endReached }

  static let threshold = list("threshold-0.7", "The next page when a share of the list has been passed.", settings: [ratio]) {
    .ratio($0.number("ratio"))
  }

  static let dynamicThreshold = list("dynamic-0.7", "The next page when a share of the newest page has been passed.", settings: [ratio]) {
    .ratioOfNewestPage($0.number("ratio"))
  }

  /// Android's Paging 3; by default a page of 30. The first load is three pages long there: `feed.pages` says how long it is here. With
  /// `maxSize`, pages are dropped at the far end while more items than that are listed, and loaded again when the user comes back to them.
  static let paging3 = PrefetcherDefinition(
    "paging3", "Paging 3: the next page when fewer than `prefetchDistance` items follow, pages beyond `maxSize` dropped; no media.",
    settings: [
      .integer("prefetchDistance", default: 30, in: 1...100_000, "Asks for a page when fewer items follow."), .ahead(0),
      .integer("maxSize", in: 1...1_000_000, "The most items that stay listed.").optional("no limit"),
    ]
  ) {
    PrefetchSystem(
      window: ItemWindow(ahead: $0.integer("ahead")), amount: .ready, pageTrigger: .itemsFromEnd($0.integer("prefetchDistance")),
      pageLatch: .inFlight, pageMaxSize: $0.optionalInteger("maxSize"))
  }

  // MARK: Image libraries of iOS: queues of low priority that an app fills with what its list is about to show

  /// How far ahead is the app's choice, not the library's; five is what the original team found best.
  private static func queue(
    _ name: String, _ summary: String, concurrency: Int, cancels: Bool, keepsPartial: Bool? = nil
  ) -> PrefetcherDefinition {
    PrefetcherDefinition(name, summary, settings: [.ahead(5)]) {
      PrefetchSystem(
        window: ItemWindow(ahead: $0.integer("ahead")), amount: .ready, keepsQueue: !cancels, concurrency: concurrency, cancelRule: .keep,
        keepsPartial: keepsPartial)
    }
  }

  /// NSOperationQueue: each operation is cancelled by itself on demand. Nothing that was enqueued is taken out here.
  static let operationQueue = PrefetcherDefinition(
    "operation-queue", "A queue of so many operations, first in, first out, nothing cancelled.",
    settings: [.ahead(5), .integer("concurrency", default: 4, in: 1...256, "Operations at once.")]
  ) {
    PrefetchSystem(
      window: ItemWindow(ahead: $0.integer("ahead")), amount: .ready, keepsQueue: true, concurrency: $0.integer("concurrency"),
      cancelRule: .keep)
  }

  /// Nuke's ImagePrefetcher at c4fc70af: what leaves the window is cancelled, queued or running, and Nuke resumes what it has in part.
  static let nuke = queue(
    "nuke", "Nuke's prefetcher: two at once, cancelled when out of the window.", concurrency: 2, cancels: true, keepsPartial: true)

  /// Kingfisher's ImagePrefetcher at 410984bf: in the list's order; all or nothing can be stopped, and here nothing is.
  static let kingfisher = queue("kingfisher", "Kingfisher's prefetcher: five at once, nothing cancelled.", concurrency: 5, cancels: false)

  /// SDWebImagePrefetcher at 36e79ba4: of low priority, first in, first out.
  static let sdWebImage = queue("sdwebimage", "SDWebImage's prefetcher: three at once, cancelled by token.", concurrency: 3, cancels: true)

  // MARK: Windows of their own

  /// When the finger leaves the screen, the rows at the movement's end are loaded and nothing in between. Its pages are addressed by
  /// offset, so that none is loaded that nobody sees (the article on preloading; it says that few servers offer this).
  static let lazyTarget = PrefetcherDefinition(
    "lazy-target", "The rows on the screen where the scroll comes to rest, the one at its lower edge included."
  ) { _ in
    PrefetchSystem(window: TargetWindow(), trigger: [.standard, .dragEnd], cancelRule: .keep, pageTrigger: .offsetAddressed)
  }

  /// IGListKit's own default size is 0, which prefetches nothing; its documentation's example has 2. What leaves the range is cancelled.
  static let igListKit = PrefetcherDefinition(
    "iglistkit", "IGListKit's working range: so many items on either side.",
    settings: [.integer("size", default: 2, in: 0...10_000, "Items on either side of the screen.")]
  ) { PrefetchSystem(window: WorkingRangeWindow(size: $0.integer("size")), amount: .ready, cancelRule: .keep) }

  /// Glide's preloader; a change of direction cancels all. The number is the app's; ten is that of Glide's own tests.
  static let glide = PrefetcherDefinition(
    "glide-10", "Glide's preloader: ten ahead in a ring, all cancelled when the direction changes.",
    settings: [.integer("maxPreload", default: 10, in: 0...10_000, "The most items beyond the screen.")]
  ) { PrefetchSystem(window: ListPreloader(maxPreload: $0.integer("maxPreload")), amount: .ready, cancelRule: .keep) }

  /// RecyclerView's GapWorker: one row while the list moves. It prepares views; what they show is asked for then.
  static let recyclerView = PrefetcherDefinition(
    "recyclerview", "RecyclerView's prefetch: one row beyond the screen.",
    settings: [.integer("span", default: 1, in: 1...100, "Items in a row.")]
  ) { PrefetchSystem(window: FrameTaskWindow(span: $0.integer("span")), trigger: [.standard, .scrollTick], cancelRule: .keep) }
}

/// The items from the screen's upper to its lower edge where the movement ends.
struct TargetWindow: PrefetchWindow {
  func fetch(_ view: borrowing FeedView, amount: PrefetchAmount, into plan: inout Plan) {
    amount.fetch(view.targetItems, view, into: &plan)
  }
}

/// IGListKit's working range: so many items on either side of what is visible, in the list's order: it has no direction.
struct WorkingRangeWindow: PrefetchWindow {
  var size: Int

  static func around(_ visible: ClosedRange<Int>, size: Int, count: Int) -> Range<Int> {
    let start = max(visible.lowerBound - size, 0)
    return start..<max(start, min(visible.upperBound + 1 + size, count))
  }

  func fetch(_ view: borrowing FeedView, amount: PrefetchAmount, into plan: inout Plan) {
    guard let first = view.visibleItems.first, let last = view.visibleItems.last else { return }
    amount.fetch(WorkingRangeWindow.around(first...last, size: size, count: view.items.count), view, into: &plan)
  }
}

/// The rows that RecyclerView prepares between two frames: one beyond the screen on the side of the movement, nearest first.
struct FrameTaskWindow: PrefetchWindow {
  var span: Int

  func fetch(_ view: borrowing FeedView, amount: PrefetchAmount, into plan: inout Plan) {
    let visible = view.visibleItems
    if visible.isEmpty { return }
    if view.direction > 0 {
      amount.fetch(visible.upperBound..<visible.upperBound + span, view, into: &plan)
    } else {
      amount.fetch(visible.lowerBound - span..<visible.lowerBound, view, isReversed: true, into: &plan)
    }
  }
}

/// What Glide's `ListPreloader` asks for as a list scrolls.
///
/// It loads up to `maxPreload` items beyond the screen, only those that its last step had not loaded yet, towards the side to which
/// the first visible item moved. A change of direction cancels all. It holds `maxPreload + 1` loads; one more lets go of the oldest.
struct ListPreloader: PrefetchWindow {
  struct Step: Hashable {
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

  /// Plans what the ring holds after this scroll; an item it let go of is cancelled.
  mutating func fetch(_ view: borrowing FeedView, amount: PrefetchAmount, into plan: inout Plan) {
    let visible = view.visibleItems
    _ = scroll(firstVisible: visible.lowerBound, visibleCount: visible.count, itemCount: view.items.count)
    for (rank, item) in held.enumerated() { amount.fetch(item..<item + 1, view, priority: 1 + rank, into: &plan) }
  }

  /// The items that it holds, whether they have come or not; oldest first.
  private var held: [Int] { ring.indices.compactMap { ring[(oldest + $0) % ring.count] } }

  /// The list has scrolled. O(items asked for).
  mutating func scroll(firstVisible: Int, visibleCount: Int, itemCount: Int) -> Step {
    defer { lastFirst = firstVisible }
    guard firstVisible != lastFirst else { return Step() }
    var step = Step()
    let forward = firstVisible > lastFirst
    if forward != isForward {
      isForward = forward
      step.cancelled = held
      for slot in ring.indices { ring[slot] = nil }
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
