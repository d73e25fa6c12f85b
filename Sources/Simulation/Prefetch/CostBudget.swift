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

  /// A budget of `maxCost`; a video costs two images unless told otherwise.
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
    CostWalk(
      rest: maxCost - (activeCounts ? cost(of: active) : 0), cheapest: min(imageCost, videoCost, webAppCost, nativeAdCost),
      overflow: overflow)
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
