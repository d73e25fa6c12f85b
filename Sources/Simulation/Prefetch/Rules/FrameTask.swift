// RecyclerView's work between two frames: which rows are prepared, and in which order.

/// One row that RecyclerView's gap worker could prepare.
package struct FrameTask: Hashable, Sendable {
  /// Whether it still has a list to belong to; those that have none come last.
  package var hasView: Bool
  /// Whether the next frame shows it: its distance is no longer than the last movement.
  package var isNeededNextFrame: Bool
  /// How fast its list moves, in pixels a frame.
  package var velocity: Int
  /// How far it is from the screen, in pixels.
  package var distance: Int

  /// A task of the given urgency.
  package init(hasView: Bool = true, isNeededNextFrame: Bool, velocity: Int = 0, distance: Int = 0) {
    self.hasView = hasView
    self.isNeededNextFrame = isNeededNextFrame
    self.velocity = velocity
    self.distance = distance
  }

  /// A task of a list that moved by (`dx`, `dy`) in its last frame.
  package init(distance: Int, dx: Int, dy: Int) {
    let velocity = abs(dx) + abs(dy)
    self.init(isNeededNextFrame: distance <= velocity, velocity: velocity, distance: distance)
  }

  /// Whether this one comes before another: needed in the next frame, then of the faster list, then the nearer.
  package func precedes(_ other: FrameTask) -> Bool {
    if hasView != other.hasView { return hasView }
    if isNeededNextFrame != other.isNeededNextFrame { return isNeededNextFrame }
    return velocity != other.velocity ? velocity > other.velocity : distance < other.distance
  }

  /// Tasks in their order; equal ones keep theirs.
  package static func sorted(_ tasks: [FrameTask]) -> [FrameTask] {
    tasks.enumerated().sorted { left, right in
      left.element.precedes(right.element) || (!right.element.precedes(left.element) && left.offset < right.offset)
    }.map(\.element)
  }

  /// The items that a layout prepares after a movement of `delta`: one row beyond the screen, which is `span` items wide, nearest first.
  package static func prefetched(visible: ClosedRange<Int>, delta: Int, span: Int = 1, count: Int) -> [Int] {
    guard delta != 0 else { return [] }
    let candidates = (1...max(1, span)).map { delta > 0 ? visible.upperBound + $0 : visible.lowerBound - $0 }
    return candidates.filter { 0 <= $0 && $0 < count }
  }
}
