// What a prefetcher may know of the app it works for.

/// The feed as far as it is listed, where the user is, and what is stored. A prefetcher reads it; only the session writes it.
package struct FeedView: ~Copyable {
  /// The items listed so far, from the first. Where pages are asked for by their place the list may have holes, which `isListed` tells.
  package internal(set) var items: ContiguousArray<Item>
  /// The item on screen.
  package internal(set) var activeItem = 0
  /// +1 while the user moves to later items, −1 to earlier ones.
  package internal(set) var direction = 1

  /// What else an app knows, in memory of its own: a view that is handed on costs as much as it is large (measured).
  let details: Box<FeedDetails>
  /// What the session keeps of each item.
  var progress: FixedArray<ItemProgress>

  init(items: ContiguousArray<Item>) {
    self.items = items
    details = Box(FeedDetails())
    progress = FixedArray(count: items.count) { index in
      ItemProgress(isRestCovered: items[index].bytes == items[index].readyBytes, plays: items[index].bitsPerSecond > 0)
    }
  }

  /// Whether a client knows the item: its page has come.
  package func isListed(_ item: Int) -> Bool { item < items.count && progress[item].isListed }

  /// Whether enough of an item is stored to show it.
  package func isReady(_ item: Int) -> Bool { progress[item].isReady }

  /// Whether all of an item is stored.
  package func isComplete(_ item: Int) -> Bool { storedBytes(item) >= items[item].bytes }

  /// The bytes of an item that are stored from its start on, as finished or cut transfers left them.
  package func storedBytes(_ item: Int) -> Int64 {
    let progress = progress[item]
    return Volume(nanobits: progress.head + (progress.isReady ? progress.rest : 0)).bytes
  }

  /// Whether a transfer of the item is on its way.
  package func isOnTheWay(_ item: Int) -> Bool { progress[item].headTransfer >= 0 || progress[item].restTransfer >= 0 }

  /// Seconds that the active video can still play from what is there, what is readable of its transfer included; 0 where nothing plays.
  package var bufferedSeconds: Double {
    let rate = items[activeItem].bitsPerSecond
    return rate == 0 ? 0 : Double(details.value.bufferedVolume) / 1e9 / Double(rate)
  }

  // MARK: The app and its network

  /// Why the prefetcher is asked.
  package var occasion: PlanTrigger { details.value.occasion }
  /// The time of the run.
  package var now: Instant { details.value.now }
  /// When the active item became that.
  package var activeSince: Instant { details.value.activeSince }
  /// How many items there will be, if a client of such a feed knows it.
  package var totalItems: Int? { details.value.totalItems }
  /// What the operating system calls the network.
  package var networkClass: NetworkClass { details.value.networkClass }
  /// Whether the user sees the app.
  package var appState: AppState { details.value.appState }
  /// When memory was last reported short; nil if never.
  package var memoryWarning: Instant? { details.value.memoryWarning }
  /// The transfers that finished last.
  package var throughputSamples: ThroughputSamples { unsafeAddress { UnsafePointer(details.value.throughputSamples.address) } }
  /// How long the user stayed at the latest items.
  package var dwellSamples: DwellSamples { unsafeAddress { UnsafePointer(details.value.dwellSamples.address) } }

  // MARK: The screen

  /// The height of the viewport, in points.
  package var viewportHeight: Double { details.value.viewportHeight }
  /// How far the content has been scrolled: what stands at the viewport's upper edge, in points.
  package var contentOffset: Double { details.value.contentOffset }
  /// The offset at which the present movement will end; `contentOffset` while nothing moves.
  package var targetOffset: Double { details.value.targetOffset }
  /// How fast the content moves, in points a second; negative towards earlier items.
  package var velocity: Double { details.value.velocity }

  /// The height of an item, in points.
  package func height(_ item: Int) -> Double { itemTop(item + 1) - itemTop(item) }

  /// The upper edge of an item in the content, in points; that of the item after the last is the content's end.
  package func itemTop(_ item: Int) -> Double { details.value.geometry.top(item) }

  /// The height of all that is listed, or of all there is where that is known; in points.
  package var contentHeight: Double { itemTop(totalItems ?? items.count) }

  /// The items between two offsets, the one that ends at `top` and the one that begins at `bottom` left out. O(log items).
  package func items(from top: Double, to bottom: Double) -> Range<Int> {
    let end = totalItems ?? items.count
    let first = min(max(details.value.geometry.item(at: top), 0), end)
    var last = first
    if bottom > top { last = min(details.value.geometry.item(at: bottom), end - 1) + 1 }
    // The item that begins at the lower offset is not between them.
    if last > first, itemTop(last - 1) >= bottom { last -= 1 }
    return first..<max(first, last)
  }

  /// The items that a viewport at an offset shows.
  package func visibleItems(at offset: Double) -> Range<Int> { items(from: offset, to: offset + viewportHeight) }

  /// The items in the viewport.
  package var visibleItems: Range<Int> { visibleItems(at: contentOffset) }

  /// The items that the article's formula counts where the movement ends: from the one at the upper edge to the one at the lower edge,
  /// also where that only begins there. O(log items).
  package var targetItems: Range<Int> {
    let end = totalItems ?? items.count
    let first = min(max(details.value.geometry.item(at: targetOffset), 0), end)
    return first..<max(first, min(details.value.geometry.item(at: targetOffset + viewportHeight) + 1, end))
  }
}

/// Whether the user sees the app.
package enum AppState: Hashable, Sendable {
  case foreground, background
}

/// What a view has besides the feed.
struct FeedDetails: ~Copyable {
  var occasion = PlanTrigger.activation
  var now = Instant.start
  var activeSince = Instant.start
  var viewportHeight = FeedGeometry.defaultViewportHeight
  var contentOffset = 0.0
  var targetOffset = 0.0
  var velocity = 0.0
  var geometry = FeedGeometry()
  var totalItems: Int?
  var networkClass = NetworkClass.wifi
  var appState = AppState.foreground
  var memoryWarning: Instant?
  let throughputSamples = Box(ThroughputSamples())
  let dwellSamples = Box(DwellSamples())
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
  /// Transfers cut since it was last seen.
  var cutsUnseen: Int32 = 0
  /// Whether a part is stored or on the way as a whole, so that nothing more of it can be wanted.
  var isHeadCovered = false
  var isRestCovered = false
  var isReady = false
  /// Whether a transfer of its first part was ever cut.
  var wasCut = false
  var wasViewed = false
  /// Whether the item has a bit rate, so that it can stall.
  var plays = false
  /// Whether its page has come.
  var isListed = true
}
