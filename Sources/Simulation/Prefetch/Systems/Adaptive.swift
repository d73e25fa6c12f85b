// An adaptive prefetcher of this project: item sizes, measured throughput and observed dwells decide the window and the amounts.

/// Prefetches items in the order of their expected activation, and of a video only what the user will probably watch.
/// The constants were tuned with seed 77 on a 3G link and on drawn 3G and 4G rates; the sweep that compares systems has another seed.
struct Adaptive: Prefetcher {
  static let itemLimit = 128

  private var onTime = OnTimeSet()
  private var estimate = LinkEstimate()
  private var dwell = DwellEstimate()

  /// Plans again while a video plays.
  let trigger: PlanTrigger = [.standard, .askedFor]
  /// Two prefetches: the second hides the round trip of the first, and a third would delay both.
  let concurrency: Int? = 2
  /// Requests pages early enough for the whole window.
  let pageTrigger: PageTrigger? = .itemsFromEnd(Self.itemLimit)
  let pageLatch: PageLatch? = .inFlight
  let cancelRule: DownloadSettings.CancelRule? = .keep
  /// A transfer is planned until its item is passed. The bytes of passed items are kept, because the user may return.
  let keepsPartial: Bool? = true

  mutating func plan(for view: borrowing FeedView, into plan: inout Plan) {
    estimate.update(view)
    dwell.update(view)
    fetchActive(view, &plan)
    guard view.appState == .foreground else { return }
    fetchAhead(view, &plan)
  }

  /// Plans the active item; of a video only what the user will probably watch, as the rest delays the items after it.
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

  /// Plans the items within the window in order. Those that cannot be in time (Moore's rule, on estimates) come last.
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
    for (rank, job) in onTime.accepted.enumerated() { plan.fetch(job.item, bytes: Plan.toReady, priority: 1 + rank) }
    for (rank, item) in onTime.givenUp.enumerated() { plan.fetch(item, bytes: Plan.toReady, priority: 500 + rank) }
  }

  /// Returns the bytes a second that the next items need.
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

struct LinkEstimate {
  /// The throughput of the whole link, in bytes a second.
  private(set) var rate = 0.0
  /// The mean deviation of the throughput as a share of its mean; 0 for a steady link.
  private(set) var unsteadiness = 0.0
  private var mean = 0.0
  private var deviation = 0.0
  private var seen = 0

  /// Updates the estimate. A transfer among n in flight counts for 1/n of its time.
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
    // Exponential moving averages with weight 1/20.
    mean = mean == 0 ? rate : mean + (rate - mean) / 20
    deviation += (abs(rate - mean) - deviation) / 20
    unsteadiness = min(1, deviation / mean)
  }

  /// Returns the bytes that the link carries in a time, with a margin for an unsteady link.
  func bytes(in seconds: Double) -> Int64 { Int64(min(1e15, rate * max(0.35, 1 - unsteadiness) * seconds)) }

  /// Returns the window in seconds. It grows with the share of the link that the feed needs, and with unsteadiness.
  func horizonSeconds(demand: Double) -> Double {
    let share = min(1, demand / max(1, rate))
    return min(120, 30 + 120 * share + 120 * unsteadiness)
  }

  /// The throughput before any measurement, in bytes a second: a low value for each class of network.
  private static let guess = ByNetwork(values: [500_000, 250_000, 60_000, 15_000])
}

/// An estimate of the user's dwell from the latest visits.
struct DwellEstimate {
  /// The median and the 90 % quantile of the latest dwells, in seconds.
  private(set) var median = 1.0, high = 2.0
  /// The buffer that a player needs beyond the watched part, in seconds: it resumes with half a second.
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
    "adaptive", "Adapts the window and the amounts to item sizes, measured throughput and observed dwells.", Adaptive())
}
