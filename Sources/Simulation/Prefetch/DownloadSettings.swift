// The client's part of a scenario: transfers and their cancels, the store, the decoders, the renditions of videos.

/// The settings of an app's download manager, which turns a plan into transfers.
public struct DownloadSettings: Hashable, Sendable {
  /// The treatment of the transfers in flight at each activation.
  public enum CancelRule: String, Hashable, Sendable, CaseIterable {
    /// Cancels all, including those of the active item; their bytes are lost.
    case drop
    /// Cancels all and keeps their bytes; a later request asks for the remaining ones.
    case resume
    /// Continues planned transfers and cancels the others, whose bytes are lost unless `keepPartial` holds.
    case keep
    /// Cancels nothing, planned or not.
    case never
  }

  package enum MemoryRule: String, Hashable, Sendable, CaseIterable {
    /// Stored bytes are on the disk and stay.
    case keep
    /// Stored bytes are in memory and are dropped, except those of items with a transfer in flight.
    case drop
  }

  /// The most transfers of items in flight from one host.
  package var connections: Int
  package var cancel: CancelRule
  /// True if `keep` keeps the bytes of cancelled transfers.
  package var keepPartial: Bool
  package var restFirst: Bool
  package var preempt: Bool
  package var onMemoryWarning = MemoryRule.keep
  package var store = StoreSettings()
  package var decoders = 2
  /// The most videos that hold a player; nil for no limit.
  package var players: Int?
  package var rendition = RenditionChoice.throughput
  package var buffer = Interval.seconds(25)

  /// Creates settings; the defaults are those of the original test app.
  package init(connections: Int = 4, cancel: CancelRule = .keep, keepPartial: Bool = false, restFirst: Bool = true, preempt: Bool = false) {
    (self.connections, self.cancel, self.keepPartial) = (connections, cancel, keepPartial)
    (self.restFirst, self.preempt) = (restFirst, preempt)
  }

  var keepsBytes: Bool { cancel == .resume || (cancel == .keep && keepPartial) }
}

package enum RenditionChoice: String, Hashable, Sendable, CaseIterable {
  /// Always the same rendition.
  case lowest, highest
  /// The highest that the measured throughput carries.
  case throughput
  /// BOLA, by the level of the buffer.
  case bola
  /// RobustMPC, by a prediction over five segments.
  case mpc
}

/// The limits of the stored bytes, and the rule for what leaves first.
package struct StoreSettings: Hashable, Sendable {
  package enum EvictionRule: String, Hashable, Sendable, CaseIterable {
    /// The item that arrived or was shown last the longest ago.
    case lru
    /// The item with the most items between it and the active one.
    case farthest
  }

  /// The most bytes in memory; nil for no limit, so that nothing is evicted.
  package var memory: Int64?
  /// The most bytes on the disk; nil without a disk.
  package var disk: Int64?
  package var evict = EvictionRule.lru
  package var diskRead = Interval.milliseconds(10)

  package init() {}
}
