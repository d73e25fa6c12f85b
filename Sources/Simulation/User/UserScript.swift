// The scripted user: which items become active, and their dwells.

package struct UserScript: Hashable, Sendable {
  /// The most visits of a user who goes back, for each item.
  package static let visitsPerItem = 10

  /// The number of items viewed if there are no steps.
  package var scroll: Int
  /// The dwell of each item, in nanoseconds.
  package var dwell: Distribution
  /// The dwell of each kind, in the order of `ItemKind`; empty for one dwell of all kinds.
  package var dwellByKind: [Distribution] = []
  /// The dwell of a video as a share of its length; nil for a dwell that does not depend on the length.
  package var watchRatio: WatchRatio?
  /// The longest dwell by `watchRatio`, in nanoseconds.
  package var longestDwell = Int64(86_400_000_000_000)
  /// The probability that a user who scrolls goes back instead of forward.
  package var back = 0.0
  /// The flings of a user who scrolls; nil for moves by one item.
  package var flings: Flings?
  package var leave = 0.0
  /// The longest wait for an item that is not ready, after which the user leaves. If set, the dwell starts when the item is ready.
  package var patience: Interval?
  /// True if a user with patience watches a part of a video: stalls extend the visit, and patience limits all its waits together.
  package var stallsExtend = false
  /// A constant added to each dwell by a test driver, such as a UI test that waits until the app is idle before it scrolls.
  package var overhead: Interval = .zero
  /// The duration of a swipe to the next item, in nanoseconds. It begins that long before the end of the dwell.
  package var swipe: Interval = .zero
  /// The steps of the script; empty for `scroll` items in order.
  package var steps: [ScriptStep] = []
  /// The visits of a recorded session; empty if there is none.
  package var recording: ContiguousArray<Visit> = []

  package init(scroll: Int, dwell: Distribution, patience: Interval? = nil) {
    (self.scroll, self.dwell, self.patience) = (scroll, dwell, patience)
  }

  package var isConstant: Bool {
    if !recording.isEmpty { return true }
    if back > 0 || flings != nil || leave > 0 || !(watchRatio?.isConstant ?? true) { return false }
    return dwell.isConstant && dwellByKind.allSatisfy(\.isConstant) && steps.allSatisfy(\.isConstant)
  }

  /// Returns the visits of one run without steps, with one dwell for all kinds.
  package func visits(random: inout RandomStream) -> ContiguousArray<Visit> {
    ContiguousArray(unsafeUninitializedCapacity: scroll) { visits, count in
      // A constant dwell is tested once, not at each item.
      if case .constant(let time) = dwell {
        let dwell = Interval(nanoseconds: time) + overhead
        for item in 0..<scroll { visits.initializeElement(at: item, to: Visit(item: item, dwell: dwell)) }
      } else {
        for item in 0..<scroll {
          visits.initializeElement(at: item, to: Visit(item: item, dwell: Interval(nanoseconds: dwell.draw(from: &random)) + overhead))
        }
      }
      count = scroll
    }
  }
}

package struct Visit: Hashable, Sendable, BitwiseCopyable {
  package var item: Int
  package var dwell: Interval

  package init(item: Int, dwell: Interval) { (self.item, self.dwell) = (item, dwell) }
}
