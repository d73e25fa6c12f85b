// The download manager of a run: turns plans into requests, and decides which transfers in flight are cancelled.

struct InFlightTransfer: BitwiseCopyable {
  var item = 0
  /// The payload, in nanobits.
  var volume: Int64 = 0
  var requestedAt: Int64 = 0
  /// The number of the request in the event log, from 1; 0 without a log.
  var serial: Int32 = 0
  var isRest = false
  /// The rendition of a video's segment; −1 for transfers without renditions.
  var rendition: Int8 = -1
}

/// Turns plans into transfers over a link. Transfers of items have the numbers from 0, transfers of pages those after them.
struct Downloads<Link: Transport & ~Copyable>: ~Copyable {
  /// Bytes of one part of an item that are planned, and neither stored nor in flight.
  struct Request: BitwiseCopyable {
    var item: Int
    var isRest: Bool
    /// True if the request brings all that is missing of its part.
    var covers: Bool
    /// Nanobits; of a video with renditions, those of its lowest one.
    var volume: Int64
    var priority: Int
    /// The planned rendition; −1 for none.
    var rendition: Int
  }

  var link: Link
  /// The settings in force: those of the prefetcher, then those of the scenario.
  let settings: DownloadSettings
  var plan = Plan()
  var segments: VideoSegments
  var store: ItemStore
  let items: ContiguousArray<Item>
  let hosts: FeedHosts
  let prefetchLimit: Int
  /// True if hosts or prefetches have limits besides the number of connections.
  private let isLimited: Bool
  var transfers: FixedArray<InFlightTransfer>
  /// The numbers of the transfers in flight, oldest first; those of pages start at the capacity of `inFlight`.
  var inFlight: NumberPool, pagesInFlight: NumberPool
  /// The range of the plan, and the item in it, at which the search for the next request begins: all before are stored or in flight.
  var rangeIndex = 0
  private var item = 0
  /// Neighbouring items whose ready bytes are stored or in flight. Each activation searches the plan again, and nearly all of it is
  /// covered: skipping this range keeps the cost independent of the window's width.
  var covered = 0..<0

  init(
    link: consuming Link, items: ContiguousArray<Item>, settings: DownloadSettings, prefetcher: any Prefetcher, hosts: FeedHosts,
    pageConnections: Int, renditions: Renditions? = nil
  ) {
    self.link = link
    self.items = items
    var settings = settings
    settings.cancel = prefetcher.cancelRule ?? settings.cancel
    settings.keepPartial = prefetcher.keepsPartial ?? settings.keepPartial
    self.settings = settings
    segments = VideoSegments(renditions, settings, items: items.count)
    store = ItemStore(settings.store, items: items.count)
    self.hosts = hosts
    // Local values: `||` reads its right side in a closure, which must not capture a noncopyable self before it is whole (Swift 6.3).
    let capacity = settings.connections * hosts.itemHosts
    let kept = prefetcher.keptConnections
    let prefetchLimit = min(prefetcher.concurrency ?? .max, kept == 0 ? .max : max(0, capacity - kept))
    self.prefetchLimit = prefetchLimit
    isLimited = hosts.itemHosts > 1 || prefetchLimit < capacity
    inFlight = NumberPool(capacity: capacity)
    pagesInFlight = NumberPool(capacity: pageConnections)
    transfers = FixedArray(repeating: InFlightTransfer(), count: capacity + pageConnections)
  }

  var isBusy: Bool { @inline(__always) get { !inFlight.isEmpty || !pagesInFlight.isEmpty } }

  @inline(__always) func isPage(_ number: Int) -> Bool { number >= inFlight.capacity }

  // MARK: The plan

  /// Restarts the search at the beginning of the plan.
  @inline(__always) mutating func rewind() { (rangeIndex, item) = (0, 0) }

  /// Restarts the search and forgets what is covered, after items were listed, hidden or dropped from memory.
  mutating func rewindAll() {
    covered = 0..<0
    rewind()
  }

  /// Returns the next request, and returns the same one until it is sent.
  @inline(__always) private mutating func next(_ view: borrowing FeedView) -> Request? {
    while rangeIndex < plan.rangeCount {
      let range = plan.ranges[rangeIndex]
      let start = max(item, range.first)
      let request = range.bytes == Plan.toReady ? nextHead(range, from: start, view) : nextPart(range, from: start, view)
      if let request { return request }
      rangeIndex &+= 1
      item = 0
    }
    // Without `restFirst` the rest of the active video comes after the plan.
    guard !settings.restFirst, let active = plan.range(of: view.activeItem) else { return nil }
    return rest(view.activeItem, of: plan.ranges[active], view)
  }

  /// Returns the next request of a range that plans items up to their ready bytes.
  @inline(__always) private mutating func nextHead(_ range: Plan.FetchRange, from start: Int, _ view: borrowing FeedView) -> Request? {
    var item = covered.lowerBound <= start && start < covered.upperBound ? covered.upperBound : start
    while item < range.end {
      if view.progress[item].isHeadCovered {
        cover(item)
      } else if let request = head(item, of: range, view) {
        self.item = item
        return request
      }
      item &+= 1
    }
    return nil
  }

  /// Returns the next request of a range that plans a number of bytes, or all.
  @inline(__always) private mutating func nextPart(_ range: Plan.FetchRange, from start: Int, _ view: borrowing FeedView) -> Request? {
    var item = start
    while item < range.end {
      self.item = item
      if !view.progress[item].isHeadCovered, let request = head(item, of: range, view) { return request }
      if !view.progress[item].isRestCovered, settings.restFirst || item != view.activeItem, let request = rest(item, of: range, view) {
        return request
      }
      item &+= 1
    }
    return nil
  }

  /// Returns the request for the ready bytes of an item, as far as a range plans them; nil if none is due.
  @inline(__always) private func head(_ item: Int, of range: Plan.FetchRange, _ view: borrowing FeedView) -> Request? {
    guard view.progress[item].headTransfer < 0 else { return nil }
    let whole = view.items[item].readyBytes
    let bytes = range.bytes == Plan.toReady || segments.apply(to: view.items[item]) ? whole : min(range.bytes, whole)
    let volume = Volume.bytes(bytes).nanobits - view.progress[item].head
    guard volume > 0 else { return nil }
    return Request(
      item: item, isRest: false, covers: bytes == whole, volume: volume, priority: range.priorityBase + item, rendition: range.rendition)
  }

  /// Returns the request for the bytes after the ready ones, as far as a range plans them; nil if none is due.
  @inline(never) private func rest(_ item: Int, of range: Plan.FetchRange, _ view: borrowing FeedView) -> Request? {
    let (ready, all) = (view.items[item].readyBytes, view.items[item].bytes)
    guard range.bytes > ready, all > ready, view.progress[item].restTransfer < 0 else { return nil }
    if segments.isOn { return segment(item, of: range, view) }
    let volume = Volume.bytes(min(range.bytes, all) - ready).nanobits - view.progress[item].rest
    guard volume > 0 else { return nil }
    return Request(
      item: item, isRest: true, covers: range.bytes >= all, volume: volume, priority: range.priorityBase + item, rendition: range.rendition)
  }

  /// Returns the request for what is planned of the active item and is not in flight; nil if there is none.
  private func activeRequest(_ view: borrowing FeedView) -> Request? {
    var index = 0
    while let found = plan.range(of: view.activeItem, from: index) {
      let progress = view.progress[view.activeItem]
      if !progress.isHeadCovered, let request = head(view.activeItem, of: plan.ranges[found], view) { return request }
      if !progress.isRestCovered, let request = rest(view.activeItem, of: plan.ranges[found], view) { return request }
      index = found + 1
    }
    return nil
  }

  @inline(__always) private mutating func cover(_ item: Int) {
    covered = Range(uncheckedBounds: (item == covered.upperBound ? covered.lowerBound : item, item &+ 1))
  }

  /// True if the plan still contains the part that a transfer brings. It searches backwards, as most transfers are of the last range.
  /// O(ranges of the plan).
  @inline(__always) private func isPlanned(_ transfer: InFlightTransfer, _ view: borrowing FeedView) -> Bool {
    var index = plan.rangeCount
    while index > 0 {
      index &-= 1
      let range = plan.ranges[index]
      guard range.first <= transfer.item, transfer.item < range.end else { continue }
      if !transfer.isRest || range.bytes > view.items[transfer.item].readyBytes { return true }
    }
    return false
  }

  // MARK: Requests

  /// True if a connection is free and the plan has not been searched to its end.
  var mayRequest: Bool { @inline(__always) get { !inFlight.isFull && (rangeIndex < plan.rangeCount || !settings.restFirst) } }

  /// Sends requests in the plan's order while connections are free. At least one is free at the call.
  @inline(never) mutating func fill(_ view: inout FeedView, _ recorder: inout Recorder, at now: Int64) {
    if isLimited { return fillWithinLimits(&view, &recorder, at: now) }
    while let request = next(view) {
      send(request, &view, &recorder, at: now)
      if inFlight.isFull { return }
    }
  }

  /// Sends requests within the limits of each host and of the prefetches. Items whose host is busy wait for the next call.
  /// O(requests × transfers in flight).
  @inline(never) private mutating func fillWithinLimits(_ view: inout FeedView, _ recorder: inout Recorder, at now: Int64) {
    var passedOver: (rangeIndex: Int, item: Int)?
    while !inFlight.isFull, let request = next(view) {
      let isPutOff = request.item != view.activeItem && hasEnoughPrefetches(view)
      if hosts.itemHosts > 1, isPutOff || isHostBusy(request.item) {
        // After the plan there is only the rest of the active video.
        guard rangeIndex < plan.rangeCount else { break }
        if passedOver == nil { passedOver = (rangeIndex, request.item) }
        item = request.item + 1
      } else if !isPutOff {
        send(request, &view, &recorder, at: now)
      } else {
        // The limit on prefetches does not hold back the active item.
        guard let own = activeRequest(view) else { return }
        send(own, &view, &recorder, at: now)
      }
    }
    if let passedOver { (rangeIndex, item) = passedOver }
  }

  @inline(__always) private mutating func send(_ request: Request, _ view: inout FeedView, _ recorder: inout Recorder, at now: Int64) {
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
    var (volume, rendition) = (request.volume, -1)
    if segments.apply(to: view.items[request.item]) {
      (rendition, volume) = segments.choose(
        request.item, view.items[request.item], view.progress[request.item], media: request.volume,
        isActive: request.item == view.activeItem, planned: request.rendition)
    }
    if Link.namesParts { link.name(part(of: request, rendition, view)) }
    link.start(number, volume: Volume(nanobits: volume), host: host(of: request.item), priority: request.priority)
    recorder.metrics.requests &+= 1
    transfers[number] = InFlightTransfer(
      item: request.item, volume: volume, requestedAt: now, isRest: request.isRest, rendition: Int8(truncatingIfNeeded: rendition))
    recorder.request(transfers[number], at: now)
    if recorder.isLogging { note(request, number, view, &recorder, at: now) }
  }

  @inline(never) private mutating func note(
    _ request: Request, _ number: Int, _ view: borrowing FeedView, _ recorder: inout Recorder, at now: Int64
  ) {
    let rendition = Int(transfers[number].rendition)
    let part = part(of: request, rendition, view)
    transfers[number].serial =
      recorder.log?.request(part, request.isRest ? .rest : .ready, activeItem: view.activeItem, trigger: view.trigger, at: now) ?? 0
    if let renditions = segments.renditions, rendition >= 0 { recorder.log?.noteRendition(renditions.bitsPerSecond[rendition]) }
  }

  /// Requests a page; false if no connection is free.
  mutating func send(page: Int, bytes: Int64, _ recorder: inout Recorder, at now: Int64) -> Bool {
    if pagesInFlight.isFull { return false }
    if !isBusy { recorder.radio.begin(at: now) }
    let number = inFlight.capacity + pagesInFlight.allocate()
    let part = RequestedPart(content: .page(page), offset: 0, bytes: bytes, wholeBytes: bytes)
    if Link.namesParts { link.name(part) }
    link.start(number, volume: .bytes(bytes), host: hosts.ofPages, priority: 0)
    transfers[number] = InFlightTransfer(
      item: page, volume: Volume.bytes(bytes).nanobits, requestedAt: now,
      serial: recorder.log?.request(part, .page, activeItem: 0, trigger: [], at: now) ?? 0)
    recorder.request(transfers[number], at: now)
    return true
  }

  // MARK: Ends of transfers

  /// Ends a transfer of an item; true if that makes the item ready.
  @inline(__always) mutating func finish(
    _ number: Int, _ transfer: InFlightTransfer, _ view: inout FeedView, _ recorder: inout Recorder, at now: Int64
  ) -> Bool {
    forget(number, transfer, &view, &recorder, at: now)
    let volume = transfer.rendition < 0 ? transfer.volume : finishSegment(number, transfer, view, at: now)
    if transfer.isRest {
      view.progress[transfer.item].rest += volume
      if !view.progress[transfer.item].isRestCovered { rewind() }
      return false
    }
    view.progress[transfer.item].head += volume
    if view.progress[transfer.item].isHeadCovered {
      view.progress[transfer.item].isReady = true
      return true
    }
    // The plan may contain more of the item than this transfer brought.
    rewind()
    return false
  }

  @inline(__always) private mutating func forget(
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

  @inline(never) private mutating func cancel(_ number: Int, _ view: inout FeedView, _ recorder: inout Recorder, at now: Int64) {
    let transfer = transfers[number]
    let received = link.cancel(number)
    recorder.end(transfer, .cancelled, received: received, milestones: link.milestones(number), at: now)
    forget(number, transfer, &view, &recorder, at: now)
    // A segment is stored whole or not at all.
    let keeps = settings.keepsBytes && transfer.rendition < 0
    let kept = keeps ? received.nanobits : 0
    recorder.cancel(&view.progress[transfer.item], isActive: transfer.item == view.activeItem, lost: keeps ? 0 : received.bytes)
    if transfer.rendition >= 0 { segments.cancel(transfer.item) }
    if transfer.isRest {
      view.progress[transfer.item].isRestCovered = false
      view.progress[transfer.item].rest += kept
    } else {
      view.progress[transfer.item].isHeadCovered = false
      if covered.contains(transfer.item) { covered = covered.lowerBound..<transfer.item }
      view.progress[transfer.item].wasCancelled = true
      view.progress[transfer.item].head += kept
    }
    if store.isOn, kept > 0 { put(transfer.item, &view, &recorder) }
  }

  /// Cancels transfers in flight by the cancel rule after a new plan.
  @inline(__always) mutating func reconcile(_ view: inout FeedView, _ recorder: inout Recorder, at now: Int64) {
    if settings.cancel == .never { return }
    var number = inFlight.oldest
    while number != inFlight.end {
      let next = inFlight.next(after: number)
      if settings.cancel != .keep || !isPlanned(transfers[number], view) { cancel(number, &view, &recorder, at: now) }
      number = next
    }
  }

  /// Cancels the last planned transfer if the active item waits and its host has no free connection.
  @inline(never) mutating func preempt(_ view: inout FeedView, _ recorder: inout Recorder, at now: Int64) {
    let active = view.progress[view.activeItem]
    guard !active.isReady, !active.isOnlyOnDisk, isHostBusy(view.activeItem), active.headTransfer < 0,
      plan.range(of: view.activeItem) != nil
    else { return }
    let activeHost = host(of: view.activeItem)
    var (last, lastRank) = (inFlight.oldest, (-1, -1))
    inFlight.forEach { number in
      let item = transfers[number].item
      let rank = (plan.range(of: item) ?? plan.rangeCount, item)
      if host(of: item) == activeHost, rank > lastRank { (last, lastRank) = (number, rank) }
    }
    cancel(last, &view, &recorder, at: now)
  }
}
