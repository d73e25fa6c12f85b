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

  /// Values that are all set before any of them is read: what is set anyway need not be set twice.
  init(unsetCount count: Int) {
    precondition(count >= 0, "a negative number of elements")
    self.count = count
    base = .allocate(capacity: max(1, count))
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

/// A value outside of its owner, which stays small.
struct Box<Value: ~Copyable>: ~Copyable {
  let address: UnsafeMutablePointer<Value>

  init(_ value: consuming Value) {
    address = .allocate(capacity: 1)
    address.initialize(to: value)
  }

  deinit {
    address.deinitialize(count: 1)
    address.deallocate()
  }

  var value: Value {
    @inline(__always) unsafeAddress { UnsafePointer(address) }
    @inline(__always) nonmutating unsafeMutableAddress { address }
  }
}
