// Memory for values with ascending numbers that leave in about that order: packets on a link, segments in flight.
// Its owner frees it and keeps the bounds: arrays and their checks cost the loop of the packet transport too much.

/// A ring of trivial values by number. Neighbouring numbers have room, `capacity` of them; the owner knows which are in use.
struct Ring<Element: BitwiseCopyable> {
  private var base: UnsafeMutablePointer<Element>
  private var mask: Int

  /// Creates memory whose values are all set before any is read; `capacity` is a power of two.
  init(capacity: Int) {
    precondition(capacity > 0 && capacity & (capacity - 1) == 0, "the capacity of a ring is a power of two")
    base = .allocate(capacity: capacity)
    mask = capacity - 1
  }

  func deallocate() { base.deallocate() }

  var capacity: Int { mask + 1 }

  /// True if `count` values in use leave no room for another.
  @inline(__always) func isFull(_ count: Int) -> Bool { count > mask }

  /// Returns the address of a value; it is valid until the ring grows.
  @inline(__always) func address(of number: Int) -> UnsafeMutablePointer<Element> { base + (number & mask) }

  subscript(number: Int) -> Element {
    @inline(__always) unsafeAddress { UnsafePointer(base + (number & mask)) }
    @inline(__always) nonmutating unsafeMutableAddress { base + (number & mask) }
  }

  /// Doubles the memory and keeps the values of some numbers. O(numbers).
  @inline(never) mutating func grow(keeping numbers: Range<Int>) {
    assert(numbers.count <= capacity, "\(numbers.count) values in a ring of \(capacity)")
    let larger = Ring(capacity: capacity * 2)
    for number in numbers { larger.address(of: number).initialize(to: self[number]) }
    base.deallocate()
    self = larger
  }
}
