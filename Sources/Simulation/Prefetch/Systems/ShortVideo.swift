// Preloading in short-video feeds: Media3's manager, a vendor's published strategy, a challenge's baseline.

/// Items by their distance from the active one, the earlier of two that are equally far first: Media3's order.
package struct NearestWindow: PrefetchWindow {
  /// The farthest that are prefetched with the system's amount.
  package var distance: Int
  /// The farthest that are prefetched at all.
  package var farDistance: Int
  /// How much of those beyond `distance`.
  package var farAmount: PrefetchAmount

  /// A window of `distance` items on either side, and more of them with another amount.
  package init(distance: Int, farDistance: Int = 0, farAmount: PrefetchAmount = .ready) {
    self.distance = distance
    self.farDistance = max(distance, farDistance)
    self.farAmount = farAmount
  }

  package func want(_ view: borrowing FeedView, amount: PrefetchAmount, into plan: inout Plan) {
    for far in 1..<farDistance + 1 {
      for item in [view.activeItem - far, view.activeItem + far] {
        (far <= distance ? amount : farAmount).want(item, view, priority: far, into: &plan)
      }
    }
  }
}

extension PrefetchSystem where Window == NearestWindow {
  /// Media3's preload manager at 2bc20785 with the control of its short-form demo: by distance, strictly one at a time; one second of the
  /// items within three, five seconds of those within ten.
  package static func media3(distance: Int = 3, farDistance: Int = 10) -> Self {
    Self(
      window: NearestWindow(distance: distance, farDistance: farDistance, farAmount: .seconds(5)), amount: .seconds(1), concurrency: 1,
      cancelRule: .keep, keepsPartial: true)
  }
}

extension PrefetchSystem where Window == ItemWindow {
  /// The strategy that BytePlus documents for short videos: three items of 800 KiB, only once the current one has more than 20 s to play or
  /// is complete; any swipe cancels them all, and what has come stays in the cache.
  package static func byteDance(ahead: Int = 3, bytes: Int64 = 819_200, bufferedSeconds: Double = 20) -> Self {
    Self(
      window: ItemWindow(ahead: ahead), amount: .bytes(bytes), gate: .buffered(seconds: bufferedSeconds),
      trigger: [.standard, .transferFinished], cancelRule: .resume)
  }
}

/// Some bytes of each of the next items in order, then as much again of each, until all of them are complete.
package struct RoundsWindow: PrefetchWindow {
  /// How many items ahead.
  package var ahead: Int
  /// The bytes of one round.
  package var bytes: Int64

  package init(ahead: Int, bytes: Int64) {
    self.ahead = ahead
    self.bytes = bytes
  }

  /// The rounds in order; the amount of each is its own.
  package func want(_ view: borrowing FeedView, amount: PrefetchAmount, into plan: inout Plan) {
    let first = view.activeItem + 1
    let items = first..<max(first, min(first + ahead, view.items.count))
    let largest = items.map { view.items[$0].bytes }.max() ?? 0
    var round: Int64 = 1
    // A round is at least a byte, and a few hundred rounds are more than any plan needs.
    while (round - 1) * bytes < largest, round <= 200 {
      PrefetchAmount.bytes(round * bytes).want(items, view, priority: Int(round), into: &plan)
      round += 1
    }
  }
}

extension PrefetchSystem where Window == RoundsWindow {
  /// The baseline `no_save` of the ACM Multimedia 2022 short-video challenge: the current video to its end, then 800 000 bytes of each of
  /// the next four, then as much again, one download at a time.
  package static func shortVideoRounds(ahead: Int = 4, bytes: Int64 = 800_000) -> Self {
    Self(
      window: RoundsWindow(ahead: ahead, bytes: bytes), gate: .activeComplete, trigger: [.standard, .transferFinished], concurrency: 1,
      cancelRule: .keep, keepsPartial: true)
  }
}

extension PrefetcherDefinition {
  static let media3 = PrefetcherDefinition(
    "media3", "Media3's preload manager: the nearest first, one at a time.",
    settings: [
      .integer("distance", default: 3, in: 0...1000, "Items of which one second is loaded."),
      .integer("farDistance", default: 10, in: 0...1000, "Items of which five seconds are loaded."),
    ]
  ) { PrefetchSystem.media3(distance: $0.integer("distance"), farDistance: $0.integer("farDistance")) }

  static let byteDance = PrefetcherDefinition(
    "bytedance-3x800k", "Three items of 800 KiB once the current one has 20 s or is complete; a swipe cancels all.",
    settings: [
      .ahead(3), .size("bytes", default: 819_200, "Bytes of each item."),
      .number("bufferedSeconds", default: 20, "Seconds of the active video that must be buffered first."),
    ]
  ) {
    PrefetchSystem.byteDance(ahead: $0.integer("ahead"), bytes: $0.size("bytes"), bufferedSeconds: $0.number("bufferedSeconds"))
  }

  static let shortVideoRounds = PrefetcherDefinition(
    "short-video-rounds", "The current one to its end, then rounds of 800 000 bytes over the next four.",
    settings: [.ahead(4), .size("bytes", default: 800_000, in: 1...1_000_000_000, "Bytes of each item in a round.")]
  ) { PrefetchSystem.shortVideoRounds(ahead: $0.integer("ahead"), bytes: $0.size("bytes")) }
}
