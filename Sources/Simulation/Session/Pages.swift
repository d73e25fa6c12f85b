// The pages of a feed in a run: which have come, which are asked for, and when the next one is.

/// Lists the items of a feed page by page. Without pages it does nothing: all items are listed from the start.
struct Pages {
  /// The connections of the client's pool for its API; further requests wait in order.
  static let poolConnections = 6
  /// The most requests that wait; a client without a latch could otherwise fill its memory in one fling.
  private static let waitingLimit = 1000

  private let settings: PageSettings
  /// True if the feed comes in pages at all.
  let isOn: Bool
  private let trigger: PageTrigger
  private let latch: PageLatch
  /// How many pages there are.
  private let count: Int
  /// Transfers that pages may have at once.
  let connections: Int
  private let itemCount: Int
  /// The most items that stay listed where pages come in order; nil for no limit.
  private let maxSize: Int?

  private var isLoaded: ContiguousArray<Bool>
  /// Requests of each page that have not been answered.
  private var unanswered: ContiguousArray<Int32>
  private var unansweredCount = 0
  /// Pages that have come; where they come in order, the next one, whatever of those before has been dropped.
  private var loadedCount = 0
  /// The first page that has not been dropped, where they come in order.
  private var firstPage = 0
  /// Requests made.
  private var requests = 0
  /// Pages that wait for a connection.
  private var waiting: ContiguousArray<Int> = []

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
    unanswered = ContiguousArray(repeating: 0, count: count)
  }

  var isOffsetAddressed: Bool { trigger == .offsetAddressed }
  /// True if the first page has come.
  var isOpen: Bool { isLoaded[0] }
  private var isLocal: Bool { settings.source == .local }

  /// True if the trigger holds at places that the content only passes.
  var needsTicks: Bool {
    switch trigger {
    case .endReached, .ratio, .ratioOfNewestPage, .itemsFromEnd: isOn
    case .remainingScreens, .offsetAddressed: false
    }
  }

  /// The items of a page.
  private func items(of page: Int) -> Range<Int> {
    let first = page == 0 ? 0 : (settings.firstSize ?? settings.size) + (page - 1) * settings.size
    return first..<min(itemCount, page == 0 ? settings.firstSize ?? settings.size : first + settings.size)
  }

  /// The page of an item.
  private func page(of item: Int) -> Int {
    let first = settings.firstSize ?? settings.size
    return item < first ? 0 : 1 + (item - first) / settings.size
  }

  // MARK: Asking

  /// Hides all items and asks for the first page.
  mutating func open<Link: ~Copyable>(
    viewed: Int, _ view: inout FeedView, _ downloads: inout Downloads<Link>, _ recorder: inout Recorder
  ) -> PlanTrigger {
    for item in recorder.items.indices { view.progress[item].unlist() }
    if isOffsetAddressed {
      view.details.value.totalItems = itemCount
      view.items = ContiguousArray(repeating: Item(kind: .image, bytes: 1), count: itemCount)
    } else {
      view.items = []
      view.items.reserveCapacity(itemCount)
    }
    view.measureContent()
    return ask(for: 0, viewed: viewed, &view, &downloads, &recorder, at: 0)
  }

  /// Asks for the pages that the trigger wants after an occasion; `viewed` is the item of the visit, listed or not. Returns what the
  /// prefetcher may want to know.
  @inline(never)
  mutating func check<Link: ~Copyable>(
    after occasion: PlanTrigger, viewed: Int, _ view: inout FeedView, _ downloads: inout Downloads<Link>, _ recorder: inout Recorder,
    at now: Int64
  ) -> PlanTrigger {
    var grown: PlanTrigger = []
    if isOffsetAddressed {
      guard loadedCount < count, !occasion.isDisjoint(with: [.dragEnd, .activation]) else { return grown }
      let visible = view.targetItems
      let shown = page(of: visible.lowerBound)...page(of: max(visible.lowerBound, visible.upperBound - 1))
      let window = UnloadedRanges.window(around: shown, threshold: 0, count: count)
      for range in UnloadedRanges.scan(window, count: count, minimumBatch: 1, isLoaded: { !mayAsk(for: $0) }) {
        for page in range { grown.formUnion(ask(for: page, viewed: viewed, &view, &downloads, &recorder, at: now)) }
      }
      return grown
    }
    // Pages before the screen that have been dropped.
    while firstPage > 0, case .itemsFromEnd(let distance) = trigger, mayAsk(for: firstPage - 1),
      ContiguousPaging.isNextPageDue(prefetchDistance: distance, presentedBeyond: itemsBefore(viewed, view), loading: 0)
    {
      grown.formUnion(ask(for: firstPage - 1, viewed: viewed, &view, &downloads, &recorder, at: now))
      if !isLocal { break }
    }
    guard loadedCount < count, holds(after: occasion, viewed, view), mayAsk(for: loadedCount) else { return grown }
    grown.formUnion(ask(for: loadedCount, viewed: viewed, &view, &downloads, &recorder, at: now))
    // A page that is there at once may be followed by another where the trigger looks at the list, not at the scrolling.
    while isLocal, followsList, loadedCount < count, holds(after: .listGrown, viewed, view) {
      grown.formUnion(ask(for: loadedCount, viewed: viewed, &view, &downloads, &recorder, at: now))
    }
    return grown
  }

  /// True if a page would be asked for, the trigger holding: the latch may keep it.
  private func mayAsk(for page: Int) -> Bool {
    guard page >= 0, page < count, !isLoaded[page] else { return false }
    if latch == .asPrinted { return true }
    // Where pages are dropped, either end has a load of its own.
    return isOffsetAddressed || maxSize != nil ? unanswered[page] == 0 : unansweredCount == 0
  }

  /// True if the trigger is looked at again when the list has grown.
  private var followsList: Bool {
    switch trigger {
    case .remainingScreens, .itemsFromEnd: true
    case .endReached, .ratio, .ratioOfNewestPage, .offsetAddressed: false
    }
  }

  private func holds(after occasion: PlanTrigger, _ viewed: Int, _ view: borrowing FeedView) -> Bool {
    guard followsList || !occasion.isDisjoint(with: [.activation, .dragEnd, .scrollTick]) else { return false }
    return trigger.holds(
      ListEnd(
        viewport: view.viewportHeight, edge: view.contentOffset + view.viewportHeight,
        target: occasion.contains(.dragEnd) ? view.targetOffset : view.contentOffset, content: view.contentHeight,
        following: itemsAfter(viewed, view), requests: requests, itemsPerPage: settings.size, isForward: view.direction >= 0,
        isVisible: view.appState == .foreground))
  }

  /// The items on screen: the one that became active, where its page has been dropped and the list does not reach it.
  private func shown(_ viewed: Int, _ view: borrowing FeedView) -> Range<Int> {
    maxSize == nil || view.progress[viewed].isListed ? view.visibleItems : viewed..<viewed + 1
  }

  /// The listed items before the first visible one; below zero where that has been dropped.
  private func itemsBefore(_ viewed: Int, _ view: borrowing FeedView) -> Int {
    shown(viewed, view).lowerBound - items(of: firstPage).lowerBound
  }

  /// The listed items after the last visible one.
  private func itemsAfter(_ viewed: Int, _ view: borrowing FeedView) -> Int { view.items.count - shown(viewed, view).upperBound }

  private mutating func ask<Link: ~Copyable>(
    for page: Int, viewed: Int, _ view: inout FeedView, _ downloads: inout Downloads<Link>, _ recorder: inout Recorder, at now: Int64
  ) -> PlanTrigger {
    recorder.askForPage(page, isAgain: unanswered[page] > 0 || isLoaded[page], at: now)
    unanswered[page] += 1
    unansweredCount += 1
    requests += 1
    if isLocal { return receive(page, bytes: 0, viewed: viewed, &view, &downloads, &recorder, at: now) }
    if !downloads.send(page: page, bytes: settings.bytes, &recorder, at: now) {
      if waiting.count < Pages.waitingLimit { waiting.append(page) } else { forget(page) }
    }
    return []
  }

  // MARK: Answers

  /// The transfer of a page has ended. Returns what the prefetcher may want to know.
  @inline(never)
  mutating func finish<Link: ~Copyable>(
    _ number: Int, page: Int, viewed: Int, _ view: inout FeedView, _ downloads: inout Downloads<Link>, _ recorder: inout Recorder,
    at now: Int64
  ) -> PlanTrigger {
    downloads.finishPage(number)
    if !waiting.isEmpty { _ = downloads.send(page: waiting.removeFirst(), bytes: settings.bytes, &recorder, at: now) }
    if !downloads.isBusy { recorder.radio.end(at: now) }
    return receive(page, bytes: settings.bytes, viewed: viewed, &view, &downloads, &recorder, at: now)
  }

  private mutating func receive<Link: ~Copyable>(
    _ page: Int, bytes: Int64, viewed: Int, _ view: inout FeedView, _ downloads: inout Downloads<Link>, _ recorder: inout Recorder,
    at now: Int64
  ) -> PlanTrigger {
    forget(page)
    // Of use if it was not there and, where pages come in order, is the next one at either end.
    let isAgain = isLoaded[page] || (maxSize != nil && page != loadedCount && page != firstPage - 1)
    recorder.receivePage(page, bytes: bytes, isAgain: isAgain, at: now)
    if isAgain { return [] }
    isLoaded[page] = true
    if page < firstPage { firstPage = page } else { loadedCount += 1 }
    for item in items(of: page) {
      downloads.list(recorder.items[item], &view.progress[item])
      if isOffsetAddressed {
        view.items[item] = recorder.items[item]
      } else if item == view.items.count {
        view.items.append(recorder.items[item])
      }
    }
    if maxSize != nil { drop(after: page, viewed: viewed, &view, &downloads) }
    view.measureContent()
    return .listGrown
  }

  private mutating func forget(_ page: Int) {
    unanswered[page] -= 1
    unansweredCount -= 1
  }

  /// Drops pages at the end opposite to the one that has come. What is stored of their items stays on the disk.
  private mutating func drop<Link: ~Copyable>(
    after page: Int, viewed: Int, _ view: inout FeedView, _ downloads: inout Downloads<Link>
  ) {
    guard let maxSize, case .itemsFromEnd(let distance) = trigger else { return }
    let isTail = page == firstPage && page + 1 < loadedCount
    let listed = firstPage..<loadedCount
    let sizes = listed.map { items(of: $0).count }
    let count = ContiguousPaging.dropped(
      pages: isTail ? sizes.reversed() : sizes, loaded: sizes.reduce(0, +), maxSize: maxSize,
      presentedBeyond: isTail ? itemsAfter(viewed, view) : itemsBefore(viewed, view), prefetchDistance: distance
    ).pages
    if count == 0 { return }
    for page in isTail ? listed.suffix(count) : listed.prefix(count) {
      isLoaded[page] = false
      for item in items(of: page) { view.progress[item].unlist() }
      if isTail { view.items.removeLast(items(of: page).count) }
    }
    if isTail { loadedCount -= count } else { firstPage += count }
    downloads.rewindAll()
  }

  /// Stops the program where the counts contradict each other. O(1), or O(pages) where there are any.
  func checkInvariants() -> Bool {
    precondition(unansweredCount == unanswered.reduce(0) { $0 + Int($1) }, "requests of pages are lost")
    precondition(firstPage <= loadedCount && loadedCount <= count, "more pages than there are")
    precondition(waiting.count <= Pages.waitingLimit, "too many requests wait")
    return true
  }
}
