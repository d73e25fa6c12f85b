// The prefetchers that the program comes with. A new one is a file in Simulation/Prefetch and a line here.

import Simulation

/// The program's own prefetchers by name, with their settings.
package enum StandardPrefetchers {
  /// All of them, in the order of `list`.
  package static let definitions: [PrefetcherDefinition] = plain + lists + mobileLists + media + web

  /// What prefetches nothing or counts, and ours.
  private static let plain: [PrefetcherDefinition] = [
    PrefetcherDefinition("none", "Loads the active item and nothing else.") { _ in NoPrefetch() },
    PrefetcherDefinition("itemsAhead", "The active item, then the next `ahead` items in order.") {
      ItemsAhead(ahead: $0.integer("ahead", default: 3, in: 0...100_000), prefixOnly: $0.boolean("prefixOnly", default: true))
    },
    PrefetcherDefinition("costBudget", "The active item, then what fits a budget of costs by kind.") {
      let maxCost = $0.number("maxCost", default: 5)
      return $0.costBudget(maxCost: maxCost)
    },
    PrefetcherDefinition("ifunny-production", "A budget of costs by kind, another one on good networks (goodNetMaxCost).") {
      let (good, other) = ($0.number("goodNetMaxCost", default: 6), $0.number("maxCost", default: 6))
      let budget = $0.costBudget(maxCost: other)
      return IFunnyProduction(goodNet: budget.with(maxCost: good), other: budget)
    },
    PrefetcherDefinition("ifunny-five", "Five items ahead whatever their kind, videos up to their prefix.") {
      PrefetchSystem.iFunnyFive(ahead: $0.ahead(5))
    },
    PrefetcherDefinition("adaptive", "Ours: as far and as much as sizes, measured throughput and dwell so far allow.") { _ in Adaptive() },
    PrefetcherDefinition("clairvoyant", "Knows the future: the schedule behind `bound`, reached on a fluid link without latency.") { _ in
      Clairvoyant()
    },
  ]

  /// UIKit's lists, the articles', Texture.
  private static let lists: [PrefetcherDefinition] = [
    PrefetcherDefinition("uikit-1", "UICollectionView as observed: one item ahead, whole (observational).") {
      PrefetchSystem.uikit(ahead: $0.ahead(1), cancels: $0.cancels())
    },
    PrefetcherDefinition("uikit-0.75screen", "UICollectionView as observed: three quarters of a screen ahead (observational).") {
      PrefetchSystem.uikit(screens: $0.number("screens", default: 0.75, in: 0...100), cancels: $0.cancels())
    },
    PrefetcherDefinition("infinite", "Infinite scroll: the next page at the end of the list, no prefetch.") {
      PrefetchSystem.infiniteScroll(ahead: $0.ahead(0), latch: $0.choice("latch", default: .inFlight))
    },
    PrefetcherDefinition("threshold-0.7", "The next page when a share of the list has been passed.") {
      PrefetchSystem.threshold($0.share("ratio", default: 0.7), ahead: $0.ahead(0), latch: $0.choice("latch", default: .inFlight))
    },
    PrefetcherDefinition("dynamic-0.7", "The next page when a share of the newest page has been passed.") {
      PrefetchSystem.dynamicThreshold($0.share("ratio", default: 0.7), ahead: $0.ahead(0), latch: $0.choice("latch", default: .inFlight))
    },
    PrefetcherDefinition("lazy-target", "The rows on the screen where the scroll comes to rest, the one at its lower edge included.") { _ in
      PrefetchSystem.lazyTarget()
    },
    PrefetcherDefinition("texture-full", "Texture's ranges while scrolling: 2.5 screens loaded ahead, 1.5 behind.") { _ in
      PrefetchSystem.texture(.full)
    },
    PrefetcherDefinition("texture-minimum", "Texture's ranges before the first scroll: half a screen ahead, a quarter behind.") { _ in
      PrefetchSystem.texture(.minimum)
    },
    PrefetcherDefinition("texture-article-2111", "Texture's ranges as an article has them: 2, 1, 1 and 1 screens.") { _ in
      PrefetchSystem.texture(.article2111)
    },
    PrefetcherDefinition("operation-queue", "A queue of so many operations, first in, first out, nothing cancelled.") {
      PrefetchSystem.operationQueue(ahead: $0.ahead(5), concurrency: $0.integer("concurrency", default: 4, in: 1...256))
    },
    PrefetcherDefinition("nuke", "Nuke's prefetcher: two at once, cancelled when out of the window.") {
      PrefetchSystem.nuke(ahead: $0.ahead(5))
    },
    PrefetcherDefinition("kingfisher", "Kingfisher's prefetcher: five at once, nothing cancelled.") {
      PrefetchSystem.kingfisher(ahead: $0.ahead(5))
    },
    PrefetcherDefinition("sdwebimage", "SDWebImage's prefetcher: three at once, cancelled by token.") {
      PrefetchSystem.sdWebImage(ahead: $0.ahead(5))
    },
    PrefetcherDefinition("iglistkit", "IGListKit's working range: so many items on either side.") {
      PrefetchSystem.igListKit(size: $0.integer("size", default: 2, in: 0...10_000))
    },
  ]

  /// Android's lists and React Native's.
  private static let mobileLists: [PrefetcherDefinition] = [
    PrefetcherDefinition("glide-10", "Glide's preloader: ten ahead in a ring, all cancelled when the direction changes.") {
      PrefetchSystem.glide(maxPreload: $0.integer("maxPreload", default: 10, in: 0...10_000))
    },
    PrefetcherDefinition("recyclerview", "RecyclerView's prefetch: one row beyond the screen.") {
      PrefetchSystem.recyclerView(span: $0.integer("span", default: 1, in: 1...100))
    },
    PrefetcherDefinition(
      "paging3", "Paging 3: the next page when fewer than `prefetchDistance` items follow, pages beyond `maxSize` dropped; no media."
    ) {
      PrefetchSystem.paging3(
        distance: $0.integer("prefetchDistance", default: 30, in: 1...100_000), ahead: $0.ahead(0),
        maxSize: $0.optionalInteger("maxSize", in: 1...1_000_000))
    },
    PrefetcherDefinition("react-native", "React Native's list: 21 screens rendered, ten cells at a time.") {
      let window = RenderWindow(
        maxPerBatch: $0.integer("maxToRenderPerBatch", default: 10, in: 1...1000),
        windowSize: $0.number("windowSize", default: 21, in: 1...1000))
      return PrefetchSystem.reactNative(
        RenderedWindow(window: window, initialCount: $0.integer("initialNumToRender", default: 10, in: 1...1000)))
    },
  ]

  /// Short videos.
  private static let media: [PrefetcherDefinition] = [
    PrefetcherDefinition("media3", "Media3's preload manager: the nearest first, one at a time.") {
      PrefetchSystem.media3(
        distance: $0.integer("distance", default: 3, in: 0...1000), farDistance: $0.integer("farDistance", default: 10, in: 0...1000))
    },
    PrefetcherDefinition("bytedance-3x800k", "Three items of 800 KiB once the current one has 20 s or is complete; a swipe cancels all.") {
      PrefetchSystem.byteDance(
        ahead: $0.ahead(3), bytes: $0.size("bytes", default: 819_200), bufferedSeconds: $0.number("bufferedSeconds", default: 20))
    },
    PrefetcherDefinition("short-video-rounds", "The current one to its end, then rounds of 800 000 bytes over the next four.") {
      PrefetchSystem.shortVideoRounds(ahead: $0.ahead(4), bytes: $0.size("bytes", default: 800_000, in: 1...1_000_000_000))
    },
  ]

  /// The web.
  private static let web: [PrefetcherDefinition] = [
    PrefetcherDefinition("chromium", "Chromium's lazy loading: within so many points, more on slow networks.") {
      PrefetchSystem.chromium(points: $0.byNetwork("points", wifi: 1250, cellular4G: 1250, cellular3G: 2500, cellular2G: 6000, limit: 1e6))
    },
    PrefetcherDefinition("guess", "Guess.js: what follows with enough probability, more of it on slow networks.") {
      let minimum = $0.byNetwork("probability", wifi: 0.15, cellular4G: 0.15, cellular3G: 0.3, cellular2G: 0.45, limit: 1)
      return PrefetchSystem.guess(continuation: $0.share("continuation", default: 0.8), minimum: minimum)
    },
  ]
}

/// When a list cancels a prefetch.
private enum WindowCancel: String, CaseIterable {
  /// When its item has left the window.
  case leftWindow
  /// Never.
  case never
}

extension PrefetcherSettings {
  /// How many items ahead.
  fileprivate mutating func ahead(_ fallback: Int) -> Int { integer("ahead", default: fallback, in: 0...100_000) }

  /// Whether a prefetch is cancelled when its item has left the window.
  fileprivate mutating func cancels() -> Bool {
    let cancel: WindowCancel = choice("cancel", default: .leftWindow)
    return cancel == .leftWindow
  }

  fileprivate mutating func costBudget(maxCost: Double) -> CostBudget {
    CostBudget(
      maxCost: maxCost,
      costs: [
        number("imageCost", default: 1), number("videoCost", default: 2), number("webAppCost", default: 1),
        number("nativeAdCost", default: 1),
      ], overflow: choice("overflow", default: .stop), activeCounts: boolean("activeCounts", default: false))
  }

  /// One number for each class of network: `name` on Wi-Fi, and the same with 4G, 3G and 2G behind it.
  fileprivate mutating func byNetwork(
    _ name: String, wifi: Double, cellular4G: Double, cellular3G: Double, cellular2G: Double, limit: Double
  ) -> ByNetwork<Double> {
    ByNetwork(
      wifi: number(name, default: wifi, in: 0...limit), cellular4G: number("\(name)4G", default: cellular4G, in: 0...limit),
      cellular3G: number("\(name)3G", default: cellular3G, in: 0...limit),
      cellular2G: number("\(name)2G", default: cellular2G, in: 0...limit))
  }
}

extension CostBudget {
  fileprivate func with(maxCost: Double) -> CostBudget {
    var budget = self
    budget.maxCost = maxCost
    return budget
  }
}
