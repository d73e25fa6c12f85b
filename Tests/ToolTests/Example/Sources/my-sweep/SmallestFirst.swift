// A prefetcher of a package outside of this one.

import Simulation

/// Plans the active item, then those of the next items that are not too large, the smallest first.
struct SmallestFirst: Prefetcher {
  var ahead: Int
  var limit: Int64

  func plan(for view: borrowing FeedView, into plan: inout Plan) {
    plan.fetch(view.activeItem)
    let first = view.activeItem + 1
    var small: [(item: Int, bytes: Int64)] = []
    for item in first..<max(first, min(first + ahead, view.items.count)) {
      let bytes = view.items[item].readyBytes
      if bytes <= limit { small.append((item, bytes)) }
    }
    for fetch in small.sorted(by: { $0.bytes < $1.bytes }) { plan.fetch(fetch.item, bytes: Plan.toReady) }
  }
}
