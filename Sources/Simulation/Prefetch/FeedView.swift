// The state of the app that a prefetcher may read.

/// The listed part of the feed, the position of the user, and the stored bytes. Only the session writes it.
public struct FeedView: ~Copyable {
  /// The items listed so far, from the first; with pages requested by index the list may have holes (`isListed`).
  public internal(set) var items: ContiguousArray<Item>

  /// The state that changes at each visit, in memory of its own: each plan copies the view, and a copy that waits for stores costs time.
  let details: Box<FeedDetails>
  var progress: FixedArray<ItemProgress>

  init(
    items: ContiguousArray<Item>, geometry: FeedGeometry = FeedGeometry(), viewportHeight: Double = FeedGeometry.defaultViewportHeight,
    networkClass: NetworkClass = .wifi
  ) {
    self.items = items
    details = Box(FeedDetails(viewportHeight: viewportHeight, geometry: geometry, networkClass: networkClass))
    progress = FixedArray(count: items.count) { index in
      ItemProgress(isRestCovered: items[index].bytes == items[index].readyBytes, plays: items[index].bitsPerSecond > 0)
    }
    measureContent()
  }

  /// True if the client knows the item: its page has arrived.
  public func isListed(_ item: Int) -> Bool { item < items.count && progress[item].isListed }

  /// True if enough of an item is stored to show it, in memory if that has a size: an evicted item is not ready.
  public func isReady(_ item: Int) -> Bool { progress[item].isReady }

  /// True if all of an item is stored.
  public func isComplete(_ item: Int) -> Bool { storedBytes(item) >= items[item].bytes }

  /// Returns the stored bytes of an item, counted from its start, in memory or on the disk; bytes in flight do not count.
  public func storedBytes(_ item: Int) -> Int64 {
    let progress = progress[item]
    return Volume(nanobits: progress.head + (progress.isReady || progress.isOnlyOnDisk ? progress.rest : 0)).bytes
  }

  /// True if a transfer of the item is in flight.
  public func isInFlight(_ item: Int) -> Bool { progress[item].headTransfer >= 0 || progress[item].restTransfer >= 0 }

  /// The buffer of the active video, in seconds, with bytes of transfers in flight that are readable; 0 if nothing plays.
  public var bufferedSeconds: Double {
    let rate = items[activeItem].bitsPerSecond
    return rate == 0 ? 0 : Double(details.value.bufferedVolume) / 1e9 / Double(rate)
  }

  // MARK: The app and its network

  /// The item on screen.
  public internal(set) var activeItem: Int {
    get { details.value.activeItem }
    set { details.value.activeItem = newValue }
  }
  /// +1 while the user moves to later items, −1 to earlier ones.
  public internal(set) var direction: Int {
    get { details.value.direction }
    set { details.value.direction = newValue }
  }

  /// The triggers for which the prefetcher plans now.
  public var trigger: PlanTrigger { details.value.trigger }
  /// The current instant of the run.
  public var now: Instant { details.value.now }
  /// The instant at which the active item became active.
  public var activeSince: Instant { details.value.activeSince }
  /// The length of the whole feed; nil if the client does not know it.
  public var totalItems: Int? { details.value.totalItems }
  /// The class of the network, as the operating system reports it.
  public var networkClass: NetworkClass { details.value.networkClass }
  /// The state of the app: in the foreground or the background.
  public var appState: AppState { details.value.appState }
  /// The instant of the last memory warning; nil if there was none.
  public var memoryWarning: Instant? { details.value.memoryWarning }
  /// The number of times that stored bytes were lost, to a memory warning or to the store's limit.
  package var losses: Int { details.value.losses }
  /// The number of pages that have arrived.
  package var listings: Int { details.value.listings }
  /// The transfers that completed last.
  public var throughputSamples: RecentSamples<ThroughputSample> { _read { yield details.value.throughputSamples } }
  /// The dwells of the latest visits.
  public var dwellSamples: RecentSamples<Interval> { _read { yield details.value.dwellSamples } }

  // MARK: The screen

  /// The height of the viewport, in points.
  public var viewportHeight: Double { details.value.viewportHeight }
  /// The scroll offset: the content's coordinate at the viewport's upper edge, in points.
  public var contentOffset: Double { details.value.contentOffset }
  /// The offset at which the current movement ends, in points; `contentOffset` while nothing moves.
  public var targetOffset: Double { details.value.targetOffset }
  /// The scroll velocity, in points a second; negative towards earlier items.
  public var velocity: Double { details.value.velocity }

  /// Returns the height of an item, in points.
  public func height(_ item: Int) -> Double { itemTop(item + 1) - itemTop(item) }

  /// Returns the offset of the upper edge of an item, in points; for the index after the last item, the end of the content.
  public func itemTop(_ item: Int) -> Double { details.value.geometry.top(item) }

  /// The height of the content, in points: of the whole feed if its length is known, else of the listed items.
  public var contentHeight: Double { itemTop(totalItems ?? items.count) }

  /// Returns the nearest offset to which the list can scroll.
  @inline(__always) func reachable(_ offset: Double) -> Double { max(0, min(offset, details.value.largestOffset)) }

  /// Updates the largest scroll offset, after the list has grown or shrunk.
  func measureContent() { details.value.largestOffset = contentHeight - viewportHeight }

  /// Returns the items between two offsets, without one that ends at `top` or begins at `bottom`. O(log items).
  public func items(from top: Double, to bottom: Double) -> Range<Int> {
    let items = items(from: top, through: max(top, bottom))
    guard bottom > top else { return items.lowerBound..<items.lowerBound }
    // The item that begins at the lower offset is not between them.
    return !items.isEmpty && itemTop(items.upperBound - 1) >= bottom ? items.dropLast() : items
  }

  /// Returns the items visible at a scroll offset.
  public func visibleItems(at offset: Double) -> Range<Int> { items(from: offset, to: offset + viewportHeight) }

  /// The items in the viewport.
  public var visibleItems: Range<Int> { visibleItems(at: contentOffset) }

  /// The items visible at the end of the movement, and one that begins at the viewport's lower edge (the article's formula). O(log items).
  public var targetItems: Range<Int> { items(from: targetOffset, through: targetOffset + viewportHeight) }

  /// Returns the items that end after `top` and begin at `bottom` or before. O(log items).
  func items(from top: Double, through bottom: Double) -> Range<Int> {
    let end = totalItems ?? items.count
    let first = min(max(details.value.geometry.item(at: top), 0), end)
    return first..<max(first, min(details.value.geometry.item(at: bottom) + 1, end))
  }
}

/// The state of the app.
public enum AppState: Hashable, Sendable {
  /// The app is visible to the user.
  case foreground
  /// The app is not visible to the user.
  case background
}

struct FeedDetails: ~Copyable {
  var activeItem = 0
  var direction = 1
  var trigger = PlanTrigger.activation
  var now = Instant.start
  var activeSince = Instant.start
  var viewportHeight: Double
  var contentOffset = 0.0
  var targetOffset = 0.0
  /// The scroll offset at the end of the content; negative for a list shorter than the viewport.
  var largestOffset = 0.0
  var velocity = 0.0
  var geometry: FeedGeometry
  var totalItems: Int?
  var networkClass: NetworkClass
  var appState = AppState.foreground
  var memoryWarning: Instant?
  var losses = 0
  var listings = 0
  var throughputSamples = RecentSamples(repeating: ThroughputSample(volume: .zero, requested: .start, finished: .start, concurrent: 0))
  var dwellSamples = RecentSamples(repeating: Interval.zero)
  /// The nanobits of the active video that are available and not played.
  var bufferedVolume: Int64 = 0
}

/// The transfer state of an item. Its two parts are the head (the bytes that make it ready) and the rest.
struct ItemProgress: BitwiseCopyable {
  /// The stored nanobits of each part.
  var head: Int64 = 0, rest: Int64 = 0
  /// The time of the first request for its first bytes; −1 if there was none.
  var requestedAt: Int64 = -1
  /// The numbers of the transfers in flight for its parts; −1 for none.
  var headTransfer: Int32 = -1, restTransfer: Int32 = -1
  /// Transfers cancelled since its last visit.
  var cancelsUnseen: Int32 = 0
  /// True if a part is stored or in flight as a whole, so that no further request for it is possible.
  var isHeadCovered = false, isRestCovered = false
  var isReady = false
  /// True if its ready bytes are on the disk and not in memory.
  var isOnlyOnDisk = false
  /// True if bytes of it were evicted since it was ready.
  var wasEvicted = false
  /// True if its ready bytes have to be decoded before it is visible.
  var awaitsDecode = false
  /// True if a transfer of its head was ever cancelled.
  var wasCancelled = false
  var wasViewed = false
  /// True if the item has a bit rate, so that it can stall.
  var plays = false
  var isListed = true

  var isVisible: Bool { isReady && !awaitsDecode }

  /// The stored bytes of both parts, each rounded down. Most items have no rest, and a check is cheaper than a division.
  var storedBytes: Int64 { Volume(nanobits: head).bytes + (rest == 0 ? 0 : Volume(nanobits: rest).bytes) }

  /// Hides the item. Its parts count as covered, so that nothing requests them.
  mutating func unlist() { (isListed, isHeadCovered, isRestCovered) = (false, true, true) }
}
