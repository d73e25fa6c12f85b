// The nearest items on either side, in Media3's order.

/// Items by their distance from the active one, the earlier of two that are equally far first.
package struct NearestWindow: PrefetchWindow {
  /// The farthest that are prefetched with the system's amount.
  package var distance: Int
  /// The farthest that are prefetched at all.
  package var farDistance: Int
  /// How much of those beyond `distance`.
  package var farAmount: PrefetchAmount

  /// A window of `distance` items on either side, and more of them with another amount.
  package init(distance: Int, farDistance: Int = 0, farAmount: PrefetchAmount = .ready) {
    self.distance = distance
    self.farDistance = max(distance, farDistance)
    self.farAmount = farAmount
  }

  /// By distance.
  package func want(_ view: borrowing FeedView, amount: PrefetchAmount, into plan: inout Plan) {
    let ranks = Array(max(0, view.activeItem - farDistance)..<min(view.items.count, view.activeItem + farDistance + 1))
    for item in PreloadOrder.sorted(ranks, around: view.activeItem) where item != view.activeItem {
      let far = abs(item - view.activeItem)
      (far <= distance ? amount : farAmount).want(item, view, priority: far, into: &plan)
    }
  }
}
