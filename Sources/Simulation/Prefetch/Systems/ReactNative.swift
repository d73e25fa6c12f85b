// React Native's VirtualizedList as a prefetcher: what is rendered is loaded.

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
    var system = Self(window: window)
    system.amount = .ready
    system.trigger = [.standard, .askedFor]
    system.cancelRule = .keep
    system.pageTrigger = .endReached
    system.pageLatch = .inFlight
    return system
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
