// How few loaders any prefetcher could have shown: the gap to it is what tuning could still gain.

/// The fewest late items of a run, for someone who knew everything from the start.
///
/// Each item is a job of its ready bytes, due at its activation, on a machine that works at the link's raw capacity. The
/// minimum number of late jobs on one machine: J. M. Moore, Management Science 15 (1968), with Hodgson's rule. O(n log n).
/// Latency, connections and pages are ignored, so no prefetcher on that link does better.
struct ClairvoyantBound: ~Copyable {
  private var accepted: MaximumHeap
  private var work: Int128 = 0
  private(set) var late = 0

  /// A bound over at most `jobs` jobs.
  init(jobs: Int) { accepted = MaximumHeap(capacity: jobs) }

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
struct MaximumHeap: ~Copyable {
  private var count = 0
  private var values: FixedArray<Int64>

  /// An empty heap with room for `capacity` numbers.
  init(capacity: Int) { values = FixedArray(repeating: 0, count: capacity) }

  mutating func insert(_ value: Int64) {
    var place = count
    count += 1
    while place > 0, values[(place - 1) / 2] < value {
      values[place] = values[(place - 1) / 2]
      place = (place - 1) / 2
    }
    values[place] = value
  }

  /// The heap is not empty.
  mutating func removeMaximum() -> Int64 {
    let maximum = values[0]
    count -= 1
    let last = values[count]
    var place = 0
    while 2 * place + 1 < count {
      var child = 2 * place + 1
      if child + 1 < count, values[child + 1] > values[child] { child += 1 }
      if values[child] <= last { break }
      values[place] = values[child]
      place = child
    }
    values[place] = last
    return maximum
  }
}
