// Lists on iOS and on the web, and the image libraries that load for them: UIKit, the articles' lists, IGListKit, queues, margins.

extension PrefetchSystem where Window == ItemWindow {
  /// UICollectionView's prefetching: so many items ahead, whole.
  ///
  /// Apple does not say how far it reaches. One item after the active one is what the original team saw, with one item a screen; there,
  /// the call that cancels a prefetch never came. The documentation says that it comes when an item has left the window: then
  /// `cancels` is true.
  package static func uikit(ahead: Int = 1, cancels: Bool = true) -> Self {
    Self(window: ItemWindow(ahead: ahead), memory: cancels ? .none : .untilDone, cancelRule: .keep)
  }

  // MARK: The articles' lists, which differ in nothing but the place at which they ask for the next page

  /// Infinite scroll: the next page is asked for at the end of the list, and nothing is prefetched.
  package static func infiniteScroll(ahead: Int = 0, latch: PageLatch = .inFlight) -> Self {
    paged(.endReached, ahead: ahead, latch: latch)
  }

  /// The static threshold: the next page is asked for when a share of all that is listed has been passed, 0.7 in the article.
  package static func threshold(_ ratio: Double = 0.7, ahead: Int = 0, latch: PageLatch = .inFlight) -> Self {
    paged(.ratio(ratio), ahead: ahead, latch: latch)
  }

  /// The dynamic threshold: when a share of the newest page has been passed, 0.7 in the article.
  package static func dynamicThreshold(_ ratio: Double = 0.7, ahead: Int = 0, latch: PageLatch = .inFlight) -> Self {
    paged(.ratioOfNewestPage(ratio), ahead: ahead, latch: latch)
  }

  /// Android's Paging 3: the next page is asked for when fewer than `distance` items follow; by default a page of 30. The first load
  /// is three pages long there: `feed.pages` says how long it is here. It loads no media. With `maxSize`, pages are dropped at the far end
  /// while more items than that are listed, and loaded again when the user comes back to them.
  package static func paging3(distance: Int = 30, ahead: Int = 0, maxSize: Int? = nil) -> Self {
    paged(.itemsFromEnd(distance), ahead: ahead, latch: .inFlight, maxSize: maxSize)
  }

  private static func paged(_ trigger: PageTrigger, ahead: Int, latch: PageLatch, maxSize: Int? = nil) -> Self {
    Self(window: ItemWindow(ahead: ahead), amount: .ready, pageTrigger: trigger, pageLatch: latch, pageMaxSize: maxSize)
  }

  // MARK: Image libraries of iOS: queues of low priority that an app fills with what its list is about to show

  /// NSOperationQueue: first in, first out with priorities, so many at once, each cancelled by itself on demand. Nothing that was
  /// enqueued is taken out here.
  package static func operationQueue(ahead: Int = 5, concurrency: Int = 4) -> Self {
    queue(ahead: ahead, concurrency: concurrency, cancels: false)
  }

  /// Nuke's ImagePrefetcher at c4fc70af: two at once, below what is visible; what leaves the window is cancelled, queued or running,
  /// and Nuke resumes what it has in part.
  package static func nuke(ahead: Int = 5) -> Self { queue(ahead: ahead, concurrency: 2, cancels: true, keepsPartial: true) }

  /// Kingfisher's ImagePrefetcher at 410984bf: five at once, in the list's order; all or nothing can be stopped, and here nothing is.
  package static func kingfisher(ahead: Int = 5) -> Self { queue(ahead: ahead, concurrency: 5, cancels: false) }

  /// SDWebImagePrefetcher at 36e79ba4: three at once, of low priority, first in, first out; cancelled by its token.
  package static func sdWebImage(ahead: Int = 5) -> Self { queue(ahead: ahead, concurrency: 3, cancels: true) }

  /// How far ahead is the app's choice, not the library's; five is what the original team found best.
  private static func queue(ahead: Int, concurrency: Int, cancels: Bool, keepsPartial: Bool? = nil) -> Self {
    Self(
      window: ItemWindow(ahead: ahead), amount: .ready, memory: cancels ? .none : .untilDone, concurrency: concurrency, cancelRule: .keep,
      keepsPartial: keepsPartial)
  }
}

extension PrefetchSystem where Window == ScreenWindow {
  /// UICollectionView's prefetching, three quarters of a screen ahead: 24 items where 32 are visible, as the author of Nuke observed it.
  package static func uikit(screens: Double, cancels: Bool = true) -> Self {
    Self(
      window: ScreenWindow(ScreenRange(leading: screens, trailing: 0)), memory: cancels ? .none : .untilDone, cancelRule: .keep)
  }
}

/// The items from the screen's upper to its lower edge where the movement ends.
package struct TargetWindow: PrefetchWindow {
  package init() {}

  package func want(_ view: borrowing FeedView, amount: PrefetchAmount, into plan: inout Plan) {
    amount.want(view.targetItems, view, into: &plan)
  }
}

extension PrefetchSystem where Window == TargetWindow {
  /// When the finger leaves the screen, the rows at the movement's end are loaded and nothing in between. Its pages are addressed by
  /// offset, so that none is loaded that nobody sees (the article on preloading; it says that few servers offer this).
  package static func lazyTarget() -> Self {
    Self(window: TargetWindow(), trigger: [.standard, .dragEnd], cancelRule: .keep, pageTrigger: .offsetAddressed)
  }
}

/// IGListKit's working range: so many items on either side of what is visible, whatever the direction.
package struct WorkingRangeWindow: PrefetchWindow {
  /// Items on either side.
  package var size: Int

  package init(size: Int) { self.size = size }

  /// The range around what is visible.
  static func around(_ visible: ClosedRange<Int>, size: Int, count: Int) -> Range<Int> {
    let start = max(visible.lowerBound - size, 0)
    return start..<max(start, min(visible.upperBound + 1 + size, count))
  }

  /// The range in the list's order: it has no direction.
  package func want(_ view: borrowing FeedView, amount: PrefetchAmount, into plan: inout Plan) {
    guard let first = view.visibleItems.first, let last = view.visibleItems.last else { return }
    amount.want(WorkingRangeWindow.around(first...last, size: size, count: view.items.count), view, into: &plan)
  }
}

extension PrefetchSystem where Window == WorkingRangeWindow {
  /// IGListKit's working range: symmetric, cancelled by what leaves it. Its own default size is 0, which prefetches nothing; its
  /// documentation's example has 2.
  package static func igListKit(size: Int = 2) -> Self {
    Self(window: WorkingRangeWindow(size: size), amount: .ready, cancelRule: .keep)
  }
}

// MARK: The web's two answers to a poor network: Chromium reaches further, Guess.js less far

extension PrefetchSystem where Window == MarginWindow {
  /// Chromium's lazy loading of images at 01e80222: an image begins to load within so many points of the screen, more of them the
  /// slower the network; nothing is cancelled.
  package static func chromium(
    points: ByNetwork<Double> = ByNetwork(wifi: 1250, cellular4G: 1250, cellular3G: 2500, cellular2G: 6000)
  ) -> Self {
    Self(window: MarginWindow(points: points), amount: .ready, memory: .untilDone, trigger: [.standard, .scrollTick])
  }
}

/// The items that the user will reach with at least some probability.
package struct ProbabilityWindow: PrefetchWindow {
  /// The least probability, by the class of the network.
  package var minimum: ByNetwork<Double>
  /// The probability that a user goes on from one item to the next.
  package var continuation: Double

  package init(minimum: ByNetwork<Double>, continuation: Double) {
    self.minimum = minimum
    self.continuation = continuation
  }

  /// Those ahead in order: the k-th is reached with the k-th power of the continuation.
  package func want(_ view: borrowing FeedView, amount: PrefetchAmount, into plan: inout Plan) {
    let least = minimum[view.networkClass]
    var probability = continuation
    var count = 0
    // A feed that everybody reads to its end has no last likely item.
    while probability >= least, count < 100 {
      count += 1
      probability *= continuation
    }
    amount.want(view.activeItem + 1..<view.activeItem + 1 + count, view, into: &plan)
  }
}

extension PrefetchSystem where Window == ProbabilityWindow {
  /// Guess.js at 0def89f4: what follows with a probability of at least 0.15 on 4G, 0.3 on 3G, 0.45 on 2G. Its probabilities come from a
  /// site's statistics; in a feed, from the share of users who go on: 0.8 here is ours.
  package static func guess(
    continuation: Double = 0.8,
    minimum: ByNetwork<Double> = ByNetwork(wifi: 0.15, cellular4G: 0.15, cellular3G: 0.3, cellular2G: 0.45)
  ) -> Self {
    Self(window: ProbabilityWindow(minimum: minimum, continuation: continuation), amount: .ready, cancelRule: .keep)
  }
}

/// When a list cancels a prefetch.
private enum WindowCancel: String, CaseIterable {
  /// When its item has left the window.
  case leftWindow
  /// Never.
  case never

  static let parameter = Parameter.choice(
    "cancel", default: WindowCancel.leftWindow, "Cancels a prefetch when its item has left the window, or never.")
}

extension PrefetcherDefinition {
  static let uikitOne = PrefetcherDefinition(
    "uikit-1", "UICollectionView as observed: one item ahead, whole (observational).", settings: [.ahead(1), WindowCancel.parameter]
  ) { PrefetchSystem.uikit(ahead: $0.integer("ahead"), cancels: $0.choice("cancel") == WindowCancel.leftWindow) }

  static let uikitScreens = PrefetcherDefinition(
    "uikit-0.75screen", "UICollectionView as observed: three quarters of a screen ahead (observational).",
    settings: [.number("screens", default: 0.75, in: 0...100, "Screens ahead that are prefetched."), WindowCancel.parameter]
  ) { PrefetchSystem.uikit(screens: $0.number("screens"), cancels: $0.choice("cancel") == WindowCancel.leftWindow) }
}

extension PageLatch {
  fileprivate static let parameter = Parameter.choice(
    "latch", default: PageLatch.inFlight, "Asks for a page once while it is in flight, or at each trigger.")
}

extension PrefetcherDefinition {
  fileprivate static let ratio = Parameter.share("ratio", default: 0.7, "The share after which the next page is asked for.")

  static let infinite = PrefetcherDefinition(
    "infinite", "Infinite scroll: the next page at the end of the list, no prefetch.", settings: [.ahead(0), PageLatch.parameter]
  ) { PrefetchSystem.infiniteScroll(ahead: $0.integer("ahead"), latch: $0.choice("latch")) }

  static let threshold = PrefetcherDefinition(
    "threshold-0.7", "The next page when a share of the list has been passed.", settings: [ratio, .ahead(0), PageLatch.parameter]
  ) { PrefetchSystem.threshold($0.number("ratio"), ahead: $0.integer("ahead"), latch: $0.choice("latch")) }

  static let dynamicThreshold = PrefetcherDefinition(
    "dynamic-0.7", "The next page when a share of the newest page has been passed.", settings: [ratio, .ahead(0), PageLatch.parameter]
  ) { PrefetchSystem.dynamicThreshold($0.number("ratio"), ahead: $0.integer("ahead"), latch: $0.choice("latch")) }

  static let paging3 = PrefetcherDefinition(
    "paging3", "Paging 3: the next page when fewer than `prefetchDistance` items follow, pages beyond `maxSize` dropped; no media.",
    settings: [
      .integer("prefetchDistance", default: 30, in: 1...100_000, "Asks for a page when fewer items follow."), .ahead(0),
      .integer("maxSize", in: 1...1_000_000, "The most items that stay listed.").optional("no limit"),
    ]
  ) {
    PrefetchSystem.paging3(
      distance: $0.integer("prefetchDistance"), ahead: $0.integer("ahead"), maxSize: $0.optionalInteger("maxSize"))
  }

  static let operationQueue = PrefetcherDefinition(
    "operation-queue", "A queue of so many operations, first in, first out, nothing cancelled.",
    settings: [.ahead(5), .integer("concurrency", default: 4, in: 1...256, "Operations at once.")]
  ) { PrefetchSystem.operationQueue(ahead: $0.integer("ahead"), concurrency: $0.integer("concurrency")) }

  static let nuke = PrefetcherDefinition(
    "nuke", "Nuke's prefetcher: two at once, cancelled when out of the window.", settings: [.ahead(5)]
  ) { PrefetchSystem.nuke(ahead: $0.integer("ahead")) }

  static let kingfisher = PrefetcherDefinition(
    "kingfisher", "Kingfisher's prefetcher: five at once, nothing cancelled.", settings: [.ahead(5)]
  ) { PrefetchSystem.kingfisher(ahead: $0.integer("ahead")) }

  static let sdWebImage = PrefetcherDefinition(
    "sdwebimage", "SDWebImage's prefetcher: three at once, cancelled by token.", settings: [.ahead(5)]
  ) { PrefetchSystem.sdWebImage(ahead: $0.integer("ahead")) }

  static let lazyTarget = PrefetcherDefinition(
    "lazy-target", "The rows on the screen where the scroll comes to rest, the one at its lower edge included."
  ) { _ in PrefetchSystem.lazyTarget() }

  static let igListKit = PrefetcherDefinition(
    "iglistkit", "IGListKit's working range: so many items on either side.",
    settings: [.integer("size", default: 2, in: 0...10_000, "Items on either side of the screen.")]
  ) { PrefetchSystem.igListKit(size: $0.integer("size")) }

  static let chromium = PrefetcherDefinition(
    "chromium", "Chromium's lazy loading: within so many points, more on slow networks.",
    settings: Parameter.byNetwork(
      "points", ByNetwork(wifi: 1250, cellular4G: 1250, cellular3G: 2500, cellular2G: 6000), limit: 1e6,
      "Points around the screen within which images are loaded")
  ) { PrefetchSystem.chromium(points: $0.byNetwork("points")) }

  static let guess = PrefetcherDefinition(
    "guess", "Guess.js: what follows with enough probability, more of it on slow networks.",
    settings: Parameter.byNetwork(
      "probability", ByNetwork(wifi: 0.15, cellular4G: 0.15, cellular3G: 0.3, cellular2G: 0.45), limit: 1,
      "The least probability of an item that is loaded") + [
        .share("continuation", default: 0.8, "The share of users who go on to the next item.")
      ]
  ) { PrefetchSystem.guess(continuation: $0.number("continuation"), minimum: $0.byNetwork("probability")) }
}
