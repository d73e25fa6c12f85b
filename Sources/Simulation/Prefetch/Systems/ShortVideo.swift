// Preloading in short-video feeds: Media3's manager, a vendor's documented strategy, a real app's logs, the baseline of a challenge.

/// Items by their distance from the active one; at equal distance the earlier item first (Media3's order).
struct NearestWindow: PrefetchWindow {
  /// The largest distance that is prefetched with the system's amount.
  var distance: Int
  /// The largest distance that is prefetched with `farAmount`.
  var farDistance: Int
  var farAmount: PrefetchAmount

  func fetch(_ view: borrowing FeedView, amount: PrefetchAmount, into plan: inout Plan) {
    for far in 1..<max(distance, farDistance) + 1 {
      for item in [view.activeItem - far, view.activeItem + far] {
        (far <= distance ? amount : farAmount).fetch(item..<item + 1, view, priority: far, into: &plan)
      }
    }
  }
}

/// A number of bytes of each of the next items, then as many again of each, until all are complete.
struct RoundsWindow: PrefetchWindow {
  var ahead: Int
  var bytes: Int64

  /// Plans the rounds in order, each with its own amount.
  func fetch(_ view: borrowing FeedView, amount: PrefetchAmount, into plan: inout Plan) {
    let first = view.activeItem + 1
    let items = first..<max(first, min(first + ahead, view.items.count))
    let largest = items.map { view.items[$0].bytes }.max() ?? 0
    var round: Int64 = 1
    // At most 200 rounds, which is more than any plan needs.
    while (round - 1) * bytes < largest, round <= 200 {
      PrefetchAmount.bytes(round * bytes).fetch(items, view, priority: Int(round), into: &plan)
      round += 1
    }
  }
}

/// The active item whole, then a number of bytes of each of the next items, one at a time.
///
/// A swipe cancels prefetches; the transfers of items that were active go on (`Results/real-app`).
struct LoggedApp: Prefetcher {
  var ahead = 5
  var bytes: Int64 = 1_024_000
  var listEnd = 2
  private var active = -1
  /// Earlier active items with transfers in flight.
  private var left: ContiguousArray<Int> = []

  var trigger: PlanTrigger { [.standard, .transferFinished] }
  var concurrency: Int? { 1 }
  var cancelRule: DownloadSettings.CancelRule? { .keep }
  var keepsPartial: Bool? { true }
  var pageTrigger: PageTrigger? { .itemsFromEnd(listEnd) }

  mutating func plan(for view: borrowing FeedView, into plan: inout Plan) {
    if view.activeItem != active {
      if active >= 0 { left.append(active) }
      active = view.activeItem
    }
    left.removeAll { $0 == active || !view.isInFlight($0) }
    plan.fetch(active)
    for item in left { plan.fetch(item, priority: 1) }
    for item in view.visibleItems where item != active { plan.fetch(item, bytes: Plan.toReady, priority: 1) }
    if left.isEmpty, view.isComplete(active) { ItemWindow(ahead: ahead).fetch(view, amount: .bytes(bytes), into: &plan) }
  }
}

extension PrefetcherDefinition {
  /// Media3's preload manager at 2bc20785 with the settings of its short-form demo: one transfer at a time.
  static let media3 = PrefetcherDefinition(
    "media3", "Media3's preload manager: the nearest first, one at a time.",
    PrefetchSystem(
      window: NearestWindow(distance: 3, farDistance: 10, farAmount: .seconds(5)), amount: .seconds(1), concurrency: 1, cancelRule: .keep,
      keepsPartial: true),
    settings: [
      .integer("distance", \.window.distance, in: 0...1000, "Items of which one second is loaded."),
      .integer("farDistance", \.window.farDistance, in: 0...1000, "Items of which five seconds are loaded."),
    ])

  /// The strategy that BytePlus documents: a swipe cancels all transfers, and their bytes stay in the cache.
  static let byteDance = PrefetcherDefinition(
    "bytedance-3x800k", "Three items of 800 KiB once the active one has 20 s or is complete; a swipe cancels all.",
    PrefetchSystem(
      window: ItemWindow(ahead: 3), amount: .bytes(819_200), gate: .buffered(seconds: 20), trigger: [.standard, .transferFinished],
      cancelRule: .resume),
    settings: [
      .ahead(\.window.ahead), Setting(.size("bytes", default: 819_200, "Bytes of each item.")) { $0.amount = .bytes($1) },
      Setting(.number("bufferedSeconds", default: 20, "Seconds of the active video that must be buffered first.")) {
        $0.gate = .buffered(seconds: $1)
      },
    ])

  /// The baseline `no_save` of the ACM Multimedia 2022 short-video challenge: one transfer at a time.
  static let shortVideoRounds = PrefetcherDefinition(
    "short-video-rounds", "The active item whole, then rounds of 800 000 bytes over the next four.",
    PrefetchSystem(
      window: RoundsWindow(ahead: 4, bytes: 800_000), gate: .activeComplete, trigger: [.standard, .transferFinished], concurrency: 1,
      cancelRule: .keep, keepsPartial: true),
    settings: [
      .ahead(\.window.ahead), .size("bytes", \.window.bytes, in: 1...1_000_000_000, "Bytes of each item in a round."),
    ])

  /// A real app of January 2022, by the range requests in its logs (Dashlet's repository at PrincetonUniversity; odd-numbered sessions).
  static let tikTok2022 = PrefetcherDefinition(
    "tiktok-2022", "The active item whole, even after it is left, then the first 1 024 000 bytes of the next five, one at a time.",
    LoggedApp(),
    settings: [
      .ahead(\.ahead), .size("bytes", \.bytes, in: 1...1_000_000_000, "Bytes of each item ahead."),
      .integer("listEnd", \.listEnd, in: 0...1000, "Requests the next page when fewer items than this follow the visible ones."),
    ])
}
