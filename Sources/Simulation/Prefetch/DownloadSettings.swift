// The settings of the part of an app that turns a plan into transfers.

/// The download manager of an app: how a plan becomes transfers.
public struct DownloadSettings: Hashable, Sendable {
  /// The treatment of the transfers in flight at each activation.
  public enum CancelRule: String, Hashable, Sendable, CaseIterable {
    /// Cancels all, that of the active item too; their bytes are lost.
    case drop
    /// Cancels all and keeps their bytes; a later request asks for the rest.
    case resume
    /// Continues those in the plan; cancels the others, whose bytes are lost unless they are kept.
    case keep
    /// Cancels nothing, planned or not.
    case never
  }

  package enum MemoryRule: String, Hashable, Sendable, CaseIterable {
    /// It lies on the disk and stays.
    case keep
    /// It lay in memory, and all of it is thrown away but what a transfer on the way continues.
    case drop
  }

  /// How many transfers of items may be on the way at once from one host.
  package var connections: Int
  package var cancel: CancelRule
  /// Whether `keep` keeps the bytes of what it cuts.
  package var keepPartial: Bool
  /// Whether an active video's rest stands before the prefetches.
  package var restFirst: Bool
  /// Whether an active item that is not ready and finds no free connection takes that of the prefetch which the plan wants last.
  package var preempt: Bool
  package var onMemoryWarning = MemoryRule.keep

  /// Settings; the defaults are the original's.
  package init(
    connections: Int = 4, cancel: CancelRule = .keep, keepPartial: Bool = false, restFirst: Bool = true,
    preempt: Bool = false
  ) {
    self.connections = connections
    self.cancel = cancel
    self.keepPartial = keepPartial
    self.restFirst = restFirst
    self.preempt = preempt
  }

  var keepsBytes: Bool { cancel == .resume || (cancel == .keep && keepPartial) }
}
