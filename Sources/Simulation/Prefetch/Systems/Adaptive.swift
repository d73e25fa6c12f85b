// Ours: sizes, measured throughput and the dwell seen so far decide how far and how much.

/// Loads what the user will probably see, in the order in which it will be seen, and no byte of a video beyond what will be played.
///
/// Five rules. (1) An active video is loaded as far as the user will probably watch it, and further only as long as the user stays: the
/// rest of a video is what starves the items behind it. (2) Ahead of it, all items up to a horizon in seconds are wanted ready, in order;
/// the horizon grows with the share of the link that the feed needs and with how unsteady the link is. (3) Within the horizon, those
/// items that cannot all be in time give way, the largest first (Moore's and Hodgson's rule, on estimates), to be loaded when all
/// others are; the less steady the link, the less of its measured rate is counted on. (4) Two prefetches at a time: the second hides
/// the first one's round trip, and a third would only delay both. (5) Nothing that is on its way leaves the plan before it has been
/// passed: a cut costs what is in flight.
///
/// The constants were tried on a 3G link and on drawn 3G and 4G rates with seed 77, not with the seed of the sweep that compares systems.
struct Adaptive: Prefetcher {
  static let itemLimit = 128

  private var onTime = OnTimeSet()
  private var estimate = LinkEstimate()
  private var dwell = DwellEstimate()

  /// Asked again while a video plays on.
  let trigger: PlanTrigger = [.standard, .askedFor]
  /// Two: one crosses the link while the other waits for its answer.
  let concurrency: Int? = 2
  /// Pages early enough that the horizon is listed.
  let pageTrigger: PageTrigger? = .itemsFromEnd(Self.itemLimit)
  let pageLatch: PageLatch? = .inFlight
  let cancelRule: DownloadSettings.CancelRule? = .keep
  /// What has come of a passed item may be seen again.
  let keepsPartial: Bool? = true

  mutating func plan(for view: borrowing FeedView, into plan: inout Plan) {
    estimate.update(view)
    dwell.update(view)
    fetchActive(view, &plan)
    guard view.appState == .foreground else { return }
    fetchAhead(view, &plan)
  }

  /// Rule 1. Asks again before the video would run dry.
  private func fetchActive(_ view: borrowing FeedView, _ plan: inout Plan) {
    let item = view.items[view.activeItem]
    guard item.bitsPerSecond > 0 else { return plan.fetch(view.activeItem) }
    let elapsed = Double((view.now - view.activeSince).nanoseconds) / 1e9
    let watched = max(dwell.high, elapsed) + dwell.reserveSeconds
    let bytes = max(Double(item.readyBytes), Double(item.bitsPerSecond) / 8 * watched)
    plan.fetch(view.activeItem, bytes: bytes >= Double(item.bytes) ? .max : Int64(bytes))
    if bytes < Double(item.bytes) {
      let wait = max(0.1, dwell.high - elapsed)
      plan.askAgain = view.now + Interval(nanoseconds: Int64(wait * 1e9))
    }
  }

  /// Rules 2 and 3.
  private mutating func fetchAhead(_ view: borrowing FeedView, _ plan: inout Plan) {
    let step = view.direction
    let horizon = estimate.horizonSeconds(demand: demand(view))
    let count = min(Self.itemLimit, max(2, Int(horizon / dwell.median)))
    let elapsed = Double((view.now - view.activeSince).nanoseconds) / 1e9
    onTime.removeAll()
    var due = max(0, dwell.median - elapsed)
    for distance in 1...count {
      let item = view.activeItem + distance * step
      guard 0 <= item, item < view.items.count else { break }
      if !view.isReady(item) {
        let missing = view.items[item].readyBytes - view.storedBytes(item)
        onTime.add(item, volume: missing, due: Int128(estimate.bytes(in: due)))
      }
      due += dwell.median
    }
    for (rank, item) in onTime.items.enumerated() { plan.fetch(item, bytes: Plan.toReady, priority: 1 + rank) }
    for (rank, item) in onTime.givenUp.enumerated() { plan.fetch(item, bytes: Plan.toReady, priority: 500 + rank) }
  }

  /// The bytes a second that the next items need.
  private func demand(_ view: borrowing FeedView) -> Double {
    var bytes = 0.0
    var count = 0.0
    for distance in 1...16 {
      let item = view.activeItem + distance * view.direction
      guard 0 <= item, item < view.items.count else { break }
      bytes += Double(view.items[item].readyBytes)
      count += 1
    }
    return count == 0 ? 0 : bytes / count / dwell.median
  }
}

/// What the latest transfers say of the link.
struct LinkEstimate {
  /// Bytes a second of the whole link.
  private(set) var rate = 0.0
  /// How far the estimates stray from their mean, as a share of it: 0 for a steady link.
  private(set) var unsteadiness = 0.0
  private var mean = 0.0
  private var deviation = 0.0
  private var seen = 0

  /// Reads the latest transfers: each saw its share of the link, as one of so many at once.
  mutating func update(_ view: borrowing FeedView) {
    let total = view.throughputSamples.total
    guard total > 0 else {
      rate = Self.guess[view.networkClass]
      return
    }
    guard total != seen else { return }
    seen = total
    var bytes = 0.0
    var seconds = 0.0
    for age in 0..<min(16, view.throughputSamples.count) {
      let sample = view.throughputSamples[age]
      let time = max(1e-3, Double((sample.finished - sample.requested).nanoseconds) / 1e9)
      bytes += Double(sample.bytes)
      seconds += time / Double(max(1, sample.concurrent))
    }
    rate = bytes / seconds
    // Running means with the weight of the last twenty looks.
    mean = mean == 0 ? rate : mean + (rate - mean) / 20
    deviation += (abs(rate - mean) - deviation) / 20
    unsteadiness = min(1, deviation / mean)
  }

  /// The bytes that the link can be counted on to carry in so many seconds.
  func bytes(in seconds: Double) -> Int64 { Int64(min(1e15, rate * max(0.35, 1 - unsteadiness) * seconds)) }

  /// How far ahead to load, in seconds.
  func horizonSeconds(demand: Double) -> Double {
    let share = min(1, demand / max(1, rate))
    return min(120, 30 + 120 * share + 120 * unsteadiness)
  }

  /// Bytes a second before anything was measured: what the class of the network promises at the least.
  private static let guess = ByNetwork(values: [500_000, 250_000, 60_000, 15_000])
}

/// What the latest stays say of the user.
struct DwellEstimate {
  /// The stay that half of the latest exceed, in seconds; and the one that a tenth exceeds.
  private(set) var median = 1.0
  private(set) var high = 2.0
  /// What a player must have beyond the watched: it starts again with half a second.
  let reserveSeconds = 0.5
  private var sorted: ContiguousArray<Double> = []
  private var seen = 0

  mutating func update(_ view: borrowing FeedView) {
    guard view.dwellSamples.total != seen, view.dwellSamples.count > 0 else { return }
    seen = view.dwellSamples.total
    sorted.removeAll(keepingCapacity: true)
    for age in 0..<view.dwellSamples.count { sorted.append(Double(view.dwellSamples[age].nanoseconds) / 1e9) }
    sorted.sort()
    median = max(0.1, sorted[sorted.count / 2])
    high = max(median, sorted[min(sorted.count - 1, sorted.count * 9 / 10)])
  }
}

extension PrefetcherDefinition {
  static let adaptive = PrefetcherDefinition(
    "adaptive", "Ours: as far and as much as sizes, measured throughput and dwell so far allow."
  ) { _ in Adaptive() }
}
