// The policies that the original team shipped: a budget by the network's class, and what its sweep found best.

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

  /// What the budget of the network's class takes.
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
    var system = Self(window: ItemWindow(ahead: ahead))
    system.amount = .ready
    system.cancelRule = .keep
    return system
  }
}

extension PrefetcherDefinition {
  static let iFunnyProduction = PrefetcherDefinition(
    "ifunny-production", "A budget of costs by kind, another one on good networks (goodNetMaxCost).",
    settings: [
      .number("goodNetMaxCost", default: 6, "The budget on Wi-Fi and 4G."), .number("maxCost", default: 6, "The budget on other networks."),
    ] + CostBudget.settings
  ) {
    IFunnyProduction(
      goodNet: CostBudget(maxCost: $0.number("goodNetMaxCost"), $0), other: CostBudget(maxCost: $0.number("maxCost"), $0))
  }

  static let iFunnyFive = PrefetcherDefinition(
    "ifunny-five", "Five items ahead whatever their kind, videos up to their prefix.", settings: [.ahead(5)]
  ) { PrefetchSystem.iFunnyFive(ahead: $0.integer("ahead")) }
}
