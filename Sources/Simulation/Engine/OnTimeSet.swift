// The Moore–Hodgson algorithm: the largest number of jobs that one machine can finish on time.

/// The largest set of jobs that can all be on time on one machine. Jobs are added in the order of their due volumes.
/// With a link's capacity as the machine, the rejected jobs give a lower bound of loaders.
/// Source: J. M. Moore, Management Science 15 (1968).
struct OnTimeSet {
  private struct Job: BitwiseCopyable {
    var volume: Int64
    var index: Int
  }

  private var work: Int128 = 0
  /// A heap of the accepted jobs by volume, and all jobs in order.
  private var heap: ContiguousArray<Job> = []
  private var jobs: ContiguousArray<(item: Int, isAgain: Bool, isGivenUp: Bool, isKept: Bool)> = []
  private(set) var givenUpCount = 0

  init(capacity: Int = 0) {
    heap.reserveCapacity(capacity)
    jobs.reserveCapacity(capacity)
  }

  /// The accepted jobs in the order of adding.
  var items: ContiguousArray<Int> { ContiguousArray(jobs.lazy.filter { !$0.isGivenUp }.map(\.item)) }

  /// The accepted jobs in the order of adding, each with true if its item was rejected before.
  var accepted: ContiguousArray<(item: Int, isAgain: Bool)> {
    ContiguousArray(jobs.lazy.filter { !$0.isGivenUp }.map { ($0.item, $0.isAgain) })
  }

  /// The rejected jobs in the order of adding.
  var givenUp: ContiguousArray<Int> { ContiguousArray(jobs.lazy.filter(\.isGivenUp).map(\.item)) }

  /// Removes all jobs and keeps the memory.
  mutating func removeAll() {
    work = 0
    givenUpCount = 0
    heap.removeAll(keepingCapacity: true)
    jobs.removeAll(keepingCapacity: true)
  }

  /// The number of jobs added, the index of the next one.
  var count: Int { jobs.count }

  /// Adds a job. If the total volume exceeds `due`, the largest job that is not kept is rejected; returns its item. O(log jobs).
  @discardableResult
  mutating func add(_ item: Int, volume: Int64, due: Int128, isAgain: Bool = false) -> Int? {
    push(Job(volume: volume, index: jobs.count))
    jobs.append((item, isAgain, false, false))
    work += Int128(volume)
    guard work > due else { return nil }
    var largest = popLargest()
    while jobs[largest.index].isKept { largest = popLargest() }
    jobs[largest.index].isGivenUp = true
    givenUpCount += 1
    work -= Int128(largest.volume)
    return jobs[largest.index].item
  }

  /// Keeps an accepted job from being rejected for another.
  mutating func keep(_ index: Int) { jobs[index].isKept = true }

  private mutating func push(_ job: Job) {
    heap.append(job)
    var slot = heap.count - 1
    while slot > 0, heap[(slot - 1) / 2].volume < job.volume {
      heap[slot] = heap[(slot - 1) / 2]
      slot = (slot - 1) / 2
    }
    heap[slot] = job
  }

  private mutating func popLargest() -> Job {
    let largest = heap[0]
    let last = heap.removeLast()
    if heap.isEmpty { return largest }
    var slot = 0
    while 2 * slot + 1 < heap.count {
      var child = 2 * slot + 1
      if child + 1 < heap.count, heap[child + 1].volume > heap[child].volume { child += 1 }
      if heap[child].volume <= last.volume { break }
      heap[slot] = heap[child]
      slot = child
    }
    heap[slot] = last
    return largest
  }
}
