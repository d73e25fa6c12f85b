// Moore's and Hodgson's rule: the most jobs that one machine can finish in time.

/// The largest set of jobs that can all be on time on one machine. Jobs come in the order of their due amounts of work.
struct OnTimeSet {
  private var work: Int128 = 0
  /// A heap of the accepted jobs by volume, and all of them in order with a mark for those given up.
  private var heap: ContiguousArray<(volume: Int128, place: Int)> = []
  private var jobs: ContiguousArray<(item: Int, isGivenUp: Bool)> = []

  /// The jobs accepted, in the order in which they came.
  var items: ContiguousArray<Int> { ContiguousArray(jobs.filter { !$0.isGivenUp }.map(\.item)) }

  /// The jobs given up, in the order in which they came.
  var givenUp: ContiguousArray<Int> { ContiguousArray(jobs.filter(\.isGivenUp).map(\.item)) }

  /// Starts anew, and keeps its memory.
  mutating func removeAll() {
    work = 0
    heap.removeAll(keepingCapacity: true)
    jobs.removeAll(keepingCapacity: true)
  }

  /// Adds a job; if the machine cannot do all by then, the largest is given up. O(log jobs).
  mutating func add(_ item: Int, volume: Int128, due: Int128) {
    push((volume, jobs.count))
    jobs.append((item, false))
    work += volume
    if work > due {
      let largest = popLargest()
      jobs[largest.place].isGivenUp = true
      work -= largest.volume
    }
  }

  private mutating func push(_ job: (volume: Int128, place: Int)) {
    heap.append(job)
    var place = heap.count - 1
    while place > 0, heap[(place - 1) / 2].volume < heap[place].volume {
      heap.swapAt(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
  }

  private mutating func popLargest() -> (volume: Int128, place: Int) {
    heap.swapAt(0, heap.count - 1)
    let largest = heap.removeLast()
    var place = 0
    while 2 * place + 1 < heap.count {
      var child = 2 * place + 1
      if child + 1 < heap.count, heap[child + 1].volume > heap[child].volume { child += 1 }
      if heap[child].volume <= heap[place].volume { break }
      heap.swapAt(child, place)
      place = child
    }
    return largest
  }
}
