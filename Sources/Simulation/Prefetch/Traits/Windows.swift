// The plain windows: so many items, so many screens, so many points, or what a scroll will come to rest at.

/// So many items ahead in the direction of the movement, nearest first, then so many behind.
package struct ItemWindow: PrefetchWindow {
  /// Items ahead.
  package var ahead: Int
  /// Items behind.
  package var behind = 0

  /// A window of so many items.
  package init(ahead: Int, behind: Int = 0) {
    self.ahead = ahead
    self.behind = behind
  }

  /// Those ahead, then those behind.
  package func want(_ view: borrowing FeedView, amount: PrefetchAmount, into plan: inout Plan) {
    let visible = view.visibleItems
    let after = max(view.activeItem, visible.upperBound - 1) + 1
    let before = min(view.activeItem, visible.lowerBound)
    let isForward = view.direction > 0
    let (down, up) = isForward ? (ahead, behind) : (behind, ahead)
    if isForward { amount.want(after..<after + down, view, into: &plan) }
    amount.wantBackwards(before - up..<before, view, priority: isForward ? 1 + down : 1, into: &plan)
    if !isForward { amount.want(after..<after + down, view, priority: 1 + up, into: &plan) }
  }
}

/// The items within so many screens of the screen: leading ones first.
package struct ScreenWindow: PrefetchWindow {
  /// How far it reaches.
  package var range: ScreenRange

  /// A window of the given reach.
  package init(_ range: ScreenRange) { self.range = range }

  /// Those ahead, nearest first, then those behind.
  package func want(_ view: borrowing FeedView, amount: PrefetchAmount, into plan: inout Plan) {
    let leading = range.leading * view.viewportHeight
    let trailing = range.trailing * view.viewportHeight
    want(view, leading: leading, trailing: trailing, amount: amount, priority: 1, into: &plan)
  }
}

extension PrefetchWindow {
  /// Wishes for the items within so many points of the screen, those on the leading side first, nearest first on either side.
  func want(
    _ view: borrowing FeedView, leading: Double, trailing: Double, amount: PrefetchAmount, priority: Int, into plan: inout Plan
  ) {
    let isForward = view.direction > 0
    let bottom = view.contentOffset + view.viewportHeight
    let after = view.items(from: bottom, to: bottom + (isForward ? leading : trailing))
    let before = view.items(from: view.contentOffset - (isForward ? trailing : leading), to: view.contentOffset)
    if isForward { amount.want(after, view, priority: priority, into: &plan) }
    amount.wantBackwards(before, view, priority: priority + (isForward ? after.count : 0), into: &plan)
    if !isForward { amount.want(after, view, priority: priority + before.count, into: &plan) }
  }
}

/// The items within so many points of the screen on either side, by the class of the network.
package struct MarginWindow: PrefetchWindow {
  /// The points.
  package var points: ByNetwork<Double>

  /// A margin of so many points.
  package init(points: ByNetwork<Double>) { self.points = points }

  /// Those ahead, nearest first, then those behind.
  package func want(_ view: borrowing FeedView, amount: PrefetchAmount, into plan: inout Plan) {
    let margin = points[view.networkClass]
    want(view, leading: margin, trailing: margin, amount: amount, priority: 1, into: &plan)
  }
}

/// The items from the screen's upper to its lower edge where the movement ends.
package struct TargetWindow: PrefetchWindow {
  /// No settings.
  package init() {}

  /// They in their order.
  package func want(_ view: borrowing FeedView, amount: PrefetchAmount, into plan: inout Plan) {
    amount.want(view.targetItems, view, into: &plan)
  }
}
