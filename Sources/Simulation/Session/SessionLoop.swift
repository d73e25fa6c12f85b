// The one synchronous loop of a run: the user's moves, the prefetcher's plans, the transfers' arrivals.

/// Plays one run over a transport. Everything that happens is in here; what it means is worked out afterwards from its records.
///
/// Arrivals of an instant come before activations, and activations before new requests (design §4).
struct SessionLoop<Link: Transport & ~Copyable>: ~Copyable {
  private(set) var link: Link
  private(set) var view: FeedView
  private(set) var ledger = Ledger()
  /// One record a visit, filled as it goes.
  private(set) var records: FixedArray<VisitRecord>
  private(set) var playback = Playback()

  private var prefetcher: any Prefetcher
  private let downloads: DownloadSettings
  private let patience: Int64?
  private let visits: ContiguousArray<Visit>
  private var visit = 0
  /// When the user leaves the active item.
  private var leaves: Int64 = 0
  private var isWaiting = false

  private var plan = Plan()
  /// The stretch of the plan and the item in which the next wish is looked for: all before are stored or on the way.
  private var planStretch = 0
  private var planItem = 0
  /// Items known to be ready or to become so by what is on the way; a window need not look at them again.
  private var covered = CoveredItems()
  private var transfers: FixedArray<TransferProgress>
  /// The numbers of the transfers on the way, oldest first.
  private var onTheWay: NumberPool

  init(
    link: consuming Link, items: ContiguousArray<Item>, visits: ContiguousArray<Visit>, prefetcher: any Prefetcher,
    downloads: DownloadSettings, patience: Interval?
  ) {
    precondition(!visits.isEmpty, "a run views at least one item")
    self.link = link
    self.prefetcher = prefetcher
    self.downloads = downloads
    self.visits = visits
    self.patience = patience?.nanoseconds
    view = FeedView(items: items)
    records = FixedArray(repeating: VisitRecord(), count: visits.count)
    transfers = FixedArray(repeating: TransferProgress(), count: downloads.connections)
    onTheWay = NumberPool(capacity: downloads.connections)
    ledger.radio.reserve(gaps: visits.count)
  }

  /// Runs to the end of the last visit.
  mutating func run() {
    activate(at: 0)
    while true {
      let next = min(leaves, playback.nextCheck)
      var arrival = link.advance(until: Instant(nanoseconds: next))
      if arrival != nil {
        let now = link.now
        while let one = arrival {
          finish(one)
          arrival = onTheWay.isEmpty ? nil : link.advance(until: now)
        }
        if now.nanoseconds < leaves { fill(at: now.nanoseconds) }
        trackInversion(at: now.nanoseconds)
      } else if next == leaves {
        leave(at: next)
        visit += 1
        if visit == visits.count { break }
        activate(at: next)
      } else {
        playback.check(at: next, available: available(view.activeItem))
      }
    }
    close(at: leaves)
  }

  // MARK: The user

  private mutating func activate(at now: Int64) {
    let item = visits[visit].item
    view.direction = item < view.activeItem ? -1 : 1
    view.activeItem = item
    let progress = view.progress[item]
    isWaiting = !progress.isReady
    if progress.cutsUnseen > 0 {
      ledger.overCancels += Int(progress.cutsUnseen)
      view.progress[item].cutsUnseen = 0
    }
    let stay = visits[visit].dwell.nanoseconds
    leaves = now + (isWaiting ? patience ?? stay : stay)
    records[visit] = VisitRecord(
      item: item, activation: now, wait: 0, requestedAt: progress.requestedAt, isFirst: !progress.wasViewed, isLoader: isWaiting,
      wasCut: progress.wasCut)
    view.progress[item].wasViewed = true
    if !isWaiting && progress.plays { startPlayback(at: now) }
    plan.removeAll(limit: view.items.count)
    prefetcher.plan(for: view, into: &plan)
    rewindPlan()
    if !onTheWay.isEmpty { reconcile(at: now) }
    if isWaiting && downloads.preempt && onTheWay.isFull { preempt(at: now) }
    if !onTheWay.isFull { fill(at: now) }
    trackInversion(at: now)
  }

  private mutating func leave(at now: Int64) {
    if isWaiting { records[visit].wait = now - records[visit].activation }
    isWaiting = false
    if playback.isRunning { playback.stop(at: now) }
  }

  private mutating func becomeReady(at now: Int64) {
    isWaiting = false
    records[visit].wait = now - records[visit].activation
    if patience != nil { leaves = now + visits[visit].dwell.nanoseconds }
    if view.progress[view.activeItem].plays { startPlayback(at: now) }
  }

  private mutating func startPlayback(at now: Int64) {
    playback.start(view.items[view.activeItem], at: now, available: available(view.activeItem))
  }

  /// The nanobits of a ready item that are stored or readable, from its start on.
  private func available(_ item: Int) -> Int64 {
    let progress = view.progress[item]
    return progress.head + progress.rest + (progress.restTransfer < 0 ? 0 : link.received(Int(progress.restTransfer)).nanobits)
  }

  // MARK: The download manager

  /// Settles what becomes of the transfers on the way now that there is a new plan.
  private mutating func reconcile(at now: Int64) {
    var index = 0
    while index < onTheWay.count {
      let number = onTheWay[index]
      if downloads.cancel == .never || (downloads.cancel == .keep && isPlanned(transfers[number])) {
        index += 1
      } else {
        cut(number, at: index, now: now)
      }
    }
  }

  /// Whether the plan still wants the part that a transfer brings. O(stretches of the plan).
  private func isPlanned(_ transfer: TransferProgress) -> Bool {
    var place = 0
    while let found = plan.stretch(of: transfer.item, from: place) {
      if !transfer.isRest || plan.stretches[found].bytes > view.items[transfer.item].readyBytes { return true }
      place = found + 1
    }
    return false
  }

  /// Cuts the transfer that stands last in the plan, so that the active item, which waits for a connection, gets one.
  private mutating func preempt(at now: Int64) {
    guard view.progress[view.activeItem].headTransfer < 0, plan.stretch(of: view.activeItem) != nil else { return }
    var last = 0
    var lastPlace = (-1, -1)
    for index in 0..<onTheWay.count {
      let item = transfers[onTheWay[index]].item
      let place = (plan.stretch(of: item) ?? plan.stretchCount, item)
      if place > lastPlace {
        last = index
        lastPlace = place
      }
    }
    cut(onTheWay[last], at: last, now: now)
  }

  private mutating func rewindPlan() {
    planStretch = 0
    planItem = 0
  }

  /// Gives free connections to what is wanted, in the plan's order. One function with all that it calls, from the search to the
  /// transport's start: handed from function to function, a wish cost a tenth of the loop more (measured).
  @inline(never)
  private mutating func fill(at now: Int64) {
    while !onTheWay.isFull, let wish = nextWish() {
      start(wish, at: now)
    }
  }

  /// The first wish that is neither stored nor on the way. It stays the first until it is started.
  @inline(__always)
  private mutating func nextWish() -> Wish? {
    while planStretch < plan.stretchCount {
      let stretch = plan.stretches[planStretch]
      let start = max(planItem, stretch.first)
      if let wish = stretch.bytes == Plan.toReady ? nextHead(from: start, in: stretch) : nextPart(from: start, in: stretch) { return wish }
      planStretch += 1
      planItem = 0
    }
    if !downloads.restFirst, let place = plan.stretch(of: view.activeItem) { return restWish(view.activeItem, in: plan.stretches[place]) }
    return nil
  }

  /// The next wish of a stretch that wants items ready.
  @inline(__always)
  private mutating func nextHead(from start: Int, in stretch: Plan.Stretch) -> Wish? {
    var item = covered.next(from: start)
    while item < stretch.end {
      if view.progress[item].isHeadCovered {
        covered.add(item)
      } else if let wish = headWish(item, in: stretch) {
        planItem = item
        return wish
      }
      item += 1
    }
    return nil
  }

  /// The next wish of a stretch that wants a number of bytes, or all.
  @inline(__always)
  private mutating func nextPart(from start: Int, in stretch: Plan.Stretch) -> Wish? {
    var item = start
    while item < stretch.end {
      planItem = item
      if !view.progress[item].isHeadCovered, let wish = headWish(item, in: stretch) { return wish }
      if !view.progress[item].isRestCovered, downloads.restFirst || item != view.activeItem, let wish = restWish(item, in: stretch) {
        return wish
      }
      item += 1
    }
    return nil
  }

  @inline(__always)
  private func headWish(_ item: Int, in stretch: Plan.Stretch) -> Wish? {
    guard view.progress[item].headTransfer < 0 else { return nil }
    let whole = view.items[item].readyBytes
    let bytes = stretch.bytes == Plan.toReady ? whole : min(stretch.bytes, whole)
    let wanted = Volume.bytes(bytes).nanobits - view.progress[item].head
    guard wanted > 0 else { return nil }
    return Wish(item: item, isRest: false, covers: bytes == whole, volume: wanted, priority: stretch.priorityBase + item)
  }

  private func restWish(_ item: Int, in stretch: Plan.Stretch) -> Wish? {
    let (ready, all) = (view.items[item].readyBytes, view.items[item].bytes)
    guard stretch.bytes > ready, all > ready, view.progress[item].restTransfer < 0 else { return nil }
    let wanted = Volume.bytes(min(stretch.bytes, all) - ready).nanobits - view.progress[item].rest
    guard wanted > 0 else { return nil }
    return Wish(item: item, isRest: true, covers: stretch.bytes >= all, volume: wanted, priority: stretch.priorityBase + item)
  }

  @inline(__always)
  private mutating func start(_ wish: Wish, at now: Int64) {
    if onTheWay.isEmpty { ledger.radio.begin(at: now) }
    let number = onTheWay.take()
    transfers[number] = TransferProgress(item: wish.item, volume: wish.volume, isRest: wish.isRest)
    if wish.isRest {
      view.progress[wish.item].restTransfer = Int32(number)
      view.progress[wish.item].isRestCovered = wish.covers
    } else {
      view.progress[wish.item].headTransfer = Int32(number)
      view.progress[wish.item].isHeadCovered = wish.covers
      if view.progress[wish.item].requestedAt < 0 { view.progress[wish.item].requestedAt = now }
    }
    ledger.requests += 1
    link.start(number, volume: Volume(nanobits: wish.volume), host: 0, priority: wish.priority)
  }

  @inline(__always)
  private mutating func finish(_ arrival: Arrival) {
    let transfer = transfers[arrival.transfer]
    let now = link.now.nanoseconds
    forget(transfer, at: onTheWay.index(of: arrival.transfer), now: now)
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

  private mutating func cut(_ number: Int, at index: Int, now: Int64) {
    let transfer = transfers[number]
    let received = link.cancel(number)
    forget(transfer, at: index, now: now)
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
  private mutating func forget(_ transfer: TransferProgress, at index: Int, now: Int64) {
    onTheWay.giveBack(at: index)
    if transfer.isRest {
      view.progress[transfer.item].restTransfer = -1
    } else {
      view.progress[transfer.item].headTransfer = -1
    }
    if onTheWay.isEmpty { ledger.radio.end(at: now) }
  }

  // MARK: Accounts

  /// The active item waits for bytes on a link that it shares with others.
  @inline(__always)
  private mutating func trackInversion(at now: Int64) {
    if isWaiting || ledger.inversion.isRunning { updateInversion(at: now) }
  }

  private mutating func updateInversion(at now: Int64) {
    guard isWaiting else { return ledger.inversion.set(false, at: now) }
    let active = view.progress[view.activeItem]
    let own = (active.headTransfer < 0 ? 0 : 1) + (active.restTransfer < 0 ? 0 : 1)
    ledger.inversion.set(active.headTransfer >= 0 && onTheWay.count > own, at: now)
  }

  /// What is on the way when the run ends is no cancel; its bytes are received all the same.
  private mutating func close(at now: Int64) {
    for index in 0..<onTheWay.count {
      let transfer = transfers[onTheWay[index]]
      addReceived(link.received(onTheWay[index]).bytes, of: transfer.item)
    }
    if !onTheWay.isEmpty { ledger.radio.end(at: now) }
    ledger.inversion.set(false, at: now)
    for item in view.items.indices {
      let progress = view.progress[item]
      if progress.head > 0 { addReceived(Volume(nanobits: progress.head).bytes, of: item) }
      if progress.rest > 0 { addReceived(Volume(nanobits: progress.rest).bytes, of: item) }
    }
    ledger.end = now
  }

  private mutating func addReceived(_ bytes: Int64, of item: Int) {
    if view.progress[item].wasViewed { ledger.bytesUseful += bytes } else { ledger.bytesUnseen += bytes }
  }
}

/// What the loop remembers of a transfer on the way.
struct TransferProgress: BitwiseCopyable {
  var item = 0
  /// What it brings, in nanobits.
  var volume: Int64 = 0
  var isRest = false
}

/// A transfer that is wanted.
struct Wish: BitwiseCopyable {
  var item: Int
  var isRest: Bool
  /// Whether with it nothing more of that part can be wanted.
  var covers: Bool
  var volume: Int64
  var priority: Int
}

/// A run of neighbours of which the ready bytes are stored or on the way as a whole.
///
/// A window is looked through anew at each activation, and nearly all of it is covered; with the run remembered, the cost of that
/// does not grow with the window.
struct CoveredItems: BitwiseCopyable {
  private var first = 0
  private var end = 0

  /// The first item at or after `item` that is not known to be covered.
  @inline(__always)
  func next(from item: Int) -> Int { first <= item && item < end ? end : item }

  /// Notes that an item is covered.
  @inline(__always)
  mutating func add(_ item: Int) {
    if item != end { first = item }
    end = item + 1
  }

  /// Notes that an item is not covered any more.
  mutating func remove(_ item: Int) {
    if first <= item && item < end { end = item }
  }
}
