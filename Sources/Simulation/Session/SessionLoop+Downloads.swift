// The download manager of a run: what becomes of transfers under a new plan, and which wish is started next.

extension SessionLoop where Link: ~Copyable {
  /// Settles what becomes of the transfers on the way now that there is a new plan.
  @inline(never)
  mutating func reconcile(at now: Int64) {
    if downloads.cancel == .never { return }
    var number = onTheWay.oldest
    while number != onTheWay.end {
      let next = onTheWay.next(after: number)
      if downloads.cancel != .keep || !isPlanned(transfers[number]) { cut(number, at: now) }
      number = next
    }
  }

  /// Whether the plan still wants the part that a transfer brings. Most transfers are of the last stretch, so it begins with that.
  /// O(stretches of the plan).
  @inline(__always)
  func isPlanned(_ transfer: TransferProgress) -> Bool {
    var place = plan.stretchCount
    while place > 0 {
      place &-= 1
      let stretch = plan.stretches[place]
      guard stretch.first <= transfer.item, transfer.item < stretch.end else { continue }
      if !transfer.isRest || stretch.bytes > view.items[transfer.item].readyBytes { return true }
    }
    return false
  }

  /// Cuts the transfer that stands last in the plan, so that the active item, which waits for a connection, gets one.
  mutating func preempt(at now: Int64) {
    guard view.progress[view.activeItem].headTransfer < 0, plan.stretch(of: view.activeItem) != nil else { return }
    let wanted = host(of: view.activeItem)
    var number = onTheWay.oldest
    var last = number
    var lastPlace = (-1, -1)
    while number != onTheWay.end {
      let item = transfers[number].item
      let place = (plan.stretch(of: item) ?? plan.stretchCount, item)
      if host(of: item) == wanted, place > lastPlace {
        last = number
        lastPlace = place
      }
      number = onTheWay.next(after: number)
    }
    cut(last, at: now)
  }

  mutating func rewindPlan() {
    planStretch = 0
    planItem = 0
  }

  /// Gives free connections to what is wanted, in the plan's order. Among a limit of the prefetches the active item needs no place. O(transfers on the way) a wish.
  mutating func fillFully(at now: Int64) {
    if features.hosts.itemHosts > 1 { return fillByHost(at: now) }
    while !onTheWay.isFull, var wish = nextWish() {
      if wish.item != view.activeItem, hasEnoughPrefetches {
        guard let own = activeWish() else { return }
        wish = own
      }
      let number = start(wish, at: now, isRadioBusy: hasTransfers)
      noteStart(number, wish, at: now)
    }
  }

  /// What the plan wants of the active item and is not on the way.
  private func activeWish() -> Wish? {
    var place = 0
    while let found = plan.stretch(of: view.activeItem, from: place) {
      let progress = view.progress[view.activeItem]
      if !progress.isHeadCovered, let wish = headWish(view.activeItem, in: plan.stretches[found]) { return wish }
      if !progress.isRestCovered, let wish = restWish(view.activeItem, in: plan.stretches[found]) { return wish }
      place = found + 1
    }
    return nil
  }

  /// The first wish that is neither stored nor on the way. It stays the first until it is started.
  mutating func nextWish() -> Wish? {
    while planStretch < plan.stretchCount {
      if let wish = nextWish(in: plan.stretches[planStretch]) { return wish }
      leaveStretch()
    }
    return lastWish()
  }

  @inline(__always)
  private mutating func nextWish(in stretch: Plan.Stretch) -> Wish? {
    let start = max(planItem, stretch.first)
    return stretch.bytes == Plan.toReady ? nextHead(from: start, in: stretch) : nextPart(from: start, in: stretch)
  }

  @inline(__always)
  private mutating func leaveStretch() {
    planStretch &+= 1
    planItem = 0
  }

  /// The rest of the active video, where it stands behind the plan.
  @inline(__always)
  private func lastWish() -> Wish? {
    guard !downloads.restFirst, let place = plan.stretch(of: view.activeItem) else { return nil }
    return restWish(view.activeItem, in: plan.stretches[place])
  }

  /// The next wish of a stretch that wants items ready.
  @inline(__always)
  mutating func nextHead(from start: Int, in stretch: Plan.Stretch) -> Wish? {
    var item = covered.next(from: start)
    while item < stretch.end {
      if view.progress[item].isHeadCovered {
        covered.add(item)
      } else if let wish = headWish(item, in: stretch) {
        planItem = item
        return wish
      }
      item &+= 1
    }
    return nil
  }

  /// The next wish of a stretch that wants a number of bytes, or all.
  @inline(__always)
  mutating func nextPart(from start: Int, in stretch: Plan.Stretch) -> Wish? {
    var item = start
    while item < stretch.end {
      planItem = item
      if !view.progress[item].isHeadCovered, let wish = headWish(item, in: stretch) { return wish }
      if !view.progress[item].isRestCovered, downloads.restFirst || item != view.activeItem, let wish = restWish(item, in: stretch) {
        return wish
      }
      item &+= 1
    }
    return nil
  }

  @inline(__always)
  func headWish(_ item: Int, in stretch: Plan.Stretch) -> Wish? {
    guard view.progress[item].headTransfer < 0 else { return nil }
    let whole = view.items[item].readyBytes
    let bytes = stretch.bytes == Plan.toReady ? whole : min(stretch.bytes, whole)
    let wanted = Volume.bytes(bytes).nanobits - view.progress[item].head
    guard wanted > 0 else { return nil }
    return Wish(item: item, isRest: false, covers: bytes == whole, volume: wanted, priority: stretch.priorityBase + item)
  }

  func restWish(_ item: Int, in stretch: Plan.Stretch) -> Wish? {
    let (ready, all) = (view.items[item].readyBytes, view.items[item].bytes)
    guard stretch.bytes > ready, all > ready, view.progress[item].restTransfer < 0 else { return nil }
    let wanted = Volume.bytes(min(stretch.bytes, all) - ready).nanobits - view.progress[item].rest
    guard wanted > 0 else { return nil }
    return Wish(item: item, isRest: true, covers: stretch.bytes >= all, volume: wanted, priority: stretch.priorityBase + item)
  }

  @inline(__always)
  mutating func start(_ wish: Wish, at now: Int64, isRadioBusy: Bool) -> Int {
    if !isRadioBusy { ledger.radio.begin(at: now) }
    let number = onTheWay.take()
    transfers[number] = TransferProgress(item: wish.item, volume: wish.volume, isRest: wish.isRest)
    if wish.isRest {
      view.progress[wish.item].restTransfer = Int32(truncatingIfNeeded: number)
      view.progress[wish.item].isRestCovered = wish.covers
    } else {
      view.progress[wish.item].headTransfer = Int32(truncatingIfNeeded: number)
      view.progress[wish.item].isHeadCovered = wish.covers
      if wish.covers { covered.add(wish.item) }
      if view.progress[wish.item].requestedAt < 0 { view.progress[wish.item].requestedAt = now }
    }
    ledger.requests &+= 1
    if Link.namesParts { link.name(part(of: wish)) }
    link.start(number, volume: Volume(nanobits: wish.volume), host: host(of: wish.item), priority: wish.priority)
    return number
  }

  /// An item's transfer or a page has come.
  mutating func receive(_ arrival: Arrival) { if !noteArrival(arrival.transfer) { finish(arrival) } }

  @inline(__always)
  mutating func finish(_ arrival: Arrival) {
    let transfer = transfers[arrival.transfer]
    let now = link.now.nanoseconds
    forget(transfer, arrival.transfer, at: now)
    if transfer.isRest {
      view.progress[transfer.item].rest += transfer.volume
      if !view.progress[transfer.item].isRestCovered { rewindPlan() }
    } else {
      view.progress[transfer.item].head += transfer.volume
      if view.progress[transfer.item].isHeadCovered {
        view.progress[transfer.item].isReady = true
        if isWaiting, transfer.item == view.activeItem { becomeReady(at: now) }
      } else {
        // The plan may want more of the item than this transfer brought.
        rewindPlan()
      }
    }
  }

  @inline(never)
  mutating func cut(_ number: Int, at now: Int64) {
    let transfer = transfers[number]
    let received = link.cancel(number)
    noteCut(number, received: received, at: now)
    forget(transfer, number, at: now)
    ledger.cancels += 1
    // Under `drop` and `resume` an item may lose its transfer at the very moment it is seen.
    if transfer.item == view.activeItem { ledger.overCancels += 1 } else { view.progress[transfer.item].cutsUnseen += 1 }
    let kept = downloads.keepsBytes ? received.nanobits : 0
    if !downloads.keepsBytes { ledger.bytesCancelled += received.bytes }
    if transfer.isRest {
      view.progress[transfer.item].isRestCovered = false
      view.progress[transfer.item].rest += kept
    } else {
      view.progress[transfer.item].isHeadCovered = false
      covered.remove(transfer.item)
      view.progress[transfer.item].wasCut = true
      view.progress[transfer.item].head += kept
    }
  }

  @inline(__always)
  mutating func forget(_ transfer: TransferProgress, _ number: Int, at now: Int64) {
    onTheWay.giveBack(number)
    if transfer.isRest {
      view.progress[transfer.item].restTransfer = -1
    } else {
      view.progress[transfer.item].headTransfer = -1
    }
    if !hasTransfers { ledger.radio.end(at: now) }
  }
}
