// When Texture asks for the next page: so many screens before the end, judged at the place where the scroll will come to rest.

/// The state of a list at the moment at which it might ask for its next page, as Texture looks at it.
package struct BatchFetch: Sendable {
  /// Whether a page is on its way.
  package var isFetching = false
  /// Where the list is moving.
  package var moving: ScrollDirections
  /// Where it can move.
  package var scrollable: ScrollDirections
  /// The size of the screen.
  package var screen: (width: Double, height: Double)
  /// The size of all that is listed.
  package var content: (width: Double, height: Double)
  /// Where the scroll will come to rest.
  package var target: (x: Double, y: Double)
  /// How many screens before the end the page is asked for.
  package var leadingScreens: Double
  /// Whether the list is on screen.
  package var isVisible = true
  /// Whether the writing goes from right to left.
  package var isRightToLeft = false
  /// Whether the layout turns itself around then.
  package var flipsItself = false
  /// Points a millisecond, positive to the tail.
  package var velocity: (x: Double, y: Double) = (0, 0)

  /// A list of the given measures, visible, at rest.
  package init(
    moving: ScrollDirections, scrollable: ScrollDirections, screen: (width: Double, height: Double),
    content: (width: Double, height: Double), target: (x: Double, y: Double), leadingScreens: Double = 2
  ) {
    self.moving = moving
    self.scrollable = scrollable
    self.screen = screen
    self.content = content
    self.target = target
    self.leadingScreens = leadingScreens
  }

  /// Whether the next page is to be asked for now. A list shorter than its screen asks even unseen; a list that moves towards its
  /// head does not. While it moves to the tail, `judge` may overrule with the seconds that remain and the answer so far.
  package func isDue(judge: ((_ remainingSeconds: Double, _ hint: Bool) -> Bool)? = nil) -> Bool {
    guard !isFetching, leadingScreens > 0, screen.width > 0, screen.height > 0 else { return false }
    let isVertical = !scrollable.isDisjoint(with: .vertical)
    let length = isVertical ? screen.height : screen.width
    let listed = isVertical ? content.height : content.width
    if listed < length { return true }
    guard isVisible, moving.isDisjoint(with: [.up, isRightToLeft ? .right : .left]) else { return false }
    let offset = isVertical ? target.y : target.x
    // A layout that does not turn itself around has its tail at offset 0.
    let isMirrored = isRightToLeft && !flipsItself && !scrollable.isDisjoint(with: .horizontal)
    let remaining = isMirrored ? offset : listed - length - offset
    let hint = remaining <= length * leadingScreens
    let speed = isVertical ? velocity.y : velocity.x
    guard let judge, speed > 0 else { return hint }
    return judge(remaining / (speed * 1000), hint)
  }
}
