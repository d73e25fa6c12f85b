// What the standard library lacks for values in order: a heap, and the search in a sorted collection.

/// A binary heap of which the lowest value comes first.
struct Heap<Element: Comparable & Sendable>: Sendable {
  private var slots: ContiguousArray<Element> = []

  var first: Element? { slots.first }

  mutating func reserveCapacity(_ count: Int) { slots.reserveCapacity(count) }

  mutating func removeAll() { slots.removeAll(keepingCapacity: true) }

  /// Adds a value. O(log count).
  mutating func push(_ value: Element) {
    slots.append(value)
    var slot = slots.count - 1
    while slot > 0, slots[(slot - 1) / 2] > value {
      slots[slot] = slots[(slot - 1) / 2]
      slot = (slot - 1) / 2
    }
    slots[slot] = value
  }

  /// Removes and returns the lowest value; nil if there is none. O(log count).
  @discardableResult mutating func pop() -> Element? {
    guard let lowest = slots.first else { return nil }
    let last = slots.removeLast()
    if slots.isEmpty { return lowest }
    var slot = 0
    while 2 * slot + 1 < slots.count {
      var child = 2 * slot + 1
      if child + 1 < slots.count, slots[child + 1] < slots[child] { child += 1 }
      if slots[child] >= last { break }
      slots[slot] = slots[child]
      slot = child
    }
    slots[slot] = last
    return lowest
  }
}

extension RandomAccessCollection where Index == Int {
  /// Returns the first index whose element meets a condition that all later ones meet too; the end if none does. O(log count).
  @inline(__always) func partitioningIndex(where isInSecondPart: (Element) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = (low + high) / 2
      if isInSecondPart(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
