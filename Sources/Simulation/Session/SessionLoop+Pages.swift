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
    guard pages.isOn else { return }
    if pages.isOffsetAddressed {
      guard pages.loadedCount < pages.count, !occasion.isDisjoint(with: [.dragEnd, .activation]) else { return }
      for range in UnloadedRanges.scan(pagesAtTarget(), count: pages.count, minimumBatch: 1, isLoaded: { !pages.mayAsk(for: $0) }) {
        for page in range { requestPage(page, at: now) }
      }
      return
    }
    if pages.firstPage > 0 { checkPagesBefore(at: now) }
    guard pages.loadedCount < pages.count, pageTriggerHolds(after: occasion), pages.mayAsk(for: pages.loadedCount) else { return }
    requestPage(pages.loadedCount, at: now)
    // A page that is there at once may be followed by another where the trigger looks at the list, not at the scrolling.
    while pages.settings.source == .local, followsList, pages.loadedCount < pages.count, pageTriggerHolds(after: .listGrown) {
      requestPage(pages.loadedCount, at: now)
    }
  }

  /// Asks again for pages before the screen that have been dropped.
  private mutating func checkPagesBefore(at now: Int64) {
    while case .itemsFromEnd(let distance) = pages.trigger, pages.mayAsk(for: pages.firstPage - 1),
      ContiguousPaging.isNextPageDue(prefetchDistance: distance, presentedBeyond: itemsBefore, loading: 0)
    {
      requestPage(pages.firstPage - 1, at: now)
      guard pages.settings.source == .local else { return }
    }
  }

  /// The items on screen: the one that became active, where its page has been dropped and the list does not reach it.
  private var shownItems: Range<Int> {
    let active = visits[min(visit, visits.count - 1)].item
    return pages.maxSize == nil || view.progress[active].isListed ? view.visibleItems : active..<active + 1
  }

  /// The listed items before the first visible one; below zero where that has been dropped.
  private var itemsBefore: Int { shownItems.lowerBound - pages.items(of: pages.firstPage).lowerBound }
  /// The listed items after the last visible one.
  private var itemsAfter: Int { view.items.count - shownItems.upperBound }

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
    return pages.trigger.holds(
      ListEnd(
        viewport: view.viewportHeight, edge: view.contentOffset + view.viewportHeight,
        target: occasion.contains(.dragEnd) ? view.targetOffset : view.contentOffset, content: view.contentHeight, following: itemsAfter,
        requests: pages.requests, itemsPerPage: pages.settings.size, isForward: view.direction >= 0,
        isVisible: view.appState == .foreground))
  }

  private func pagesAtTarget() -> ClosedRange<Int> {
    let visible = view.targetItems
    let shown = pages.page(of: visible.lowerBound)...pages.page(of: max(visible.lowerBound, visible.upperBound - 1))
    return UnloadedRanges.window(around: shown, threshold: 0, count: pages.count)
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
      cover(item)
      if pages.isOffsetAddressed {
        view.items[item] = items[item]
      } else if item == view.items.count {
        view.items.append(items[item])
      }
    }
    covered = CoveredItems()
    occasions.pending.insert(.listGrown)
    if pages.maxSize != nil { dropPages(after: page) }
  }

  /// Works out what of an item that is listed, or listed again, is stored or in flight as a whole.
  private mutating func cover(_ item: Int) {
    let progress = view.progress[item]
    func comes(_ transfer: Int32) -> Int64 { transfer < 0 ? 0 : transfers[Int(transfer)].volume }
    let (ready, all) = (Volume.bytes(items[item].readyBytes).nanobits, Volume.bytes(items[item].bytes).nanobits)
    view.progress[item].isHeadCovered = progress.head + comes(progress.headTransfer) >= ready
    view.progress[item].isRestCovered = progress.rest + comes(progress.restTransfer) >= all - ready
  }

  /// Drops pages at the end opposite to the one that has come. What is stored of their items stays on the disk.
  private mutating func dropPages(after page: Int) {
    let isTail = page == pages.firstPage && page + 1 < pages.loadedCount
    let dropped = pages.drop(atTail: isTail, presentedBeyond: isTail ? itemsAfter : itemsBefore)
    guard !dropped.isEmpty else { return }
    for page in dropped {
      for item in pages.items(of: page) {
        view.progress[item].isListed = false
        view.progress[item].isHeadCovered = true
        view.progress[item].isRestCovered = true
      }
      if isTail { view.items.removeLast(pages.items(of: page).count) }
    }
    covered = CoveredItems()
    rewindPlan()
  }

  /// Pages on the way when the run ends are bytes that nobody saw.
  mutating func closePages() {
    for number in onTheWay.capacity..<transfers.count where pages.isOnTheWay(number) {
      ledger.bytesUnseen += link.received(number).bytes
    }
  }
}
