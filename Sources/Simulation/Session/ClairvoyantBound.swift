// How few loaders any prefetcher could have shown: the gap to it is what tuning could still gain.

/// The fewest late items of a run, for someone who knew everything from the start.
///
/// Each item is a job of its ready bytes, due at its activation, on a machine that works at the link's raw capacity. The
/// minimum number of late jobs on one machine: J. M. Moore, Management Science 15 (1968), with Hodgson's rule. O(n log n).
/// Latency, connections and pages are ignored, so no prefetcher on that link does better.
struct ClairvoyantBound {
  private var accepted = MaximumHeap()
  private var work: Int128 = 0
  private(set) var late = 0

  /// Adds the next job; jobs come in the order of their due capacity.
  mutating func add(volume: Int64, due: Int128) {
    accepted.insert(volume)
    work += Int128(volume)
    if work > due {
      work -= Int128(accepted.removeMaximum())
      late += 1
    }
  }
}

/// A binary heap of whole numbers that gives back the largest.
struct MaximumHeap {
  private var values: ContiguousArray<Int64> = []

  mutating func insert(_ value: Int64) {
    values.append(value)
    var child = values.count - 1
    while child > 0, values[(child - 1) / 2] < values[child] {
      values.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  /// The heap is not empty.
  mutating func removeMaximum() -> Int64 {
    let maximum = values[0]
    let last = values.removeLast()
    guard !values.isEmpty else { return maximum }
    values[0] = last
    var parent = 0
    while true {
      var largest = parent
      let left = 2 * parent + 1
      if left < values.count, values[left] > values[largest] { largest = left }
      if left + 1 < values.count, values[left + 1] > values[largest] { largest = left + 1 }
      if largest == parent { return maximum }
      values.swapAt(parent, largest)
      parent = largest
    }
  }
}
