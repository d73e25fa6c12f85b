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
    var rest = maxCost - (activeCounts ? cost(of: view.items[view.activeItem].kind) : 0)
    let cheapest = costs.min() ?? 0
    var item = view.activeItem + 1
    while item < view.items.count {
      let cost = cost(of: view.items[item].kind)
      if cost <= rest {
        rest -= cost
        plan.fetch(item, bytes: Plan.toReady, priority: item - view.activeItem)
      } else if overflow == .stop || cheapest > rest {
        return
      }
      item += 1
    }
  }

  private func cost(of kind: ItemKind) -> Double { costs[Int(kind.rawValue)] }
}
