// A prefetcher that knows the future: it follows the schedule behind `bound` and shows how much other prefetchers could gain.

/// Fetches the largest set of items that can be ready in time on the known link, one at a time in the order of activation.
///
/// On a fluid link without latency its loaders equal `bound`. With latency, or over TCP, parallel transfers may do better.
/// Source: J. M. Moore, Management Science 15, 1968, with Hodgson's rule.
struct Clairvoyant: Prefetcher {
  private var accepted: ContiguousArray<Int> = []
  private var next = 0

  let concurrency: Int? = 1
  /// Requests pages early enough for the schedule.
  let pageTrigger: PageTrigger? = .itemsFromEnd(200)
  /// Scheduled items stay in the plan, so nothing is cancelled.
  let cancelRule: DownloadSettings.CancelRule? = .keep
  /// Plans after each transfer.
  let trigger: PlanTrigger = [.standard, .transferFinished]

  /// Computes the schedule of a run. O(items log items).
  mutating func foresee(
    items: ContiguousArray<Item>, visits: ContiguousArray<Visit>, network: NetworkConfiguration, _ times: DecodeTimes
  ) {
    var firsts: [(item: Int, activation: Int64)] = []
    var isSeen = ContiguousArray(repeating: false, count: items.count)
    var now: Int64 = 0
    for visit in visits {
      if !isSeen[visit.item] {
        isSeen[visit.item] = true
        firsts.append((visit.item, now))
      }
      now += visit.dwell.nanoseconds
    }
    accepted = OnTimeSet(firsts, items: items, network: network, times).items
    next = 0
  }

  /// Plans the next scheduled items, earliest activation first.
  mutating func plan(for view: borrowing FeedView, into plan: inout Plan) {
    while next < accepted.count, accepted[next] < view.items.count, view.isReady(accepted[next]) { next += 1 }
    for index in next..<min(next + 64, accepted.count) {
      plan.fetch(accepted[index], bytes: Plan.toReady, priority: 1 + index - next)
    }
  }
}

extension OnTimeSet {
  /// Creates the set of items whose ready bytes a link can carry in time: by their first activation, less their decode time.
  /// O(items log items).
  init(
    _ firsts: some Sequence<(item: Int, activation: Int64)>, items: ContiguousArray<Item>, network: NetworkConfiguration,
    _ times: DecodeTimes
  ) {
    var jobs = firsts.map { (item: $0.item, deadline: max(0, $0.activation - times.nanoseconds(of: items[$0.item]))) }
    if times.isOn { jobs.sort { ($0.deadline, $0.item) < ($1.deadline, $1.item) } }
    self.init(capacity: jobs.count)
    var capacity = LinkCapacity(network.down, offset: network.offset)
    for job in jobs {
      add(job.item, volume: Volume.bytes(items[job.item].readyBytes).nanobits, due: capacity.ascending(by: job.deadline))
    }
  }
}

extension PrefetcherDefinition {
  static let clairvoyant = PrefetcherDefinition(
    "clairvoyant", "Knows the future: follows the schedule behind `bound`, which it reaches on a fluid link without latency."
  ) { _ in Clairvoyant() }
}
