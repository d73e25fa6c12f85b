// Lazy loading in Chromium and Guess.js, which adapt to the class of the network, and React Native's list, which loads what it renders.

/// A number for each class of network, in the order of `NetworkClass.allCases`.
struct ByNetwork {
  var values: [Double]

  subscript(network: NetworkClass) -> Double { values[NetworkClass.allCases.firstIndex(of: network) ?? 0] }

  private static let suffixes = ["", "4G", "3G", "2G"]

  /// Returns the settings of the numbers at `path`: `key` for Wi-Fi, and `key` with the suffixes 4G, 3G and 2G.
  static func settings<Target: Prefetcher>(
    _ key: String, _ path: Setting<Target>.Path<ByNetwork>, of numbers: ByNetwork, limit: Double, _ documentation: String
  ) -> [Setting<Target>] {
    suffixes.enumerated().map { index, suffix in
      let words = "\(documentation) on \(suffix.isEmpty ? "Wi-Fi" : suffix)."
      return Setting(.number(key + suffix, default: numbers.values[index], in: 0...limit, words)) { $0[keyPath: path].values[index] = $1 }
    }
  }
}

/// The items within a number of points of the screen on either side.
struct MarginWindow: PrefetchWindow {
  var points: ByNetwork

  func fetch(_ view: borrowing FeedView, amount: PrefetchAmount, into plan: inout Plan) {
    amount.fetch((points[view.networkClass], points[view.networkClass]), view, into: &plan)
  }
}

/// The items that the user reaches with at least a minimum probability.
struct ProbabilityWindow: PrefetchWindow {
  var minimum: ByNetwork
  /// The probability that the user goes on from one item to the next.
  var continuation: Double

  /// Plans the items ahead in order. The k-th has the k-th power of `continuation` as its probability.
  func fetch(_ view: borrowing FeedView, amount: PrefetchAmount, into plan: inout Plan) {
    var probability = continuation
    var count = 0
    // With a continuation of 1 every item is likely; 100 items are the limit.
    while probability >= minimum[view.networkClass], count < 100 {
      count += 1
      probability *= continuation
    }
    amount.fetch(view.activeItem + 1..<view.activeItem + 1 + count, view, into: &plan)
  }
}

/// React Native's range of rendered cells, which grows at each update.
struct RenderWindow: PrefetchWindow {
  var maxPerBatch: Int
  var windowSize: Double
  var initialCount = 10
  var batchPeriod = Interval.milliseconds(50)
  var rendered: ClosedRange<Int>?

  /// Plans the rendered cells after the screen, then those before it.
  mutating func fetch(_ view: borrowing FeedView, amount: PrefetchAmount, into plan: inout Plan) {
    guard view.items.count > 0 else { return }
    // All cells get the height of the active one, which is exact for cells of equal height.
    let metrics = CellMetrics(count: view.items.count, length: max(1, view.height(view.activeItem)))
    let before = rendered ?? 0...max(0, min(initialCount, view.items.count) - 1)
    rendered = cells(
      metrics, offset: metrics.offset(of: view.activeItem), velocity: view.velocity / 1000, screen: view.viewportHeight,
      previous: before.clamped(to: 0...view.items.count - 1))
    guard let cells = rendered else { return }
    if cells != before { plan.askAgain = view.now + batchPeriod }
    amount.fetch(cells.lowerBound..<cells.upperBound + 1, around: view.activeItem..<view.activeItem + 1, view, into: &plan)
  }

  /// Returns the number of cells of `next` that are not in `previous`.
  static func newCells(_ next: ClosedRange<Int>, since previous: ClosedRange<Int>) -> Int {
    let shared = min(next.upperBound, previous.upperBound) - max(next.lowerBound, previous.lowerBound) + 1
    return next.count - max(0, shared)
  }

  /// Returns the cells to render now; nil for an empty list. They grow around the visible ones until the window or the batch is full.
  /// Above 1 point a millisecond they grow only in the direction of the movement. O(cells added).
  func cells(_ metrics: CellMetrics, offset: Double, velocity: Double, screen: Double, previous: ClosedRange<Int>) -> ClosedRange<Int>? {
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
    // Each step adds one cell on each side. Cells rendered before do not count towards the batch.
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

/// The cells of a list, all of one height, in points.
struct CellMetrics {
  let count: Int
  let length: Double

  func offset(of cell: Int) -> Double { Double(cell) * length }

  /// Returns the first cell that contains an offset, both edges included; nil beyond the content. O(log cells).
  func cell(at offset: Double) -> Int? {
    // As React Native: of two cells that contain an offset by rounding, the one that its bisection meets first.
    var low = 0
    var high = count - 1
    while low <= high {
      let middle = (low + high) / 2
      let start = self.offset(of: middle)
      // A shared edge belongs to the earlier cell.
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

/// The links on screen that have been there for a time, as Chrome's eager speculation rules take them on mobile.
/// An item is a link that leads to its bytes: what is visible is prefetched no earlier than the rule says. At most `limit` complete
/// prefetches are kept; the oldest one gives way.
struct EagerLinks: Prefetcher {
  var presentTime = Interval.milliseconds(100)
  var limit = 2
  private var present: ContiguousArray<(item: Int, since: Instant, isEnacted: Bool)> = []
  /// The links that were prefetched, oldest first.
  private var enacted: ContiguousArray<Int> = []

  let trigger: PlanTrigger = [.standard, .scrollTick, .askedFor]
  let cancelRule: DownloadSettings.CancelRule? = .keep

  mutating func plan(for view: borrowing FeedView, into plan: inout Plan) {
    let (visible, now) = (view.visibleItems, view.now)
    plan.fetch(view.activeItem)
    present.removeAll { !visible.contains($0.item) }
    for item in visible where !present.contains(where: { $0.item == item }) { present.append((item, now, false)) }
    for index in present.indices where !present[index].isEnacted {
      let due = present[index].since + presentTime
      if due <= now {
        present[index].isEnacted = true
        enacted.removeAll { $0 == present[index].item }
        enacted.append(present[index].item)
      } else {
        plan.askAgain = min(plan.askAgain ?? .never, due)
      }
    }
    enacted.removeAll { $0 == view.activeItem }
    if enacted.count > limit { enacted.removeFirst(enacted.count - limit) }
    for (rank, item) in enacted.enumerated() { plan.fetch(item, priority: 1 + rank) }
  }
}

extension PrefetcherDefinition {
  private static let points = ByNetwork(values: [1250, 1250, 2500, 6000])

  /// Chromium at 01e80222; nothing is cancelled.
  static let chromium = PrefetcherDefinition(
    "chromium", "Chromium's lazy loading: items within a distance in points, which is larger on slow networks.",
    PrefetchSystem(window: MarginWindow(points: points), amount: .ready, cancelCondition: .never, trigger: [.standard, .scrollTick]),
    settings: ByNetwork.settings(
      "points", \.window.points, of: points, limit: 1e6, "Points around the screen within which images are loaded"))

  /// Chromium's preloading_eager_viewport_heuristics (since Chrome 143 on Android); two prefetches that are not immediate.
  static let eagerLinks = PrefetcherDefinition(
    "speculation-eager-mobile", "Chrome's eager speculation rules on mobile: links that are on screen for a tenth of a second.",
    EagerLinks(),
    settings: [
      .duration("presentTime", \.presentTime, in: 0...60_000_000_000, "The time that a link must be on screen."),
      .integer("limit", \.limit, in: 1...1000, "Prefetches that are kept."),
    ])

  private static let probabilities = ByNetwork(values: [0.15, 0.15, 0.3, 0.45])

  /// Guess.js at 0def89f4. It takes probabilities from a site's statistics; here the continuation, 0.8, is an assumption of this project.
  static let guess = PrefetcherDefinition(
    "guess", "Guess.js: items that follow with enough probability; the threshold is higher on slow networks.",
    PrefetchSystem(window: ProbabilityWindow(minimum: probabilities, continuation: 0.8), amount: .ready, cancelRule: .keep),
    settings: ByNetwork.settings(
      "probability", \.window.minimum, of: probabilities, limit: 1, "The least probability of an item that is loaded") + [
        .share("continuation", \.window.continuation, "The share of users who go on to the next item.")
      ])

  /// React Native's list at 0de6a152. Without `onEndReachedThreshold` the next page is requested 2 pixels before the end.
  /// The documentation says 2 screens.
  static let reactNative = PrefetcherDefinition(
    "react-native", "React Native's list: 21 screens rendered, ten cells at a time.",
    PrefetchSystem(
      window: RenderWindow(maxPerBatch: 10, windowSize: 21), amount: .ready, trigger: [.standard, .askedFor], cancelRule: .keep,
      pageTrigger: .endReached, pageLatch: .inFlight),
    settings: [
      .integer("maxToRenderPerBatch", \.window.maxPerBatch, in: 1...1000, "New cells of a batch."),
      .number("windowSize", \.window.windowSize, in: 1...1000, "Screens that are rendered, the visible one included."),
      .integer("initialNumToRender", \.window.initialCount, in: 1...1000, "Cells rendered at the start."),
      .duration("updateCellsBatchingPeriod", \.window.batchPeriod, in: 0...60_000_000_000, "The time between two batches.").ifGiven("50ms"),
      .concurrency(),
    ])
}
