// IGListKit's working range: so many items on either side of what is visible, whatever the direction.

/// The items near the screen, and which of them came and went.
package struct WorkingRange: Sendable {
  /// How many items on either side; 0 by default, as in IGListKit.
  package let size: Int
  /// How many items there are.
  package var count: Int
  /// The items in the range now.
  package private(set) var items = 0..<0
  private var visible: [Int] = []

  /// A range of `size` items on either side.
  package init(size: Int = 0, count: Int) {
    self.size = size
    self.count = count
  }

  /// The range around what is visible; empty where nothing is.
  package static func around(_ visible: ClosedRange<Int>, size: Int, count: Int) -> Range<Int> {
    let start = max(visible.lowerBound - size, 0)
    return start..<max(start, min(visible.upperBound + 1 + size, count))
  }

  /// An item comes on screen. Returns the items that entered the range and those that left it. O(size + visible).
  package mutating func display(_ item: Int) -> (entered: [Int], left: [Int]) {
    if !visible.contains(item) { visible.append(item) }
    return update()
  }

  /// An item leaves the screen.
  package mutating func endDisplay(_ item: Int) -> (entered: [Int], left: [Int]) {
    visible.removeAll { $0 == item }
    return update()
  }

  private mutating func update() -> (entered: [Int], left: [Int]) {
    let old = items
    if let first = visible.min(), let last = visible.max() {
      items = WorkingRange.around(first...last, size: size, count: count)
    } else {
      items = 0..<0
    }
    let new = items
    return (new.filter { !old.contains($0) }, old.filter { !new.contains($0) })
  }
}
