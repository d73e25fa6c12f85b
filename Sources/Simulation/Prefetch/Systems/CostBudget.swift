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
  /// The cost of an image.
  package var imageCost: Double
  /// The cost of a video.
  package var videoCost: Double
  /// The cost of an embedded page.
  package var webAppCost: Double
  /// The cost of a native ad.
  package var nativeAdCost: Double
  /// What happens at an item that does not fit.
  package var overflow: Overflow
  /// Whether the active item's cost is taken from the budget.
  package var activeCounts: Bool

  /// A budget of `maxCost`; a video costs two images by default.
  package init(
    maxCost: Double, imageCost: Double = 1, videoCost: Double = 2, webAppCost: Double = 1, nativeAdCost: Double = 1,
    overflow: Overflow = .stop, activeCounts: Bool = false
  ) {
    self.maxCost = maxCost
    self.imageCost = imageCost
    self.videoCost = videoCost
    self.webAppCost = webAppCost
    self.nativeAdCost = nativeAdCost
    self.overflow = overflow
    self.activeCounts = activeCounts
  }

  /// The active item, then what fits the budget. Under `skip` the walk ends where not even the cheapest kind fits, or at the
  /// end of the feed.
  package func plan(for view: borrowing FeedView, into plan: inout Plan) {
    plan.fetch(view.activeItem)
    var rest = maxCost - (activeCounts ? cost(of: view.items[view.activeItem].kind) : 0)
    let cheapest = min(imageCost, videoCost, webAppCost, nativeAdCost)
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

  @inline(__always)
  private func cost(of kind: ItemKind) -> Double {
    switch kind {
    case .image: imageCost
    case .video: videoCost
    case .webApp: webAppCost
    case .nativeAd: nativeAdCost
    }
  }
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

extension CostBudget {
  /// The settings of a budget but for its size.
  static let settings: [Parameter] = [
    .number("imageCost", default: 1, "The cost of an image."), .number("videoCost", default: 2, "The cost of a video."),
    .number("webAppCost", default: 1, "The cost of an embedded page."), .number("nativeAdCost", default: 1, "The cost of a native ad."),
    .choice("overflow", default: Overflow.stop, "Ends at the first item that does not fit, or skips it."),
    .boolean("activeCounts", default: false, "Takes the active item's cost from the budget."),
  ]

  /// A budget of the given size with settings.
  init(maxCost: Double, _ settings: PrefetcherSettings) {
    self.init(
      maxCost: maxCost, imageCost: settings.number("imageCost"), videoCost: settings.number("videoCost"),
      webAppCost: settings.number("webAppCost"), nativeAdCost: settings.number("nativeAdCost"), overflow: settings.choice("overflow"),
      activeCounts: settings.boolean("activeCounts"))
  }
}

extension PrefetcherDefinition {
  static let costBudget = PrefetcherDefinition(
    "costBudget", "The active item, then what fits a budget of costs by kind.",
    settings: [.number("maxCost", default: 5, "The budget.")] + CostBudget.settings
  ) { CostBudget(maxCost: $0.number("maxCost"), $0) }
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
