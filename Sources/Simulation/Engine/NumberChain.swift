// Ordered sets and pools of transfer numbers, without searching or moving elements.

/// A doubly linked list of some of the numbers 0 ..< `capacity`, in the order of appending.
/// Removal needs no search: loops of a few rounds cost more by mispredicted branches than the links do.
struct NumberChain: ~Copyable {
  struct Neighbours: BitwiseCopyable { var next: Int32, previous: Int32 }

  /// The sentinel after the last number and before the first.
  let end: Int
  private var neighbours: FixedArray<Neighbours>

  init(capacity: Int) {
    end = capacity
    neighbours = FixedArray(repeating: Neighbours(next: Int32(capacity), previous: Int32(capacity)), count: capacity + 1)
  }

  /// The first number; `end` if there is none.
  var first: Int { @inline(__always) get { Int(neighbours[end].next) } }
  var isEmpty: Bool { @inline(__always) get { first == end } }

  /// Returns the number after one in the list; `end` after the last.
  @inline(__always) func next(after number: Int) -> Int { Int(neighbours[number].next) }

  @inline(__always) mutating func append(_ number: Int) {
    assert(!contains(number), "\(number) is in the chain already")
    let last = neighbours[end].previous
    neighbours[number] = Neighbours(next: Int32(truncatingIfNeeded: end), previous: last)
    neighbours[Int(last)].next = Int32(truncatingIfNeeded: number)
    neighbours[end].previous = Int32(truncatingIfNeeded: number)
  }

  @inline(__always) mutating func remove(_ number: Int) {
    assert(contains(number), "\(number) is not in the chain")
    let neighbour = neighbours[number]
    neighbours[Int(neighbour.previous)].next = neighbour.next
    neighbours[Int(neighbour.next)].previous = neighbour.previous
  }

  /// Removes and returns the first number; there is one.
  @inline(__always) mutating func removeFirst() -> Int {
    let number = first
    remove(number)
    return number
  }

  /// True if a number is in the list. O(count).
  func contains(_ number: Int) -> Bool {
    var one = first
    while one != end {
      if one == number { return true }
      one = next(after: one)
    }
    return false
  }
}

/// The numbers 0 ..< `capacity`, each allocated or free; allocated ones in the order of allocation.
struct NumberPool: ~Copyable {
  let capacity: Int
  private(set) var count = 0
  private var used: NumberChain
  /// The free numbers, from index `count` on.
  private var free: FixedArray<Int>

  init(capacity: Int) {
    self.capacity = capacity
    used = NumberChain(capacity: capacity)
    free = FixedArray(count: capacity) { $0 }
  }

  var isEmpty: Bool { @inline(__always) get { count == 0 } }
  var isFull: Bool { @inline(__always) get { count == capacity } }

  /// The number allocated first of those in use; `end` if there is none.
  var oldest: Int { @inline(__always) get { used.first } }
  var end: Int { @inline(__always) get { used.end } }

  /// Returns the number allocated after one in use; `end` after the latest.
  @inline(__always) func next(after number: Int) -> Int { used.next(after: number) }

  /// Calls `body` with each number in use, oldest first.
  @inline(__always) func forEach(_ body: (Int) -> Void) {
    var number = oldest
    while number != end {
      body(number)
      number = next(after: number)
    }
  }

  /// Allocates the free number that was released last; there is one.
  @inline(__always) mutating func allocate() -> Int {
    let number = free[count]
    count &+= 1
    used.append(number)
    return number
  }

  @inline(__always) mutating func release(_ number: Int) {
    count &-= 1
    free[count] = number
    used.remove(number)
  }
}
