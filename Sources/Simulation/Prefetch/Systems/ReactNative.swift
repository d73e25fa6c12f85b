// React Native's virtualised list: the cells around the screen that are kept, and how few of them are added at a time. What is
// rendered is loaded.

/// The cells that React Native renders, a batch at a time.
package struct RenderedWindow: PrefetchWindow {
  /// The rule by which the range grows.
  package var window: RenderWindow
  /// Cells rendered at the start.
  package var initialCount: Int
  /// How long it waits before the next batch.
  package var batchPeriod: Interval
  private var rendered: ClosedRange<Int>?

  /// A window with React Native's defaults: ten cells at the start, then ten every 50 ms.
  package init(
    window: RenderWindow = RenderWindow(), initialCount: Int = 10, batchPeriod: Interval = Interval(nanoseconds: 50_000_000)
  ) {
    self.window = window
    self.initialCount = initialCount
    self.batchPeriod = batchPeriod
  }

  /// The rendered cells after the screen, then those before it.
  package mutating func want(_ view: borrowing FeedView, amount: PrefetchAmount, into plan: inout Plan) {
    guard view.items.count > 0 else { return }
    // Ranges are counted in screens of the visible cells' height, which is exact where all cells are alike.
    let height = max(1, view.height(view.activeItem))
    let metrics = CellMetrics(count: view.items.count, length: height)
    let before = rendered ?? 0...max(0, min(initialCount, view.items.count) - 1)
    let offset = Double(view.activeItem) * height
    let cells = window.cells(
      metrics, offset: offset, velocity: view.velocity / 1000, screen: view.viewportHeight,
      previous: min(before.lowerBound, view.items.count - 1)...min(before.upperBound, view.items.count - 1))
    rendered = cells
    guard let cells else { return }
    if cells != before { plan.askAgain = Instant(nanoseconds: view.now.nanoseconds + batchPeriod.nanoseconds) }
    let after = min(max(view.activeItem + 1, cells.lowerBound), cells.upperBound + 1)
    amount.want(after..<cells.upperBound + 1, view, into: &plan)
    amount.wantBackwards(cells.lowerBound..<max(cells.lowerBound, min(view.activeItem, cells.upperBound + 1)), view, into: &plan)
  }
}

extension PrefetchSystem where Window == RenderedWindow {
  /// React Native's list at 0de6a152: 21 screens in all, ten new cells at a time. Its next page is asked for at the end of the list: with
  /// the property left out, the trigger is two pixels, not the two screens of the documentation.
  package static func reactNative(_ window: RenderedWindow = RenderedWindow()) -> Self {
    Self(
      window: window, amount: .ready, trigger: [.standard, .askedFor], cancelRule: .keep, pageTrigger: .endReached, pageLatch: .inFlight)
  }
}

/// How React Native widens the range of rendered cells at each update.
package struct RenderWindow: Hashable, Sendable {
  /// New cells at most in one update.
  package var maxPerBatch: Int
  /// Screens rendered in all, the visible one included.
  package var windowSize: Double

  /// React Native's defaults: 10 cells at a time, 21 screens.
  package init(maxPerBatch: Int = 10, windowSize: Double = 21) {
    self.maxPerBatch = maxPerBatch
    self.windowSize = windowSize
  }

  /// How many cells of `next` are not in `previous`.
  static func newCells(_ next: ClosedRange<Int>, since previous: ClosedRange<Int>) -> Int {
    let shared = min(next.upperBound, previous.upperBound) - max(next.lowerBound, previous.lowerBound) + 1
    return next.count - max(0, shared)
  }

  /// The cells to render now; nil in an empty list. It grows from the visible ones on both sides, on the side of the movement only
  /// while the list moves faster than 1 point a millisecond, until the window is full or the batch is. O(cells added).
  func cells(
    _ metrics: CellMetrics, offset: Double, velocity: Double, screen: Double, previous: ClosedRange<Int>
  ) -> ClosedRange<Int>? {
    guard metrics.count > 0 else { return nil }
    let begin = max(0, offset)
    let overscan = (windowSize - 1) * screen / 2
    let windowBegin = max(0, begin - overscan)
    let last = metrics.count - 1
    if metrics.offset(of: last) < windowBegin { return max(0, last - maxPerBatch)...last }
    let windowFirst = metrics.cell(at: windowBegin) ?? 0
    let windowLast = metrics.cell(at: max(0, begin + screen + overscan)) ?? last
    let first = metrics.cell(at: begin) ?? max(0, windowFirst)
    let visibleLast = metrics.cell(at: begin + screen) ?? min(windowLast, first + maxPerBatch - 1)
    var growth = Growth(
      first: first, last: max(first, visibleLast), window: windowFirst...max(windowFirst, windowLast), previous: previous,
      budget: maxPerBatch, velocity: velocity)
    while growth.step() {}
    return growth.first...growth.last
  }

  /// The range while it grows.
  private struct Growth {
    var first: Int
    var last: Int
    let window: ClosedRange<Int>
    let previous: ClosedRange<Int>
    var added: Int
    let budget: Int
    let velocity: Double

    init(first: Int, last: Int, window: ClosedRange<Int>, previous: ClosedRange<Int>, budget: Int, velocity: Double) {
      (self.first, self.last, self.window, self.previous, self.budget, self.velocity) = (first, last, window, previous, budget, velocity)
      added = RenderWindow.newCells(first...last, since: previous)
    }

    /// Grows by at most one cell on each side; false when nothing more is to be done. Cells rendered before are free.
    mutating func step() -> Bool {
      if first <= window.lowerBound && last >= window.upperBound { return false }
      let isFull = added >= budget
      let isNewBefore = first <= previous.lowerBound || first > previous.upperBound
      let isNewAfter = last >= previous.upperBound || last < previous.lowerBound
      let growsBefore = first > window.lowerBound && (!isFull || !isNewBefore)
      let growsAfter = last < window.upperBound && (!isFull || !isNewAfter)
      if isFull && !growsBefore && !growsAfter { return false }
      if growsBefore && !(velocity > 1 && growsAfter && isNewAfter) {
        added += isNewBefore ? 1 : 0
        first -= 1
      }
      if growsAfter && !(velocity < -1 && growsBefore && isNewBefore) {
        added += isNewAfter ? 1 : 0
        last += 1
      }
      return true
    }
  }
}

/// The cells of a list, all of one length in points.
struct CellMetrics {
  let count: Int
  let length: Double

  /// Where a cell begins.
  func offset(of cell: Int) -> Double { Double(cell) * length }

  /// The first cell that an offset lies in, both its edges included; nil beyond them. O(log n).
  func cell(at offset: Double) -> Int? {
    var low = 0
    var high = count - 1
    while low <= high {
      let middle = (low + high) / 2
      let start = self.offset(of: middle)
      // A shared edge belongs to the earlier cell, so only the first cell's own start counts as inside.
      if offset < start || (middle != 0 && offset == start) {
        high = middle - 1
      } else if offset > start + length {
        low = middle + 1
      } else {
        return middle
      }
    }
    return nil
  }
}

extension PrefetcherDefinition {
  static let reactNative = PrefetcherDefinition(
    "react-native", "React Native's list: 21 screens rendered, ten cells at a time.",
    settings: [
      .integer("maxToRenderPerBatch", default: 10, in: 1...1000, "New cells of a batch."),
      .number("windowSize", default: 21, in: 1...1000, "Screens that are rendered, the visible one included."),
      .integer("initialNumToRender", default: 10, in: 1...1000, "Cells rendered at the start."),
    ]
  ) {
    let window = RenderWindow(maxPerBatch: $0.integer("maxToRenderPerBatch"), windowSize: $0.number("windowSize"))
    return PrefetchSystem.reactNative(RenderedWindow(window: window, initialCount: $0.integer("initialNumToRender")))
  }
}
