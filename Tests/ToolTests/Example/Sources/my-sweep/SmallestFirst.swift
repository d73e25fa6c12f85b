// A prefetcher as a team might write it for itself.

import Simulation

/// The active item, then those of the next items that are not too large, the smallest first.
struct SmallestFirst: Prefetcher {
  var ahead: Int
  var limit: Int64

  func plan(for view: borrowing FeedView, into plan: inout Plan) {
    plan.fetch(view.activeItem)
    let first = view.activeItem + 1
    var items: [Item] = []
    for place in first..<max(first, min(first + ahead, view.items.count)) { items.append(view.items[place]) }
    let small = items.indices.filter { items[$0].readyBytes <= limit }
    for place in small.sorted(by: { items[$0].readyBytes < items[$1].readyBytes }) { plan.fetch(first + place, bytes: Plan.toReady) }
  }
}
