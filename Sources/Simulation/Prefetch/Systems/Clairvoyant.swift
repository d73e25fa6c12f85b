// A prefetcher that knows the future: it follows the schedule behind `bound` and shows how much other prefetchers could gain.

/// Fetches the largest set of items that can be ready in time on the known link, one at a time in the order of activation.
/// Its loaders equal `bound` on a fluid link without latency if no item is activated twice and each has a decoder. With latency, or over
/// TCP, parallel transfers may do better. Source: J. M. Moore, Management Science 15, 1968, with Hodgson's rule.
struct Clairvoyant: Prefetcher {
  /// The schedule, and true for items that are late when they are first activated.
  private var accepted: ContiguousArray<(item: Int, isAgain: Bool)> = []
  private var next = 0

  let concurrency: Int? = 1
  /// Requests pages early enough for the schedule.
  let pageTrigger: PageTrigger? = .itemsFromEnd(200)
  /// Scheduled items stay in the plan, so nothing is cancelled.
  let cancelRule: DownloadSettings.CancelRule? = .keep
  let trigger: PlanTrigger = [.standard, .transferFinished]

  /// Computes the schedule of a run. O(visits log visits).
  mutating func foresee(items: ContiguousArray<Item>, visits: ContiguousArray<Visit>, network: NetworkConfiguration, _ times: DecodeTimes) {
    var now: Int64 = 0
    let activations = visits.map { visit in
      defer { now += visit.dwell.nanoseconds }
      return (item: visit.item, activation: now)
    }
    accepted = OnTimeSet(activations, items: items, network: network, times).accepted
    next = 0
  }

  /// Plans the next scheduled items, earliest activation first.
  mutating func plan(for view: borrowing FeedView, into plan: inout Plan) {
    while next < accepted.count, accepted[next].item < view.items.count, view.isReady(accepted[next].item) { next += 1 }
    for index in next..<min(next + 64, accepted.count) {
      let (item, isAgain) = accepted[index]
      // The active item does not count as a prefetch. Scheduled for a later activation, it takes its turn without another beside it.
      let isAlone = isAgain && item == view.activeItem
      if isAlone, index > next { break }
      plan.fetch(item, bytes: Plan.toReady, priority: 1 + index - next)
      if isAlone { break }
    }
  }
}

extension OnTimeSet {
  /// Creates the set of items whose ready bytes a link can carry by an activation, less their decode time. A rejected item has another
  /// chance at its next one; an accepted one that is activated again is kept: it saves several loaders. O(activations log activations).
  init(
    _ activations: some Sequence<(item: Int, activation: Int64)>, items: ContiguousArray<Item>, network: NetworkConfiguration,
    _ times: DecodeTimes
  ) {
    var jobs = activations.map { (item: $0.item, deadline: max(0, $0.activation - times.nanoseconds(of: items[$0.item]))) }
    if times.isOn { jobs.sort { ($0.deadline, $0.item) < ($1.deadline, $1.item) } }
    self.init(capacity: jobs.count)
    var capacity = LinkCapacity(network.down, offset: network.offset)
    /// The index of each item's accepted job; -1 if it was rejected, nil before its first activation.
    var accepted = ContiguousArray<Int?>(repeating: nil, count: items.count)
    for job in jobs {
      let known = accepted[job.item]
      if let known, known >= 0 {
        keep(known)
        continue
      }
      accepted[job.item] = count
      let volume = Volume.bytes(items[job.item].readyBytes).nanobits
      let due = capacity.ascending(by: job.deadline)
      if let rejected = add(job.item, volume: volume, due: due, isAgain: known != nil) { accepted[rejected] = -1 }
    }
  }
}

extension PrefetcherDefinition {
  static let clairvoyant = {
    var definition = PrefetcherDefinition(
      "clairvoyant",
      "Knows the future: follows the schedule behind `bound`, which it reaches on a fluid link without latency and without moves back.",
      Clairvoyant())
    definition.isOracle = true
    return definition
  }()
}
