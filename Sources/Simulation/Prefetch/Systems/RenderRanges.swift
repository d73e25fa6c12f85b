// Lists that render a range around the screen, larger in the direction of the movement: FlashList, LegendList, Compose.
// An item requests its media when it is rendered. Heights are known here; the originals estimate them until an item is measured.

import Base

/// FlashList's range: 70 % of a buffer on the side of the latest velocities, around the offset that their median leads to.
/// Source: RVEngagedIndicesTracker and VelocityTracker at 4c6abc3b (FlashList 2).
struct EngagedWindow: PrefetchWindow {
  /// The mean size of the buffer on either side, in points.
  var drawDistance = 250.0
  /// The time that a render takes, in ms.
  var renderTime = 16.0
  private var velocities = [0, 0, 0, -0.1, -0.1]
  private var oldest = 0
  private var offset = 0.0
  private var movedAt: Int64 = 0
  private var isMoving = false

  mutating func fetch(_ view: borrowing FeedView, amount: PrefetchAmount, into plan: inout Plan) {
    amount.fetch(engaged(view), around: view.visibleItems, view, into: &plan)
    if isMoving { plan.askAgain = Instant(nanoseconds: (movedAt + 100) * 1_000_000) }
  }

  mutating func engaged(_ view: borrowing FeedView) -> Range<Int> {
    let now = view.now.nanoseconds / 1_000_000
    if view.contentOffset != offset {
      note((view.contentOffset - offset) / Double(max(1, now - movedAt)))
      (offset, movedAt, isMoving) = (view.contentOffset, now, true)
    } else if isMoving, now - movedAt >= 100 {
      velocities = isBackward ? [0, 0, 0, -0.1, -0.1] : [0, 0, 0, 0.1, 0.1]
      oldest = 0
      note(0)
      (movedAt, isMoving) = (now, false)
    }
    let start = offset + velocities.sorted()[2] * renderTime
    let before = (2 * drawDistance * (isBackward ? 0.7 : 0.3)).rounded(.up)
    let after = (2 * drawDistance * (isBackward ? 0.3 : 0.7)).rounded(.up)
    // A buffer that does not fit at one end is added at the other.
    let end = start + view.viewportHeight + after + max(0, before - start)
    let excess = max(0, end - view.contentHeight)
    return view.items(from: max(0, max(0, start - before) - excess), through: end - excess)
  }

  private var isBackward: Bool { velocities.count { $0 > 0 } < velocities.count { $0 < 0 } }

  private mutating func note(_ velocity: Double) {
    velocities[oldest] = velocity
    oldest = (oldest + 1) % velocities.count
  }
}

/// LegendList's range: three quarters of a buffer on the side of the movement, which its speed moves on.
/// Source: calculateItemsInView, updateScroll and getScrollVelocity at 8beb2286 (LegendList 3.3.8).
struct BufferedWindow: PrefetchWindow {
  /// The mean size of the buffer on either side, in points.
  var drawDistance = 250.0
  private var history: [(offset: Double, time: Int64)] = []
  private var offset = 0.0
  private var calculatedAt: Double?
  /// The instant at which the speed counts as 0, if nothing moves until then.
  private var restsAt: Instant?
  private var range = 0..<0
  /// The bounds within which the range is not calculated again; nil for none at the end of the list.
  private var bounds: (top: Double?, bottom: Double?) = (nil, nil)

  mutating func fetch(_ view: borrowing FeedView, amount: PrefetchAmount, into plan: inout Plan) {
    amount.fetch(buffered(view), around: view.visibleItems, view, into: &plan)
    plan.askAgain = restsAt
  }

  mutating func buffered(_ view: borrowing FeedView) -> Range<Int> {
    let now = view.now.nanoseconds / 1_000_000
    if view.contentOffset != offset {
      offset = view.contentOffset
      history.append((offset, now))
      if history.count > 5 { history.removeFirst() }
      if let calculatedAt, abs(offset - calculatedAt) <= 2 { return range }
    } else if view.trigger.contains(.askedFor) {
      history = []
    } else if view.trigger.contains(.listGrown) {
      bounds = (nil, nil)
    } else if calculatedAt != nil {
      return range
    }
    calculatedAt = offset
    calculate(view, velocity: velocity(at: now))
    return range
  }

  private mutating func calculate(_ view: borrowing FeedView, velocity: Double) {
    var scroll = (offset + 0.5).rounded(.down)
    if scroll + view.viewportHeight > view.contentHeight { scroll = max(0, view.contentHeight - view.viewportHeight) }
    let isForward = velocity > 0 || (velocity == 0 && scroll < max(50, drawDistance))
    let projection = drawDistance * 0.5 * max(-1, min(1, velocity / 4))
    restsAt = projection == 0 ? nil : view.now + .milliseconds(100)
    let top = scroll - drawDistance * (isForward ? 0.5 : 1.5) + projection
    let bottom = scroll + view.viewportHeight + drawDistance * (isForward ? 1.5 : 0.5) + projection
    let isUnchanged = bounds.top.map { top > $0 } ?? true && bounds.bottom.map { bottom < $0 } ?? true
    if isUnchanged, bounds.top != nil || bounds.bottom != nil { return }
    range = view.items(from: top, through: bottom)
    bounds = (top < 0 ? nil : view.itemTop(range.lowerBound), bottom > view.contentHeight ? nil : view.itemTop(range.upperBound))
  }

  /// Returns the mean velocity since the last turn, in points a ms; a step of 200 ms ago counts 1/e.
  private func velocity(at now: Int64) -> Double {
    guard let newest = history.last, now - newest.time <= 1000 else { return 0 }
    var (direction, sum, weights) = (0.0, 0.0, 0.0)
    for (previous, current) in zip(history, history.dropFirst()).reversed() {
      let move = current.offset - previous.offset
      if move * direction < 0 || newest.time - previous.time > 1000 { break }
      if move != 0 { direction = move }
      if move == 0 || current.time <= previous.time { continue }
      let weight = StableMath.exp(-Double(newest.time - current.time) / 200)
      sum += move / Double(current.time - previous.time) * weight
      weights += weight
    }
    return weights > 0 ? sum / weights : 0
  }
}

/// Compose's cache window: items composed ahead of the screen and kept behind it, in screens.
/// Source: CacheWindowLogic of Compose Foundation 1.12.0-alpha01, with one lane. Here an item is composed before the next frame.
struct CacheWindow: PrefetchWindow {
  var ahead = 1.0
  var behind = 0.5
  private var composed = 0..<0
  /// The composed items that have not been visible.
  private var unseen: [Int] = []
  private var offset = 0.0
  private var isForward = true
  private var hasMoved = false
  /// The last item that counts as composed ahead, and the points of the window beyond it.
  private var edge = 0, space = 0.0

  mutating func fetch(_ view: borrowing FeedView, amount: PrefetchAmount, into plan: inout Plan) {
    amount.fetch(items(view), around: view.visibleItems, view, into: &plan)
  }

  mutating func items(_ view: borrowing FeedView) -> Range<Int> {
    let (visible, move) = (view.visibleItems, view.contentOffset - offset)
    guard !visible.isEmpty, move != 0 || composed.isEmpty || view.trigger.contains(.listGrown) else { return composed }
    offset = view.contentOffset
    if composed.isEmpty { composed = visible }
    edge = isForward ? max(edge, visible.upperBound - 1) : min(edge, visible.lowerBound)
    var next: Int?
    // The window is filled anew when an item is first seen, and then moved on: the movement counts twice, as in the original.
    if !hasMoved || move == 0 || unseen.contains(where: visible.contains) {
      restart(view, visible)
      next = advance(view, visible)
    }
    unseen.removeAll(where: visible.contains)
    var (first, end) = (min(composed.lowerBound, visible.lowerBound), max(composed.upperBound, visible.upperBound))
    if move != 0 {
      let turns = (move > 0) != isForward
      if turns { next = nil }
      isForward = move > 0
      var kept = (behind * view.viewportHeight).rounded() - hidden(view, visible, isAfter: !isForward)
      if isForward { first = visible.lowerBound } else { end = visible.upperBound }
      while kept > 0, isComposed(isForward ? first - 1 : end, visible) {
        if isForward { first -= 1 } else { end += 1 }
        kept -= view.height(isForward ? first : end - 1)
      }
      unseen.removeAll { $0 < first || $0 >= end }
      if turns || !hasMoved {
        restart(view, visible)
      } else {
        space = min(space + abs(move), full(view, visible))
      }
      hasMoved = true
      next = advance(view, visible) ?? next
    }
    while let item = next {
      unseen.append(item)
      if isForward ? item > edge : item < edge { step(to: item, view) }
      (first, end) = (min(first, item), max(end, item + 1))
      let following = edge + (isForward ? 1 : -1)
      // The original does not go on to the first item in the same frame.
      let isDue = space > 0 && following > 0 && following < view.items.count && !(first..<end).contains(following)
      next = isDue ? following : nil
    }
    composed = first..<end
    return composed
  }

  private func isComposed(_ item: Int, _ visible: Range<Int>) -> Bool { composed.contains(item) || visible.contains(item) }

  /// Returns the points of the outermost visible item that are beyond the viewport.
  private func hidden(_ view: borrowing FeedView, _ visible: Range<Int>, isAfter: Bool) -> Double {
    isAfter ? abs(view.itemTop(visible.upperBound) - offset - view.viewportHeight) : max(0, offset - view.itemTop(visible.lowerBound))
  }

  /// Returns the points of the window beyond the visible items.
  private func full(_ view: borrowing FeedView, _ visible: Range<Int>) -> Double {
    (ahead * view.viewportHeight).rounded() - hidden(view, visible, isAfter: isForward)
  }

  private mutating func restart(_ view: borrowing FeedView, _ visible: Range<Int>) {
    (space, edge) = (full(view, visible), isForward ? visible.upperBound - 1 : visible.lowerBound)
  }

  private mutating func step(to item: Int, _ view: borrowing FeedView) {
    edge = item
    space -= view.height(item)
  }

  /// Passes over the items that are composed, and returns the first that is not; nil if the window is full.
  private mutating func advance(_ view: borrowing FeedView, _ visible: Range<Int>) -> Int? {
    while space > 0, isForward ? edge < view.items.count - 1 : edge > 0 {
      let item = edge + (isForward ? 1 : -1)
      if !isComposed(item, visible) { return item }
      step(to: item, view)
    }
    return nil
  }
}

extension PrefetcherDefinition {
  private static func list<Window: PrefetchWindow>(
    _ name: String, _ summary: String, _ window: Window, settings: [Setting<PrefetchSystem<Window>>]
  ) -> PrefetcherDefinition {
    PrefetcherDefinition(
      name, summary, PrefetchSystem(window: window, amount: .ready, trigger: [.standard, .scrollTick, .askedFor], cancelRule: .keep),
      settings: settings)
  }

  static let flashList = list(
    "flash-list", "FlashList 2: 350 points rendered in the direction of the movement and 150 behind.", EngagedWindow(),
    settings: [
      .number("drawDistance", \.window.drawDistance, in: 0...100_000, "Points on either side, on average."),
      .number("renderTime", \.window.renderTime, in: 0...1000, "The time of a render in ms, which the projection of the offset adds."),
    ])

  static let legendList = list(
    "legend-list", "LegendList 3: 375 points rendered in the direction of the movement and 125 behind, moved on by the speed.",
    BufferedWindow(), settings: [.number("drawDistance", \.window.drawDistance, in: 0...100_000, "Points on either side, on average.")])

  /// The sizes are ours. Without a window a lazy list composes one item ahead, as `recyclerview`.
  static let composeWindow = list(
    "compose-cache-window", "Compose's cache window: a screen composed ahead, half a screen kept behind.", CacheWindow(),
    settings: [
      .number("ahead", \.window.ahead, in: 0...100, "Screens composed ahead."),
      .number("behind", \.window.behind, in: 0...100, "Screens kept behind."),
    ])
}
