// Android's Paging: pages are loaded at either end until the place the user looks at has so many items around it.

/// A list of pages without gaps, as Android's Paging library holds it. Positions are absolute.
public struct ContiguousPaging: Sendable {
  /// Items in all, items a page, and how many items beyond the one looked at must be there.
  public let count: Int, pageSize: Int, prefetchDistance: Int
  /// The items loaded.
  public private(set) var loaded: Range<Int>

  /// The list after its first load of `initialLoad` items around a place: half of them before it, as far as there are any.
  public init(count: Int, pageSize: Int, prefetchDistance: Int, initialLoad: Int, initialPosition: Int = 0) {
    self.count = count
    self.pageSize = pageSize
    self.prefetchDistance = prefetchDistance
    let start = min(count, max(0, initialPosition - initialLoad / 2))
    loaded = start..<min(count, start + initialLoad)
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

  /// The user looks at an item; loads pages until it has enough around it, or the list ends.
  public mutating func look(at index: Int) {
    var before = Self.itemsToPrepend(prefetchDistance: prefetchDistance, index: index, leadingNulls: loaded.lowerBound)
    var after = Self.itemsToAppend(prefetchDistance: prefetchDistance, index: index, itemsBeforeTrailingNulls: loaded.upperBound)
    while before > 0, loaded.lowerBound > 0 {
      loaded = max(0, loaded.lowerBound - pageSize)..<loaded.upperBound
      before -= pageSize
    }
    while after > 0, loaded.upperBound < count {
      loaded = loaded.lowerBound..<min(count, loaded.upperBound + pageSize)
      after -= pageSize
    }
  }
}
