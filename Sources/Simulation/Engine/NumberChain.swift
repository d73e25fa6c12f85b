// The numbers of transfers, kept in order without searching or moving any.

/// Some of the numbers 0 ..< `capacity`, each once, in the order in which they were appended.
///
/// Each number knows its neighbours, so that one is removed without looking for its place and without moving the others: the search and
/// the moves of a list were loops of a few rounds that no processor could predict, 1200 wrong guesses a session of 1000 items.
struct NumberChain: ~Copyable {
  struct Neighbours: BitwiseCopyable {
    var next: Int32
    var previous: Int32
  }

  /// Stands after the last number and before the first, so that neither is a case of its own.
  let end: Int
  private var neighbours: FixedArray<Neighbours>

  init(capacity: Int) {
    end = capacity
    neighbours = FixedArray(repeating: Neighbours(next: Int32(capacity), previous: Int32(capacity)), count: capacity + 1)
  }

  /// The first number; `end` if there is none.
  var first: Int { @inline(__always) get { Int(neighbours[end].next) } }
  var isEmpty: Bool { @inline(__always) get { first == end } }

  /// The number after one that is in the chain; `end` after the last.
  @inline(__always)
  func next(after number: Int) -> Int { Int(neighbours[number].next) }

  /// Appends a number that is not in the chain.
  @inline(__always)
  mutating func append(_ number: Int) {
    assert(!contains(number), "\(number) is in the chain already")
    let last = neighbours[end].previous
    neighbours[number] = Neighbours(next: Int32(truncatingIfNeeded: end), previous: last)
    neighbours[Int(last)].next = Int32(truncatingIfNeeded: number)
    neighbours[end].previous = Int32(truncatingIfNeeded: number)
  }

  /// Removes a number that is in the chain.
  @inline(__always)
  mutating func remove(_ number: Int) {
    assert(contains(number), "\(number) is not in the chain")
    let beside = neighbours[number]
    neighbours[Int(beside.previous)].next = beside.next
    neighbours[Int(beside.next)].previous = beside.previous
  }

  /// Removes and returns the first number; there is one.
  @inline(__always)
  mutating func removeFirst() -> Int {
    let number = first
    remove(number)
    return number
  }

  /// Whether a number is in the chain. O(numbers in it).
  func contains(_ number: Int) -> Bool {
    var one = first
    while one != end {
      if one == number { return true }
      one = next(after: one)
    }
    return false
  }
}

/// The numbers 0 ..< `capacity`, each in use or free; those in use in the order in which they were taken.
struct NumberPool: ~Copyable {
  let capacity: Int
  private(set) var count = 0
  private var used: NumberChain
  /// The free ones, from `count` on.
  private var free: FixedArray<Int>

  init(capacity: Int) {
    self.capacity = capacity
    used = NumberChain(capacity: capacity)
    free = FixedArray(count: capacity) { $0 }
  }

  var isEmpty: Bool { @inline(__always) get { count == 0 } }
  var isFull: Bool { @inline(__always) get { count == capacity } }

  /// The number that has been in use for longest; `end` if there is none.
  var oldest: Int { @inline(__always) get { used.first } }
  /// What stands after the latest one.
  var end: Int { @inline(__always) get { used.end } }

  /// The number taken after one that is in use; `end` after the latest.
  @inline(__always)
  func next(after number: Int) -> Int { used.next(after: number) }

  /// A free number, the one given back last; there is one.
  @inline(__always)
  mutating func take() -> Int {
    let number = free[count]
    count &+= 1
    used.append(number)
    return number
  }

  /// Gives back a number that is in use.
  @inline(__always)
  mutating func release(_ number: Int) {
    count &-= 1
    free[count] = number
    used.remove(number)
  }
}
