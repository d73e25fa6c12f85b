// The queue of everything that waits in order and is not in the innermost loop, which has Ring.

/// A first-in-first-out queue. Removed values leave the memory together, so that each operation is O(1) on average.
struct Queue<Element> {
  private var elements: [Element] = []
  private var head = 0

  var isEmpty: Bool { head == elements.count }
  var count: Int { elements.count - head }
  var first: Element? { head < elements.count ? elements[head] : nil }
  var values: ArraySlice<Element> { elements[head...] }

  /// A value by its position, 0 for the first.
  subscript(position: Int) -> Element {
    get { elements[head + position] }
    _modify { yield &elements[head + position] }
  }

  mutating func append(_ element: Element) { elements.append(element) }

  /// Removes and returns the first value; there is one.
  @discardableResult mutating func removeFirst() -> Element {
    let element = elements[head]
    removeFirst(1)
    return element
  }

  mutating func removeFirst(_ count: Int) {
    head += count
    if head == elements.count {
      removeAll()
    } else if head >= 64, head > elements.count / 2 {
      elements.removeFirst(head)
      head = 0
    }
  }

  /// Removes all values; keeps the memory.
  mutating func removeAll() {
    elements.removeAll(keepingCapacity: true)
    head = 0
  }

  /// Removes the values that meet a condition. O(count).
  mutating func removeAll(where isRemoved: (Element) -> Bool) {
    elements.removeFirst(head)
    head = 0
    elements.removeAll(where: isRemoved)
  }
}
