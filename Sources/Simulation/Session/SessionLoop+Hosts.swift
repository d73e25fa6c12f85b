// Connections where items come from several hosts: each host has its own, so that one that is busy does not hold up the others.

extension SessionLoop where Link: ~Copyable {
  /// The host of an item.
  func host(of item: Int) -> Int { features.hosts.of(items[item].kind) }

  /// Whether the host of an item has as many transfers on the way as it may. O(transfers on the way).
  func isHostBusy(of item: Int) -> Bool {
    guard features.hosts.itemHosts > 1 else { return onTheWay.isFull }
    let wanted = host(of: item)
    var count = 0
    var number = onTheWay.oldest
    while number != onTheWay.end {
      if host(of: transfers[number].item) == wanted { count += 1 }
      number = onTheWay.next(after: number)
    }
    return count >= downloads.connections
  }

  /// Gives free connections to what is wanted, in the plan's order; what its host has no connection for is passed over, and looked at
  /// again the next time. O(wishes × transfers on the way).
  mutating func fillByHost(at now: Int64) {
    var passedOver: (stretch: Int, item: Int)?
    while !onTheWay.isFull, let wish = nextWish() {
      if isHostBusy(of: wish.item) || (wish.item != view.activeItem && hasEnoughPrefetches) {
        // Behind the plan there is only the rest of the active video.
        guard planStretch < plan.stretchCount else { break }
        if passedOver == nil { passedOver = (planStretch, wish.item) }
        planItem = wish.item + 1
      } else {
        let number = start(wish, at: now, isRadioBusy: hasTransfers)
        noteStart(number, wish, at: now)
      }
    }
    if let passedOver { (planStretch, planItem) = passedOver }
  }

  /// Whether as many prefetches are on the way as the prefetcher allows. O(transfers on the way).
  var hasEnoughPrefetches: Bool {
    guard prefetchLimit < onTheWay.capacity else { return false }
    var prefetches = 0
    var number = onTheWay.oldest
    while number != onTheWay.end {
      prefetches += transfers[number].item == view.activeItem ? 0 : 1
      number = onTheWay.next(after: number)
    }
    return prefetches >= prefetchLimit
  }
}
