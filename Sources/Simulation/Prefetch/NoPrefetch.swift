// The policy of an app without prefetching.

/// Loads the active item and nothing else.
package struct NoPrefetch: Prefetcher {
  /// No settings.
  package init() {}

  /// It needs nothing but the feed.
  package var readsDetails: Bool { false }

  /// The active item, whole.
  package func plan(for view: borrowing FeedView, into plan: inout Plan) { plan.fetch(view.activeItem) }
}

extension PrefetcherDefinition {
  static let noPrefetch = PrefetcherDefinition("none", "Loads the active item and nothing else.") { _ in NoPrefetch() }
}
