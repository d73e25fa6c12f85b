// The seed of each repetition: rows are paired by repetition, and only rows of one seed met the same feed, network and scroll script.

/// The seeds of a table's repetitions, each with the line where it first stands.
package struct RepetitionSeeds: Sendable {
  /// By repetition, from 1 without gaps.
  private var dense: [(seed: UInt64, line: Int)] = []
  /// The others.
  private var sparse: [Int: (seed: UInt64, line: Int)] = [:]

  package init() {}

  /// Takes a row's seed; returns the other seed of its repetition and the line of that, if there is one. O(1).
  package mutating func add(_ seed: UInt64, repetition: Int, line: Int = 0) -> (seed: UInt64, line: Int)? {
    if repetition <= dense.count {
      let known = dense[repetition - 1]
      return known.seed == seed ? nil : known
    }
    if let known = sparse[repetition] { return known.seed == seed ? nil : known }
    if repetition == dense.count + 1 { dense.append((seed, line)) } else { sparse[repetition] = (seed, line) }
    return nil
  }
}
