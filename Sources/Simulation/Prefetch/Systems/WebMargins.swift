// The web's two answers to a poor network: Chromium reaches further, Guess.js less far.

extension PrefetchSystem where Window == MarginWindow {
  /// Chromium's lazy loading of images at 01e80222: an image begins to load within so many points of the screen, more of them the
  /// slower the network; nothing is cancelled.
  package static func chromium(
    points: ByNetwork<Double> = ByNetwork(wifi: 1250, cellular4G: 1250, cellular3G: 2500, cellular2G: 6000)
  ) -> Self {
    var system = Self(window: MarginWindow(points: points))
    system.amount = .ready
    system.memory = .untilDone
    system.trigger = [.standard, .scrollTick]
    return system
  }
}

/// The items that the user will reach with at least some probability.
package struct ProbabilityWindow: PrefetchWindow {
  /// The least probability, by the class of the network.
  package var minimum: ByNetwork<Double>
  /// The probability that a user goes on from one item to the next.
  package var continuation: Double

  /// A window of the items that are likely enough.
  package init(minimum: ByNetwork<Double>, continuation: Double) {
    self.minimum = minimum
    self.continuation = continuation
  }

  /// Those ahead in order: the k-th is reached with the k-th power of the continuation.
  package func want(_ view: borrowing FeedView, amount: PrefetchAmount, into plan: inout Plan) {
    let least = minimum[view.networkClass]
    var probability = continuation
    var count = 0
    // A feed that everybody reads to its end has no last likely item.
    while probability >= least, count < 100 {
      count += 1
      probability *= continuation
    }
    amount.want(view.activeItem + 1..<view.activeItem + 1 + count, view, into: &plan)
  }
}

extension PrefetchSystem where Window == ProbabilityWindow {
  /// Guess.js at 0def89f4: what follows with a probability of at least 0.15 on 4G, 0.3 on 3G, 0.45 on 2G. Its probabilities come from a
  /// site's statistics; in a feed, from the share of users who go on: 0.8 here is ours.
  package static func guess(
    continuation: Double = 0.8,
    minimum: ByNetwork<Double> = ByNetwork(wifi: 0.15, cellular4G: 0.15, cellular3G: 0.3, cellular2G: 0.45)
  ) -> Self {
    var system = Self(window: ProbabilityWindow(minimum: minimum, continuation: continuation))
    system.amount = .ready
    system.cancelRule = .keep
    return system
  }
}

extension PrefetcherDefinition {
  static let chromium = PrefetcherDefinition(
    "chromium", "Chromium's lazy loading: within so many points, more on slow networks.",
    settings: Parameter.byNetwork(
      "points", ByNetwork(wifi: 1250, cellular4G: 1250, cellular3G: 2500, cellular2G: 6000), limit: 1e6,
      "Points around the screen within which images are loaded")
  ) { PrefetchSystem.chromium(points: $0.byNetwork("points")) }

  static let guess = PrefetcherDefinition(
    "guess", "Guess.js: what follows with enough probability, more of it on slow networks.",
    settings: Parameter.byNetwork(
      "probability", ByNetwork(wifi: 0.15, cellular4G: 0.15, cellular3G: 0.3, cellular2G: 0.45), limit: 1,
      "The least probability of an item that is loaded") + [
        .share("continuation", default: 0.8, "The share of users who go on to the next item.")
      ]
  ) { PrefetchSystem.guess(continuation: $0.number("continuation"), minimum: $0.byNetwork("probability")) }
}
