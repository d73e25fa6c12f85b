// The seam at which a prefetch policy meets the session: it sees the feed, and says what it wants in which order.

/// Decides which parts of which items are wanted. Asked once at each activation.
///
/// A prefetcher never sees the engine: only what an app would know. A run has its own copy, so it may learn.
public protocol Prefetcher: Sendable {
  /// Appends what is wanted now to `plan`, the most urgent first; `plan` comes empty.
  ///
  /// What is stored already may be listed; the download manager skips it. What is on the way and not listed is cut under
  /// `keep`. The active item is loaded only if it is listed.
  mutating func plan(for view: borrowing FeedView, into plan: inout Plan)
}
