// The waits of a run, and their quantiles without sorting them: a sort of some hundred waits cost more than the session's loop.

/// The waiting times of all viewed items, of which most are zero.
struct WaitTimes: ~Copyable {
  /// Waits added so far, and how many of them are not zero.
  private var count = 0
  private var positiveCount = 0
  private var positive: FixedArray<Int64>
  private var total: Int64 = 0
  private var longest: Int64 = 0
  /// All positive waits before this place are at most as long as those from it on.
  private var settled = 0

  /// Room for `visits` waits.
  init(visits: Int) { positive = FixedArray(repeating: 0, count: visits) }

  /// Adds the wait of one visit, in nanoseconds.
  mutating func add(_ wait: Int64) {
    count += 1
    guard wait > 0 else { return }
    positive[positiveCount] = wait
    positiveCount += 1
    total += wait
    longest = max(longest, wait)
  }

  var meanMs: Double { count == 0 ? 0 : Double(total) / 1e6 / Double(count) }
  var maximumMs: Double { Double(longest) / 1e6 }

  /// The nearest-rank quantile in milliseconds. Quantiles are asked for in ascending order. O(waits), as long as nobody
  /// arranges them against the choice of the pivot.
  mutating func quantileMs(_ percent: Int) -> Double {
    let rank = (count * percent + 99) / 100
    let place = rank - 1 - (count - positiveCount)
    return place < 0 ? 0 : Double(select(place)) / 1e6
  }

  /// The value that would stand at `place` if the positive waits were sorted: quickselect (C. A. R. Hoare, CACM 4, 1961).
  private mutating func select(_ place: Int) -> Int64 {
    precondition(place >= settled, "quantiles are asked for in ascending order")
    var low = settled
    var high = positiveCount - 1
    while low < high {
      let pivot = medianOfThree(positive[low], positive[(low + high) / 2], positive[high])
      let (left, right) = partition(low, high, around: pivot)
      if place <= right {
        high = right
      } else if place >= left {
        low = left
      } else {
        break
      }
    }
    settled = place
    return positive[place]
  }

  /// Moves what is below the pivot to the front and what is above it to the back; what is between the two results equals it.
  private mutating func partition(_ low: Int, _ high: Int, around pivot: Int64) -> (left: Int, right: Int) {
    var left = low
    var right = high
    while left <= right {
      while positive[left] < pivot { left += 1 }
      while positive[right] > pivot { right -= 1 }
      if left <= right {
        (positive[left], positive[right]) = (positive[right], positive[left])
        left += 1
        right -= 1
      }
    }
    return (left, right)
  }

  private func medianOfThree(_ a: Int64, _ b: Int64, _ c: Int64) -> Int64 { max(min(a, b), min(max(a, b), c)) }
}
