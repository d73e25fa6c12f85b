// Transfers in flight: the limits of hosts and prefetches, the bytes read so far, the invariants.

extension Downloads where Link: ~Copyable {
  /// Returns the host of an item. Each host has its own connections, so a busy host does not hold up the others.
  @inline(__always) func host(of item: Int) -> Int { hosts.itemHosts == 1 ? 0 : hosts.of(items[item].kind) }

  /// True if the host of an item has as many transfers in flight as it has connections. O(transfers in flight).
  func isHostBusy(_ item: Int) -> Bool {
    if hosts.itemHosts == 1 { return inFlight.isFull }
    let ownHost = host(of: item)
    return countInFlight { host(of: $0.item) == ownHost } >= settings.connections
  }

  /// True if as many prefetches are in flight as the prefetcher allows. O(transfers in flight).
  func hasEnoughPrefetches(_ view: borrowing FeedView) -> Bool {
    let active = view.activeItem
    return prefetchLimit < inFlight.capacity && countInFlight { $0.item != active } >= prefetchLimit
  }

  private func countInFlight(_ condition: (InFlightTransfer) -> Bool) -> Int {
    var count = 0
    inFlight.forEach { if condition(transfers[$0]) { count += 1 } }
    return count
  }

  private func forEachInFlight(_ body: (Int, InFlightTransfer) -> Void) {
    inFlight.forEach { body($0, transfers[$0]) }
    pagesInFlight.forEach { body(inFlight.capacity + $0, transfers[inFlight.capacity + $0]) }
  }

  /// Returns the bytes that the client has read of the transfers in flight. O(transfers in flight).
  func bytesRead() -> Int64 {
    var bytes: Int64 = 0
    forEachInFlight { number, _ in bytes += link.received(number).bytes }
    return bytes
  }

  /// Ends the run: transfers in flight are unfinished, not cancelled. Their bytes count as received; those of pages count as unseen.
  func close(_ view: borrowing FeedView, _ recorder: inout Recorder, at now: Int64) {
    forEachInFlight { number, transfer in
      let received = link.received(number)
      recorder.end(transfer, .unfinished, received: received, milestones: link.milestones(number), at: now)
      guard number < inFlight.capacity else { return recorder.receive(received.bytes, wasViewed: false) }
      let progress = view.progress[transfer.item]
      let again = min(received.bytes, max(0, store.lost(transfer.item) - storedBytes(transfer.item, progress)))
      recorder.metrics.bytesDuplicate += again
      recorder.receive(received.bytes - again, wasViewed: progress.wasViewed)
    }
    if isBusy { recorder.radio.end(at: now) }
    // Items of dropped pages are hidden, but their bytes were received.
    for item in items.indices {
      let progress = view.progress[item]
      recorder.receive(max(storedBytes(item, progress), store.lost(item)), wasViewed: progress.wasViewed)
    }
  }

  /// Stops the program if transfers, plan and items contradict each other. O(transfers in flight).
  func checkInvariants(_ view: borrowing FeedView) -> Bool {
    forEachInFlight { number, transfer in
      precondition(transfer.volume > 0, "a transfer of 0 bytes")
      if number >= inFlight.capacity { return }
      let progress = view.progress[transfer.item]
      precondition(
        (transfer.isRest ? progress.restTransfer : progress.headTransfer) == number, "a transfer that its item does not refer to")
    }
    precondition(
      covered.isEmpty || (view.progress[covered.lowerBound].isHeadCovered && view.progress[covered.upperBound - 1].isHeadCovered))
    precondition(rangeIndex <= plan.rangeCount || plan.rangeCount == 0, "an index beyond the plan")
    return !store.isOn || store.checkInvariants(view) { storedBytes($0, view.progress[$0]) }
  }

  /// Tells the server the priorities that a new plan gives to what is in flight; what has left the plan is the least urgent.
  /// O(transfers in flight × ranges of the plan).
  @inline(never) mutating func prioritizeInFlight(_ view: borrowing FeedView) {
    var number = inFlight.oldest
    while number != inFlight.end {
      let transfer = transfers[number]
      var found = plan.range(of: transfer.item)
      while let index = found, transfer.isRest, plan.ranges[index].bytes <= view.items[transfer.item].readyBytes {
        found = plan.range(of: transfer.item, from: index + 1)
      }
      link.prioritize(number, priority: found.map { plan.ranges[$0].priorityBase + transfer.item } ?? .max)
      number = inFlight.next(after: number)
    }
  }
}
