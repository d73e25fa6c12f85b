// The articles' lists, which differ in nothing but the place at which they ask for the next page.

extension PrefetchSystem where Window == ItemWindow {
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
    var system = paged(.itemsFromEnd(distance), ahead: ahead, latch: .inFlight)
    system.pageMaxSize = maxSize
    return system
  }

  private static func paged(_ trigger: PageTrigger, ahead: Int, latch: PageLatch) -> Self {
    var system = Self(window: ItemWindow(ahead: ahead))
    system.amount = .ready
    system.pageTrigger = trigger
    system.pageLatch = latch
    return system
  }
}

extension PageLatch {
  fileprivate static let parameter = Parameter.choice(
    "latch", default: PageLatch.inFlight, "Asks for a page once while it is in flight, or at each trigger.")
}

extension PrefetcherDefinition {
  private static let ratio = Parameter.share("ratio", default: 0.7, "The share after which the next page is asked for.")

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
}
