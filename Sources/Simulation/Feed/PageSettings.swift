// Feeds that come in pages: how large they are, from where they come, and what makes the client ask for the next one.

/// How a feed is divided into pages and when the client asks for them.
package struct PageSettings: Hashable, Sendable {
  package enum Source: String, Hashable, Sendable, CaseIterable {
    /// A server: a request of its own, with the network's latency and the page's bytes.
    case network
    /// The client itself, at no network time, as a test that stubs its API does.
    case local
  }

  package var size: Int
  /// Items on the first page; as many as on the others where it is nil.
  package var firstSize: Int?
  package var bytes: Int64
  package var source: Source
  package var trigger: PageTrigger
  package var latch: PageLatch

  /// Pages of 30, the original's, asked for at the end of the list by default.
  package init(
    size: Int = 30, firstSize: Int? = nil, bytes: Int64 = 20_000, source: Source = .network, trigger: PageTrigger = .endReached,
    latch: PageLatch = .inFlight
  ) {
    precondition(size > 0 && (firstSize ?? 1) > 0 && 0 < bytes && bytes <= Volume.limitBytes, "a page holds something")
    self.size = size
    self.firstSize = firstSize
    self.bytes = bytes
    self.source = source
    self.trigger = trigger
    self.latch = latch
  }
}

/// The trigger of the next page's request.
public enum PageTrigger: Hashable, Sendable {
  /// The end of the list is in the viewport: infinite scroll without prefetching.
  case endReached
  /// The viewport's lower edge is past this share of the content: the static threshold.
  case ratio(Double)
  /// The viewport's lower edge is past this share of the newest page, by the requests so far: the dynamic threshold.
  case ratioOfNewestPage(Double)
  /// At most this many viewports of content lie below the movement's target offset: Texture.
  case remainingScreens(Double)
  /// Fewer than this many items follow the last visible one: Paging 3.
  case itemsFromEnd(Int)
  /// Pages are requested by index, for the items visible at the movement's target offset: lazy loading.
  case offsetAddressed
}

/// The guard against requesting a page twice.
public enum PageLatch: String, Hashable, Sendable, CaseIterable {
  /// None: whenever the trigger holds, the page is requested again, as in articles that print the trigger alone.
  case asPrinted
  /// A page in flight is not requested again.
  case inFlight
}
