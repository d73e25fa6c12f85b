// Lists that prepare a few rows around the screen: IGListKit and Android's RecyclerView.

/// IGListKit's working range as a window.
package struct WorkingRangeWindow: PrefetchWindow {
  /// Items on either side.
  package var size: Int

  /// A range of `size` items on either side.
  package init(size: Int) { self.size = size }

  /// The range in the list's order: it has no direction.
  package func want(_ view: borrowing FeedView, amount: PrefetchAmount, into plan: inout Plan) {
    guard let first = view.visibleItems.first, let last = view.visibleItems.last else { return }
    amount.want(WorkingRange.around(first...last, size: size, count: view.items.count), view, into: &plan)
  }
}

extension PrefetchSystem where Window == WorkingRangeWindow {
  /// IGListKit's working range: symmetric, cancelled by what leaves it. Its own default size is 0, which prefetches nothing; its
  /// documentation's example has 2.
  package static func igListKit(size: Int = 2) -> Self {
    var system = Self(window: WorkingRangeWindow(size: size))
    system.amount = .ready
    system.cancelRule = .keep
    return system
  }
}

/// The rows that RecyclerView prepares between two frames.
package struct FrameTaskWindow: PrefetchWindow {
  /// Items in a row.
  package var span: Int

  /// A layout of `span` items a row.
  package init(span: Int) { self.span = span }

  /// One row beyond the screen, on the side of the movement.
  package func want(_ view: borrowing FeedView, amount: PrefetchAmount, into plan: inout Plan) {
    guard let first = view.visibleItems.first, let last = view.visibleItems.last else { return }
    let items = FrameTask.prefetched(visible: first...last, delta: view.direction, span: span, count: view.items.count)
    for (place, item) in items.enumerated() { amount.want(item, view, priority: 1 + place, into: &plan) }
  }
}

extension PrefetchSystem where Window == FrameTaskWindow {
  /// RecyclerView's prefetch (GapWorker): one row beyond the screen while it moves. It prepares views; what they show is asked for then.
  package static func recyclerView(span: Int = 1) -> Self {
    var system = Self(window: FrameTaskWindow(span: span))
    system.trigger = [.standard, .scrollTick]
    system.cancelRule = .keep
    return system
  }
}

extension PrefetcherDefinition {
  static let igListKit = PrefetcherDefinition(
    "iglistkit", "IGListKit's working range: so many items on either side.",
    settings: [.integer("size", default: 2, in: 0...10_000, "Items on either side of the screen.")]
  ) { PrefetchSystem.igListKit(size: $0.integer("size")) }

  static let recyclerView = PrefetcherDefinition(
    "recyclerview", "RecyclerView's prefetch: one row beyond the screen.",
    settings: [.integer("span", default: 1, in: 1...100, "Items in a row.")]
  ) { PrefetchSystem.recyclerView(span: $0.integer("span")) }
}
