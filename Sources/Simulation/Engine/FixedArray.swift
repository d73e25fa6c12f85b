// Storage of a run that is allocated once: no growth, no copies, no reference counts in the loop.

/// A fixed number of plain values in memory of their own.
///
/// The loop of a session touches its state some ten times an event; with the standard arrays, uniqueness and bounds checks
/// took two thirds of its time (measured). Bounds are checked in debug builds, where all tests run.
struct FixedArray<Element: BitwiseCopyable>: ~Copyable {
  let count: Int
  private let base: UnsafeMutablePointer<Element>

  init(repeating value: Element, count: Int) {
    precondition(count >= 0, "a negative number of elements")
    self.count = count
    base = .allocate(capacity: max(1, count))
    base.initialize(repeating: value, count: count)
  }

  init(count: Int, _ value: (Int) -> Element) {
    precondition(count >= 0, "a negative number of elements")
    self.count = count
    base = .allocate(capacity: max(1, count))
    for index in 0..<count { (base + index).initialize(to: value(index)) }
  }

  deinit { base.deallocate() }

  // Addresses rather than `_read` and `_modify`, which are coroutines where they are not inlined.
  subscript(index: Int) -> Element {
    @inline(__always) unsafeAddress {
      assert(0 <= index && index < count, "index \(index) of \(count)")
      return UnsafePointer(base + index)
    }
    @inline(__always) unsafeMutableAddress {
      assert(0 <= index && index < count, "index \(index) of \(count)")
      return base + index
    }
  }
}

/// An ordered list of a few plain values with a fixed room.
struct ShortList: ~Copyable {
  private(set) var count = 0
  private var values: FixedArray<Int>

  init(capacity: Int) { values = FixedArray(repeating: 0, count: capacity) }

  var isEmpty: Bool { @inline(__always) get { count == 0 } }

  subscript(index: Int) -> Int { @inline(__always) get { values[index] } }

  @inline(__always)
  mutating func append(_ value: Int) {
    values[count] = value
    count += 1
  }

  /// Removes and returns the last value; the list is not empty.
  @inline(__always)
  mutating func removeLast() -> Int {
    count -= 1
    return values[count]
  }

  /// Removes the value at a place and keeps the order of the rest. O(count).
  @inline(__always)
  mutating func remove(at index: Int) {
    count -= 1
    var next = index
    while next < count {
      values[next] = values[next + 1]
      next += 1
    }
  }

  /// The place of a value that is in the list. O(count).
  @inline(__always)
  func index(of value: Int) -> Int {
    var index = 0
    while index < count, values[index] != value { index += 1 }
    precondition(index < count, "\(value) is not in the list")
    return index
  }
}

/// The numbers 0 ..< `capacity`, each in use or free; those in use in the order in which they were taken.
///
/// One array holds both, the free ones behind the others: to take or give back the last is one count.
struct NumberPool: ~Copyable {
  /// How many are in use.
  private(set) var count = 0
  private var values: FixedArray<Int>

  init(capacity: Int) {
    values = FixedArray(repeating: 0, count: capacity)
    for number in 0..<capacity { values[number] = number }
  }

  var isEmpty: Bool { @inline(__always) get { count == 0 } }
  var isFull: Bool { @inline(__always) get { count == values.count } }
  var capacity: Int { @inline(__always) get { values.count } }

  /// The numbers in use, oldest first.
  subscript(index: Int) -> Int { @inline(__always) get { values[index] } }

  /// A free number, the one given back last; there is one.
  @inline(__always)
  mutating func take() -> Int {
    count += 1
    return values[count - 1]
  }

  /// Gives back the number at a place and keeps the order of the rest. O(count).
  @inline(__always)
  mutating func giveBack(at index: Int) {
    let number = values[index]
    count -= 1
    var next = index
    while next < count {
      values[next] = values[next + 1]
      next += 1
    }
    values[count] = number
  }

  /// The place of a number that is in use. O(count).
  @inline(__always)
  func index(of number: Int) -> Int {
    var index = 0
    while index < count, values[index] != number { index += 1 }
    precondition(index < count, "\(number) is not in use")
    return index
  }
}
