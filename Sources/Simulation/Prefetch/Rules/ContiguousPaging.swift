// Android's Paging: pages are loaded at either end until the place the user looks at has so many items around it.

/// A list of pages without gaps, as Android's Paging library holds it. Positions are absolute.
public struct ContiguousPaging: Sendable {
  /// Items in all, items a page, and how many items beyond the one looked at must be there.
  public let count: Int, pageSize: Int, prefetchDistance: Int
  /// The most items that stay loaded; nil for no limit.
  public let maxSize: Int?
  /// The items loaded.
  public private(set) var loaded: Range<Int>
  /// The sizes of the pages that brought them, in order.
  private var pages: [Int]

  /// The list after its first load of `initialLoad` items around a place: half of them before it, as far as there are any.
  public init(count: Int, pageSize: Int, prefetchDistance: Int, initialLoad: Int, initialPosition: Int = 0, maxSize: Int? = nil) {
    self.count = count
    self.pageSize = pageSize
    self.prefetchDistance = prefetchDistance
    let start = min(count, max(0, initialPosition - initialLoad / 2))
    loaded = start..<min(count, start + initialLoad)
    pages = [loaded.count]
    self.maxSize = maxSize
  }

  /// How many items must be loaded before the first one, if the user looks at `index`; zero or less if none.
  public static func itemsToPrepend(prefetchDistance: Int, index: Int, leadingNulls: Int) -> Int {
    prefetchDistance - (index - leadingNulls)
  }

  /// How many items must be loaded after the last one, if the user looks at `index`; zero or less if none.
  public static func itemsToAppend(prefetchDistance: Int, index: Int, itemsBeforeTrailingNulls: Int) -> Int {
    index + prefetchDistance + 1 - itemsBeforeTrailingNulls
  }

  /// Paging 3's form of the rule: whether one more page is due, with so many items presented beyond the one looked at and so many on
  /// their way.
  public static func isNextPageDue(prefetchDistance: Int, presentedBeyond: Int, loading: Int) -> Bool {
    presentedBeyond + loading < prefetchDistance
  }

  /// How many pages at the end opposite to a load are dropped, and their items: while more than `maxSize` items are loaded, but none that
  /// would leave fewer than `prefetchDistance` of the `presentedBeyond` items between the one looked at and that end. `pages` are the
  /// sizes from that end on (PageFetcherSnapshotState.dropInfo).
  public static func dropped(pages: some Sequence<Int>, loaded: Int, maxSize: Int, presentedBeyond: Int, prefetchDistance: Int)
    -> (pages: Int, items: Int)
  {
    var (count, items) = (0, 0)
    for size in pages {
      guard loaded - items > maxSize, presentedBeyond - items - size >= prefetchDistance else { break }
      items += size
      count += 1
    }
    return (count, items)
  }

  /// The user looks at an item; loads pages until it has enough around it, or the list ends.
  public mutating func look(at index: Int) {
    var before = Self.itemsToPrepend(prefetchDistance: prefetchDistance, index: index, leadingNulls: loaded.lowerBound)
    var after = Self.itemsToAppend(prefetchDistance: prefetchDistance, index: index, itemsBeforeTrailingNulls: loaded.upperBound)
    while before > 0, loaded.lowerBound > 0 {
      let first = max(0, loaded.lowerBound - pageSize)
      pages.insert(loaded.lowerBound - first, at: 0)
      loaded = first..<loaded.upperBound
      before -= pageSize
      drop(fromTail: true, lookingAt: index)
    }
    while after > 0, loaded.upperBound < count {
      let end = min(count, loaded.upperBound + pageSize)
      pages.append(end - loaded.upperBound)
      loaded = loaded.lowerBound..<end
      after -= pageSize
      drop(fromTail: false, lookingAt: index)
    }
  }

  private mutating func drop(fromTail isTail: Bool, lookingAt index: Int) {
    guard let maxSize else { return }
    let beyond = isTail ? loaded.upperBound - 1 - index : index - loaded.lowerBound
    let (count, items) = Self.dropped(
      pages: isTail ? pages.reversed() : pages, loaded: loaded.count, maxSize: maxSize, presentedBeyond: beyond,
      prefetchDistance: prefetchDistance)
    if isTail {
      pages.removeLast(count)
      loaded = loaded.lowerBound..<loaded.upperBound - items
    } else {
      pages.removeFirst(count)
      loaded = loaded.lowerBound + items..<loaded.upperBound
    }
  }
}
