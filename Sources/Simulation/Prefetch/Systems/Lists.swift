// Lists on iOS and Android, and their image libraries: UIKit, lists of two articles, queues, IGListKit, Glide, RecyclerView.

extension PrefetcherDefinition {
  /// UICollectionView with 1 item ahead, as the original team observed with one item a screen. Apple does not document the window.
  /// It documents a cancel when an item leaves the window; the team never observed one.
  static let uikitOne = PrefetcherDefinition(
    "uikit-1", "UICollectionView as observed: one item ahead, whole (observational).",
    PrefetchSystem(window: ItemWindow(ahead: 1), cancelRule: .keep), settings: [.ahead(\.window.ahead), .cancel()])

  /// UICollectionView with three quarters of a screen: 24 items where 32 are visible (observed by the author of Nuke).
  static let uikitScreens = PrefetcherDefinition(
    "uikit-0.75screen", "UICollectionView as observed: three quarters of a screen ahead (observational).",
    PrefetchSystem(window: ScreenWindow(leading: 0.75, trailing: 0), cancelRule: .keep),
    settings: [.number("screens", \.window.leading, in: 0...100, "Screens ahead that are prefetched."), .cancel()])

  // MARK: Lists of two articles, which differ only in the trigger of the next page

  private static func list(
    _ name: String, _ summary: String, _ trigger: PageTrigger, settings: [Setting<PrefetchSystem<ItemWindow>>] = []
  ) -> PrefetcherDefinition {
    let latch = Parameter.choice("latch", default: PageLatch.inFlight, "Requests a page once while it is in flight, or at each trigger.")
    return PrefetcherDefinition(
      name, summary, PrefetchSystem(window: ItemWindow(ahead: 0), amount: .ready, pageTrigger: trigger, pageLatch: .inFlight),
      settings: settings + [.ahead(\.window.ahead), Setting(latch, \.pageLatch)])
  }

  private static let ratio = Parameter.share("ratio", default: 0.7, "The share after which the next page is requested.")

  static let infinite = list("infinite", "Infinite scroll: the next page at the end of the list, no prefetch.", .endReached)

  static let threshold = list(
    "threshold-0.7", "The next page when a share of the list has been passed.", .ratio(0.7),
    settings: [Setting(ratio) { $0.pageTrigger = .ratio($1) }])

  static let dynamicThreshold = list(
    "dynamic-0.7", "The next page when a share of the newest page has been passed.", .ratioOfNewestPage(0.7),
    settings: [Setting(ratio) { $0.pageTrigger = .ratioOfNewestPage($1) }])

  /// Android's Paging 3, by default with pages of 30. Its first load has three pages: set `feed.pages` for that.
  /// With `maxSize`, pages at the far end are dropped while more items are listed, and loaded again when the user returns.
  static let paging3 = PrefetcherDefinition(
    "paging3", "Paging 3: the next page when fewer than `prefetchDistance` items follow, pages beyond `maxSize` dropped; no media.",
    PrefetchSystem(window: ItemWindow(ahead: 0), amount: .ready, pageTrigger: .itemsFromEnd(30), pageLatch: .inFlight),
    settings: [
      Setting(.integer("prefetchDistance", default: 30, in: 1...100_000, "Requests a page when fewer items follow.")) {
        $0.pageTrigger = .itemsFromEnd($1)
      },
      .ahead(\.window.ahead), .concurrency(), .cancel().ifGiven(),
      .optionalInteger("maxSize", \.pageMaxSize, in: 1...1_000_000, or: "no limit", "The most items that stay listed."),
    ])

  // MARK: Image libraries for iOS: low-priority queues filled by the app

  /// Declares a library. The app, not the library, chooses how many items it prefetches; 5 was best for the original team.
  private static func queue(
    _ name: String, _ summary: String, concurrency: Int, cancels: Bool, keepsPartial: Bool? = nil,
    settings: [Setting<PrefetchSystem<ItemWindow>>] = []
  ) -> PrefetcherDefinition {
    PrefetcherDefinition(
      name, summary,
      PrefetchSystem(
        window: ItemWindow(ahead: 5), amount: .ready, cancelCondition: cancels ? .leftWindow : .never, concurrency: concurrency,
        cancelRule: .keep, keepsPartial: keepsPartial),
      settings: [.ahead(\.window.ahead)] + settings + [
        .integer("keptConnections", \.keptConnections, in: 0...64, "Connections that prefetches leave to the active item.").ifGiven(),
        .boolean("lowPriority", \.hasLowPriority, "Visible items go before prefetches; otherwise both wait in one queue.").ifGiven(),
        Setting(.boolean("promotion", default: true, "A waiting prefetch goes to the front when its item becomes visible.")) {
          $0.promotes = $1
          if !$1 { $0.trigger.insert(.transferFinished) }
        }.ifGiven(),
        .cancel().ifGiven(),
      ])
  }

  /// NSOperationQueue. It would allow cancelling single operations; here none is cancelled.
  static let operationQueue = queue(
    "operation-queue", "A queue with a limit of parallel operations, first in, first out, nothing cancelled.", concurrency: 4,
    cancels: false, settings: [Setting(.integer("concurrency", in: 1...256, "Operations at once."), \.concurrency)])

  /// Nuke's ImagePrefetcher at c4fc70af: fetches that leave the window are cancelled, queued or running, and resumed later.
  static let nuke = queue(
    "nuke", "Nuke's prefetcher: two at once, cancelled when out of the window.", concurrency: 2, cancels: true, keepsPartial: true,
    settings: [.concurrency(or: "2")])

  /// Kingfisher's ImagePrefetcher at 410984bf: in the list's order. It can only stop everything; here it stops nothing.
  static let kingfisher = queue(
    "kingfisher", "Kingfisher's prefetcher: five at once, nothing cancelled.", concurrency: 5, cancels: false,
    settings: [.concurrency(or: "5")])

  /// SDWebImagePrefetcher at 36e79ba4: low priority, first in, first out.
  static let sdWebImage = queue(
    "sdwebimage", "SDWebImage's prefetcher: three at once, cancelled by token.", concurrency: 3, cancels: true,
    settings: [.concurrency(or: "3")])

  // MARK: Lists with their own windows

  /// Loads the rows visible at the movement's end and skips those between. Pages are requested by index, so unseen ones are not loaded.
  /// Source: the article on preloading; it notes that few servers offer this.
  static let lazyTarget = PrefetcherDefinition(
    "lazy-target", "The rows visible where the scroll ends, including one that begins at the lower edge.",
    PrefetchSystem(window: TargetWindow(), trigger: [.standard, .dragEnd], cancelRule: .keep, pageTrigger: .offsetAddressed))

  /// IGListKit's working range. Its default size, 0, prefetches nothing; 2 is from its documentation's example.
  static let igListKit = PrefetcherDefinition(
    "iglistkit", "IGListKit's working range: a number of items on either side.",
    PrefetchSystem(window: WorkingRangeWindow(size: 2), amount: .ready, cancelRule: .keep),
    settings: [
      .integer("size", \.window.size, in: 0...10_000, "Items on either side of the screen."), .concurrency(), .cancel().ifGiven(),
    ])

  /// Glide's preloader. A change of direction cancels all. The app chooses the number; 10 is from Glide's own tests.
  static let glide = PrefetcherDefinition(
    "glide-10", "Glide's preloader: ten ahead in a ring, all cancelled when the direction changes.",
    PrefetchSystem(window: ListPreloader(maxPreload: 10), amount: .ready, cancelRule: .keep),
    settings: [
      Setting(.integer("maxPreload", default: 10, in: 0...10_000, "The most items beyond the screen.")) {
        $0.window = ListPreloader(maxPreload: $1, cancelsOnTurn: $0.window.cancelsOnTurn)
      },
      .boolean("cancelOnTurn", \.window.cancelsOnTurn, "Cancels all when the direction changes.").ifGiven(), .concurrency(),
    ])

  /// RecyclerView's GapWorker: one row during a movement. It prepares views, which then request their media.
  static let recyclerView = PrefetcherDefinition(
    "recyclerview", "RecyclerView's prefetch: one row beyond the screen.",
    PrefetchSystem(window: FrameTaskWindow(span: 1), trigger: [.standard, .scrollTick], cancelRule: .keep),
    settings: [.integer("span", \.window.span, in: 1...100, "Items in a row.")])
}

/// The items visible at the movement's end, in the list's order.
struct TargetWindow: PrefetchWindow {
  func fetch(_ view: borrowing FeedView, amount: PrefetchAmount, into plan: inout Plan) {
    amount.fetch(view.targetItems, view, into: &plan)
  }
}

/// IGListKit's working range: a number of items on either side of the visible ones, in the list's order.
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

/// The row that RecyclerView prepares between two frames: the next one in the direction of the movement.
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

/// The items that Glide's `ListPreloader` loads as a list scrolls.
/// A step loads up to `maxPreload` items beyond the screen on the side of the movement that the last step did not load. A change of
/// direction cancels all. The ring holds `maxPreload + 1` items and evicts the oldest.
struct ListPreloader: PrefetchWindow {
  private let maxPreload: Int
  var cancelsOnTurn: Bool
  /// The items in the ring, in its slots; nil for a free slot.
  private var ring: [Int?]
  private var oldest = 0
  /// The bounds of the last step; at the end of the list `lastEnd` may be below `lastStart`.
  private var lastStart = 0, lastEnd = 0
  private var lastFirst = -1
  private var isForward = true

  init(maxPreload: Int, cancelsOnTurn: Bool = true) {
    (self.maxPreload, self.cancelsOnTurn) = (maxPreload, cancelsOnTurn)
    ring = Array(repeating: nil, count: maxPreload + 1)
  }

  /// Updates the ring and plans its items; an item that left it is no longer planned.
  mutating func fetch(_ view: borrowing FeedView, amount: PrefetchAmount, into plan: inout Plan) {
    let visible = view.visibleItems
    scroll(firstVisible: visible.lowerBound, visibleCount: visible.count, itemCount: view.items.count)
    for (rank, item) in held.enumerated() { amount.fetch(item..<item + 1, view, priority: 1 + rank, into: &plan) }
  }

  /// The items in the ring, stored or not, oldest first.
  var held: [Int] { ring.indices.compactMap { ring[(oldest + $0) % ring.count] } }

  /// Advances the ring after a scroll, and returns the items that it loads. O(items loaded).
  @discardableResult mutating func scroll(firstVisible: Int, visibleCount: Int, itemCount: Int) -> [Int] {
    defer { lastFirst = firstVisible }
    guard firstVisible != lastFirst else { return [] }
    let forward = firstVisible > lastFirst
    if forward != isForward {
      isForward = forward
      for slot in ring.indices where cancelsOnTurn { ring[slot] = nil }
    }
    let near = firstVisible + (forward ? visibleCount : 0)
    let start = forward ? max(lastEnd, near) : near - maxPreload
    let end = forward ? near + maxPreload : min(lastStart, near)
    lastStart = min(itemCount, max(0, start))
    lastEnd = min(itemCount, end)
    let items = lastStart..<max(lastStart, lastEnd)
    let loaded = forward ? Array(items) : items.reversed()
    for item in loaded {
      ring[oldest] = item
      oldest = (oldest + 1) % ring.count
    }
    return loaded
  }
}
