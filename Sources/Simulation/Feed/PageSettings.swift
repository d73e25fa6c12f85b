// Feeds in pages: their sizes, their source, and the trigger of the next request.

package struct PageSettings: Hashable, Sendable {
  package enum Source: String, Hashable, Sendable, CaseIterable {
    /// A server: each page is a request with the network's latency and the page's bytes.
    case network
    /// The client itself, without network time, as in a test with a stubbed API.
    case local
  }

  package var size: Int
  /// The number of items on the first page; nil for `size`.
  package var firstSize: Int?
  package var bytes: Int64
  package var source: Source
  package var trigger: PageTrigger
  package var latch: PageLatch

  /// Creates settings; the default page of 30 items is that of the original test app.
  package init(
    size: Int = 30, firstSize: Int? = nil, bytes: Int64 = 20_000, source: Source = .network, trigger: PageTrigger = .endReached,
    latch: PageLatch = .inFlight
  ) {
    precondition(size > 0 && (firstSize ?? 1) > 0 && 0 < bytes && bytes <= Volume.limitBytes, "a page must have items and bytes")
    (self.size, self.firstSize, self.bytes) = (size, firstSize, bytes)
    (self.source, self.trigger, self.latch) = (source, trigger, latch)
  }
}

/// A condition for requesting the next page.
public enum PageTrigger: Hashable, Sendable {
  /// The end of the list is in the viewport: infinite scroll without prefetching.
  case endReached
  /// The viewport's lower edge is past this share of the content: the static threshold.
  case ratio(Double)
  /// The viewport's lower edge is past this share of the newest page, which the number of requests determines: the dynamic threshold.
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
  /// No guard: the page is requested whenever the trigger holds, as in articles that print only the trigger.
  case asPrinted
  /// A page in flight is not requested again.
  case inFlight
}
