// Android's Paging: pages are loaded at either end until the place the user looks at has so many items around it.

/// The rules of Android's Paging library for a list of pages without gaps.
package enum ContiguousPaging {
  /// True if one more page is due, with so many items presented beyond the one looked at and so many in flight.
  package static func isNextPageDue(prefetchDistance: Int, presentedBeyond: Int, loading: Int) -> Bool {
    presentedBeyond + loading < prefetchDistance
  }

  /// How many pages at the end opposite to a load are dropped, and their items: while more than `maxSize` items are loaded, but none that
  /// would leave fewer than `prefetchDistance` of the `presentedBeyond` items between the one looked at and that end. `pages` are the
  /// sizes from that end on (PageFetcherSnapshotState.dropInfo).
  package static func dropped(pages: some Sequence<Int>, loaded: Int, maxSize: Int, presentedBeyond: Int, prefetchDistance: Int)
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
}
