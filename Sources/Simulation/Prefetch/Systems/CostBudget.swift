// The policies that the original team shipped: a budget of costs by kind for what lies ahead, also by the network's class.

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

  /// The active item, then what fits the budget. Under `skip` the walk ends where not even the cheapest kind fits, or at the
  /// end of the feed.
  package func plan(for view: borrowing FeedView, into plan: inout Plan) {
    plan.fetch(view.activeItem)
    var rest = maxCost - (activeCounts ? cost(of: view.items[view.activeItem].kind) : 0)
    let cheapest = costs.min() ?? 0
    for item in view.activeItem + 1..<max(view.activeItem + 1, view.items.count) {
      let cost = cost(of: view.items[item].kind)
      if cost <= rest {
        rest -= cost
        plan.fetch(item, bytes: Plan.toReady, priority: item - view.activeItem)
      } else if overflow == .stop || cheapest > rest {
        return
      }
    }
  }

  private func cost(of kind: ItemKind) -> Double { costs[Int(kind.rawValue)] }
}

/// The budget of costs that was in production: another one on good networks, set by hand.
///
/// `goodNetMaxCost` is the original's name. Which classes count as good it does not say: here Wi-Fi and LTE.
package struct IFunnyProduction: Prefetcher {
  private var good: CostBudget
  private var poor: CostBudget

  /// The budgets on good and on other networks.
  package init(goodNet: CostBudget, other: CostBudget) {
    good = goodNet
    poor = other
  }

  package func plan(for view: borrowing FeedView, into plan: inout Plan) {
    switch view.networkClass {
    case .wifi, .cellular4G: good.plan(for: view, into: &plan)
    case .cellular3G, .cellular2G: poor.plan(for: view, into: &plan)
    }
  }

  /// What left the plan is cut at each scroll.
  package var cancelRule: DownloadSettings.CancelRule? { .keep }
}

extension PrefetchSystem where Window == ItemWindow {
  /// Five items ahead whatever their kind, videos up to their prefix: the best of the original team's sweep.
  package static func iFunnyFive(ahead: Int = 5) -> Self {
    Self(window: ItemWindow(ahead: ahead), amount: .ready, cancelRule: .keep)
  }
}
