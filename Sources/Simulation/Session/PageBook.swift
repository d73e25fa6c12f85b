// Which pages of a feed have come, which are on their way, and when the next one is asked for.

/// The pages of one run.
struct PageBook {
  /// The connections of the client's pool for its API; further requests wait in order.
  static let poolConnections = 6
  /// The most requests that wait; a client without a latch could otherwise fill its memory in one fling.
  static let waitingLimit = 1000

  let settings: PageSettings
  /// Whether the feed comes in pages at all.
  let isOn: Bool
  let trigger: PageTrigger
  let latch: PageLatch
  /// How many pages there are.
  let count: Int
  /// Transfers that pages may have at once; their numbers follow those of the items.
  let connections: Int
  private let itemCount: Int
  /// The most items that stay listed where pages come in order; nil for no limit.
  let maxSize: Int?

  private(set) var isLoaded: ContiguousArray<Bool>
  /// Requests of each page that have not been answered.
  private(set) var unanswered: ContiguousArray<Int32>
  /// Pages that have come; where they come in order, the next one, whatever of those before has been dropped.
  private(set) var loadedCount = 0
  /// The first page that has not been dropped, where they come in order.
  private(set) var firstPage = 0
  /// Requests made.
  private(set) var requests = 0
  /// Requests not answered.
  private(set) var unansweredCount = 0
  private var free: ContiguousArray<Int>
  private var waiting: ContiguousArray<Int> = []
  private(set) var onTheWay = 0

  init(_ settings: PageSettings?, prefetcher: any Prefetcher, items: Int, firstNumber: Int) {
    isOn = settings != nil
    self.settings = settings ?? PageSettings()
    itemCount = items
    maxSize = settings == nil ? nil : prefetcher.pageMaxSize
    guard let settings else {
      (trigger, latch, count, connections) = (.endReached, .inFlight, 0, 0)
      (isLoaded, unanswered, free) = ([], [], [])
      return
    }
    trigger = prefetcher.pageTrigger ?? settings.trigger
    latch = prefetcher.pageLatch ?? settings.latch
    let rest = max(0, items - (settings.firstSize ?? settings.size))
    count = 1 + (rest + settings.size - 1) / settings.size
    let connections = settings.source == .network ? PageBook.poolConnections : 0
    self.connections = connections
    isLoaded = ContiguousArray(repeating: false, count: count)
    unanswered = ContiguousArray(repeating: 0, count: count)
    free = ContiguousArray((0..<connections).map { firstNumber + connections - 1 - $0 })
  }

  var hasTransfers: Bool { @inline(__always) get { onTheWay > 0 } }
  var isOffsetAddressed: Bool { trigger == .offsetAddressed }

  /// Whether the trigger holds at places that the content only passes.
  var needsTicks: Bool {
    switch trigger {
    case .endReached, .ratio, .ratioOfNewestPage, .itemsFromEnd: isOn
    case .remainingScreens, .offsetAddressed: false
    }
  }

  /// The items of a page.
  func items(of page: Int) -> Range<Int> {
    let first = page == 0 ? 0 : (settings.firstSize ?? settings.size) + (page - 1) * settings.size
    return first..<min(itemCount, page == 0 ? settings.firstSize ?? settings.size : first + settings.size)
  }

  /// The page of an item.
  func page(of item: Int) -> Int {
    let first = settings.firstSize ?? settings.size
    return item < first ? 0 : 1 + (item - first) / settings.size
  }

  /// Whether a page would be asked for, the trigger holding: the latch may keep it.
  func mayAsk(for page: Int) -> Bool {
    guard page >= 0, page < count, !isLoaded[page] else { return false }
    if latch == .asPrinted { return true }
    // Where pages are dropped, either end has a load of its own.
    return isOffsetAddressed || maxSize != nil ? unanswered[page] == 0 : unansweredCount == 0
  }

  /// Writes down a request; whether the page had been asked for before.
  mutating func ask(for page: Int) -> Bool {
    let isAgain = unanswered[page] > 0 || isLoaded[page]
    unanswered[page] += 1
    unansweredCount += 1
    requests += 1
    return isAgain
  }

  /// A free transfer for a page, or nil if it has to wait.
  mutating func takeNumber(for page: Int) -> Int? {
    guard let number = free.popLast() else {
      if waiting.count < PageBook.waitingLimit { waiting.append(page) } else { forget(page) }
      return nil
    }
    onTheWay += 1
    return number
  }

  /// Whether a page's transfer is on the way.
  func isOnTheWay(_ number: Int) -> Bool { !free.contains(number) }

  /// Gives a transfer back and returns the page that has waited longest for one.
  mutating func giveBack(_ number: Int) -> Int? {
    free.append(number)
    onTheWay -= 1
    return waiting.isEmpty ? nil : waiting.removeFirst()
  }

  /// Writes down an answer; true if the page was not there and, where pages come in order, is the next one at either end.
  mutating func answer(_ page: Int) -> Bool {
    forget(page)
    if isLoaded[page] || (maxSize != nil && page != loadedCount && page != firstPage - 1) { return false }
    isLoaded[page] = true
    if page < firstPage { firstPage = page } else { loadedCount += 1 }
    return true
  }

  /// The pages that are dropped at one end after a load at the other, with so many listed items beyond the screen at that end.
  mutating func drop(atTail isTail: Bool, presentedBeyond: Int) -> Range<Int> {
    guard let maxSize, case .itemsFromEnd(let distance) = trigger else { return 0..<0 }
    let listed = firstPage..<loadedCount
    let sizes = listed.map { items(of: $0).count }
    let count = ContiguousPaging.dropped(
      pages: isTail ? sizes.reversed() : sizes, loaded: sizes.reduce(0, +), maxSize: maxSize, presentedBeyond: presentedBeyond,
      prefetchDistance: distance
    ).pages
    let dropped = isTail ? listed.upperBound - count..<listed.upperBound : listed.lowerBound..<listed.lowerBound + count
    for page in dropped { isLoaded[page] = false }
    if isTail { loadedCount -= count } else { firstPage += count }
    return dropped
  }

  private mutating func forget(_ page: Int) {
    unanswered[page] -= 1
    unansweredCount -= 1
  }
}
