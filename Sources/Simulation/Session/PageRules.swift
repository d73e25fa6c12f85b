// Rules that decide when a client requests the next page and which pages it drops (two articles, Texture, Android's Paging).

/// The state of a list that page triggers depend on. Lengths are in points.
struct ListEnd {
  /// The height of the viewport, the offset of its lower edge, the offset at which the movement ends, and the height of the content.
  var viewport: Double, edge: Double, target: Double, content: Double
  /// The listed items after the last visible one.
  var following: Int
  var requests: Int, itemsPerPage: Int
  /// True if the user moves to later items.
  var isForward: Bool
  var isVisible: Bool
}

extension PageTrigger {
  private static let tolerance = 1e-6

  func holds(_ list: ListEnd) -> Bool {
    let edge = list.edge + PageTrigger.tolerance
    switch self {
    case .endReached: return edge >= list.content
    case .ratio(let share): return edge / list.content >= share
    case .ratioOfNewestPage(let share):
      // The article's `currentPage` counts requests from 0.
      return edge / list.content >= PageTrigger.dynamicRatio(share, page: list.requests - 1, itemsPerPage: list.itemsPerPage)
    case .remainingScreens(let screens):
      guard screens > 0, list.viewport > 0 else { return false }
      // Texture requests a page for a list shorter than the viewport even in the background; not for one that scrolls towards its start.
      if list.content < list.viewport { return true }
      let remaining = list.content - list.viewport - (list.target + PageTrigger.tolerance)
      return list.isVisible && list.isForward && remaining <= list.viewport * screens
    case .itemsFromEnd(let distance): return list.following < distance
    case .offsetAddressed: return false
    }
  }

  /// Returns the share of the content at which `ratio` of the newest page has been passed. `page` counts requests from 0.
  /// As printed in the article, a request raises it before the page arrives, so the next share is compared with the old height.
  static func dynamicRatio(_ ratio: Double, page: Int, itemsPerPage: Int) -> Double {
    let perPage = Double(itemsPerPage)
    return (perPage * ratio + Double(page) * perPage) / (perPage * Double(page + 1))
  }

  /// Returns the number of `pages` (sizes from the far end) that Paging drops: while more than `maxSize` items are loaded and at least
  /// `distance` of the `presentedBeyond` items stay at that end. Source: `PageFetcherSnapshotState.dropInfo`.
  static func droppedCount(of pages: [Int], loaded: Int, maxSize: Int, presentedBeyond: Int, distance: Int) -> Int {
    var (count, items) = (0, 0)
    for size in pages {
      guard loaded - items > maxSize, presentedBeyond - items - size >= distance else { break }
      items += size
      count += 1
    }
    return count
  }
}
