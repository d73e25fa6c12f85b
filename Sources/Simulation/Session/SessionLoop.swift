// The one synchronous loop of a run: the user's moves, the prefetcher's plans, the transfers' arrivals.

/// Plays one run over a transport. Everything that happens is in here; what it means is worked out afterwards from its records.
///
/// Arrivals of an instant come before activations, and activations before new requests (design §4).
struct SessionLoop<Link: Transport> {
  private(set) var link: Link
  private(set) var view: FeedView
  private(set) var ledger = Ledger()
  private(set) var items: ContiguousArray<ItemProgress>
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
  private var planCursor = 0
  private var transfers: ContiguousArray<TransferProgress>
  private var freeNumbers: ContiguousArray<Int>
  /// The numbers of the transfers on the way, oldest first.
  private var onTheWay: ContiguousArray<Int> = []

  init(
    link: Link, items feed: ContiguousArray<Item>, visits: ContiguousArray<Visit>, prefetcher: any Prefetcher, downloads: DownloadSettings,
    patience: Interval?
  ) {
    precondition(!visits.isEmpty, "a run views at least one item")
    self.link = link
    self.prefetcher = prefetcher
    self.downloads = downloads
    self.visits = visits
    self.patience = patience?.nanoseconds
    view = FeedView(items: feed)
    items = ContiguousArray(repeating: ItemProgress(), count: feed.count)
    transfers = ContiguousArray(repeating: TransferProgress(), count: downloads.connections)
    freeNumbers = ContiguousArray((0..<downloads.connections).reversed())
    onTheWay.reserveCapacity(downloads.connections)
    ledger.visits.reserveCapacity(visits.count)
  }

  /// Runs to the end of the last visit.
  mutating func run() {
    activate(at: 0)
    while true {
      let next = min(leaves, playback.nextCheck)
      if let arrival = link.advance(until: Instant(nanoseconds: next)) {
        finish(arrival)
        let now = link.now
        while let another = link.advance(until: now) { finish(another) }
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
    ledger.overCancels += items[item].cutsUnseen
    items[item].cutsUnseen = 0
    items[item].wasViewed = true
    isWaiting = !view.isReady(item)
    leaves = now + (isWaiting ? patience ?? visits[visit].dwell.nanoseconds : visits[visit].dwell.nanoseconds)
    ledger.visits.append(
      VisitRecord(
        item: item, activation: now, wait: 0, isLoader: isWaiting, requestedAt: items[item].requestedAt, wasCut: items[item].wasCut))
    if !isWaiting { startPlayback(at: now) }
    plan.removeAll()
    prefetcher.plan(for: view, into: &plan)
    planCursor = 0
    if !onTheWay.isEmpty { reconcile(at: now) }
    fill(at: now)
    trackInversion(at: now)
  }

  private mutating func leave(at now: Int64) {
    if isWaiting { ledger.visits[visit].wait = now - ledger.visits[visit].activation }
    isWaiting = false
    playback.stop(at: now)
    trackInversion(at: now)
  }

  private mutating func becomeReady(at now: Int64) {
    isWaiting = false
    ledger.visits[visit].wait = now - ledger.visits[visit].activation
    if patience != nil { leaves = now + visits[visit].dwell.nanoseconds }
    startPlayback(at: now)
  }

  private mutating func startPlayback(at now: Int64) {
    let item = view.items[view.activeItem]
    if item.kind == .video { playback.start(item, at: now, available: available(view.activeItem)) }
  }

  /// The nanobits of a ready item that are stored or readable, from its start on.
  private func available(_ item: Int) -> Int64 {
    let transfer = items[item].restTransfer
    return view.stored[item].head + view.stored[item].rest + (transfer < 0 ? 0 : link.received(transfer).nanobits)
  }

  // MARK: The download manager

  private mutating func reconcile(at now: Int64) {
    if downloads.cancel == .keep { markPlanned() }
    var index = 0
    while index < onTheWay.count {
      let number = onTheWay[index]
      let transfer = transfers[number]
      if downloads.cancel == .keep, items[transfer.item].plannedAt == visit,
        !transfer.isRest || items[transfer.item].plannedBytes > view.items[transfer.item].readyBytes
      {
        index += 1
      } else {
        cut(number, at: index, now: now)
      }
    }
  }

  private mutating func markPlanned() {
    for entry in plan.entries {
      let isFirst = items[entry.item].plannedAt != visit
      items[entry.item].plannedAt = visit
      items[entry.item].plannedBytes = isFirst ? entry.bytes : max(entry.bytes, items[entry.item].plannedBytes)
    }
  }

  /// Gives free connections to what is wanted, in the plan's order.
  private mutating func fill(at now: Int64) {
    while onTheWay.count < downloads.connections, let wish = nextWish() {
      start(wish, at: now)
    }
  }

  /// The first wish that is neither stored nor on the way. It stays the first until it is started.
  private mutating func nextWish() -> Wish? {
    while planCursor < plan.entries.count {
      let entry = plan.entries[planCursor]
      if let wish = headWish(entry) { return wish }
      if downloads.restFirst || entry.item != view.activeItem, let wish = restWish(entry) { return wish }
      planCursor += 1
    }
    if !downloads.restFirst, let entry = plan.entries.first(where: { $0.item == view.activeItem }) { return restWish(entry) }
    return nil
  }

  private func headWish(_ entry: Plan.Entry) -> Wish? {
    guard items[entry.item].headTransfer < 0 else { return nil }
    let wanted = Volume.bytes(min(entry.bytes, view.items[entry.item].readyBytes)).nanobits - view.stored[entry.item].head
    return wanted > 0 ? Wish(item: entry.item, isRest: false, volume: wanted, priority: entry.priority) : nil
  }

  private func restWish(_ entry: Plan.Entry) -> Wish? {
    let item = view.items[entry.item]
    guard entry.bytes > item.readyBytes, item.bytes > item.readyBytes, items[entry.item].restTransfer < 0 else { return nil }
    let wanted = Volume.bytes(min(entry.bytes, item.bytes) - item.readyBytes).nanobits - view.stored[entry.item].rest
    return wanted > 0 ? Wish(item: entry.item, isRest: true, volume: wanted, priority: entry.priority) : nil
  }

  private mutating func start(_ wish: Wish, at now: Int64) {
    let number = freeNumbers.removeLast()
    transfers[number] = TransferProgress(item: wish.item, isRest: wish.isRest, volume: wish.volume)
    if wish.isRest {
      items[wish.item].restTransfer = number
    } else {
      items[wish.item].headTransfer = number
      if items[wish.item].requestedAt < 0 { items[wish.item].requestedAt = now }
    }
    if onTheWay.isEmpty { ledger.radio.begin(at: now) }
    onTheWay.append(number)
    ledger.requests += 1
    link.start(number, volume: Volume(nanobits: wish.volume), host: 0, priority: wish.priority)
  }

  private mutating func finish(_ arrival: Arrival) {
    let transfer = transfers[arrival.transfer]
    if transfer.isRest {
      view.stored[transfer.item].rest += transfer.volume
    } else {
      view.stored[transfer.item].head += transfer.volume
    }
    // A later plan may want more of the same part than this transfer brought.
    if transfer.isRest { planCursor = 0 }
    forget(arrival.transfer, at: onTheWay.firstIndex(of: arrival.transfer)!, now: link.now.nanoseconds)
    if isWaiting, transfer.item == view.activeItem, view.isReady(transfer.item) { becomeReady(at: link.now.nanoseconds) }
  }

  private mutating func cut(_ number: Int, at index: Int, now: Int64) {
    let transfer = transfers[number]
    let received = link.cancel(number)
    forget(number, at: index, now: now)
    ledger.cancels += 1
    items[transfer.item].cutsUnseen += 1
    if !transfer.isRest { items[transfer.item].wasCut = true }
    if !downloads.keepsBytes {
      ledger.bytesCancelled += received.bytes
    } else if transfer.isRest {
      view.stored[transfer.item].rest += received.nanobits
    } else {
      view.stored[transfer.item].head += received.nanobits
    }
  }

  private mutating func forget(_ number: Int, at index: Int, now: Int64) {
    onTheWay.remove(at: index)
    freeNumbers.append(number)
    if transfers[number].isRest {
      items[transfers[number].item].restTransfer = -1
    } else {
      items[transfers[number].item].headTransfer = -1
    }
    if onTheWay.isEmpty { ledger.radio.end(at: now) }
  }

  // MARK: Accounts

  /// The active item waits for bytes on a link that it shares with others.
  private mutating func trackInversion(at now: Int64) {
    let active = items[view.activeItem]
    let own = (active.headTransfer < 0 ? 0 : 1) + (active.restTransfer < 0 ? 0 : 1)
    ledger.inversion.set(isWaiting && active.headTransfer >= 0 && onTheWay.count > own, at: now)
  }

  /// What is on the way when the run ends is no cancel; its bytes are received all the same.
  private mutating func close(at now: Int64) {
    for number in onTheWay {
      let transfer = transfers[number]
      let bytes = link.received(number).bytes
      if items[transfer.item].wasViewed { ledger.bytesUseful += bytes } else { ledger.bytesUnseen += bytes }
    }
    if !onTheWay.isEmpty { ledger.radio.end(at: now) }
    ledger.inversion.set(false, at: now)
    for index in items.indices {
      let bytes = Volume(nanobits: view.stored[index].head).bytes + Volume(nanobits: view.stored[index].rest).bytes
      if items[index].wasViewed { ledger.bytesUseful += bytes } else { ledger.bytesUnseen += bytes }
    }
    ledger.end = now
  }
}

/// What the loop remembers of an item.
struct ItemProgress {
  /// The transfers that bring its two parts; −1 if none is on the way.
  var headTransfer = -1
  var restTransfer = -1
  /// When its first bytes were first asked for; −1 if never.
  var requestedAt: Int64 = -1
  /// The visit at which it was last planned, and how much of it.
  var plannedAt = -1
  var plannedBytes: Int64 = 0
  /// Transfers cut since it was last seen.
  var cutsUnseen = 0
  /// Whether a transfer of its first part was ever cut.
  var wasCut = false
  var wasViewed = false
}

/// What the loop remembers of a transfer on the way.
struct TransferProgress {
  var item = 0
  var isRest = false
  /// What it brings, in nanobits.
  var volume: Int64 = 0
}

/// A transfer that is wanted.
struct Wish {
  var item: Int
  var isRest: Bool
  var volume: Int64
  var priority: Int
}
