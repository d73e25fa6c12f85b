// Pages of the feed: asked for, brought by transfers of their own, and listed.

extension SessionLoop where Link: ~Copyable {
  /// Hides all items and fetches the first page; the run goes on when it has come.
  mutating func openPages() {
    for item in items.indices {
      view.progress[item].isListed = false
      // What is covered is never wished for.
      view.progress[item].isHeadCovered = true
      view.progress[item].isRestCovered = true
    }
    if pages.isOffsetAddressed {
      view.details.value.totalItems = items.count
      view.items = ContiguousArray(repeating: Item(kind: .image, bytes: 1), count: items.count)
    } else {
      view.items = []
      view.items.reserveCapacity(items.count)
    }
    requestPage(0, at: 0)
    while !pages.isLoaded[0], let arrival = link.advance(until: Instant(nanoseconds: timeLimit)) { receive(arrival) }
    if !pages.isLoaded[0] { return watch.reachTimeLimit() }
    occasions.pending = []
  }

  /// Asks for the pages that the trigger wants.
  mutating func checkPages(at now: Int64, after occasion: PlanTrigger) {
    guard pages.isOn, pages.loadedCount < pages.count else { return }
    if pages.isOffsetAddressed {
      guard !occasion.isDisjoint(with: [.dragEnd, .activation]) else { return }
      for page in pagesAtTarget() where pages.mayAsk(for: page) { requestPage(page, at: now) }
      return
    }
    guard pageTriggerHolds(after: occasion), pages.mayAsk(for: pages.loadedCount) else { return }
    requestPage(pages.loadedCount, at: now)
    // A page that is there at once may be followed by another where the trigger looks at the list, not at the scrolling.
    while pages.settings.source == .local, followsList, pages.loadedCount < pages.count, pageTriggerHolds(after: .listGrown) {
      requestPage(pages.loadedCount, at: now)
    }
  }

  /// Whether the trigger is looked at again when the list has grown.
  private var followsList: Bool {
    switch pages.trigger {
    case .remainingScreens, .itemsFromEnd: true
    case .endReached, .ratio, .ratioOfNewestPage, .offsetAddressed: false
    }
  }

  private func pageTriggerHolds(after occasion: PlanTrigger) -> Bool {
    let isScrolled = !occasion.isDisjoint(with: [.activation, .dragEnd, .scrollTick])
    guard isScrolled || followsList else { return false }
    if case .remainingScreens = pages.trigger, view.direction < 0 { return false }
    let content = view.contentHeight
    let offset = occasion.contains(.dragEnd) ? view.targetOffset : view.contentOffset
    return pages.trigger.holds(
      edge: view.contentOffset + view.viewportHeight, content: content, remaining: content - view.viewportHeight - offset,
      viewport: view.viewportHeight, following: view.items.count - view.visibleItems.upperBound, requests: pages.requests)
  }

  private func pagesAtTarget() -> ClosedRange<Int> {
    let visible = view.visibleItems(at: view.targetOffset)
    return pages.page(of: visible.lowerBound)...pages.page(of: max(visible.lowerBound, visible.upperBound - 1))
  }

  // MARK: Transfers

  private mutating func requestPage(_ page: Int, at now: Int64) {
    let isAgain = pages.ask(for: page)
    ledger.pageRequests += 1
    if isAgain { ledger.duplicatePageRequests += 1 }
    log.note(.pageRequested(page, isAgain: isAgain), at: now)
    if pages.settings.source == .local {
      receivePage(page, bytes: 0, at: now)
    } else {
      startPage(page, at: now)
    }
  }

  private mutating func startPage(_ page: Int, at now: Int64) {
    let hadTransfers = hasTransfers
    guard let number = pages.takeNumber(for: page) else { return }
    if !hadTransfers { ledger.radio.begin(at: now) }
    let volume = Volume.bytes(pages.settings.bytes)
    transfers[number] = TransferProgress(item: page, volume: volume.nanobits)
    if Link.namesParts { link.name(RequestedPart(.page(page), offset: 0, bytes: volume.bytes, wholeBytes: volume.bytes)) }
    link.start(number, volume: volume, host: features.hosts.ofPages, priority: 0)
    if log.isOn { stories[number].serial = log.request(page: page, bytes: pages.settings.bytes, at: now) }
  }

  /// A page has come.
  mutating func finishPage(_ number: Int) {
    let transfer = transfers[number]
    let now = link.now.nanoseconds
    let waiting = pages.giveBack(number)
    if let waiting { startPage(waiting, at: now) }
    if !hasTransfers { ledger.radio.end(at: now) }
    receivePage(transfer.item, bytes: pages.settings.bytes, at: now)
  }

  private mutating func receivePage(_ page: Int, bytes: Int64, at now: Int64) {
    let isFirst = pages.answer(page)
    log.note(.pageArrived(page, isAgain: !isFirst), at: now)
    if isFirst { ledger.bytesUseful += bytes } else { ledger.bytesDuplicate += bytes }
    guard isFirst else { return }
    for item in pages.items(of: page) {
      view.progress[item].isListed = true
      view.progress[item].isHeadCovered = false
      view.progress[item].isRestCovered = items[item].bytes == items[item].readyBytes
      if pages.isOffsetAddressed { view.items[item] = items[item] } else { view.items.append(items[item]) }
    }
    covered = CoveredItems()
    occasions.pending.insert(.listGrown)
  }

  /// Pages on the way when the run ends are bytes that nobody saw.
  mutating func closePages() {
    for number in onTheWay.capacity..<transfers.count where pages.isOnTheWay(number) {
      ledger.bytesUnseen += link.received(number).bytes
    }
  }
}
