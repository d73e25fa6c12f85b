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
}
