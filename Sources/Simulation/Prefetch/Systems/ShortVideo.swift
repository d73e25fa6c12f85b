// Preloading in short-video feeds: Media3's manager, a vendor's published strategy, a challenge's baseline.

extension PrefetchSystem where Window == NearestWindow {
  /// Media3's preload manager at 2bc20785 with the control of its short-form demo: by distance, strictly one at a time; one second of the
  /// items within three, five seconds of those within ten.
  package static func media3(distance: Int = 3, farDistance: Int = 10) -> Self {
    var system = Self(window: NearestWindow(distance: distance, farDistance: farDistance, farAmount: .seconds(5)))
    system.amount = .seconds(1)
    system.concurrency = 1
    system.cancelRule = .keep
    system.keepsPartial = true
    return system
  }
}

extension PrefetchSystem where Window == ItemWindow {
  /// The strategy that BytePlus documents for short videos: three items of 800 KiB, only once the current one has more than 20 s to play or
  /// is complete; any swipe cancels them all, and what has come stays in the cache.
  package static func byteDance(ahead: Int = 3, bytes: Int64 = 819_200, bufferedSeconds: Double = 20) -> Self {
    var system = Self(window: ItemWindow(ahead: ahead))
    system.amount = .bytes(bytes)
    system.gate = .buffered(seconds: bufferedSeconds)
    system.trigger = [.standard, .transferFinished]
    system.cancelRule = .resume
    return system
  }
}

extension PrefetchSystem where Window == RoundsWindow {
  /// The baseline `no_save` of the ACM Multimedia 2022 short-video challenge: the current video to its end, then 800 000 bytes of each of
  /// the next four, then as much again, one download at a time.
  package static func shortVideoRounds(ahead: Int = 4, bytes: Int64 = 800_000) -> Self {
    var system = Self(window: RoundsWindow(ahead: ahead, bytes: bytes))
    system.gate = .activeComplete
    system.trigger = [.standard, .transferFinished]
    system.concurrency = 1
    system.cancelRule = .keep
    system.keepsPartial = true
    return system
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
