// Moore's and Hodgson's rule: the most jobs that one machine can finish in time.

/// The largest set of jobs that can all be on time on one machine. Jobs come in the order of their due amounts of work.
///
/// J. M. Moore, Management Science 15 (1968), with Hodgson's rule. With a link's raw capacity as the machine, what it gives up are the
/// fewest loaders that any prefetcher could show: latency, connections and pages are ignored.
struct OnTimeSet {
  private struct Job: BitwiseCopyable {
    var volume: Int64
    var place: Int
  }

  private var work: Int128 = 0
  /// A heap of the accepted jobs by volume, and all of them in order with a mark for those given up.
  private var heap: ContiguousArray<Job> = []
  private var jobs: ContiguousArray<(item: Int, isGivenUp: Bool)> = []
  private(set) var givenUpCount = 0

  init(capacity: Int = 0) {
    heap.reserveCapacity(capacity)
    jobs.reserveCapacity(capacity)
  }

  /// The jobs accepted, in the order in which they came.
  var items: ContiguousArray<Int> { ContiguousArray(jobs.lazy.filter { !$0.isGivenUp }.map(\.item)) }

  /// The jobs given up, in the order in which they came.
  var givenUp: ContiguousArray<Int> { ContiguousArray(jobs.lazy.filter(\.isGivenUp).map(\.item)) }

  /// Starts anew, and keeps its memory.
  mutating func removeAll() {
    work = 0
    givenUpCount = 0
    heap.removeAll(keepingCapacity: true)
    jobs.removeAll(keepingCapacity: true)
  }

  /// Adds a job; if the machine cannot do all by then, the largest is given up. O(log jobs).
  mutating func add(_ item: Int, volume: Int64, due: Int128) {
    push(Job(volume: volume, place: jobs.count))
    jobs.append((item, false))
    work += Int128(volume)
    if work > due {
      let largest = popLargest()
      jobs[largest.place].isGivenUp = true
      givenUpCount += 1
      work -= Int128(largest.volume)
    }
  }

  private mutating func push(_ job: Job) {
    heap.append(job)
    var place = heap.count - 1
    while place > 0, heap[(place - 1) / 2].volume < job.volume {
      heap[place] = heap[(place - 1) / 2]
      place = (place - 1) / 2
    }
    heap[place] = job
  }

  private mutating func popLargest() -> Job {
    let largest = heap[0]
    let last = heap.removeLast()
    if heap.isEmpty { return largest }
    var place = 0
    while 2 * place + 1 < heap.count {
      var child = 2 * place + 1
      if child + 1 < heap.count, heap[child + 1].volume > heap[child].volume { child += 1 }
      if heap[child].volume <= last.volume { break }
      heap[place] = heap[child]
      place = child
    }
    heap[place] = last
    return largest
  }
}
