// The schedule behind `bound`, played as a prefetcher, so that tables can show what is left to gain.

/// Knows which items will be seen when, and what the link will carry; loads the largest set that can be on time, and nothing else.
///
/// The set: items by their first activation, and whenever they are more than the link carries by then, the largest is given up
/// (J. M. Moore, Management Science 15, 1968, with Hodgson's rule). The schedule: one at a time, earliest activation first. On a fluid
/// link without latency it shows as many loaders as `bound` says. With latency, and over TCP, more at once may do better.
struct Clairvoyant: Prefetcher {
  private var accepted: ContiguousArray<Int> = []
  private var next = 0

  let concurrency: Int? = 1
  /// Pages early enough that the schedule is listed.
  let pageTrigger: PageTrigger? = .itemsFromEnd(200)
  /// Nothing that is scheduled is ever cancelled: it stays in the plan.
  let cancelRule: DownloadSettings.CancelRule? = .keep
  /// Asked whenever the next one may start.
  let trigger: PlanTrigger = [.standard, .transferFinished]

  /// Finds the set from the future of the run, before it starts. O(items log items).
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

  /// The next of the set, earliest activation first.
  mutating func plan(for view: borrowing FeedView, into plan: inout Plan) {
    while next < accepted.count, accepted[next] < view.items.count, view.isReady(accepted[next]) { next += 1 }
    for index in next..<min(next + 64, accepted.count) {
      plan.fetch(accepted[index], bytes: Plan.toReady, priority: 1 + index - next)
    }
  }
}

extension PrefetcherDefinition {
  static let clairvoyant = PrefetcherDefinition(
    "clairvoyant", "Knows the future: the schedule behind `bound`, reached on a fluid link without latency."
  ) { _ in Clairvoyant() }
}
