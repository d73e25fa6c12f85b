// The web's answers to a poor network, Chromium reaches further and Guess.js less far; and React Native's list, where what is rendered is
// loaded.

/// One number for each class of network, in the order of `NetworkClass.allCases`.
struct ByNetwork {
  var values: [Double]

  subscript(network: NetworkClass) -> Double { values[NetworkClass.allCases.firstIndex(of: network) ?? 0] }

  private static let suffixes = ["", "4G", "3G", "2G"]

  /// The settings: `key` on Wi-Fi, and the same with 4G, 3G and 2G behind it.
  func parameters(_ key: String, limit: Double, _ documentation: String) -> [Parameter] {
    zip(Self.suffixes, values).map { suffix, value in
      .number(key + suffix, default: value, in: 0...limit, "\(documentation) on \(suffix.isEmpty ? "Wi-Fi" : suffix).")
    }
  }

  static func read(_ key: String, _ settings: PrefetcherSettings) -> ByNetwork {
    ByNetwork(values: suffixes.map { settings.number(key + $0) })
  }
}

/// The items within so many points of the screen on either side.
struct MarginWindow: PrefetchWindow {
  var points: ByNetwork

  func fetch(_ view: borrowing FeedView, amount: PrefetchAmount, into plan: inout Plan) {
    amount.fetch((points[view.networkClass], points[view.networkClass]), view, into: &plan)
  }
}

/// The items that the user will reach with at least some probability.
struct ProbabilityWindow: PrefetchWindow {
  var minimum: ByNetwork
  /// The probability that a user goes on from one item to the next.
  var continuation: Double

  /// Plans those ahead in order: the k-th is reached with the k-th power of the continuation.
  func fetch(_ view: borrowing FeedView, amount: PrefetchAmount, into plan: inout Plan) {
    var probability = continuation
    var count = 0
    // A feed that everybody reads to its end has no last likely item.
    while probability >= minimum[view.networkClass], count < 100 {
      count += 1
      probability *= continuation
    }
    amount.fetch(view.activeItem + 1..<view.activeItem + 1 + count, view, into: &plan)
  }
}

/// React Native's range of rendered cells, which it widens at each update.
struct RenderWindow: PrefetchWindow {
  private static let batchPeriod = Interval.milliseconds(50)

  var maxPerBatch: Int
  /// Screens rendered in all, the visible one included.
  var windowSize: Double
  var initialCount = 10
  var rendered: ClosedRange<Int>?

  /// Plans the rendered cells after the screen, then those before it.
  mutating func fetch(_ view: borrowing FeedView, amount: PrefetchAmount, into plan: inout Plan) {
    guard view.items.count > 0 else { return }
    // Ranges are counted in screens of the visible cells' height, which is exact where all cells are alike.
    let metrics = CellMetrics(count: view.items.count, length: max(1, view.height(view.activeItem)))
    let before = rendered ?? 0...max(0, min(initialCount, view.items.count) - 1)
    rendered = cells(
      metrics, offset: metrics.offset(of: view.activeItem), velocity: view.velocity / 1000, screen: view.viewportHeight,
      previous: min(before.lowerBound, view.items.count - 1)...min(before.upperBound, view.items.count - 1))
    guard let cells = rendered else { return }
    if cells != before { plan.askAgain = view.now + Self.batchPeriod }
    let after = min(max(view.activeItem + 1, cells.lowerBound), cells.upperBound + 1)
    amount.fetch(after..<cells.upperBound + 1, view, into: &plan)
    let end = max(cells.lowerBound, min(view.activeItem, cells.upperBound + 1))
    amount.fetch(cells.lowerBound..<end, view, isReversed: true, into: &plan)
  }

  /// The number of cells of `next` that are not in `previous`.
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
    let end = metrics.count - 1
    if metrics.offset(of: end) < windowBegin { return max(0, end - maxPerBatch)...end }
    let windowFirst = metrics.cell(at: windowBegin) ?? 0
    let windowLast = max(windowFirst, metrics.cell(at: max(0, begin + screen + overscan)) ?? end)
    var first = metrics.cell(at: begin) ?? windowFirst
    var last = max(first, metrics.cell(at: begin + screen) ?? min(windowLast, first + maxPerBatch - 1))
    var added = Self.newCells(first...last, since: previous)
    // By one cell on each side at a time; cells rendered before are free.
    while first > windowFirst || last < windowLast {
      let isFull = added >= maxPerBatch
      let isNewBefore = first <= previous.lowerBound || first > previous.upperBound
      let isNewAfter = last >= previous.upperBound || last < previous.lowerBound
      let growsBefore = first > windowFirst && (!isFull || !isNewBefore)
      let growsAfter = last < windowLast && (!isFull || !isNewAfter)
      if isFull && !growsBefore && !growsAfter { break }
      if growsBefore && !(velocity > 1 && growsAfter && isNewAfter) {
        added += isNewBefore ? 1 : 0
        first -= 1
      }
      if growsAfter && !(velocity < -1 && growsBefore && isNewBefore) {
        added += isNewAfter ? 1 : 0
        last += 1
      }
    }
    return first...last
  }
}

/// The cells of a list, all of one length in points.
struct CellMetrics {
  let count: Int
  let length: Double

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
  private static let points = ByNetwork(values: [1250, 1250, 2500, 6000])

  /// Chromium at 01e80222: nothing is cancelled.
  static let chromium = PrefetcherDefinition(
    "chromium", "Chromium's lazy loading: within so many points, more on slow networks.",
    settings: points.parameters("points", limit: 1e6, "Points around the screen within which images are loaded")
  ) {
    PrefetchSystem(
      window: MarginWindow(points: .read("points", $0)), amount: .ready, keepsQueue: true, trigger: [.standard, .scrollTick])
  }

  private static let probabilities = ByNetwork(values: [0.15, 0.15, 0.3, 0.45])

  /// Guess.js at 0def89f4. Its probabilities come from a site's statistics; in a feed, from the share of users who go on: 0.8 here is ours.
  static let guess = PrefetcherDefinition(
    "guess", "Guess.js: what follows with enough probability, more of it on slow networks.",
    settings: probabilities.parameters("probability", limit: 1, "The least probability of an item that is loaded") + [
      .share("continuation", default: 0.8, "The share of users who go on to the next item.")
    ]
  ) {
    PrefetchSystem(
      window: ProbabilityWindow(minimum: .read("probability", $0), continuation: $0.number("continuation")), amount: .ready,
      cancelRule: .keep)
  }

  /// React Native's list at 0de6a152. Its next page is asked for at the end of the list: with the property left out, the trigger is two
  /// pixels, not the two screens of the documentation.
  static let reactNative = PrefetcherDefinition(
    "react-native", "React Native's list: 21 screens rendered, ten cells at a time.",
    settings: [
      .integer("maxToRenderPerBatch", default: 10, in: 1...1000, "New cells of a batch."),
      .number("windowSize", default: 21, in: 1...1000, "Screens that are rendered, the visible one included."),
      .integer("initialNumToRender", default: 10, in: 1...1000, "Cells rendered at the start."),
    ]
  ) {
    PrefetchSystem(
      window: RenderWindow(
        maxPerBatch: $0.integer("maxToRenderPerBatch"), windowSize: $0.number("windowSize"),
        initialCount: $0.integer("initialNumToRender")),
      amount: .ready, trigger: [.standard, .askedFor], cancelRule: .keep, pageTrigger: .endReached, pageLatch: .inFlight)
  }
}
