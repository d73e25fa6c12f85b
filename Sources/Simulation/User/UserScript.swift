// What the scripted user does: which items become active, and for how long.

/// A scripted user: so many items, one after another.
public struct UserScript: Hashable, Sendable {
  /// How many items are viewed.
  public var scroll: Int
  /// How long each stays active, in nanoseconds.
  public var dwell: Distribution
  /// If set, the dwell starts when the item is ready, and the user leaves after so long if it never is.
  public var patience: Interval?

  /// A user who views `scroll` items.
  public init(scroll: Int, dwell: Distribution, patience: Interval? = nil) {
    self.scroll = scroll
    self.dwell = dwell
    self.patience = patience
  }

  /// The visits of one run.
  public func visits(random: inout RandomStream) -> ContiguousArray<Visit> {
    ContiguousArray(unsafeUninitializedCapacity: scroll) { visits, count in
      for item in 0..<scroll {
        visits.initializeElement(at: item, to: Visit(item: item, dwell: Interval(nanoseconds: dwell.draw(from: &random))))
      }
      count = scroll
    }
  }
}

/// One stay at one item.
public struct Visit: Hashable, Sendable, BitwiseCopyable {
  /// The item's place in the feed.
  public var item: Int
  /// How long it stays active.
  public var dwell: Interval

  /// A stay of `dwell` at `item`.
  public init(item: Int, dwell: Interval) {
    self.item = item
    self.dwell = dwell
  }
}
