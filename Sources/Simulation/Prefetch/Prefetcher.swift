// The seam at which a prefetch policy meets the session: it sees the feed, and says what it wants in which order.

/// A prefetch policy: decides which parts of which items are fetched.
///
/// It sees only what an app knows (`FeedView`). Each run has its own copy, so that a prefetcher may learn. Only `plan` is required; the
/// other traits are read once, before the run, and where one is nil the scenario decides.
public protocol Prefetcher: Sendable {
  /// Appends the fetches wanted now to `plan`, which is empty, the most urgent first; `view.occasion` names the triggers.
  ///
  /// Bytes that are stored are skipped, and so are items that are not listed yet. A transfer in flight that is not planned is cancelled
  /// under `keep`. The active item is fetched only if it is planned.
  mutating func plan(for view: borrowing FeedView, into plan: inout Plan)

  /// The triggers on which it is asked for a plan.
  var trigger: PlanTrigger { get }
  /// The trigger of the next page's request; nil for the feed's own.
  var pageTrigger: PageTrigger? { get }
  /// The guard against requesting a page twice; nil for the feed's own.
  var pageLatch: PageLatch? { get }
  /// The most items that stay listed, with `PageTrigger.itemsFromEnd`: pages beyond it leave at the other end; nil for no limit.
  var pageMaxSize: Int? { get }
  /// The most prefetches in flight at once, without those of the active item; nil for as many as there are connections.
  var concurrency: Int? { get }
  /// The treatment of transfers in flight at each activation; nil for the download manager's own.
  var cancelRule: DownloadSettings.CancelRule? { get }
  /// True if the bytes of cancelled transfers are kept; nil for the download manager's own.
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
  /// Returns nil: the download manager decides.
  public var cancelRule: DownloadSettings.CancelRule? { nil }
  /// Returns nil: the download manager decides.
  public var keepsPartial: Bool? { nil }
}

/// A set of triggers on which a prefetcher is asked; at one instant it is asked once, with all that apply.
public struct PlanTrigger: OptionSet, Hashable, Sendable {
  /// One bit a trigger.
  public let rawValue: UInt8
  /// Creates a set from its bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// An item becomes active.
  public static let activation = PlanTrigger(rawValue: 1)
  /// The finger leaves the screen, so that the end of the movement is known (`FeedView.targetOffset`).
  public static let dragEnd = PlanTrigger(rawValue: 2)
  /// The content moves: 60 times a second while it does.
  public static let scrollTick = PlanTrigger(rawValue: 4)
  /// A transfer completes.
  public static let transferFinished = PlanTrigger(rawValue: 8)
  /// A page arrives.
  public static let listGrown = PlanTrigger(rawValue: 16)
  /// The app goes to the background or comes back, or memory is short.
  public static let stateChange = PlanTrigger(rawValue: 32)
  /// The instant that the last plan named arrives (`Plan.askAgain`).
  public static let askedFor = PlanTrigger(rawValue: 64)

  /// Activations, and changes of the list or of the app's state.
  public static let standard: PlanTrigger = [.activation, .listGrown, .stateChange]
}
