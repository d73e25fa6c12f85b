// The download manager of a run: from a plan to requests, what becomes of transfers under a new plan, which request is next.

struct InFlightTransfer: BitwiseCopyable {
  var item = 0
  /// What it brings, in nanobits.
  var volume: Int64 = 0
  var requestedAt: Int64 = 0
  /// Its number among all requests of the event log, from 1; 0 without a log.
  var serial: Int32 = 0
  var isRest = false
}

/// Turns plans into transfers over a link. Transfers of items have the first numbers, those of pages the ones behind them.
struct Downloads<Link: Transport & ~Copyable>: ~Copyable {
  /// What the plan wants of an item, and neither is stored nor in flight.
  private struct Request: BitwiseCopyable {
    var item: Int
    var isRest: Bool
    /// True if nothing more of that part can be wanted then.
    var covers: Bool
    var volume: Int64
    var priority: Int
  }

  var link: Link
  /// The settings that hold: the prefetcher's before the app's.
  let settings: DownloadSettings
  var plan = Plan()
  let items: ContiguousArray<Item>
  let hosts: FeedHosts
  let prefetchLimit: Int
  /// True if there are limits beside that of the connections: of hosts, or of prefetches.
  private let isLimited: Bool
  var transfers: FixedArray<InFlightTransfer>
  /// The numbers of the transfers in flight, oldest first; those of pages count from the items' last.
  var inFlight: NumberPool
  var pagesInFlight: NumberPool
  /// The stretch of the plan and the item in which the next request is looked for: all before are stored or in flight.
  var stretch = 0
  private var item = 0
  /// A run of neighbours of which the ready bytes are stored or in flight. A window is looked through anew at each activation, and nearly
  /// all of it is covered; with the run remembered, the cost of that does not grow with the window.
  var covered = 0..<0

  init(
    link: consuming Link, items: ContiguousArray<Item>, settings: DownloadSettings, prefetcher: any Prefetcher, hosts: FeedHosts,
    pageConnections: Int
  ) {
    self.link = link
    self.items = items
    var settings = settings
    settings.cancel = prefetcher.cancelRule ?? settings.cancel
    settings.keepPartial = prefetcher.keepsPartial ?? settings.keepPartial
    self.settings = settings
    self.hosts = hosts
    // Local values: `||` reads its right side in a closure, which must not capture a noncopyable self that is not whole yet (Swift 6.3).
    let capacity = settings.connections * hosts.itemHosts
    let prefetchLimit = prefetcher.concurrency ?? .max
    self.prefetchLimit = prefetchLimit
    isLimited = hosts.itemHosts > 1 || prefetchLimit < capacity
    inFlight = NumberPool(capacity: capacity)
    pagesInFlight = NumberPool(capacity: pageConnections)
    transfers = FixedArray(repeating: InFlightTransfer(), count: capacity + pageConnections)
  }

  var isBusy: Bool { @inline(__always) get { !inFlight.isEmpty || !pagesInFlight.isEmpty } }
  var hasItemsInFlight: Bool { @inline(__always) get { !inFlight.isEmpty } }
  var itemsInFlight: Int { @inline(__always) get { inFlight.count } }

  @inline(__always)
  func isPage(_ number: Int) -> Bool { number >= inFlight.capacity }

  /// The nanobits of a ready item that are stored or readable, from its start on.
  func available(_ progress: ItemProgress) -> Int64 {
    progress.head + progress.rest + (progress.restTransfer < 0 ? 0 : link.received(Int(progress.restTransfer)).nanobits)
  }

  // MARK: The plan

  /// Looks through the plan from its beginning again.
  @inline(__always)
  mutating func rewind() { (stretch, item) = (0, 0) }

  /// Looks through the plan and all items again: what is listed or stored has changed otherwise than by transfers.
  mutating func rewindAll() {
    covered = 0..<0
    rewind()
  }

  /// Works out what of an item that is listed, or listed again, is stored or in flight as a whole.
  mutating func list(_ item: Item, _ progress: inout ItemProgress) {
    func inFlight(_ number: Int32) -> Int64 { number < 0 ? 0 : transfers[Int(number)].volume }
    let (ready, all) = (Volume.bytes(item.readyBytes).nanobits, Volume.bytes(item.bytes).nanobits)
    progress.isListed = true
    progress.isHeadCovered = progress.head + inFlight(progress.headTransfer) >= ready
    progress.isRestCovered = progress.rest + inFlight(progress.restTransfer) >= all - ready
    covered = 0..<0
  }

  /// Throws away what lies in memory of items without a transfer; of what was seen it was of use, of the rest it was not. O(items).
  mutating func dropStored(_ view: inout FeedView, _ recorder: inout Recorder) {
    for item in items.indices where view.progress[item].headTransfer < 0 && view.progress[item].restTransfer < 0 {
      let progress = view.progress[item]
      guard progress.head > 0 || progress.rest > 0 else { continue }
      recorder.receive(progress.storedBytes, wasViewed: progress.wasViewed)
      view.progress[item].head = 0
      view.progress[item].rest = 0
      view.progress[item].requestedAt = -1
      view.progress[item].isReady = false
      // An item whose page has been dropped is wanted by nobody.
      view.progress[item].isHeadCovered = !progress.isListed
      view.progress[item].isRestCovered = !progress.isListed || items[item].bytes == items[item].readyBytes
    }
    rewindAll()
  }

  /// The next request; it stays the next until it is sent.
  @inline(__always)
  private mutating func next(_ view: borrowing FeedView) -> Request? {
    while stretch < plan.stretchCount {
      let wanted = plan.stretches[stretch]
      let start = max(item, wanted.first)
      if let request = wanted.bytes == Plan.toReady ? nextHead(wanted, from: start, view) : nextPart(wanted, from: start, view) {
        return request
      }
      stretch &+= 1
      item = 0
    }
    // The rest of the active video, where it stands behind the plan.
    guard !settings.restFirst, let active = plan.stretch(of: view.activeItem) else { return nil }
    return rest(view.activeItem, of: plan.stretches[active], view)
  }

  /// The next request of a stretch that wants items ready.
  @inline(__always)
  private mutating func nextHead(_ wanted: Plan.Stretch, from start: Int, _ view: borrowing FeedView) -> Request? {
    var item = covered.lowerBound <= start && start < covered.upperBound ? covered.upperBound : start
    while item < wanted.end {
      if view.progress[item].isHeadCovered {
        cover(item)
      } else if let request = head(item, of: wanted, view) {
        self.item = item
        return request
      }
      item &+= 1
    }
    return nil
  }

  /// The next request of a stretch that wants a number of bytes, or all.
  @inline(__always)
  private mutating func nextPart(_ wanted: Plan.Stretch, from start: Int, _ view: borrowing FeedView) -> Request? {
    var item = start
    while item < wanted.end {
      self.item = item
      if !view.progress[item].isHeadCovered, let request = head(item, of: wanted, view) { return request }
      if !view.progress[item].isRestCovered, settings.restFirst || item != view.activeItem, let request = rest(item, of: wanted, view) {
        return request
      }
      item &+= 1
    }
    return nil
  }

  /// The ready bytes of an item, as far as a stretch wants them.
  @inline(__always)
  private func head(_ item: Int, of wanted: Plan.Stretch, _ view: borrowing FeedView) -> Request? {
    guard view.progress[item].headTransfer < 0 else { return nil }
    let whole = view.items[item].readyBytes
    let bytes = wanted.bytes == Plan.toReady ? whole : min(wanted.bytes, whole)
    let volume = Volume.bytes(bytes).nanobits - view.progress[item].head
    guard volume > 0 else { return nil }
    return Request(item: item, isRest: false, covers: bytes == whole, volume: volume, priority: wanted.priorityBase + item)
  }

  /// What follows the ready bytes of an item, as far as a stretch wants it.
  @inline(never)
  private func rest(_ item: Int, of wanted: Plan.Stretch, _ view: borrowing FeedView) -> Request? {
    let (ready, all) = (view.items[item].readyBytes, view.items[item].bytes)
    guard wanted.bytes > ready, all > ready, view.progress[item].restTransfer < 0 else { return nil }
    let volume = Volume.bytes(min(wanted.bytes, all) - ready).nanobits - view.progress[item].rest
    guard volume > 0 else { return nil }
    return Request(item: item, isRest: true, covers: wanted.bytes >= all, volume: volume, priority: wanted.priorityBase + item)
  }

  /// What the plan wants of the active item and is not in flight.
  private func activeRequest(_ view: borrowing FeedView) -> Request? {
    var place = 0
    while let found = plan.stretch(of: view.activeItem, from: place) {
      let progress = view.progress[view.activeItem]
      if !progress.isHeadCovered, let request = head(view.activeItem, of: plan.stretches[found], view) { return request }
      if !progress.isRestCovered, let request = rest(view.activeItem, of: plan.stretches[found], view) { return request }
      place = found + 1
    }
    return nil
  }

  @inline(__always)
  private mutating func cover(_ item: Int) {
    covered = Range(uncheckedBounds: (item == covered.upperBound ? covered.lowerBound : item, item &+ 1))
  }

  /// True if the plan still wants the part that a transfer brings. Most transfers are of the last stretch, so it begins with that.
  /// O(stretches of the plan).
  @inline(__always)
  private func isPlanned(_ transfer: InFlightTransfer, _ view: borrowing FeedView) -> Bool {
    var place = plan.stretchCount
    while place > 0 {
      place &-= 1
      let wanted = plan.stretches[place]
      guard wanted.first <= transfer.item, transfer.item < wanted.end else { continue }
      if !transfer.isRest || wanted.bytes > view.items[transfer.item].readyBytes { return true }
    }
    return false
  }

  // MARK: Requests

  /// True if there is a free connection, and the plan has not been looked through to its end.
  var mayRequest: Bool { @inline(__always) get { !inFlight.isFull && (stretch < plan.stretchCount || !settings.restFirst) } }

  /// Gives free connections to what is wanted, in the plan's order. There is a free one.
  @inline(never)
  mutating func fill(_ view: inout FeedView, _ recorder: inout Recorder, at now: Int64) {
    if isLimited { return fillWithinLimits(&view, &recorder, at: now) }
    while let request = next(view) {
      send(request, &view, &recorder, at: now)
      if inFlight.isFull { return }
    }
  }

  /// Gives free connections to what is wanted, within the limits of each host and of the prefetches. What its host has no connection for is
  /// passed over, and looked at again the next time. O(requests × transfers in flight).
  @inline(never)
  private mutating func fillWithinLimits(_ view: inout FeedView, _ recorder: inout Recorder, at now: Int64) {
    var passedOver: (stretch: Int, item: Int)?
    while !inFlight.isFull, let request = next(view) {
      let isPutOff = request.item != view.activeItem && hasEnoughPrefetches(view)
      if hosts.itemHosts > 1, isPutOff || isHostBusy(request.item) {
        // Behind the plan there is only the rest of the active video.
        guard stretch < plan.stretchCount else { break }
        if passedOver == nil { passedOver = (stretch, request.item) }
        item = request.item + 1
      } else if !isPutOff {
        send(request, &view, &recorder, at: now)
      } else {
        // Among the prefetches that are limited the active item needs no place.
        guard let own = activeRequest(view) else { return }
        send(own, &view, &recorder, at: now)
      }
    }
    if let passedOver { (stretch, item) = passedOver }
  }

  @inline(__always)
  private mutating func send(_ request: Request, _ view: inout FeedView, _ recorder: inout Recorder, at now: Int64) {
    if !isBusy { recorder.radio.begin(at: now) }
    let number = inFlight.allocate()
    if request.isRest {
      view.progress[request.item].restTransfer = Int32(truncatingIfNeeded: number)
      view.progress[request.item].isRestCovered = request.covers
    } else {
      view.progress[request.item].headTransfer = Int32(truncatingIfNeeded: number)
      view.progress[request.item].isHeadCovered = request.covers
      if request.covers { cover(request.item) }
      if view.progress[request.item].requestedAt < 0 { view.progress[request.item].requestedAt = now }
    }
    if Link.namesParts { link.name(part(of: request, view)) }
    link.start(number, volume: Volume(nanobits: request.volume), host: host(of: request.item), priority: request.priority)
    recorder.requests &+= 1
    transfers[number] = InFlightTransfer(item: request.item, volume: request.volume, requestedAt: now, isRest: request.isRest)
    if recorder.isLogging { note(request, number, view, &recorder, at: now) }
  }

  @inline(never)
  private mutating func note(
    _ request: Request, _ number: Int, _ view: borrowing FeedView, _ recorder: inout Recorder, at now: Int64
  ) {
    transfers[number].serial = recorder.note(
      part(of: request, view), request.isRest ? .rest : .ready, activeItem: view.activeItem, occasion: view.occasion, at: now)
  }

  /// The bytes that a request asks for. Where a cancel left a part of a byte, they begin with that byte.
  private func part(of request: Request, _ view: borrowing FeedView) -> RequestedPart {
    let item = view.items[request.item]
    let progress = view.progress[request.item]
    let offset = request.isRest ? item.readyBytes + Volume(nanobits: progress.rest).bytes : Volume(nanobits: progress.head).bytes
    return RequestedPart(
      .item(request.item), offset: offset, bytes: Volume(nanobits: request.volume + 7_999_999_999).bytes, wholeBytes: item.bytes)
  }

  /// Requests a page, if there is a connection for it.
  mutating func send(page: Int, bytes: Int64, _ recorder: inout Recorder, at now: Int64) -> Bool {
    if pagesInFlight.isFull { return false }
    if !isBusy { recorder.radio.begin(at: now) }
    let number = inFlight.capacity + pagesInFlight.allocate()
    let part = RequestedPart(.page(page), offset: 0, bytes: bytes, wholeBytes: bytes)
    if Link.namesParts { link.name(part) }
    link.start(number, volume: .bytes(bytes), host: hosts.ofPages, priority: 0)
    transfers[number] = InFlightTransfer(
      item: page, volume: Volume.bytes(bytes).nanobits, requestedAt: now,
      serial: recorder.note(part, .page, activeItem: 0, occasion: [], at: now))
    return true
  }

  // MARK: Ends

  /// A transfer of an item has ended; true if that made its item ready.
  @inline(__always)
  mutating func finish(
    _ number: Int, _ transfer: InFlightTransfer, _ view: inout FeedView, _ recorder: inout Recorder, at now: Int64
  ) -> Bool {
    forget(number, transfer, &view, &recorder, at: now)
    if transfer.isRest {
      view.progress[transfer.item].rest += transfer.volume
      if !view.progress[transfer.item].isRestCovered { rewind() }
      return false
    }
    view.progress[transfer.item].head += transfer.volume
    if view.progress[transfer.item].isHeadCovered {
      view.progress[transfer.item].isReady = true
      return true
    }
    // The plan may want more of the item than this transfer brought.
    rewind()
    return false
  }

  /// Frees the connection of a page that has come.
  mutating func finishPage(_ number: Int) { pagesInFlight.release(number - inFlight.capacity) }

  @inline(__always)
  private mutating func forget(
    _ number: Int, _ transfer: InFlightTransfer, _ view: inout FeedView, _ recorder: inout Recorder, at now: Int64
  ) {
    inFlight.release(number)
    if transfer.isRest {
      view.progress[transfer.item].restTransfer = -1
    } else {
      view.progress[transfer.item].headTransfer = -1
    }
    if !isBusy { recorder.radio.end(at: now) }
  }

  @inline(never)
  private mutating func cancel(_ number: Int, _ view: inout FeedView, _ recorder: inout Recorder, at now: Int64) {
    let transfer = transfers[number]
    let received = link.cancel(number)
    recorder.end(transfer.serial, .cut, received: received, firstByte: link.firstByte(number), at: now)
    forget(number, transfer, &view, &recorder, at: now)
    let kept = settings.keepsBytes ? received.nanobits : 0
    recorder.cancel(
      &view.progress[transfer.item], isActive: transfer.item == view.activeItem, lost: settings.keepsBytes ? 0 : received.bytes)
    if transfer.isRest {
      view.progress[transfer.item].isRestCovered = false
      view.progress[transfer.item].rest += kept
    } else {
      view.progress[transfer.item].isHeadCovered = false
      if covered.contains(transfer.item) { covered = covered.lowerBound..<transfer.item }
      view.progress[transfer.item].wasCancelled = true
      view.progress[transfer.item].head += kept
    }
  }

  /// Settles what becomes of the transfers in flight now that there is a new plan.
  @inline(__always)
  mutating func reconcile(_ view: inout FeedView, _ recorder: inout Recorder, at now: Int64) {
    if settings.cancel == .never { return }
    var number = inFlight.oldest
    while number != inFlight.end {
      let next = inFlight.next(after: number)
      if settings.cancel != .keep || !isPlanned(transfers[number], view) { cancel(number, &view, &recorder, at: now) }
      number = next
    }
  }

  /// Cancels the transfer that stands last in the plan if the active item, which waits, finds no connection.
  @inline(never)
  mutating func preempt(_ view: inout FeedView, _ recorder: inout Recorder, at now: Int64) {
    guard isHostBusy(view.activeItem), view.progress[view.activeItem].headTransfer < 0, plan.stretch(of: view.activeItem) != nil
    else { return }
    let wanted = host(of: view.activeItem)
    var number = inFlight.oldest
    var last = number
    var lastPlace = (-1, -1)
    while number != inFlight.end {
      let item = transfers[number].item
      let place = (plan.stretch(of: item) ?? plan.stretchCount, item)
      if host(of: item) == wanted, place > lastPlace { (last, lastPlace) = (number, place) }
      number = inFlight.next(after: number)
    }
    cancel(last, &view, &recorder, at: now)
  }
}
