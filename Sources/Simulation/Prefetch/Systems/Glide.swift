// Glide's ListPreloader as a prefetcher.

/// The items that Glide's ring of targets holds, in the order in which it asked for them.
package struct GlideWindow: PrefetchWindow {
  private var preloader: ListPreloader

  /// A window of at most `maxPreload` items beyond the screen.
  package init(maxPreload: Int) { preloader = ListPreloader(maxPreload: maxPreload) }

  /// What the ring holds after this scroll; an item it let go of is cancelled.
  package mutating func want(_ view: borrowing FeedView, amount: PrefetchAmount, into plan: inout Plan) {
    let visible = view.visibleItems
    _ = preloader.scroll(firstVisible: visible.lowerBound, visibleCount: visible.count, itemCount: view.items.count)
    for (place, item) in preloader.held.enumerated() { amount.want(item, view, priority: 1 + place, into: &plan) }
  }
}

extension PrefetchSystem where Window == GlideWindow {
  /// Glide's preloader, ten items ahead in the direction of the scroll; a change of direction cancels all. The number is the app's;
  /// ten is that of Glide's own tests.
  package static func glide(maxPreload: Int = 10) -> Self {
    var system = Self(window: GlideWindow(maxPreload: maxPreload))
    system.amount = .ready
    system.cancelRule = .keep
    return system
  }
}

extension PrefetcherDefinition {
  static let glide = PrefetcherDefinition(
    "glide-10", "Glide's preloader: ten ahead in a ring, all cancelled when the direction changes.",
    settings: [.integer("maxPreload", default: 10, in: 0...10_000, "The most items beyond the screen.")]
  ) { PrefetchSystem.glide(maxPreload: $0.integer("maxPreload")) }
}
