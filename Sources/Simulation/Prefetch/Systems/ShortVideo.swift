// Preloading in short-video feeds: Media3's manager, a vendor's documented strategy, a real app's logs, the baseline of a challenge.

/// Items by their distance from the active one; at equal distance the earlier item first (Media3's order).
struct NearestWindow: PrefetchWindow {
  /// The amount of the items at distance 1; nil for the system's amount.
  var nextAmount: PrefetchAmount?
  /// The largest distance that is prefetched with the system's amount.
  var distance: Int
  /// The largest distance that is prefetched with `farAmount`.
  var farDistance: Int
  var farAmount: PrefetchAmount
  /// The largest distance of an earlier item; nil for that of later ones.
  var behind: Int?

  func fetch(_ view: borrowing FeedView, amount: PrefetchAmount, into plan: inout Plan) {
    for far in 1..<max(distance, farDistance) + 1 {
      let nearAmount = far == 1 ? nextAmount ?? amount : amount
      for item in [view.activeItem - far, view.activeItem + far] where item > view.activeItem || far <= behind ?? far {
        (far <= distance ? nearAmount : farAmount).fetch(item..<item + 1, view, priority: far, into: &plan)
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

/// The playlist of a media3 player: the next items until its buffer is full, then the start of one more.
struct PlaylistWindow: PrefetchWindow {
  var bufferSeconds = 50.0
  var preload: PrefetchAmount

  func fetch(_ view: borrowing FeedView, amount: PrefetchAmount, into plan: inout Plan) {
    var rest = bufferSeconds - view.bufferedSeconds
    var item = view.activeItem + 1
    while view.isComplete(view.activeItem), rest > 0, item < view.items.count {
      PrefetchAmount.seconds(rest).fetch(item..<item + 1, view, priority: item - view.activeItem, into: &plan)
      let rate = view.items[item].bitsPerSecond
      rest -= rate == 0 ? 0 : Double(view.items[item].bytes * 8) / Double(rate)
      item += 1
    }
    if rest <= 0 || view.isComplete(view.activeItem) { preload.fetch(item..<item + 1, view, priority: item - view.activeItem, into: &plan) }
  }
}

/// A number of items ahead that depends on the measured rate.
struct RateWindow: PrefetchWindow {
  /// The bounds of the middle tier, in Mbit/s.
  var (slowBelow, fastAbove) = (1.0, 5.0)
  var (slow, middle, fast) = (2, 4, 6)
  private var estimate = LinkEstimate()

  mutating func fetch(_ view: borrowing FeedView, amount: PrefetchAmount, into plan: inout Plan) {
    estimate.update(view)
    ItemWindow(ahead: ahead(atMbps: estimate.rate * 8 / 1e6)).fetch(view, amount: amount, into: &plan)
  }

  func ahead(atMbps rate: Double) -> Int { rate < slowBelow ? slow : rate > fastAbove ? fast : middle }
}

/// Items ahead, once an item has been ready while it was active.
struct PlaybackWindow: PrefetchWindow {
  var ahead: Int
  var hasPlayed = false

  mutating func fetch(_ view: borrowing FeedView, amount: PrefetchAmount, into plan: inout Plan) {
    hasPlayed = hasPlayed || view.isReady(view.activeItem)
    if hasPlayed { ItemWindow(ahead: ahead).fetch(view, amount: amount, into: &plan) }
  }
}

/// The active item whole, then a number of bytes of each of the next items, one at a time.
/// A swipe cancels prefetches; the transfers of items that were active go on (`Results/real-app`).
struct LoggedApp: Prefetcher {
  var ahead = 5
  var bytes: Int64 = 1_024_000
  var listEnd = 2
  var finishesLeft = true
  var concurrency: Int? = 1
  private var active = -1
  /// Earlier active items with transfers in flight.
  private var left: ContiguousArray<Int> = []

  var trigger: PlanTrigger { [.standard, .transferFinished] }
  var cancelRule: DownloadSettings.CancelRule? { .keep }
  var keepsPartial: Bool? { true }
  var pageTrigger: PageTrigger? { .itemsFromEnd(listEnd) }

  mutating func plan(for view: borrowing FeedView, into plan: inout Plan) {
    if view.activeItem != active {
      if active >= 0, finishesLeft { left.append(active) }
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
      Setting(seconds("nextSeconds", "the items next to the active one").optional("seconds")) { $0.window.nextAmount = .seconds($1) },
      Setting(seconds("seconds", default: 1, "the items up to `distance`")) { $0.amount = .seconds($1) }.ifGiven(),
      Setting(seconds("farSeconds", default: 5, "the items up to `farDistance`")) { $0.window.farAmount = .seconds($1) }.ifGiven(),
      .concurrency(or: "1"),
      Setting(.boolean("pauseWhileBuffering", default: false, "Waits until the active item has half a second buffered or is complete.")) {
        if $1 { ($0.gate, $0.trigger) = (.buffered(seconds: 0.5), [.standard, .transferFinished, .askedFor]) }
      }.ifGiven(),
    ])

  private static func seconds(_ key: String, default value: Double? = nil, _ items: String) -> Parameter {
    .number(key, default: value, in: 0...3600, "Seconds that are loaded of \(items).")
  }

  /// The status control of media3's Compose demo at 2bc20785, with its window of three items behind and six ahead.
  static let media3Compose = PrefetcherDefinition(
    "media3-compose-demo", "Media3's Compose demo: three seconds of the next item, one of two more, five of the others.",
    PrefetchSystem(
      window: NearestWindow(nextAmount: .seconds(3), distance: 3, farDistance: 6, farAmount: .seconds(5), behind: 3), amount: .seconds(1),
      concurrency: 1, cancelRule: .keep, keepsPartial: true),
    settings: [
      .integer("distance", \.window.distance, in: 0...1000, "Players of the pool: items of which one second is loaded."),
      .integer("farDistance", \.window.farDistance, in: 0...1000, "Items ahead of which five seconds are loaded."),
      .optionalInteger("behind", \.window.behind, in: 0...1000, or: "3", "The largest distance of an earlier item."),
    ])

  /// ExoPlayer's playlist with a PreloadConfiguration, at 2bc20785: it preloads while the player is not loading (DefaultLoadControl).
  /// Without a configuration it preloads nothing; the 5 s are ours.
  static let media3Playlist = PrefetcherDefinition(
    "media3-playlist", "ExoPlayer's playlist: 50 s buffered over the next items, then five seconds of one more.",
    PrefetchSystem(
      window: PlaylistWindow(preload: .seconds(5)), gate: .buffered(seconds: 50), trigger: [.standard, .transferFinished, .askedFor],
      concurrency: 1, cancelRule: .keep, keepsPartial: true),
    settings: [
      Setting(.number("bufferSeconds", default: 50, in: 0...3600, "Seconds that the player buffers.")) {
        ($0.window.bufferSeconds, $0.gate) = ($1, .buffered(seconds: $1))
      },
      Setting(.number("preloadSeconds", default: 5, in: 0...3600, "Seconds that are preloaded of one more item.")) {
        $0.window.preload = .seconds($1)
      },
    ])

  /// A rule of many apps, with the bounds of a discussion; no library has it.
  static let rateTiers = PrefetcherDefinition(
    "rate-tiers", "Two, four or six items ahead, below 1, up to 5 and above 5 Mbit/s as measured.",
    PrefetchSystem(window: RateWindow(), amount: .ready, trigger: [.standard, .transferFinished], cancelRule: .keep),
    settings: [
      .number("slowBelow", \.window.slowBelow, "The rate below which `slowAhead` holds, in Mbit/s."),
      .number("fastAbove", \.window.fastAbove, "The rate above which `fastAhead` holds, in Mbit/s."),
      .integer("slowAhead", \.window.slow, in: 0...1000, "Items ahead at low rates."),
      .integer("middleAhead", \.window.middle, in: 0...1000, "Items ahead at other rates."),
      .integer("fastAhead", \.window.fast, in: 0...1000, "Items ahead at high rates."),
    ])

  /// The web client of a short-video network (divinevideo/divine-web at bdc66278, pull request 448): five files, once a video has played.
  static let afterPlayback = PrefetcherDefinition(
    "after-first-playback", "Five items ahead whole, but none before the first item has played; nothing cancelled.",
    PrefetchSystem(window: PlaybackWindow(ahead: 5), trigger: [.standard, .transferFinished], cancelRule: .never),
    settings: [.ahead(\.window.ahead)])

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
      .boolean("finishLeft", \.finishesLeft, "Downloads the rest of an item after it was left.").ifGiven(),
      Setting(.integer("concurrency", in: 1...256, "Prefetches at once.").optional("1"), \.concurrency),
    ])
}
