// Equal shares for the next few items, round after round.

/// Some bytes of each of the next items in order, then as much again of each, until all of them are complete.
package struct RoundsWindow: PrefetchWindow {
  /// How many items ahead.
  package var ahead: Int
  /// The bytes of one round.
  package var bytes: Int64

  /// Rounds of `bytes` over `ahead` items.
  package init(ahead: Int, bytes: Int64) {
    self.ahead = ahead
    self.bytes = bytes
  }

  /// The rounds in order; the amount of each is its own.
  package func want(_ view: borrowing FeedView, amount: PrefetchAmount, into plan: inout Plan) {
    let first = view.activeItem + 1
    let items = first..<max(first, min(first + ahead, view.items.count))
    var largest: Int64 = 0
    for item in items { largest = max(largest, view.items[item].bytes) }
    var round: Int64 = 1
    // A round is at least a byte, and a few hundred rounds are more than any plan needs.
    while (round - 1) * bytes < largest, round <= 200 {
      PrefetchAmount.bytes(round * bytes).want(items, view, priority: Int(round), into: &plan)
      round += 1
    }
  }
}
