// OpenHarmony's BasicPrefetcher: a range whose length follows the time that fetches take, the speed and the share of fetched visible items.

import Base

/// The items that ArkUI's BasicPrefetcher fetches, all at once.
/// Source: ark_prefetcher of openharmony/arkui_ace_engine at faf054b9: ItemsOnScreenProvider, PrefetchCount, PrefetchRangeRatio,
/// FetchingRangeEvaluator, FetchingDriver. Times are in ms.
struct FetchingRange: PrefetchWindow {
  private typealias Shares = (least: Double, most: Double)
  /// The limits of the range as shares of the longest one, below and above two bounds of the mean time.
  private static var tolerances: [(low: Double, high: Double, below: Shares, above: Shares)] {
    [(140, 290, (0.5, 0.5), (0.25, 1)), (3000, 4000, (0.25, 1), (0.25, 0.25))]
  }

  var maxScreens = 4.0
  private(set) var range = 0..<0
  /// The fetches in flight, oldest first, each with the number in flight when it began.
  private(set) var fetching: [(item: Int, start: Int64, inFlight: Int)] = []
  private var fetched: [Int] = []
  private var total = 0
  private var visible = 0..<0
  private var isForward: Bool?
  private var (meanVisible, meanTime, speed) = (0.0, 0.0, 0.0)
  private var shownAt: Int64 = 0
  private var length = 0
  private var limits = (least: 0, most: 0)
  private var shares = (least: 0.25 * 0.6, most: 0.5)
  private var bounds = (low: Double.leastNonzeroMagnitude, high: 250.0)
  /// The shares of fetched visible items between which the length stays; the first one included. Nil for none.
  private var steady: (included: Double, other: Double)?
  private var lastShare = 0.0
  private var hasHysteresis = false

  mutating func fetch(_ view: borrowing FeedView, amount: PrefetchAmount, into plan: inout Plan) {
    let now = view.now.nanoseconds / 1_000_000
    if total != view.items.count { list(view.items.count) }
    if view.visibleItems != visible, !view.visibleItems.isEmpty { show(view.visibleItems, at: now) }
    for _ in 0..<1000 {
      guard let done = fetching.first(where: { view.isReady($0.item) }) else { break }
      finish(done.item, at: now)
    }
    for (rank, fetch) in fetching.enumerated() { amount.fetch(fetch.item..<fetch.item + 1, view, priority: 1 + rank, into: &plan) }
  }

  mutating func list(_ count: Int) {
    total = count
    update(visible.isEmpty ? 0..<0 : nextRange)
  }

  /// Notes the visible items; begins the fetches that are missing, and drops those that have left the range.
  mutating func show(_ items: Range<Int>, at now: Int64) {
    let last = visible.isEmpty ? 0..<1 : visible
    let (old, before) = (range, visible)
    if items != last {
      if items.lowerBound >= last.lowerBound, items.upperBound >= last.upperBound {
        isForward = true
      } else if items.lowerBound <= last.lowerBound, items.upperBound <= last.upperBound {
        isForward = false
      }
    }
    let oldMean = meanVisible
    if visible.isEmpty {
      meanVisible = Double(items.count)
    } else {
      meanVisible = meanVisible * 0.95 + (1 - 0.95) * Double(items.count)
      updateSpeed(distance: Double(items.lowerBound + items.upperBound - visible.lowerBound - visible.upperBound) / 2, at: now)
    }
    visible = items
    if oldMean.rounded(.up) != meanVisible.rounded(.up) { updateLimits() }
    shownAt = now
    if before != visible {
      length = evaluate(isFetched: false, limitsChanged: false, at: now)
      update(nextRange)
    }
    begin(at: now)
    fetching.removeAll { old.contains($0.item) && !range.contains($0.item) }
  }

  /// Notes that a fetch in flight is complete, and begins the fetches that are missing.
  mutating func finish(_ item: Int, at now: Int64) {
    guard let index = fetching.firstIndex(where: { $0.item == item }) else { return }
    let fetch = fetching.remove(at: index)
    if range.contains(item) {
      let time = Double(now - fetch.start)
      // Local items and fetches that waited for others say nothing about the network.
      if time >= 20, Double(fetch.inFlight) <= meanVisible { meanTime = meanTime * 0.95 + (1 - 0.95) * time }
      let limitsChanged = updateShares()
      if limitsChanged { updateLimits() }
      if !fetched.contains(item) { fetched.append(item) }
      length = evaluate(isFetched: true, limitsChanged: limitsChanged, at: now)
      update(nextRange)
    }
    begin(at: now)
  }

  private mutating func begin(at now: Int64) {
    for item in range where !fetched.contains(item) && !fetching.contains(where: { $0.item == item }) {
      fetching.append((item, now, fetching.count + 1))
    }
  }

  private mutating func update(_ next: Range<Int>) {
    fetched.removeAll { !next.contains($0) }
    range = next
  }

  /// The range of the current length: half of it against the direction of the movement.
  private var nextRange: Range<Int> {
    let (before, after) = (isForward == true ? (length + 1) / 2 : length, isForward == false ? (length + 1) / 2 : length)
    let end = min(total, visible.upperBound + after)
    return min(max(0, visible.lowerBound - before), end)..<end
  }

  private mutating func updateSpeed(distance: Double, at now: Int64) {
    guard now > shownAt else { return }
    let time = Double(now - shownAt)
    let weight = 1 - StableMath.exp(-time / 100)
    speed = weight * (abs(distance / time) * 1000) + (1 - weight) * speed
  }

  private mutating func updateLimits() {
    let longest = Double(max(limits.least, Int((maxScreens * meanVisible).rounded(.up))))
    limits.most = max(limits.least, Int((longest * shares.most).rounded(.up)))
    limits.least = Int((longest * shares.least).rounded(.up))
  }

  /// Updates the shares if the mean time has left its bounds; true if they may have changed.
  private mutating func updateShares() -> Bool {
    let all = Self.tolerances
    var hasChanged = false
    if meanTime > bounds.high {
      for (index, each) in all.enumerated() where meanTime > each.high {
        hasChanged = true
        shares = each.above
        bounds = (each.low, index + 1 < all.count ? all[index + 1].high : .infinity)
      }
    } else if meanTime < bounds.low {
      for (index, each) in all.enumerated().reversed() where meanTime < each.low {
        hasChanged = true
        shares = each.below
        bounds = (index > 0 ? all[index - 1].low : .leastNonzeroMagnitude, each.high)
      }
    }
    return hasChanged
  }

  /// Returns the length for the share of visible items that are fetched; the old one while the share is within the steady range.
  private mutating func evaluate(isFetched: Bool, limitsChanged: Bool, at now: Int64) -> Int {
    let part = Double(visible.count { fetched.contains($0) }) / Double(visible.count)
    let share = part * part * part.squareRoot()
    // The original evaluates twice after a change, and each time takes the speed as lower.
    for _ in 0..<(limitsChanged ? 2 : 1) { updateSpeed(distance: 0, at: now) }
    let least = min(limits.most, Int(min(1e6, (2.5 * speed * Double(limits.most)).rounded(.up))))
    let next = least + Int((share * Double(limits.most - least)).rounded(.up))
    if hasHysteresis, let (included, other) = steady, share == included || min(included, other) < share && share < max(included, other) {
      return length
    }
    if isFetched { steady = (share, lastShare) } else { steady = nil }
    lastShare = share
    hasHysteresis = isFetched
    return next
  }
}

extension PrefetcherDefinition {
  static let basicPrefetcher = PrefetcherDefinition(
    "openharmony-basic", "OpenHarmony's BasicPrefetcher: up to four screens, by the time that fetches take; half of it behind.",
    PrefetchSystem(window: FetchingRange(), amount: .ready, trigger: [.standard, .scrollTick, .transferFinished], cancelRule: .keep),
    settings: [.number("maxScreens", \.window.maxScreens, in: 0...100, "Screens of the longest range.")])
}
