// The rules by which clients ask for pages and drop them: the articles', Texture's, Android's Paging.

/// A list as its page trigger sees it. Lengths are in points.
struct ListEnd {
  /// The viewport's height and its lower edge, the offset at which the movement ends, and the length of all that is listed.
  var viewport: Double, edge: Double, target: Double, content: Double
  /// The listed items after the last visible one.
  var following: Int
  /// The pages asked for so far, and the items of one.
  var requests: Int, itemsPerPage: Int
  /// True if the user moves to later items.
  var isForward: Bool
  var isVisible: Bool
}

extension PageTrigger {
  /// How far from its place a trigger may be for rounding, in points.
  private static let tolerance = 1e-6

  /// True if a list's end is near enough.
  func holds(_ list: ListEnd) -> Bool {
    let edge = list.edge + PageTrigger.tolerance
    switch self {
    case .endReached:
      return edge >= list.content
    case .ratio(let share):
      return edge / list.content >= share
    case .ratioOfNewestPage(let share):
      // currentPage counts requests from 0.
      return edge / list.content >= PageTrigger.dynamicRatio(share, page: list.requests - 1, itemsPerPage: list.itemsPerPage)
    case .remainingScreens(let screens):
      guard screens > 0, list.viewport > 0 else { return false }
      // A list shorter than its screen asks even unseen; one that moves towards its head does not.
      if list.content < list.viewport { return true }
      let remaining = list.content - list.viewport - (list.target + PageTrigger.tolerance)
      return list.isVisible && list.isForward && remaining <= list.viewport * screens
    case .itemsFromEnd(let distance):
      return list.following < distance
    case .offsetAddressed:
      return false
    }
  }

  /// The share of everything listed at which `ratio` of the newest page has been passed. `page` counts from 0 and is raised at each
  /// request: as printed in the article, before the page has come, so that the next share is compared with the old length.
  static func dynamicRatio(_ ratio: Double, page: Int, itemsPerPage: Int) -> Double {
    let perPage = Double(itemsPerPage)
    return (perPage * ratio + Double(page) * perPage) / (perPage * Double(page + 1))
  }

  /// The number of pages that Paging drops at the end opposite to a load: while more than `maxSize` items are loaded, but none that
  /// would leave fewer than `distance` of the `presentedBeyond` items between the one looked at and that end. `pages` are the
  /// sizes from that end on (PageFetcherSnapshotState.dropInfo).
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
