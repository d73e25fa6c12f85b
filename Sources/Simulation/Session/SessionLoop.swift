// The one synchronous loop of a run: the user's moves, the prefetcher's plans, the transfers' arrivals.

/// Plays one run over a transport. Everything that happens is in here; what it means is worked out afterwards from its records.
///
/// Arrivals of an instant come before activations, and activations before new requests (design §4). Most runs are plain: nothing but
/// arrivals and activations can happen in them, and one look at `isPlain` is all that the rest costs them.
struct SessionLoop<Link: Transport & ~Copyable>: ~Copyable {
  var link: Link
  var view: FeedView
  var ledger = Ledger()
  /// One record a visit, set as it goes.
  var records: FixedArray<VisitRecord>
  var playback = Playback()
  /// All items, listed or not.
  let items: ContiguousArray<Item>

  var prefetcher: any Prefetcher
  let trigger: PlanTrigger
  /// The settings that hold: the prefetcher's before the app's.
  let downloads: DownloadSettings
  let patience: Int64?
  let visits: ContiguousArray<Visit>
  var visit = 0
  /// When the user leaves the active item.
  var leaves: Int64 = 0
  var isWaiting = false

  var plan = Plan()
  /// The stretch of the plan and the item in which the next wish is looked for: all before are stored or on the way.
  var planStretch = 0
  var planItem = 0
  /// Items known to be ready or to become so by what is on the way; a window need not look at them again.
  var covered = CoveredItems()
  var transfers: FixedArray<TransferProgress>
  /// What else is known of each; empty in a plain run.
  var stories: FixedArray<TransferStory>
  /// The numbers of the transfers on the way, oldest first.
  var onTheWay: NumberPool

  let features: SessionFeatures
  /// Counts the run's events and says when it must stop.
  let watch: RunWatch
  let timeLimit: Int64
  private var events = 0
  /// The most prefetches on the way at once.
  let prefetchLimit: Int
  var occasions = Occasions()
  var pages: PageBook
  var log = EventLog()

  init(
    link: consuming Link, items: ContiguousArray<Item>, visits: ContiguousArray<Visit>, prefetcher: any Prefetcher,
    downloads: DownloadSettings, patience: Interval?, features: SessionFeatures = SessionFeatures(),
    watch: RunWatch = RunWatch(RunLimits())
  ) {
    precondition(!visits.isEmpty, "a run views at least one item")
    self.link = link
    self.prefetcher = prefetcher
    var downloads = downloads
    downloads.cancel = prefetcher.cancelRule ?? downloads.cancel
    downloads.keepPartial = prefetcher.keepsPartial ?? downloads.keepPartial
    self.downloads = downloads
    trigger = prefetcher.trigger
    prefetchLimit = prefetcher.concurrency ?? .max
    self.features = features
    self.watch = watch
    timeLimit = watch.timeLimit
    self.items = items
    self.visits = visits
    self.patience = patience?.nanoseconds
    view = FeedView(items: items)
    let transferLimit = downloads.connections * features.hosts.itemHosts
    pages = PageBook(features.pages, prefetcher: prefetcher, items: items.count, firstNumber: transferLimit)
    records = FixedArray(unsetCount: visits.count)
    transfers = FixedArray(repeating: TransferProgress(), count: transferLimit + pages.connections)
    onTheWay = NumberPool(capacity: transferLimit)
    ledger.radio.tail = features.radioTail.nanoseconds
    stories = FixedArray(repeating: TransferStory(), count: transfers.count)
    view.details.value.geometry = features.geometry
    view.details.value.viewportHeight = features.viewportHeight
    view.details.value.networkClass = features.networkClass
    log.isOn = features.isLogged
  }

  /// Runs to the end of the last visit.
  ///
  /// - Throws: why the run was stopped before that; what it has written down is of no use then.
  mutating func run() throws(RunStop) {
    runFully()
    try watch.check()
    close(at: link.now.nanoseconds)
  }

  /// Counts an event; true if the run must stop.
  @inline(__always)
  mutating func mustStop() -> Bool {
    events &+= 1
    return events & (RunWatch.sessionStep - 1) == 0 && watch.count(RunWatch.sessionStep)
  }

  /// An instant, or the first one beyond the limit of virtual time where that comes before: no timer may be later than `Instant.never`.
  @inline(__always)
  func limited(_ time: Int64) -> Int64 { min(time, timeLimit &+ 1) }

  /// True if the run is beyond the limit of virtual time.
  @inline(__always)
  func isTooLate(_ now: Int64) -> Bool {
    if now <= timeLimit { return false }
    watch.reachTimeLimit()
    return true
  }

  // MARK: The user

  /// Writes down that an item becomes active, and looks whether it is ready.
  @inline(__always)
  mutating func begin(_ stay: Visit, at now: Int64) {
    let item = stay.item
    let progress = view.progress[item]
    isWaiting = !progress.isReady
    if progress.cutsUnseen > 0 {
      ledger.overCancels += Int(progress.cutsUnseen)
      view.progress[item].cutsUnseen = 0
    }
    leaves = limited(now + (isWaiting ? patience ?? stay.dwell.nanoseconds : stay.dwell.nanoseconds))
    records[visit] = VisitRecord(
      item: item, activation: now, wait: 0, requestedAt: progress.requestedAt, isFirst: !progress.wasViewed, isLoader: isWaiting,
      wasCut: progress.wasCut, isListed: progress.isListed)
    view.progress[item].wasViewed = true
  }

  /// Asks the prefetcher for a new plan.
  @inline(__always)
  mutating func ask() {
    plan.removeAll(limit: view.items.count)
    prefetcher.plan(for: view, into: &plan)
    rewindPlan()
  }

  @inline(__always)
  mutating func leave(at now: Int64) {
    if isWaiting { records[visit].wait = now - records[visit].activation }
    isWaiting = false
    if playback.isRunning { playback.stop(at: now) }
  }

  mutating func becomeReady(at now: Int64) {
    isWaiting = false
    records[visit].wait = now - records[visit].activation
    if patience != nil, !isPassing { leaves = limited(now + visits[visit].dwell.nanoseconds) }
    if view.progress[view.activeItem].plays { startPlayback(at: now) }
    becomeReadyFully(at: now)
  }

  mutating func startPlayback(at now: Int64) {
    playback.start(view.items[view.activeItem], at: now, available: available(view.activeItem))
  }

  /// The nanobits of a ready item that are stored or readable, from its start on.
  func available(_ item: Int) -> Int64 {
    let progress = view.progress[item]
    return progress.head + progress.rest + (progress.restTransfer < 0 ? 0 : link.received(Int(progress.restTransfer)).nanobits)
  }

  /// Whether anything is on the way.
  var hasTransfers: Bool { !onTheWay.isEmpty || pages.hasTransfers }
}
