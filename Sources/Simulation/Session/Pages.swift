// The pages of a feed in a run: which are loaded, which are requested, and the trigger of the next request.

struct Pages {
  /// The connections of the client's pool for its API; further requests wait in order.
  static let poolConnections = 6
  /// The most requests that wait. Without a latch, one fling could otherwise queue any number.
  fileprivate static let waitingLimit = 1000

  fileprivate let settings: PageSettings
  let isOn: Bool
  fileprivate let trigger: PageTrigger
  private let latch: PageLatch
  fileprivate let count: Int
  let connections: Int
  fileprivate let itemCount: Int
  /// The most items that stay listed, for pages in order; nil for no limit.
  fileprivate let maxSize: Int?

  var isLoaded: ContiguousArray<Bool>
  /// True for pages that arrived before, even if they were dropped since.
  fileprivate var hasArrived: ContiguousArray<Bool>
  fileprivate var unanswered: ContiguousArray<Int32>
  private var unansweredCount = 0
  /// The number of pages loaded; for pages in order, the index of the next one, dropped pages included.
  fileprivate var loadedCount = 0
  /// The first page that is not dropped, for pages in order.
  fileprivate var firstPage = 0
  fileprivate var requests = 0
  fileprivate var waiting: ContiguousArray<Int> = []

  init(_ settings: PageSettings?, prefetcher: any Prefetcher, items: Int) {
    isOn = settings != nil
    itemCount = items
    maxSize = settings == nil ? nil : prefetcher.pageMaxSize
    let settings = settings ?? PageSettings()
    self.settings = settings
    trigger = isOn ? prefetcher.pageTrigger ?? settings.trigger : .endReached
    latch = prefetcher.pageLatch ?? settings.latch
    let rest = max(0, items - (settings.firstSize ?? settings.size))
    count = isOn ? 1 + (rest + settings.size - 1) / settings.size : 0
    connections = isOn && settings.source == .network ? Pages.poolConnections : 0
    isLoaded = ContiguousArray(repeating: false, count: count)
    hasArrived = isLoaded
    unanswered = ContiguousArray(repeating: 0, count: count)
  }

  var isOffsetAddressed: Bool { trigger == .offsetAddressed }
  var isOpen: Bool { isLoaded[0] }
  fileprivate var isLocal: Bool { settings.source == .local }

  /// True if the trigger may hold while the content moves.
  var needsTicks: Bool {
    switch trigger {
    case .endReached, .ratio, .ratioOfNewestPage, .itemsFromEnd: isOn
    case .remainingScreens, .offsetAddressed: false
    }
  }

  private var firstSize: Int { settings.firstSize ?? settings.size }

  fileprivate func items(of page: Int) -> Range<Int> {
    if page == 0 { return 0..<min(itemCount, firstSize) }
    let start = firstSize + (page - 1) * settings.size
    return start..<min(itemCount, start + settings.size)
  }

  fileprivate func page(of item: Int) -> Int { item < firstSize ? 0 : 1 + (item - firstSize) / settings.size }

  /// True if the latch allows a request of the page.
  fileprivate func mayRequest(_ page: Int) -> Bool {
    guard page >= 0, page < count, !isLoaded[page] else { return false }
    if latch == .asPrinted { return true }
    // Pages that may be dropped are loaded at both ends, and each end has its own request.
    return isOffsetAddressed || maxSize != nil ? unanswered[page] == 0 : unansweredCount == 0
  }

  /// Returns the pages of some items that are not loaded and may be requested.
  func missing(among items: Range<Int>) -> [Int] {
    let last = min(count - 1, page(of: max(items.lowerBound, items.upperBound - 1)))
    return (page(of: items.lowerBound)..<last + 1).filter(mayRequest)
  }

  /// True if the trigger depends on the length of the list, so that a new page may cause a request.
  fileprivate var followsList: Bool {
    switch trigger {
    case .remainingScreens, .itemsFromEnd: true
    case .endReached, .ratio, .ratioOfNewestPage, .offsetAddressed: false
    }
  }

  /// Adds to the unanswered requests of a page, or subtracts from them.
  fileprivate mutating func countUnanswered(_ page: Int, by more: Int) {
    unanswered[page] += Int32(more)
    unansweredCount += more
  }

  /// Stops the program if the counts contradict each other. O(pages).
  func checkInvariants() -> Bool {
    precondition(unansweredCount == unanswered.reduce(0) { $0 + Int($1) }, "requests of pages are lost")
    precondition(firstPage <= loadedCount && loadedCount <= count, "more pages loaded than exist")
    precondition(waiting.count <= Pages.waitingLimit, "too many requests wait")
    return true
  }
}

extension SessionLoop where Link: ~Copyable {
  /// Hides all items and loads the first page before the first item becomes active. Stops the run if the page gains no byte for a day.
  @inline(never) mutating func openPages() {
    for item in recorder.items.indices { view.progress[item].unlist() }
    if pages.isOffsetAddressed {
      view.details.value.totalItems = pages.itemCount
      view.items = ContiguousArray(repeating: Item(kind: .image, bytes: 1), count: pages.itemCount)
    } else {
      view.items = []
      view.items.reserveCapacity(pages.itemCount)
    }
    view.measureContent()
    request(0, at: 0)
    var read: Int64 = 0
    while !pages.isOpen, watch.stop == nil, now < watch.timeLimit {
      let limit = now + min(watch.pageLimit, watch.timeLimit - now)
      if let arrival = downloads.link.advance(until: Instant(nanoseconds: limit)) {
        endPage(arrival, at: now)
      } else if downloads.bytesRead() > read {
        read = downloads.bytesRead()
      } else {
        watch.end(for: .noPage(limit: RunLimits.page))
      }
    }
    pending = []
    if !pages.isOpen { stopAtTimeLimit() }
  }

  /// Requests the pages that are due after the pending triggers.
  @inline(never) mutating func checkPages(at now: Int64) {
    let trigger = pending
    if pages.isOffsetAddressed {
      guard pages.loadedCount < pages.count, !trigger.isDisjoint(with: [.dragEnd, .activation]) else { return }
      for page in pages.missing(among: view.targetItems) { request(page, at: now) }
      return
    }
    // Dropped pages before the screen.
    while pages.firstPage > 0, case .itemsFromEnd(let distance) = pages.trigger, pages.mayRequest(pages.firstPage - 1),
      itemsBefore < distance
    {
      request(pages.firstPage - 1, at: now)
      if !pages.isLocal { break }
    }
    guard isNextPageDue(on: trigger), pages.mayRequest(pages.loadedCount) else { return }
    request(pages.loadedCount, at: now)
    // A local page arrives at once and may make the next one due.
    while pages.isLocal, pages.followsList, isNextPageDue(on: .listGrown) { request(pages.loadedCount, at: now) }
  }

  private func isNextPageDue(on trigger: PlanTrigger) -> Bool {
    guard pages.loadedCount < pages.count, pages.followsList || !trigger.isDisjoint(with: [.activation, .dragEnd, .scrollTick])
    else { return false }
    return pages.trigger.holds(
      ListEnd(
        viewport: view.viewportHeight, edge: view.contentOffset + view.viewportHeight,
        target: trigger.contains(.dragEnd) ? view.targetOffset : view.contentOffset, content: view.contentHeight,
        following: itemsAfter, requests: pages.requests, itemsPerPage: pages.settings.size, isForward: view.direction >= 0,
        isVisible: view.appState == .foreground))
  }

  /// The items on screen; only the active one if its page has been dropped.
  private var shown: Range<Int> {
    pages.maxSize == nil || view.progress[viewer.item].isListed ? view.visibleItems : viewer.item..<viewer.item + 1
  }

  /// The number of listed items before the first visible one; negative if that one is not listed.
  private var itemsBefore: Int { shown.lowerBound - pages.items(of: pages.firstPage).lowerBound }

  private var itemsAfter: Int { view.items.count - shown.upperBound }

  private mutating func request(_ page: Int, at now: Int64) {
    let isAgain = pages.unanswered[page] > 0 || pages.hasArrived[page]
    recorder.metrics.pageRequests += 1
    if isAgain { recorder.metrics.duplicatePageRequests += 1 }
    recorder.note(.pageRequested(page, isAgain: isAgain), at: now)
    pages.countUnanswered(page, by: 1)
    pages.requests += 1
    if pages.isLocal {
      receive(page: page, bytes: 0, at: now)
    } else if !downloads.send(page: page, bytes: pages.settings.bytes, &recorder, at: now) {
      if pages.waiting.count < Pages.waitingLimit { pages.waiting.append(page) } else { pages.countUnanswered(page, by: -1) }
    }
  }

  @inline(never) mutating func endPage(_ number: Int, at now: Int64) {
    let transfer = downloads.transfers[number]
    let volume = Volume(nanobits: transfer.volume)
    recorder.end(transfer, .finished, received: volume, milestones: downloads.link.milestones(number), at: now)
    downloads.pagesInFlight.release(number - downloads.inFlight.capacity)
    if !pages.waiting.isEmpty { _ = downloads.send(page: pages.waiting.removeFirst(), bytes: pages.settings.bytes, &recorder, at: now) }
    if !downloads.isBusy { recorder.radio.end(at: now) }
    receive(page: transfer.item, bytes: pages.settings.bytes, at: now)
  }

  private mutating func receive(page: Int, bytes: Int64, at now: Int64) {
    pages.countUnanswered(page, by: -1)
    // The page is not listed if it is loaded or, where pages are dropped, is not the next one at either end.
    let isOfNoUse = pages.isLoaded[page] || (pages.maxSize != nil && page != pages.loadedCount && page != pages.firstPage - 1)
    let isAgain = isOfNoUse || pages.hasArrived[page]
    recorder.note(.pageArrived(page, isAgain: isAgain), at: now)
    if isAgain { recorder.metrics.bytesDuplicate += bytes } else { recorder.metrics.bytesUseful += bytes }
    if isOfNoUse { return }
    pages.isLoaded[page] = true
    pages.hasArrived[page] = true
    if page < pages.firstPage { pages.firstPage = page } else { pages.loadedCount += 1 }
    for item in pages.items(of: page) {
      downloads.list(recorder.items[item], &view.progress[item])
      if pages.isOffsetAddressed {
        view.items[item] = recorder.items[item]
      } else if item == view.items.count {
        view.items.append(recorder.items[item])
      }
    }
    dropPages(after: page)
    view.details.value.listings += 1
    view.measureContent()
    pending.insert(.listGrown)
  }

  /// Drops pages at the end opposite to the new page. Stored bytes of their items stay on the disk.
  private mutating func dropPages(after page: Int) {
    guard let maxSize = pages.maxSize, case .itemsFromEnd(let distance) = pages.trigger else { return }
    let isTail = page == pages.firstPage && page + 1 < pages.loadedCount
    let listed = pages.firstPage..<pages.loadedCount
    let sizes = listed.map { pages.items(of: $0).count }
    let count = PageTrigger.droppedCount(
      of: isTail ? sizes.reversed() : sizes, loaded: sizes.reduce(0, +), maxSize: maxSize,
      presentedBeyond: isTail ? itemsAfter : itemsBefore, distance: distance)
    if count == 0 { return }
    for page in isTail ? listed.suffix(count) : listed.prefix(count) {
      pages.isLoaded[page] = false
      for item in pages.items(of: page) { view.progress[item].unlist() }
      if isTail { view.items.removeLast(pages.items(of: page).count) }
    }
    if isTail { pages.loadedCount -= count } else { pages.firstPage += count }
    downloads.rewindAll()
  }
}
