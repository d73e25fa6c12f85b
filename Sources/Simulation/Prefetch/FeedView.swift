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
    return rate == 0 ? 0 : Double(told.pointee.bufferedVolume) / 1e9 / Double(rate)
  }
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
