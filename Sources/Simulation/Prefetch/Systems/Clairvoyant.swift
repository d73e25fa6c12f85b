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

  /// Computes the schedule from the items, visits and network of the run. O(items log items).
  mutating func foresee(items: ContiguousArray<Item>, visits: ContiguousArray<Visit>, network: NetworkConfiguration) {
    var capacity = LinkCapacity(network.down, offset: network.offset)
    var set = OnTimeSet()
    var isSeen = ContiguousArray(repeating: false, count: items.count)
    var now: Int64 = 0
    for visit in visits {
      if !isSeen[visit.item] {
        isSeen[visit.item] = true
        let volume = Volume.bytes(items[visit.item].readyBytes).nanobits
        set.add(visit.item, volume: volume, due: capacity.ascending(by: now))
      }
      now += visit.dwell.nanoseconds
    }
    accepted = set.items
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

extension PrefetcherDefinition {
  static let clairvoyant = PrefetcherDefinition(
    "clairvoyant", "Knows the future: follows the schedule behind `bound`, which it reaches on a fluid link without latency."
  ) { _ in Clairvoyant() }
}
