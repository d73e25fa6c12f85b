// A memory of what a window need not look at again.

/// A run of neighbours of which the ready bytes are stored or on the way as a whole.
///
/// A window is looked through anew at each activation, and nearly all of it is covered; with the run remembered, the cost of that
/// does not grow with the window.
struct CoveredItems: BitwiseCopyable {
  private var first = 0
  private var end = 0

  /// The first item at or after `item` that is not known to be covered.
  @inline(__always)
  func next(from item: Int) -> Int { first <= item && item < end ? end : item }

  /// Notes that an item is covered.
  @inline(__always)
  mutating func add(_ item: Int) {
    if item != end { first = item }
    end = item + 1
  }

  /// Notes that an item is not covered any more.
  mutating func remove(_ item: Int) {
    if first <= item && item < end { end = item }
  }
}
