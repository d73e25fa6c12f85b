// What a prefetcher may know of the app it works for.

/// The feed as far as it is listed, where the user is, and what is stored. A prefetcher reads it; only the session writes it.
public struct FeedView: ~Copyable {
  /// The items listed so far, from the first; with pages requested by index the list may have holes (`isListed`).
  public internal(set) var items: ContiguousArray<Item>
  /// The item on screen.
  public internal(set) var activeItem = 0
  /// +1 while the user moves to later items, −1 to earlier ones.
  public internal(set) var direction = 1

  /// What else an app knows, in memory of its own: a view that is handed on costs as much as it is large (measured).
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

  /// True if enough of an item is stored to show it.
  public func isReady(_ item: Int) -> Bool { progress[item].isReady }

  /// True if all of an item is stored.
  public func isComplete(_ item: Int) -> Bool { storedBytes(item) >= items[item].bytes }

  /// Returns the bytes of an item that are stored, from its start; bytes in flight do not count.
  public func storedBytes(_ item: Int) -> Int64 {
    let progress = progress[item]
    return Volume(nanobits: progress.head + (progress.isReady ? progress.rest : 0)).bytes
  }

  /// True if a transfer of the item is in flight.
  public func isInFlight(_ item: Int) -> Bool { progress[item].headTransfer >= 0 || progress[item].restTransfer >= 0 }

  /// The buffer of the active video, in seconds, readable bytes in flight included; 0 if nothing plays.
  public var bufferedSeconds: Double {
    let rate = items[activeItem].bitsPerSecond
    return rate == 0 ? 0 : Double(details.value.bufferedVolume) / 1e9 / Double(rate)
  }

  // MARK: The app and its network

  /// The triggers for which the prefetcher is asked now.
  public var trigger: PlanTrigger { details.value.trigger }
  /// The present instant of the run.
  public var now: Instant { details.value.now }
  /// The instant at which the active item became active.
  public var activeSince: Instant { details.value.activeSince }
  /// The length of the whole feed; nil if a client of such a feed does not know it.
  public var totalItems: Int? { details.value.totalItems }
  /// The class of the network, as the operating system reports it.
  public var networkClass: NetworkClass { details.value.networkClass }
  /// The state of the app: in the foreground or the background.
  public var appState: AppState { details.value.appState }
  /// The instant of the last memory warning; nil if there was none.
  public var memoryWarning: Instant? { details.value.memoryWarning }
  /// The transfers that completed last.
  public var throughputSamples: RecentSamples<ThroughputSample> { _read { yield details.value.throughputSamples } }
  /// The dwells at the latest items.
  public var dwellSamples: RecentSamples<Interval> { _read { yield details.value.dwellSamples } }

  // MARK: The screen

  /// The height of the viewport, in points.
  public var viewportHeight: Double { details.value.viewportHeight }
  /// The scroll offset: the content's coordinate at the viewport's upper edge, in points.
  public var contentOffset: Double { details.value.contentOffset }
  /// The offset at which the present movement will end, in points; `contentOffset` while nothing moves.
  public var targetOffset: Double { details.value.targetOffset }
  /// The scroll velocity, in points a second; negative towards earlier items.
  public var velocity: Double { details.value.velocity }

  /// Returns the height of an item, in points.
  public func height(_ item: Int) -> Double { itemTop(item + 1) - itemTop(item) }

  /// Returns the upper edge of an item in the content, in points; that of the item after the last is the content's end.
  public func itemTop(_ item: Int) -> Double { details.value.geometry.top(item) }

  /// The height of the content, in points: of the whole feed if its length is known, else of the listed items.
  public var contentHeight: Double { itemTop(totalItems ?? items.count) }

  /// Returns the nearest offset that the list can be scrolled to.
  @inline(__always)
  func reachable(_ offset: Double) -> Double { max(0, min(offset, details.value.largestOffset)) }

  /// Finds the largest scroll offset again; called when the list has grown or shrunk.
  func measureContent() { details.value.largestOffset = contentHeight - viewportHeight }

  /// Returns the items between two offsets, without one that ends at `top` or begins at `bottom`. O(log items).
  public func items(from top: Double, to bottom: Double) -> Range<Int> {
    let end = totalItems ?? items.count
    let first = min(max(details.value.geometry.item(at: top), 0), end)
    var last = first
    if bottom > top { last = min(details.value.geometry.item(at: bottom), end - 1) + 1 }
    // The item that begins at the lower offset is not between them.
    if last > first, itemTop(last - 1) >= bottom { last -= 1 }
    return first..<max(first, last)
  }

  /// Returns the items that a viewport at an offset shows.
  public func visibleItems(at offset: Double) -> Range<Int> { items(from: offset, to: offset + viewportHeight) }

  /// The items in the viewport.
  public var visibleItems: Range<Int> { visibleItems(at: contentOffset) }

  /// The items that the article's formula counts where the movement ends: from the one at the upper edge to the one at the lower edge,
  /// also where that only begins there. O(log items).
  public var targetItems: Range<Int> {
    let end = totalItems ?? items.count
    let first = min(max(details.value.geometry.item(at: targetOffset), 0), end)
    return first..<max(first, min(details.value.geometry.item(at: targetOffset + viewportHeight) + 1, end))
  }
}

/// The state of the app.
public enum AppState: Hashable, Sendable {
  /// The user sees the app.
  case foreground
  /// The user does not see the app.
  case background
}

struct FeedDetails: ~Copyable {
  var trigger = PlanTrigger.activation
  var now = Instant.start
  var activeSince = Instant.start
  var viewportHeight: Double
  var contentOffset = 0.0
  var targetOffset = 0.0
  /// The offset at which the end of the content is at the viewport's lower edge; below zero for a short list.
  var largestOffset = 0.0
  var velocity = 0.0
  var geometry: FeedGeometry
  var totalItems: Int?
  var networkClass: NetworkClass
  var appState = AppState.foreground
  var memoryWarning: Instant?
  var throughputSamples = RecentSamples(
    repeating: ThroughputSample(volume: .zero, requested: .start, finished: .start, concurrent: 0))
  var dwellSamples = RecentSamples(repeating: Interval.zero)
  /// Nanobits of the active video that are there beyond what has been played.
  var bufferedVolume: Int64 = 0
}

/// What the session keeps of an item: its two parts are the bytes that make it ready, and the rest.
struct ItemProgress: BitwiseCopyable {
  /// Nanobits stored of each part.
  var head: Int64 = 0
  var rest: Int64 = 0
  /// When its first bytes were first asked for; −1 if never.
  var requestedAt: Int64 = -1
  /// The transfers that bring its parts; −1 if none is on the way.
  var headTransfer: Int32 = -1
  var restTransfer: Int32 = -1
  /// Transfers cancelled since it was last seen.
  var cancelsUnseen: Int32 = 0
  /// Whether a part is stored or on the way as a whole, so that nothing more of it can be wanted.
  var isHeadCovered = false
  var isRestCovered = false
  var isReady = false
  /// Whether a transfer of its first part was ever cancelled.
  var wasCancelled = false
  var wasViewed = false
  /// Whether the item has a bit rate, so that it can stall.
  var plays = false
  var isListed = true

  /// The bytes stored of both parts, each rounded down. Few items have a second part, and a division costs more than to look.
  var storedBytes: Int64 { Volume(nanobits: head).bytes + (rest == 0 ? 0 : Volume(nanobits: rest).bytes) }

  /// Hides the item; what is covered is never requested.
  mutating func unlist() { (isListed, isHeadCovered, isRestCovered) = (false, true, true) }
}
