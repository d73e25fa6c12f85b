// The waits of a run and their quantiles. Quickselect replaces a sort, which cost more than the session's loop.

/// The waiting times of all viewed items. Most are zero.
struct WaitTimes: ~Copyable {
  /// The number of waits added, and of those above zero.
  private(set) var count = 0
  private var positiveCount = 0
  private var positive: FixedArray<Int64>
  private var total: Int64 = 0
  private var longest: Int64 = 0
  /// The positive waits before this index are at most as long as those from it on.
  private var settled = 0

  init(visits: Int) { positive = FixedArray(repeating: 0, count: visits) }

  /// Adds the wait of one visit, in nanoseconds.
  mutating func add(_ wait: Int64) {
    count += 1
    positive[positiveCount] = wait
    positiveCount += wait > 0 ? 1 : 0
    total += wait
    longest = max(longest, wait)
  }

  var meanMs: Double { count == 0 ? 0 : Double(total) / 1e6 / Double(count) }
  var maximumMs: Double { Double(longest) / 1e6 }

  /// Returns the nearest-rank quantile in milliseconds. Calls must be in ascending order of `percent`. O(waits) on average.
  mutating func quantileMs(_ percent: Int) -> Double {
    let rank = (count * percent + 99) / 100
    let index = rank - 1 - (count - positiveCount)
    return index < 0 ? 0 : Double(select(index)) / 1e6
  }

  /// Returns the value at `index` of the sorted positive waits: quickselect (C. A. R. Hoare, CACM 4, 1961).
  private mutating func select(_ index: Int) -> Int64 {
    precondition(index >= settled, "quantiles must be requested in ascending order")
    var low = settled
    var end = positiveCount
    while end - low > 1 {
      let pivot = medianOfThree(positive[low], positive[(low + end) / 2], positive[end - 1])
      let equal = split(low..<end, below: pivot)
      if index < equal {
        end = equal
        continue
      }
      // Many waits are equal: an item that never arrives waits for its whole dwell.
      let above = split(equal..<end, below: pivot + 1)
      if index < above {
        low = index
        break
      }
      low = above
    }
    settled = index
    return positive[index]
  }

  /// Moves the waits below a limit to the front of a range and returns the index of the first other one.
  /// Swaps without a branch, which no processor could predict (N. Lomuto's partition).
  private mutating func split(_ range: Range<Int>, below limit: Int64) -> Int {
    var front = range.lowerBound
    for index in range {
      let wait = positive[index]
      positive[index] = positive[front]
      positive[front] = wait
      front += wait < limit ? 1 : 0
    }
    return front
  }

  private func medianOfThree(_ a: Int64, _ b: Int64, _ c: Int64) -> Int64 { max(min(a, b), min(max(a, b), c)) }
}
