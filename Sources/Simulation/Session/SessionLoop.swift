// The one synchronous loop of a run. It owns the user, the download manager, the pages and the record; none of them knows the others' rules.

/// What a run may have beyond a list of items that are viewed one after another.
struct SessionFeatures {
  /// How the feed comes in pages; nil for one list, known from the start.
  var pages: PageSettings?
  /// Movements that take time, in order.
  var motions: ContiguousArray<Motion> = []
  /// What comes between the user's visits, in order.
  var interruptions: ContiguousArray<Interruption> = []
  /// Where the items stand.
  var geometry = FeedGeometry()
  /// The height of the viewport, in points.
  var viewportHeight = FeedGeometry.defaultViewportHeight
  /// The class of network that the app sees.
  var networkClass = NetworkClass.wifi
  /// How long the radio stays in its active state after the last byte.
  var radioTail = Interval.zero
  /// Where items and pages come from.
  var hosts = FeedHosts()
  /// True if an event log is kept.
  var isLogged = false
}

/// Plays one run over a transport.
///
/// Arrivals of an instant come before activations, and activations before new requests (design §4). At one instant the prefetcher is
/// asked once, with all that has happened.
struct SessionLoop<Link: Transport & ~Copyable>: ~Copyable {
  /// What happens next; the order is that of events of one instant.
  private enum Event {
    /// Something has arrived.
    case arrival(Int)
    /// The user leaves the active item.
    case leave
    /// The player looks at its buffer.
    case playback
    /// The content begins to move, has moved or comes to rest.
    case motion
    /// The prefetcher wants to be asked, or the app comes back from the background.
    case timer
  }

  private(set) var view: FeedView
  private(set) var viewer: Viewer
  private(set) var downloads: Downloads<Link>
  private(set) var pages: Pages
  private(set) var recorder: Recorder

  private var prefetcher: any Prefetcher
  private let trigger: PlanTrigger
  /// What anything follows from: what the prefetcher wants to know, and activations.
  private let concerns: PlanTrigger
  /// What the prefetcher has not been asked about yet.
  private var pending: PlanTrigger = []
  /// When the prefetcher wants to be asked again.
  private var askAgain = Instant.never.nanoseconds
  private let watch: RunWatch
  private var events = 0
  private var isOver = false

  init(
    link: consuming Link, items: ContiguousArray<Item>, visits: ContiguousArray<Visit>, prefetcher: any Prefetcher,
    downloads: DownloadSettings, patience: Interval?, features: SessionFeatures = SessionFeatures(),
    watch: RunWatch = RunWatch(RunLimits())
  ) {
    precondition(!visits.isEmpty, "a run views at least one item")
    self.prefetcher = prefetcher
    let trigger = prefetcher.trigger
    self.trigger = trigger
    concerns = trigger.union(.activation)
    self.watch = watch
    view = FeedView(
      items: items, geometry: features.geometry, viewportHeight: features.viewportHeight, networkClass: features.networkClass)
    pages = Pages(features.pages, prefetcher: prefetcher, items: items.count)
    viewer = Viewer(
      visits: visits, patience: patience, motions: features.motions, interruptions: features.interruptions,
      needsTicks: pages.needsTicks || trigger.contains(.scrollTick), timeLimit: watch.timeLimit)
    self.downloads = Downloads(
      link: link, items: items, settings: downloads, prefetcher: prefetcher, hosts: features.hosts, pageConnections: pages.connections)
    recorder = Recorder(items: items, visits: visits.count, features: features)
  }

  /// Runs to the end of the last visit.
  ///
  /// - Throws: why the run was stopped before that; what it has written down is of no use then.
  mutating func run() throws(RunStop) {
    open()
    while !isOver, !mustStop() {
      if recorder.isLogging { recorder.read(inFlight: downloads.bytesRead(), at: downloads.link.now) }
      switch nextEvent() {
      case .arrival(let first): receive(first)
      case .leave: leave(at: viewer.leaves)
      case .playback: viewer.playback.check(at: now, available: downloads.available(view.progress[view.activeItem]))
      case .motion: move(at: now)
      case .timer: passTimer(at: now)
      }
      assert(isOver || checkInvariants())
    }
    try watch.check()
    close()
  }

  /// The record of a run that is over.
  consuming func finished() -> Recorder { recorder }

  private var now: Int64 { downloads.link.now.nanoseconds }

  /// Goes on to the next event.
  @inline(__always)
  private mutating func nextEvent() -> Event {
    let timer = min(viewer.nextMotion, min(viewer.comesBack, askAgain))
    let next = min(viewer.leaves, min(viewer.playback.nextCheck, timer))
    if let arrival = downloads.link.advance(until: Instant(nanoseconds: next)) { return .arrival(arrival) }
    if next == viewer.leaves { return .leave }
    if next == viewer.playback.nextCheck { return .playback }
    return next == viewer.nextMotion && next != viewer.comesBack ? .motion : .timer
  }

  /// Counts an event; true if the run must stop.
  @inline(__always)
  private mutating func mustStop() -> Bool {
    events &+= 1
    return events & (RunWatch.sessionStep - 1) == 0 && watch.count(RunWatch.sessionStep)
  }

  // MARK: Visits

  /// Begins the run: the first page is fetched, then the first item becomes active.
  private mutating func open() {
    if pages.isOn {
      _ = pages.open(viewed: viewer.item, &view, &downloads, &recorder)
      while !pages.isOpen, let arrival = downloads.link.advance(until: Instant(nanoseconds: watch.timeLimit)) { end(arrival) }
      pending = []
      if !pages.isOpen {
        watch.reachTimeLimit()
        isOver = true
        return
      }
    }
    enter(at: now)
  }

  private mutating func leave(at now: Int64) {
    if viewer.isWaiting || viewer.isWaitingForPage { recorder.endWait(viewer.index, at: now) }
    view.details.value.dwellSamples.value.add(Interval(nanoseconds: now - recorder.visits[viewer.index].activation))
    recorder.note(.left(viewer.item), at: now)
    let isLast = !viewer.leave(at: now)
    if now > watch.timeLimit {
      watch.reachTimeLimit()
      isOver = true
    } else if isLast {
      isOver = true
    } else {
      enter(at: now)
    }
  }

  /// Begins the next visit, unless something comes before it.
  @inline(__always)
  private mutating func enter(at now: Int64) {
    while let interruption = viewer.nextInterruption() {
      if interrupt(interruption, at: now) { return }
    }
    activate(at: now)
  }

  /// The item of the present visit becomes active.
  @inline(__always)
  private mutating func activate(at now: Int64) {
    let item = viewer.item
    pending.formUnion(viewer.arrive(view, at: now))
    let progress = view.progress[item]
    viewer.begin(isReady: progress.isReady, isListed: progress.isListed, at: now)
    recorder.begin(viewer.index, item, &view.progress[item], at: now)
    recorder.note(.activated(item, isReady: progress.isReady), at: now)
    view.details.value.activeSince = Instant(nanoseconds: now)
    show(item)
    if progress.plays, progress.isListed, progress.isReady { startPlayback(at: now) }
    viewer.scheduleMotion(at: now)
    if viewer.isMoving { viewer.moveContent(view, at: now) } else { pending.insert(.dragEnd) }
    pending.insert(.activation)
    checkPages(at: now)
    ask(at: now)
    if viewer.isWaiting, downloads.settings.preempt { downloads.preempt(&view, &recorder, at: now) }
    request(at: now)
  }

  /// Makes an item the active one of the view, or the last listed one before it where a client could not go further.
  @inline(__always)
  private mutating func show(_ item: Int) {
    let shown = view.progress[item].isListed || pages.isOffsetAddressed ? item : min(item, view.items.count - 1)
    if shown != view.activeItem { view.direction = shown < view.activeItem ? -1 : 1 }
    view.activeItem = shown
    if !viewer.isMoving {
      view.details.value.contentOffset = view.reachable(view.itemTop(item))
      view.details.value.targetOffset = view.contentOffset
    }
  }

  private mutating func startPlayback(at now: Int64) {
    let available = downloads.available(view.progress[view.activeItem])
    viewer.playback.start(view.items[view.activeItem], at: now, available: available)
  }

  // MARK: Arrivals

  /// Receives all that arrives at an instant.
  @inline(__always)
  private mutating func receive(_ first: Int) {
    let now = downloads.link.now
    end(first)
    while downloads.isBusy, let next = downloads.link.advance(until: now) { end(next) }
    if now.nanoseconds < viewer.leaves {
      if viewer.isWaitingForPage, view.progress[viewer.item].isListed {
        (viewer.isWaitingForPage, viewer.isWaiting) = (false, true)
        show(viewer.item)
        pending.insert(.activation)
      }
      if !pending.isDisjoint(with: [.activation, .listGrown]) { checkPages(at: now.nanoseconds) }
      ask(at: now.nanoseconds)
      request(at: now.nanoseconds)
    } else if viewer.isWaiting || recorder.inversion.isRunning {
      trackInversion(at: now.nanoseconds)
    }
  }

  /// A transfer has ended.
  @inline(__always)
  private mutating func end(_ number: Int) {
    let now = downloads.link.now
    let (transfer, isPage) = downloads.transfer(number)
    let volume = Volume(nanobits: transfer.volume)
    recorder.end(transfer.serial, .finished, received: volume, firstByte: downloads.link.firstByte(number), at: now.nanoseconds)
    if isPage { return endPage(number, transfer.item, at: now.nanoseconds) }
    pending.insert(.transferFinished)
    view.details.value.throughputSamples.value.add(
      ThroughputSample(
        volume: volume, requested: Instant(nanoseconds: transfer.requestedAt), finished: now, concurrent: downloads.itemsInFlight))
    let isReady = downloads.finish(number, &view, &recorder, at: now.nanoseconds)
    if isReady, viewer.isWaiting, transfer.item == view.activeItem { becomeReady(at: now.nanoseconds) }
  }

  private mutating func endPage(_ number: Int, _ page: Int, at now: Int64) {
    pending.formUnion(pages.finish(number, page: page, viewed: viewer.item, &view, &downloads, &recorder, at: now))
  }

  /// The active item, which the user waits for, is there.
  private mutating func becomeReady(at now: Int64) {
    viewer.becomeReady(at: now)
    recorder.endWait(viewer.index, at: now)
    if view.progress[view.activeItem].plays { startPlayback(at: now) }
    recorder.note(.ready(view.activeItem), at: now)
    viewer.scheduleMotion(at: now)
  }

  // MARK: Plans

  /// Asks for the pages that are due after what has happened.
  @inline(__always)
  private mutating func checkPages(at now: Int64) {
    if pages.isOn {
      pending.formUnion(pages.check(after: pending, viewed: viewer.item, &view, &downloads, &recorder, at: now))
    }
  }

  /// Settles what follows from what has happened, if it concerns anybody: most arrivals do not.
  @inline(__always)
  private mutating func ask(at now: Int64) {
    let occasion = pending
    pending = []
    if !occasion.isDisjoint(with: concerns) { ask(after: occasion, at: now) }
  }

  /// Asks the prefetcher if something has happened that it wants to know, and settles what becomes of the transfers in flight.
  @inline(never)
  private mutating func ask(after occasion: PlanTrigger, at now: Int64) {
    let isAsked = !trigger.isDisjoint(with: occasion)
    downloads.rewind()
    if isAsked {
      view.details.value.occasion = occasion
      view.details.value.now = Instant(nanoseconds: now)
      view.details.value.bufferedVolume =
        viewer.playback.isRunning
        ? viewer.playback.ahead(at: now, available: downloads.available(view.progress[view.activeItem])) : 0
      downloads.plan.removeAll(limit: view.items.count)
      downloads.plan.askAgain = nil
      prefetcher.plan(for: view, into: &downloads.plan)
      recorder.note(.planned(occasion, wishes: downloads.plan.count), at: now)
      if trigger.contains(.askedFor) { askAgain = max(downloads.plan.askAgain ?? .never, Instant(nanoseconds: now + 1)).nanoseconds }
    }
    // Only a swipe makes an app drop everything; between swipes it drops what it does not want any more.
    if downloads.hasItemsInFlight, occasion.contains(.activation) || (isAsked && downloads.settings.cancel == .keep) {
      downloads.reconcile(&view, &recorder, at: now)
    }
  }

  /// Sends the requests that there are connections for.
  @inline(__always)
  private mutating func request(at now: Int64) {
    if downloads.mayRequest { fill(at: now) }
    if viewer.isWaiting || recorder.inversion.isRunning { trackInversion(at: now) }
  }

  /// One function for all its callers: the transport's start is a part of it.
  @inline(never)
  private mutating func fill(at now: Int64) { downloads.fill(&view, &recorder, at: now) }

  /// Notes whether the active item waits for bytes on a link that it shares with others.
  private mutating func trackInversion(at now: Int64) {
    let active = view.progress[view.activeItem]
    let own = (active.headTransfer < 0 ? 0 : 1) + (active.restTransfer < 0 ? 0 : 1)
    recorder.setInversion(viewer.isWaiting && active.headTransfer >= 0 && downloads.itemsInFlight > own, at: now)
  }

  // MARK: Time

  private mutating func move(at now: Int64) {
    let occasion = viewer.advanceMotion(&view, at: now)
    if occasion.contains(.dragEnd) { recorder.note(.moved(to: view.targetOffset), at: now) }
    pending.formUnion(occasion)
    remind(at: now)
  }

  private mutating func passTimer(at now: Int64) {
    guard viewer.comesBack <= now else { return remind(at: now) }
    viewer.comeBack()
    view.details.value.appState = .foreground
    pending.insert(.stateChange)
    recorder.note(.foreground, at: now)
    enter(at: now)
  }

  /// Asks the prefetcher, also because it wants to be asked by now.
  private mutating func remind(at now: Int64) {
    if askAgain <= now {
      askAgain = Instant.never.nanoseconds
      pending.insert(.askedFor)
    }
    if !pending.isDisjoint(with: [.scrollTick, .dragEnd]) { checkPages(at: now) }
    ask(at: now)
    request(at: now)
  }

  /// Begins what comes before the next visit. True if the user is away and that visit must wait.
  private mutating func interrupt(_ kind: Interruption.Kind, at now: Int64) -> Bool {
    pending.insert(.stateChange)
    switch kind {
    case .memoryWarning:
      view.details.value.memoryWarning = Instant(nanoseconds: now)
      if downloads.settings.onMemoryWarning == .drop { downloads.dropStored(&view, &recorder) }
      recorder.note(.memoryWarning, at: now)
      return false
    case .background(let nanoseconds):
      view.details.value.appState = .background
      recorder.note(.background, at: now)
      viewer.goAway(for: nanoseconds, at: now)
      ask(at: now)
      request(at: now)
      return true
    }
  }

  // MARK: The end

  private mutating func close() {
    let now = downloads.link.now
    if recorder.isLogging { recorder.read(inFlight: downloads.bytesRead(), at: now) }
    downloads.close(view, &recorder, at: now.nanoseconds)
    recorder.close(view, playback: viewer.playback, counters: downloads.link.counters, at: now.nanoseconds)
  }

  /// Stops the program where a part contradicts itself or another one; called after every event in debug builds.
  private func checkInvariants() -> Bool {
    precondition(!viewer.isWaiting || view.activeItem == viewer.item, "the user waits for an item that is not on screen")
    return viewer.checkInvariants(at: now) && downloads.checkInvariants(view) && pages.checkInvariants()
      && recorder.checkInvariants(isWaiting: viewer.isWaiting, isBusy: downloads.isBusy)
  }
}
