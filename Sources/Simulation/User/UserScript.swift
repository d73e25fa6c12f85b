// What the scripted user does: which items become active, and for how long.

/// A scripted user: so many items one after another, or the steps of a script.
package struct UserScript: Hashable, Sendable {
  /// How many items are viewed where there are no steps.
  package var scroll: Int
  /// How long each stays active, in nanoseconds.
  package var dwell: Distribution
  /// How long each kind stays active, in the order of `ItemKind`, where that differs; empty where it does not.
  package var dwellByKind: [Distribution] = []
  /// If set, the dwell starts when the item is ready, and the user leaves after so long if it never is.
  package var patience: Interval?
  /// What comes to each stay from whatever drives the user, such as a UI test that waits for the app to rest before it scrolls on.
  package var overhead: Interval = .zero
  /// How long the content moves from one item to the next, in nanoseconds: it begins so long before the stay ends.
  package var swipe: Interval = .zero
  /// What the user does; empty for `scroll` items one after another.
  package var steps: [ScriptStep] = []
  /// The stays of a recorded session, which are played as they were; empty where there is none.
  package var recording: ContiguousArray<Visit> = []

  package init(scroll: Int, dwell: Distribution, patience: Interval? = nil) {
    self.scroll = scroll
    self.dwell = dwell
    self.patience = patience
  }

  package var isConstant: Bool {
    if !recording.isEmpty { return true }
    return dwell.isConstant && dwellByKind.allSatisfy(\.isConstant) && steps.allSatisfy(\.isConstant)
  }

  /// The visits of one run without steps, by one dwell for all kinds.
  package func visits(random: inout RandomStream) -> ContiguousArray<Visit> {
    // The usual case is recognised once, not at each item.
    if case .constant(let time) = dwell {
      let dwell = Interval(nanoseconds: time) + overhead
      return ContiguousArray(unsafeUninitializedCapacity: scroll) { visits, count in
        for item in 0..<scroll { visits.initializeElement(at: item, to: Visit(item: item, dwell: dwell)) }
        count = scroll
      }
    }
    return ContiguousArray(unsafeUninitializedCapacity: scroll) { visits, count in
      for item in 0..<scroll {
        visits.initializeElement(at: item, to: Visit(item: item, dwell: Interval(nanoseconds: dwell.draw(from: &random)) + overhead))
      }
      count = scroll
    }
  }
}

/// One stay at one item.
package struct Visit: Hashable, Sendable, BitwiseCopyable {
  package var item: Int
  package var dwell: Interval

  package init(item: Int, dwell: Interval) {
    self.item = item
    self.dwell = dwell
  }
}
