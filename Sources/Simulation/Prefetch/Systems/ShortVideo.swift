// Preloading in short-video feeds: Media3's manager, a vendor's published strategy, a challenge's baseline.

/// Items by their distance from the active one, the earlier of two that are equally far first: Media3's order.
struct NearestWindow: PrefetchWindow {
  /// The farthest that are prefetched with the system's amount.
  var distance: Int
  /// The farthest that are prefetched with another amount.
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

/// Some bytes of each of the next items in order, then as much again of each, until all of them are complete.
struct RoundsWindow: PrefetchWindow {
  var ahead: Int
  var bytes: Int64

  /// Plans the rounds in order; the amount of each is its own.
  func fetch(_ view: borrowing FeedView, amount: PrefetchAmount, into plan: inout Plan) {
    let first = view.activeItem + 1
    let items = first..<max(first, min(first + ahead, view.items.count))
    let largest = items.map { view.items[$0].bytes }.max() ?? 0
    var round: Int64 = 1
    // A round is at least a byte, and a few hundred rounds are more than any plan needs.
    while (round - 1) * bytes < largest, round <= 200 {
      PrefetchAmount.bytes(round * bytes).fetch(items, view, priority: Int(round), into: &plan)
      round += 1
    }
  }
}

extension PrefetcherDefinition {
  /// Media3's preload manager at 2bc20785 with the control of its short-form demo: strictly one at a time.
  static let media3 = PrefetcherDefinition(
    "media3", "Media3's preload manager: the nearest first, one at a time.",
    settings: [
      .integer("distance", default: 3, in: 0...1000, "Items of which one second is loaded."),
      .integer("farDistance", default: 10, in: 0...1000, "Items of which five seconds are loaded."),
    ]
  ) {
    PrefetchSystem(
      window: NearestWindow(distance: $0.integer("distance"), farDistance: $0.integer("farDistance"), farAmount: .seconds(5)),
      amount: .seconds(1), concurrency: 1, cancelRule: .keep, keepsPartial: true)
  }

  /// The strategy that BytePlus documents: any swipe cancels all, and what has come stays in the cache.
  static let byteDance = PrefetcherDefinition(
    "bytedance-3x800k", "Three items of 800 KiB once the current one has 20 s or is complete; a swipe cancels all.",
    settings: [
      .ahead(3), .size("bytes", default: 819_200, "Bytes of each item."),
      .number("bufferedSeconds", default: 20, "Seconds of the active video that must be buffered first."),
    ]
  ) {
    PrefetchSystem(
      window: ItemWindow(ahead: $0.integer("ahead")), amount: .bytes($0.size("bytes")),
      gate: .buffered(seconds: $0.number("bufferedSeconds")), trigger: [.standard, .transferFinished], cancelRule: .resume)
  }

  /// The baseline `no_save` of the ACM Multimedia 2022 short-video challenge: one download at a time.
  static let shortVideoRounds = PrefetcherDefinition(
    "short-video-rounds", "The current one to its end, then rounds of 800 000 bytes over the next four.",
    settings: [.ahead(4), .size("bytes", default: 800_000, in: 1...1_000_000_000, "Bytes of each item in a round.")]
  ) {
    PrefetchSystem(
      window: RoundsWindow(ahead: $0.integer("ahead"), bytes: $0.size("bytes")), gate: .activeComplete,
      trigger: [.standard, .transferFinished], concurrency: 1, cancelRule: .keep, keepsPartial: true)
  }
}
