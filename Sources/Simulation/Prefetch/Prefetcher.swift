// The seam at which a prefetch policy meets the session: it sees the feed, and says what it wants in which order.

/// Decides which parts of which items are wanted. Asked once at each activation.
///
/// A prefetcher never sees the engine: only what an app would know. A run has its own copy, so it may learn.
public protocol Prefetcher: Sendable {
  /// Appends what is wanted now to `plan`, the most urgent first; `plan` comes empty.
  ///
  /// What is stored already may be listed; the download manager skips it. What is on the way and not listed is cut under
  /// `keep`. The active item is loaded only if it is listed.
  mutating func plan(for view: FeedView, into plan: inout Plan)
}

/// What a prefetcher wants: an ordered list of items and amounts.
public struct Plan: Sendable {
  /// One wish: the first `bytes` of an item.
  public struct Entry: Hashable, Sendable {
    /// The item's place in the feed.
    public var item: Int
    /// How many bytes from its start; at least its size means all of it.
    public var bytes: Int64
    /// Lower is more urgent; only HTTP/2 uses it.
    public var priority: Int
  }

  /// The wishes, the most urgent first.
  public private(set) var entries: ContiguousArray<Entry> = []

  /// An empty plan.
  public init() {}

  /// Wishes for the first `bytes` of `item`, after all that is wished for already.
  public mutating func fetch(_ item: Int, bytes: Int64 = .max, priority: Int = 0) {
    entries.append(Entry(item: item, bytes: bytes, priority: priority))
  }

  mutating func removeAll() { entries.removeAll(keepingCapacity: true) }
}

/// What a prefetcher may know: the feed as far as it is listed, where the user is, what is stored.
public struct FeedView {
  /// The items listed so far, from the first.
  public internal(set) var items: ContiguousArray<Item>
  /// The item on screen.
  public internal(set) var activeItem: Int
  /// +1 while the user moves to later items, −1 to earlier ones.
  public internal(set) var direction: Int
  /// What is stored of each item's two parts: up to `readyBytes`, and from there on.
  var stored: ContiguousArray<StoredParts>

  struct StoredParts {
    var head: Int64 = 0
    var rest: Int64 = 0
  }

  init(items: ContiguousArray<Item>) {
    self.items = items
    activeItem = 0
    direction = 1
    stored = ContiguousArray(repeating: StoredParts(), count: items.count)
  }

  /// Whether enough of an item is stored to show it.
  public func isReady(_ item: Int) -> Bool { stored[item].head >= Volume.bytes(items[item].readyBytes).nanobits }

  /// The bytes of an item that are stored from its start on, as finished transfers left them.
  public func storedBytes(_ item: Int) -> Int64 {
    isReady(item) ? Volume(nanobits: stored[item].head + stored[item].rest).bytes : Volume(nanobits: stored[item].head).bytes
  }
}
