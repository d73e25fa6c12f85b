// The policy of an app without prefetching.

/// Loads the active item and nothing else.
public struct NoPrefetch: Prefetcher {
  /// No settings.
  public init() {}

  /// It needs nothing but the feed.
  public var readsDetails: Bool { false }

  /// The active item, whole.
  public func plan(for view: borrowing FeedView, into plan: inout Plan) { plan.fetch(view.activeItem) }
}
