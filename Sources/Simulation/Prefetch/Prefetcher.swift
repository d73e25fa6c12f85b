// The seam at which a prefetch policy meets the session: it sees the feed, and says what it wants in which order.

/// Decides which parts of which items are wanted.
///
/// A prefetcher never sees the engine: only what an app would know. A run has its own copy, so it may learn. `plan` is all that it
/// must have. Its other traits say when it is asked and what belongs to the system rather than to the app; each is read once, before
/// the run, and where it is nil the scenario decides.
package protocol Prefetcher: Sendable {
  /// Appends what is wanted now to `plan`, the most urgent first; `plan` comes empty. `view.occasion` says why it is asked.
  ///
  /// What is stored already may be listed; the download manager skips it. What is on the way and not listed is cut under
  /// `keep`. The active item is loaded only if it is listed. Items that are not in the list are left out.
  mutating func plan(for view: borrowing FeedView, into plan: inout Plan)

  /// Told once before the run what will happen in it. Only a schedule that is meant to know the future has a use for it.
  mutating func foresee(_ future: RunForesight)

  /// When it is asked.
  var trigger: PlanTrigger { get }
  /// What makes it ask for the next page; nil for the feed's own.
  var pageTrigger: PageTrigger? { get }
  /// What keeps it from asking twice for a page; nil for the feed's own.
  var pageLatch: PageLatch? { get }
  /// The most items that stay listed: pages beyond it are dropped at the other end. Only for pages by `PageTrigger.itemsFromEnd`; nil for no
  /// limit.
  var pageMaxSize: Int? { get }
  /// The most prefetches on the way at once, the active item's transfers not counted; nil for as many as there are connections.
  var concurrency: Int? { get }
  /// What happens to the transfers on the way; nil for the download manager's own.
  var cancelRule: DownloadSettings.CancelRule? { get }
  /// Whether the bytes of what is cut are kept; nil for the download manager's own.
  var keepsPartial: Bool? { get }
}

extension Prefetcher {
  package mutating func foresee(_ future: RunForesight) {}
  /// Asked at each activation, and when the list or the app's state has changed.
  package var trigger: PlanTrigger { .standard }
  package var pageTrigger: PageTrigger? { nil }
  package var pageLatch: PageLatch? { nil }
  package var pageMaxSize: Int? { nil }
  package var concurrency: Int? { nil }
  package var cancelRule: DownloadSettings.CancelRule? { nil }
  package var keepsPartial: Bool? { nil }
}

/// A set of occasions on which a prefetcher is asked. At one instant it is asked once, with all that apply.
package struct PlanTrigger: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// An item has become active.
  package static let activation = PlanTrigger(rawValue: 1)
  /// The finger has left the screen, and it is known where the movement will end.
  package static let dragEnd = PlanTrigger(rawValue: 2)
  /// The content has moved: 60 times a second while it does.
  package static let scrollTick = PlanTrigger(rawValue: 4)
  /// A transfer has come to its end.
  package static let transferFinished = PlanTrigger(rawValue: 8)
  /// A page has come.
  package static let listGrown = PlanTrigger(rawValue: 16)
  /// The app went to the background or came back, or memory is short.
  package static let stateChange = PlanTrigger(rawValue: 32)
  /// The time has come that the last plan named (`Plan.askAgain`); without it in the trigger, that is ignored.
  package static let askedFor = PlanTrigger(rawValue: 64)

  /// Activations, and changes of the list or of the app's state.
  package static let standard: PlanTrigger = [.activation, .listGrown, .stateChange]
}

/// What will happen in a run, for a schedule that knows the future.
package struct RunForesight: Sendable {
  /// All items, listed or not.
  package let items: ContiguousArray<Item>
  /// All stays.
  package let visits: ContiguousArray<Visit>
  /// The run's network.
  package let network: NetworkConfiguration
}
