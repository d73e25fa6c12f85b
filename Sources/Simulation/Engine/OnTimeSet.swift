// The Moore–Hodgson algorithm: the largest number of jobs that one machine can finish on time.

/// The largest set of jobs that can all be on time on one machine. Jobs are added in the order of their due volumes.
/// With a link's capacity as the machine, the rejected jobs give a lower bound of loaders.
/// Source: J. M. Moore, Management Science 15 (1968).
struct OnTimeSet {
  /// A job in the heap; the largest comes first.
  private struct Job: BitwiseCopyable, Comparable {
    var volume: Int64
    var index: Int

    static func < (left: Job, right: Job) -> Bool { left.volume > right.volume }
  }

  private var work: Int128 = 0
  /// A heap of the accepted jobs by volume, and all jobs in order.
  private var heap = Heap<Job>()
  private var jobs: ContiguousArray<(item: Int, isAgain: Bool, isGivenUp: Bool, isKept: Bool)> = []
  private(set) var givenUpCount = 0

  init(capacity: Int = 0) {
    heap.reserveCapacity(capacity)
    jobs.reserveCapacity(capacity)
  }

  /// The accepted jobs in the order of adding, each with true if its item was rejected before.
  var accepted: ContiguousArray<(item: Int, isAgain: Bool)> {
    ContiguousArray(jobs.lazy.filter { !$0.isGivenUp }.map { ($0.item, $0.isAgain) })
  }

  /// The rejected jobs in the order of adding.
  var givenUp: ContiguousArray<Int> { ContiguousArray(jobs.lazy.filter(\.isGivenUp).map(\.item)) }

  mutating func removeAll() {
    work = 0
    givenUpCount = 0
    heap.removeAll()
    jobs.removeAll(keepingCapacity: true)
  }

  var count: Int { jobs.count }

  /// Adds a job. If the total volume exceeds `due`, the largest job that is not kept is rejected; returns its item. O(log jobs).
  @discardableResult mutating func add(_ item: Int, volume: Int64, due: Int128, isAgain: Bool = false) -> Int? {
    heap.push(Job(volume: volume, index: jobs.count))
    jobs.append((item, isAgain, false, false))
    work += Int128(volume)
    guard work > due, var largest = heap.pop() else { return nil }
    while jobs[largest.index].isKept, let next = heap.pop() { largest = next }
    jobs[largest.index].isGivenUp = true
    givenUpCount += 1
    work -= Int128(largest.volume)
    return jobs[largest.index].item
  }

  /// Keeps an accepted job from being rejected for another.
  mutating func keep(_ index: Int) { jobs[index].isKept = true }
}
