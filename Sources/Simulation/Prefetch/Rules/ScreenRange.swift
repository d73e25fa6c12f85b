// How far a window reaches beyond the screen, in screens, more to the side that the user moves to.

/// The ways in which a list moves, or can move.
package struct ScrollDirections: OptionSet, Hashable, Sendable {
  /// One bit a direction.
  package let rawValue: UInt8

  /// Directions from their bits.
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// To the head of a vertical list.
  package static let up = ScrollDirections(rawValue: 1)
  /// To its tail.
  package static let down = ScrollDirections(rawValue: 2)
  /// To the left.
  package static let left = ScrollDirections(rawValue: 4)
  /// To the right.
  package static let right = ScrollDirections(rawValue: 8)
  /// Both ways up and down.
  package static let vertical: ScrollDirections = [.up, .down]
  /// Both ways left and right.
  package static let horizontal: ScrollDirections = [.left, .right]
}

/// A rectangle in points.
package struct Rectangle: Hashable, Sendable {
  /// Its corner at the head, and its size.
  package var x: Double, y: Double, width: Double, height: Double

  /// A rectangle of the given corner and size.
  package init(x: Double, y: Double, width: Double, height: Double) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  /// Whether it has no area.
  package var isEmpty: Bool { width <= 0 || height <= 0 }

  /// Whether the two share more than an edge.
  package func intersects(_ other: Rectangle) -> Bool {
    x < other.x + other.width && other.x < x + width && y < other.y + other.height && other.y < y + height
  }
}

/// How far a window reaches beyond the screen, as Texture counts it: so many screens to the side that the user moves to, so
/// many to the other. A side that the user does not move to is the trailing one; without any movement the leading screens lie
/// towards the head.
package struct ScreenRange: Hashable, Sendable {
  /// Screens on the side that the user moves to.
  package var leading: Double
  /// Screens on the other side.
  package var trailing: Double

  /// A range of so many screens.
  package init(leading: Double, trailing: Double) {
    self.leading = leading
    self.trailing = trailing
  }

  /// The screen, made larger along the ways in which the list can scroll.
  package func expanded(_ screen: Rectangle, scrollable: ScrollDirections, moving: ScrollDirections) -> Rectangle {
    var rectangle = screen
    if !scrollable.isDisjoint(with: .horizontal) {
      (rectangle.x, rectangle.width) = stretched(from: screen.x, length: screen.width, isToTail: moving.contains(.right))
    }
    if !scrollable.isDisjoint(with: .vertical) {
      (rectangle.y, rectangle.height) = stretched(from: screen.y, length: screen.height, isToTail: moving.contains(.down))
    }
    return rectangle
  }

  private func stretched(from start: Double, length: Double, isToTail: Bool) -> (start: Double, length: Double) {
    let before = (isToTail ? trailing : leading) * length
    let after = (isToTail ? leading : trailing) * length
    return (start - before, before + length + after)
  }
}
