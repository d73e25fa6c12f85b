// The rules by which clients ask for pages: the articles', Texture's, Android's Paging, the web's InfiniteLoader.

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
      return PageThreshold.isPassed(ratio: share, offset: edge - list.viewport, screen: list.viewport, content: list.content)
    case .ratioOfNewestPage(let share):
      // currentPage counts requests from 0.
      let ratio = PageThreshold.dynamicRatio(ratio: share, page: list.requests - 1, itemsPerPage: list.itemsPerPage)
      return PageThreshold.isPassed(ratio: ratio, offset: edge - list.viewport, screen: list.viewport, content: list.content)
    case .remainingScreens(let screens):
      var fetch = BatchFetch(
        moving: list.isForward ? .down : .up, scrollable: .vertical, screen: (list.viewport, list.viewport),
        content: (list.viewport, list.content), target: (0, list.target + PageTrigger.tolerance), leadingScreens: screens)
      fetch.isVisible = list.isVisible
      return fetch.isDue()
    case .itemsFromEnd(let distance):
      return ContiguousPaging.isNextPageDue(prefetchDistance: distance, presentedBeyond: list.following, loading: 0)
    case .offsetAddressed:
      return false
    }
  }
}

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
  /// True if the app is on screen.
  var isVisible: Bool
}

/// When the articles' lists ask for their next page. Both judge the lower edge of the screen against the length of all that is listed.
enum PageThreshold {
  /// The share of everything listed at which `ratio` of the newest page has been passed. `page` counts from 0 and is raised at each
  /// request: as printed, before the page has come, so that the next share is compared with the old length.
  static func dynamicRatio(ratio: Double, page: Int, itemsPerPage: Int) -> Double {
    let perPage = Double(itemsPerPage)
    return (perPage * ratio + Double(page) * perPage) / (perPage * Double(page + 1))
  }

  /// True if a list scrolled so far asks for its next page. All in points.
  static func isPassed(ratio: Double, offset: Double, screen: Double, content: Double) -> Bool {
    (offset + screen) / content >= ratio
  }
}

/// The ways in which a list moves, or can move.
struct ScrollDirections: OptionSet {
  let rawValue: UInt8

  static let up = ScrollDirections(rawValue: 1)
  static let down = ScrollDirections(rawValue: 2)
  static let left = ScrollDirections(rawValue: 4)
  static let right = ScrollDirections(rawValue: 8)
  static let vertical: ScrollDirections = [.up, .down]
  static let horizontal: ScrollDirections = [.left, .right]
}

/// When Texture asks for the next page: so many screens before the end, judged at the place where the scroll will come to rest.
struct BatchFetch {
  /// Whether a page is on its way.
  var isFetching = false
  /// Where the list is moving, and where it can move.
  var moving: ScrollDirections
  var scrollable: ScrollDirections
  /// The sizes of the screen and of all that is listed, and where the scroll will come to rest.
  var screen: (width: Double, height: Double)
  var content: (width: Double, height: Double)
  var target: (x: Double, y: Double)
  /// How many screens before the end the page is asked for.
  var leadingScreens: Double
  /// Whether the list is on screen.
  var isVisible = true
  /// Whether the writing goes from right to left, and whether the layout turns itself around then.
  var isRightToLeft = false
  var flipsItself = false
  /// Points a millisecond, positive to the tail.
  var velocity: (x: Double, y: Double) = (0, 0)

  /// A list of the given measures, visible, at rest.
  init(
    moving: ScrollDirections, scrollable: ScrollDirections, screen: (width: Double, height: Double),
    content: (width: Double, height: Double), target: (x: Double, y: Double), leadingScreens: Double = 2
  ) {
    (self.moving, self.scrollable, self.leadingScreens) = (moving, scrollable, leadingScreens)
    (self.screen, self.content, self.target) = (screen, content, target)
  }

  /// Whether the next page is to be asked for now. A list shorter than its screen asks even unseen; a list that moves towards its
  /// head does not. While it moves to the tail, `judge` may overrule with the seconds that remain and the answer so far.
  func isDue(judge: ((_ remainingSeconds: Double, _ hint: Bool) -> Bool)? = nil) -> Bool {
    guard !isFetching, leadingScreens > 0, screen.width > 0, screen.height > 0 else { return false }
    let isVertical = !scrollable.isDisjoint(with: .vertical)
    let length = isVertical ? screen.height : screen.width
    let listed = isVertical ? content.height : content.width
    if listed < length { return true }
    guard isVisible, moving.isDisjoint(with: [.up, isRightToLeft ? .right : .left]) else { return false }
    let offset = isVertical ? target.y : target.x
    // A layout that does not turn itself around has its tail at offset 0.
    let isMirrored = isRightToLeft && !flipsItself && !scrollable.isDisjoint(with: .horizontal)
    let remaining = isMirrored ? offset : listed - length - offset
    let hint = remaining <= length * leadingScreens
    let speed = isVertical ? velocity.y : velocity.x
    guard let judge, speed > 0 else { return hint }
    return judge(remaining / (speed * 1000), hint)
  }
}

/// The rules of Android's Paging library for a list of pages without gaps: pages are loaded at either end until the place that the user
/// looks at has so many items around it.
enum ContiguousPaging {
  /// True if one more page is due, with so many items presented beyond the one looked at and so many in flight.
  static func isNextPageDue(prefetchDistance: Int, presentedBeyond: Int, loading: Int) -> Bool {
    presentedBeyond + loading < prefetchDistance
  }

  /// How many pages at the end opposite to a load are dropped, and their items: while more than `maxSize` items are loaded, but none that
  /// would leave fewer than `prefetchDistance` of the `presentedBeyond` items between the one looked at and that end. `pages` are the
  /// sizes from that end on (PageFetcherSnapshotState.dropInfo).
  static func dropped(pages: some Sequence<Int>, loaded: Int, maxSize: Int, presentedBeyond: Int, prefetchDistance: Int)
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

/// The scan of the web's InfiniteLoader: which rows near the screen are missing, in batches worth asking for.
enum UnloadedRanges {
  /// The ranges of rows that are not loaded within `rows`. The last one is made longer forwards, then the first one backwards,
  /// until they hold `minimumBatch` rows, as far as the rows there are missing too. O(rows + minimumBatch).
  static func scan(_ rows: ClosedRange<Int>, count: Int, minimumBatch: Int, isLoaded: (Int) -> Bool) -> [ClosedRange<Int>] {
    var ranges: [ClosedRange<Int>] = []
    var start: Int?
    for row in rows {
      if !isLoaded(row) {
        start = start ?? row
      } else if let first = start {
        ranges.append(first...row - 1)
        start = nil
      }
    }
    if let first = start {
      var last = rows.upperBound
      while last + 1 < min(first + minimumBatch, count), !isLoaded(last + 1) { last += 1 }
      ranges.append(first...last)
    }
    if let range = ranges.first {
      var first = range.lowerBound
      while first > 0, range.upperBound - first + 1 < minimumBatch, !isLoaded(first - 1) { first -= 1 }
      ranges[0] = first...range.upperBound
    }
    return ranges
  }

  /// The rows that are looked at: those on screen and `threshold` more on either side.
  static func window(around visible: ClosedRange<Int>, threshold: Int, count: Int) -> ClosedRange<Int> {
    let first = max(0, visible.lowerBound - threshold)
    return first...max(first, min(count - 1, visible.upperBound + threshold))
  }
}
