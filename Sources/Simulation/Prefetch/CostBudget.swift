// The original team's policy: a budget of costs by kind for what lies ahead.

/// The active item whole; then the following items while the sum of their costs fits the budget: images whole, videos up to
/// their prefix until they are active.
///
/// The article leaves open whether an item that overflows the budget ends the walk, and whether the active one counts;
/// both are settings.
package struct CostBudget: Prefetcher {
  /// What happens at an item whose cost does not fit.
  package enum Overflow: String, Hashable, Sendable, CaseIterable {
    /// The walk ends.
    case stop
    /// The item is left out; cheaper ones behind it may still fit.
    case skip
  }

  /// The budget.
  package var maxCost: Double
  /// The cost of each kind, in the order of `ItemKind`.
  package var costs: [Double]
  /// What happens at an item that does not fit.
  package var overflow: Overflow
  /// Whether the active item's cost is taken from the budget.
  package var activeCounts: Bool

  /// A budget of `maxCost`; `costs` holds one cost for each kind.
  package init(maxCost: Double, costs: [Double], overflow: Overflow = .stop, activeCounts: Bool = false) {
    precondition(costs.count == ItemKind.allCases.count, "one cost for each kind")
    self.maxCost = maxCost
    self.costs = costs
    self.overflow = overflow
    self.activeCounts = activeCounts
  }

  /// It needs nothing but the feed.
  package var readsDetails: Bool { false }

  /// The active item, then what fits the budget. Under `skip` the walk ends where not even the cheapest kind fits, or at the
  /// end of the feed.
  package func plan(for view: borrowing FeedView, into plan: inout Plan) {
    plan.fetch(view.activeItem)
    var walk = walk(active: view.items[view.activeItem].kind)
    var item = view.activeItem + 1
    while item < view.items.count, let isTaken = walk.take(cost(of: view.items[item].kind)) {
      if isTaken { plan.fetch(item, bytes: Plan.toReady, priority: item - view.activeItem) }
      item += 1
    }
  }

  /// Which of the kinds that lie ahead the budget takes: their places, from 0.
  package func taken(of ahead: [ItemKind], active: ItemKind) -> [Int] {
    var walk = walk(active: active)
    var places: [Int] = []
    for (place, kind) in ahead.enumerated() {
      guard let isTaken = walk.take(cost(of: kind)) else { break }
      if isTaken { places.append(place) }
    }
    return places
  }

  private func walk(active: ItemKind) -> CostWalk {
    CostWalk(rest: maxCost - (activeCounts ? cost(of: active) : 0), cheapest: costs.min() ?? 0, overflow: overflow)
  }

  private func cost(of kind: ItemKind) -> Double { costs[Int(kind.rawValue)] }
}

/// What is left of a budget on its walk along the feed.
struct CostWalk {
  var rest: Double
  let cheapest: Double
  let overflow: CostBudget.Overflow

  /// Whether an item of this cost is taken; nil if the walk ends at it.
  @inline(__always)
  mutating func take(_ cost: Double) -> Bool? {
    if cost <= rest {
      rest -= cost
      return true
    }
    return overflow == .stop || cheapest > rest ? nil : false
  }
}
