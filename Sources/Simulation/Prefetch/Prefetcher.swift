// The protocol of prefetch policies, and the triggers on which they plan.

/// A prefetch policy: decides which parts of which items are fetched. Only `plan` is required.
///
/// The session reads the other requirements once, before the run; where one is nil, the scenario decides. Each run has its own copy, so
/// that a prefetcher may keep state.
public protocol Prefetcher: Sendable {
  /// Appends fetches to `plan`, which is empty, the most urgent first; `view.trigger` has the triggers.
  ///
  /// Stored bytes and unlisted items are skipped. Under `keep` transfers that are not planned are cancelled. The active item is fetched
  /// only if it is planned.
  mutating func plan(for view: borrowing FeedView, into plan: inout Plan)

  /// The triggers on which the prefetcher plans.
  var trigger: PlanTrigger { get }
  /// The condition for requesting the next page; nil for that of the feed.
  var pageTrigger: PageTrigger? { get }
  /// The guard against duplicate page requests; nil for that of the feed.
  var pageLatch: PageLatch? { get }
  /// The most items that stay listed under `PageTrigger.itemsFromEnd`; further pages are dropped at the far end. Nil for no limit.
  var pageMaxSize: Int? { get }
  /// The most prefetches in flight, not counting those of the active item; nil for all connections.
  var concurrency: Int? { get }
  /// The connections that prefetches leave to the active item.
  var keptConnections: Int { get }
  /// The treatment of the transfers in flight at each activation; nil for that of the download manager.
  var cancelRule: DownloadSettings.CancelRule? { get }
  /// True if the bytes of cancelled transfers are kept; nil for the setting of the download manager.
  var keepsPartial: Bool? { get }
}

extension Prefetcher {
  /// Returns `PlanTrigger.standard`.
  public var trigger: PlanTrigger { .standard }
  /// Returns nil: the feed decides.
  public var pageTrigger: PageTrigger? { nil }
  /// Returns nil: the feed decides.
  public var pageLatch: PageLatch? { nil }
  /// Returns nil: there is no limit.
  public var pageMaxSize: Int? { nil }
  /// Returns nil: the connections are the limit.
  public var concurrency: Int? { nil }
  /// Returns 0: prefetches use all connections.
  public var keptConnections: Int { 0 }
  /// Returns nil: the download manager decides.
  public var cancelRule: DownloadSettings.CancelRule? { nil }
  /// Returns nil: the download manager decides.
  public var keepsPartial: Bool? { nil }
}

/// A set of triggers on which a prefetcher plans. It plans once for all triggers of an event.
public struct PlanTrigger: OptionSet, Hashable, Sendable {
  /// The triggers, one bit each.
  public let rawValue: UInt8
  /// Creates a set from its bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// An item becomes active.
  public static let activation = PlanTrigger(rawValue: 1)
  /// The finger leaves the screen, which determines the end of the movement (`FeedView.targetOffset`).
  public static let dragEnd = PlanTrigger(rawValue: 2)
  /// The content moves; 60 times a second during a movement.
  public static let scrollTick = PlanTrigger(rawValue: 4)
  /// A transfer completes.
  public static let transferFinished = PlanTrigger(rawValue: 8)
  /// A page arrives.
  public static let listGrown = PlanTrigger(rawValue: 16)
  /// The app enters the background or the foreground, or receives a memory warning.
  public static let stateChange = PlanTrigger(rawValue: 32)
  /// The instant `Plan.askAgain` of the last plan arrives.
  public static let askedFor = PlanTrigger(rawValue: 64)

  /// The default: activations, new pages and changes of the app's state.
  public static let standard: PlanTrigger = [.activation, .listGrown, .stateChange]
}
