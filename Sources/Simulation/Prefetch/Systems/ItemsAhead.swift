// Prefetchers that count items or costs ahead: the simplest ones, and those of the original team.

/// Plans the active item, then the next `ahead` items, each whole or up to a video's prefix.
package struct ItemsAhead: Prefetcher {
  var ahead: Int
  /// True if videos that are not active are fetched up to their prefix only.
  var prefixOnly: Bool

  package init(ahead: Int, prefixOnly: Bool = true) { (self.ahead, self.prefixOnly) = (ahead, prefixOnly) }

  package func plan(for view: borrowing FeedView, into plan: inout Plan) {
    plan.fetch(view.activeItem)
    let first = view.activeItem + 1
    let end = max(first, min(first + ahead, view.items.count))
    plan.fetch(first..<end, bytes: prefixOnly ? Plan.toReady : .max, priority: 1)
  }
}

/// Plans the active item, then the following items while the sum of their costs fits the budget; videos up to their prefix.
/// The article does not say if an item that overflows the budget ends the plan, or if the active item counts: both are settings.
struct CostBudget: Prefetcher {
  enum Overflow: String, CaseIterable {
    case stop
    /// Skips the item; cheaper ones after it may still fit.
    case skip
  }

  var maxCost: Double
  /// The budget on Wi-Fi and LTE; nil for `maxCost`. The name is the original's, which does not define good networks.
  var goodNetMaxCost: Double?
  /// The cost of each kind, in the order of `ItemKind`.
  var costs = [1.0, 2, 1, 1]
  var overflow = Overflow.stop
  var activeCounts = false
  var cancelRule: DownloadSettings.CancelRule?

  /// Plans the active item, then what fits the budget. Under `skip` it stops when not even the cheapest kind fits.
  func plan(for view: borrowing FeedView, into plan: inout Plan) {
    plan.fetch(view.activeItem)
    var rest = budget(view) - (activeCounts ? costs[Int(view.items[view.activeItem].kind.rawValue)] : 0)
    let cheapest = costs.reduce(.infinity, min)
    for item in view.activeItem + 1..<max(view.activeItem + 1, view.items.count) {
      let cost = costs[Int(view.items[item].kind.rawValue)]
      if cost <= rest {
        rest -= cost
        plan.fetch(item, bytes: Plan.toReady, priority: item - view.activeItem)
      } else if overflow == .stop || cheapest > rest {
        return
      }
    }
  }

  private func budget(_ view: borrowing FeedView) -> Double {
    view.networkClass == .wifi || view.networkClass == .cellular4G ? goodNetMaxCost ?? maxCost : maxCost
  }
}

extension PrefetcherDefinition {
  static let noPrefetch = PrefetcherDefinition("none", "Loads the active item and nothing else.", ItemsAhead(ahead: 0))

  static let itemsAhead = PrefetcherDefinition(
    "itemsAhead", "The active item, then the next `ahead` items in order.", ItemsAhead(ahead: 3),
    settings: [.ahead(\.ahead), .boolean("prefixOnly", \.prefixOnly, "Prefetches of a video only the prefix that it needs to start.")])

  private static let costs: [Setting<CostBudget>] = [
    .number("imageCost", \.costs[0], "The cost of an image."), .number("videoCost", \.costs[1], "The cost of a video."),
    .number("webAppCost", \.costs[2], "The cost of an embedded page."), .number("nativeAdCost", \.costs[3], "The cost of a native ad."),
    .choice("overflow", \.overflow, "Ends at the first item that does not fit, or skips it."),
    .boolean("activeCounts", \.activeCounts, "Counts the cost of the active item."),
  ]

  static let costBudget = PrefetcherDefinition(
    "costBudget", "The active item, then what fits a budget of costs by kind.", CostBudget(maxCost: 5),
    settings: [.number("maxCost", \.maxCost, "The budget.")] + costs)

  /// The original team's production settings. Transfers that leave the plan are cancelled at each activation.
  static let iFunnyProduction = PrefetcherDefinition(
    "ifunny-production", "A budget of costs by kind, another one on good networks (goodNetMaxCost).",
    CostBudget(maxCost: 6, goodNetMaxCost: 6, cancelRule: .keep),
    settings: [
      Setting(.number("goodNetMaxCost", "The budget on Wi-Fi and 4G."), \.goodNetMaxCost),
      .number("maxCost", \.maxCost, "The budget on other networks."),
    ] + costs)

  /// The best settings of the original team's tests.
  static let iFunnyFive = PrefetcherDefinition(
    "ifunny-five", "Five items ahead whatever their kind, videos up to their prefix.",
    PrefetchSystem(window: ItemWindow(ahead: 5), amount: .ready, cancelRule: .keep), settings: [.ahead(\.window.ahead)])
}
