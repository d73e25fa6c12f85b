// The simplest window: so many items ahead, whatever they are.

/// The active item, then the next `ahead` items in order, each whole or up to a number of bytes.
package struct ItemsAhead: Prefetcher {
  /// How many items after the active one.
  package var ahead: Int
  /// Whether an inactive video is wanted up to its prefix only.
  package var prefixOnly: Bool

  /// A window of `ahead` items.
  package init(ahead: Int, prefixOnly: Bool = true) {
    self.ahead = ahead
    self.prefixOnly = prefixOnly
  }

  /// It needs nothing but the feed.
  package var readsDetails: Bool { false }

  /// The active item whole, then those of the window.
  package func plan(for view: borrowing FeedView, into plan: inout Plan) {
    plan.fetch(view.activeItem)
    let first = view.activeItem + 1
    let end = max(first, min(first + ahead, view.items.count))
    plan.fetch(first..<end, bytes: prefixOnly ? Plan.toReady : .max, priority: 1)
  }
}

extension PrefetcherDefinition {
  static let itemsAhead = PrefetcherDefinition(
    "itemsAhead", "The active item, then the next `ahead` items in order.",
    settings: [.ahead(3), .boolean("prefixOnly", default: true, "Prefetches of a video only the prefix that it needs to start.")]
  ) {
    ItemsAhead(ahead: $0.integer("ahead"), prefixOnly: $0.boolean("prefixOnly"))
  }
}
