// The simplest prefetchers: nothing ahead, or so many items, whatever they are.

/// Loads the active item and nothing else.
package struct NoPrefetch: Prefetcher {
  package init() {}

  package func plan(for view: borrowing FeedView, into plan: inout Plan) { plan.fetch(view.activeItem) }
}

/// The active item whole, then the next `ahead` items in order, each whole or up to a video's prefix.
package struct ItemsAhead: Prefetcher {
  /// How many items after the active one.
  package var ahead: Int
  /// Whether an inactive video is wanted up to its prefix only.
  package var prefixOnly: Bool

  package init(ahead: Int, prefixOnly: Bool = true) {
    self.ahead = ahead
    self.prefixOnly = prefixOnly
  }

  package func plan(for view: borrowing FeedView, into plan: inout Plan) {
    plan.fetch(view.activeItem)
    let first = view.activeItem + 1
    let end = max(first, min(first + ahead, view.items.count))
    plan.fetch(first..<end, bytes: prefixOnly ? Plan.toReady : .max, priority: 1)
  }
}

extension PrefetcherDefinition {
  static let noPrefetch = PrefetcherDefinition("none", "Loads the active item and nothing else.") { _ in NoPrefetch() }

  static let itemsAhead = PrefetcherDefinition(
    "itemsAhead", "The active item, then the next `ahead` items in order.",
    settings: [.ahead(3), .boolean("prefixOnly", default: true, "Prefetches of a video only the prefix that it needs to start.")]
  ) {
    ItemsAhead(ahead: $0.integer("ahead"), prefixOnly: $0.boolean("prefixOnly"))
  }
}
