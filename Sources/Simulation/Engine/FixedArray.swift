// Memory of a run that is allocated once: no growth, no copies, no reference counts.

/// A fixed number of trivial values. Bounds are checked in debug builds only: in standard arrays, checks took 2/3 of a session's time.
struct FixedArray<Element: BitwiseCopyable>: ~Copyable {
  let count: Int
  private let base: UnsafeMutablePointer<Element>

  init(repeating value: Element, count: Int) {
    self.init(unsetCount: count)
    base.initialize(repeating: value, count: count)
  }

  init(count: Int, _ value: (Int) -> Element) {
    self.init(unsetCount: count)
    for index in 0..<count { (base + index).initialize(to: value(index)) }
  }

  /// Creates an array whose values are all set before any is read.
  init(unsetCount count: Int) {
    precondition(count >= 0, "a negative number of elements")
    self.count = count
    base = .allocate(capacity: max(1, count))
  }

  deinit { base.deallocate() }

  // Addresses, because `_read` and `_modify` are coroutines when they are not inlined.
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

/// A value in separate memory, so that its owner is small.
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
