// Which repetitions a point has. Mostly they are all up to some number, which takes two numbers to say, however many there are.

/// Repetitions as ranges with gaps between them; memory is by the gaps.
package struct RepetitionSet: Hashable, Sendable {
  private(set) var ranges: [ClosedRange<Int>] = []
  /// How many repetitions.
  private(set) var count = 0

  /// No repetition.
  package init() {}

  /// Puts a repetition in, which is 1 or above; false if it was there. O(1) where they rise, O(gaps) at worst.
  @discardableResult package mutating func insert(_ repetition: Int) -> Bool {
    var place = ranges.count
    while place > 0, ranges[place - 1].upperBound >= repetition - 1 { place -= 1 }
    guard place < ranges.count, ranges[place].lowerBound - 1 <= repetition else {
      ranges.insert(repetition...repetition, at: place)
      count += 1
      return true
    }
    if ranges[place].contains(repetition) { return false }
    let low = min(ranges[place].lowerBound, repetition)
    var high = max(ranges[place].upperBound, repetition)
    if place + 1 < ranges.count, ranges[place + 1].lowerBound - 1 == high {
      high = ranges[place + 1].upperBound
      ranges.remove(at: place + 1)
    }
    ranges[place] = low...high
    count += 1
    return true
  }

  /// What both have. O(gaps).
  package func intersection(_ other: RepetitionSet) -> RepetitionSet {
    var result = RepetitionSet()
    var (mine, its) = (0, 0)
    while mine < ranges.count, its < other.ranges.count {
      let (first, second) = (ranges[mine], other.ranges[its])
      if first.overlaps(second) {
        let shared = first.clamped(to: second)
        result.ranges.append(shared)
        result.count += shared.count
      }
      if first.upperBound < second.upperBound { mine += 1 } else { its += 1 }
    }
    return result
  }

  /// What all have; nothing for no sets.
  package static func common(_ sets: some Sequence<RepetitionSet>) -> RepetitionSet {
    var result: RepetitionSet?
    for set in sets { result = result?.intersection(set) ?? set }
    return result ?? RepetitionSet()
  }

  /// Each of them, rising.
  package var members: [Int] { ranges.flatMap { Array($0) } }
}
