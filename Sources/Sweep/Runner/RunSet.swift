// A bit a run: which are done.

/// A set of whole numbers below a limit; one bit each.
package struct RunSet: Sendable {
  private var words: [UInt64]
  /// How many are in it.
  private(set) var count = 0

  /// An empty set of numbers below `limit`.
  package init(limit: Int) { words = [UInt64](repeating: 0, count: (limit + 63) / 64) }

  /// Whether a number is in the set.
  package func contains(_ number: Int) -> Bool { words[number >> 6] >> UInt64(number & 63) & 1 == 1 }

  /// How many are from `first` on.
  package func count(from first: Int) -> Int {
    (first..<words.count * 64).reduce(0) { $0 + (contains($1) ? 1 : 0) }
  }

  /// Puts a number in; false if it was there.
  @discardableResult package mutating func insert(_ number: Int) -> Bool {
    if contains(number) { return false }
    words[number >> 6] |= 1 << UInt64(number & 63)
    count += 1
    return true
  }
}
