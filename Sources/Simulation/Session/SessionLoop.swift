// The synchronous loop of a run. It connects the viewer, the download manager, the pages and the recorder, which do not know each other.

struct DrawnRun {
  var items: ContiguousArray<Item>
  var script: DrawnScript
  var network: NetworkConfiguration
  var geometry: FeedGeometry
  let decodeTimes: DecodeTimes
  var hasPatience: Bool
  var isLogged: Bool
}

/// An event of the loop. The prefetcher plans at most once after each.
enum SessionLoopEvent {
  /// A transfer completes; the number is the transport's.
  case arrival(Int)
  case leave
  /// The content moves, the app returns to the foreground, the instant `Plan.askAgain` arrives, or an item is decoded.
  case timer
  /// A playing item may stall or end.
  case playback
}

/// Plays one run over a transport. At one instant, arrivals come first, then ends of decoding, then activations, then new requests and
/// decoding. The prefetcher plans at most once after each event.
struct SessionLoop<Link: Transport & ~Copyable>: ~Copyable {
  var view: FeedView
  var viewer: Viewer
  var downloads: Downloads<Link>
  var decoders: Decoders
  var pages: Pages
  var recorder: Recorder

  private var prefetcher: any Prefetcher
  private let subscribed: PlanTrigger
  /// The triggers that need any work: those of the prefetcher, and activations.
  private let relevant: PlanTrigger
  /// The triggers that are not handled yet.
  var pending: PlanTrigger = []
  /// The instant at which the prefetcher wants to plan again, in nanoseconds.
  var askAgain = Instant.never.nanoseconds
  /// The instant at which the buffer of the active video has room for its next segment.
  var roomTime = Instant.never.nanoseconds
  /// The earliest of `askAgain`, the end of an item's decoding, `roomTime` and the end of an item's reading.
  var wakeTime = Instant.never.nanoseconds
  let watch: RunWatch
  private var events = 0
  private var isOver = false

  init(link: consuming Link, _ scenario: Scenario, _ run: DrawnRun, watch: RunWatch = RunWatch(RunLimits())) {
    precondition(!run.script.visits.isEmpty, "a run views at least one item")
    prefetcher = scenario.prefetcher
    // A local value: `||` reads its right side in a closure, which must not capture a noncopyable self before it is whole (Swift 6.3).
    let triggers = prefetcher.trigger
    subscribed = triggers
    relevant = triggers.union(.activation)
    self.watch = watch
    view = FeedView(
      items: run.items, geometry: run.geometry, viewportHeight: scenario.viewportHeight, networkClass: run.network.effectiveClass)
    pages = Pages(scenario.pages, prefetcher: prefetcher, items: run.items.count)
    viewer = Viewer(run.script, scenario.user, needsTicks: pages.needsTicks || triggers.contains(.scrollTick), timeLimit: watch.timeLimit)
    downloads = Downloads(
      link: link, items: run.items, settings: scenario.downloads, prefetcher: prefetcher, hosts: scenario.hosts,
      pageConnections: pages.connections, renditions: scenario.renditions)
    recorder = Recorder(run, hosts: scenario.hosts)
    decoders = Decoders(run.decodeTimes, scenario.downloads, &view, items: run.items)
  }

  /// Runs to the end of the last visit. Each part of the loop is called once, so that the compiler makes one function of it (measured).
  /// - Throws: `RunStop` if the run is cancelled or reaches a limit; the record is then useless.
  mutating func run() throws(RunStop) {
    if pages.isOn { openPages() }
    while !isOver {
      // Pages are checked after the app returns from the background.
      let isShowing = viewer.isBetweenVisits ? enter(at: now) : true
      if pages.isOn, isShowing, !pending.isDisjoint(with: [.activation, .listGrown, .scrollTick, .dragEnd]) { checkPages(at: now) }
      let trigger = pending
      pending = []
      // Most arrivals trigger nothing.
      if !trigger.isDisjoint(with: relevant) { plan(on: trigger, at: now) }
      if downloads.segments.isOn {
        requestSegments(at: now)
      } else if downloads.mayRequest {
        downloads.fill(&view, &recorder, at: now)
      }
      if decoders.isDue { beginDecoding(at: now) }
      if viewer.isWaiting || recorder.inversion.isRunning { trackInversion(at: now) }
      assert(checkInvariants())
      if mustStop() { break }
      if recorder.isLogging { recorder.log?.read(inFlight: downloads.bytesRead(), at: downloads.link.now) }
      switch nextEvent() {
      case .arrival(let number): receive(number)
      case .leave: break
      case .timer: passTimer(at: now)
      case .playback: checkPlayback(at: now)
      }
      // Arrivals and ends of decoding precede leaving at the same instant, and the prefetcher plans once after all.
      if now >= viewer.leaveTime {
        if nextStage <= now { endStages(at: now) }
        if now >= viewer.leaveTime { leave(at: viewer.leaveTime) }
      }
    }
    try watch.check()
    close()
  }

  /// Advances the clock to the next event. At one instant arrivals precede leaving, and leaving precedes timers.
  @inline(__always) private mutating func nextEvent() -> SessionLoopEvent {
    if viewer.playback.isStalled { viewer.playback.poll(at: now, change: downloads.link.nextChange.nanoseconds) }
    let timer = min(viewer.nextMotion, min(viewer.returnTime, wakeTime))
    let due = min(min(viewer.leaveTime, viewer.playback.nextCheck), timer)
    if let arrival = downloads.link.advance(until: Instant(nanoseconds: due)) { return .arrival(arrival) }
    if due == viewer.leaveTime { return .leave }
    return due == viewer.playback.nextCheck ? .playback : .timer
  }

  consuming func finished() -> Recorder { recorder }

  var now: Int64 { @inline(__always) get { downloads.link.now.nanoseconds } }

  @inline(__always) private mutating func mustStop() -> Bool {
    events &+= 1
    return events & (RunWatch.sessionStep - 1) == 0 && watch.count(RunWatch.sessionStep)
  }

  // MARK: Visits

  @inline(never) mutating func stopAtTimeLimit() {
    watch.end(for: .tooLong(limit: Interval(nanoseconds: watch.timeLimit)))
    isOver = true
  }

  @inline(__always) private mutating func leave(at now: Int64) {
    if viewer.isWaiting || viewer.isWaitingForPage { recorder.endWait(viewer.index, at: now) }
    view.details.value.dwellSamples.add(Interval(nanoseconds: now - view.details.value.activeSince.nanoseconds))
    recorder.note(.left(viewer.item), at: now)
    if downloads.segments.isOn { notePlayed(at: now) }
    if decoders.limitsPlayers { decoders.leave(viewer.item, &view) }
    isOver = !viewer.leave(at: now)
    if now > watch.timeLimit { stopAtTimeLimit() }
  }

  /// Begins the next visit; false if the app goes to the background before it.
  @inline(__always) private mutating func enter(at now: Int64) -> Bool {
    if viewer.mayBeInterrupted, interrupt(at: now) { return false }
    let item = viewer.item
    pending.formUnion(viewer.arrive(view, at: now))
    let progress = view.progress[item]
    let isVisible = progress.isVisible
    if progress.isReady, !isVisible { decoders.add(item) }
    viewer.begin(isReady: isVisible, isListed: progress.isListed, at: now)
    recorder.begin(viewer.index, item, &view.progress[item], at: now)
    recorder.note(.activated(item, isReady: isVisible), at: now)
    view.details.value.activeSince = Instant(nanoseconds: now)
    show(item)
    if downloads.store.isOn { use(item, at: now) }
    if progress.plays, progress.isListed, isVisible { startPlayback(at: now) }
    viewer.scheduleMotion(at: now)
    if viewer.isMoving { viewer.moveContent(view, at: now) } else { pending.insert(.dragEnd) }
    pending.insert(.activation)
    return true
  }

  /// Makes an item the active one of the view; if it is not listed, the last listed one before it.
  @inline(__always) private mutating func show(_ item: Int) {
    let shown = view.progress[item].isListed || pages.isOffsetAddressed ? item : min(item, view.items.count - 1)
    if shown != view.activeItem { view.direction = shown < view.activeItem ? -1 : 1 }
    view.activeItem = shown
    if !viewer.isMoving {
      view.details.value.contentOffset = view.reachable(view.itemTop(item))
      view.details.value.targetOffset = view.contentOffset
    }
  }

  @inline(never) private mutating func startPlayback(at now: Int64) {
    let available = downloads.available(view.progress[view.activeItem])
    viewer.playback.start(view.items[view.activeItem], at: now, available: available)
    viewer.followStall(at: now)
    if downloads.segments.isOn { downloads.segments.isRoomDue = true }
  }

  @inline(never) mutating func checkPlayback(at now: Int64) {
    viewer.playback.check(at: now, available: downloads.available(view.progress[view.activeItem]))
    viewer.followStall(at: now)
  }

  // MARK: Arrivals

  /// Ends all transfers that complete at an instant.
  @inline(__always) private mutating func receive(_ first: Int) {
    let now = downloads.link.now
    end(first, at: now)
    if downloads.isBusy { receiveOthers(at: now) }
    if viewer.isWaitingForPage, now.nanoseconds < viewer.leaveTime, view.progress[viewer.item].isListed {
      (viewer.isWaitingForPage, viewer.isWaiting) = (false, true)
      show(viewer.item)
      pending.insert(.activation)
    }
  }

  /// Ends the further transfers of an instant. A separate function saves registers in the usual case of one transfer.
  @inline(never) private mutating func receiveOthers(at now: Instant) {
    while let arrival = downloads.link.advance(until: now) {
      end(arrival, at: now)
      if !downloads.isBusy { return }
    }
  }

  @inline(__always) private mutating func end(_ number: Int, at now: Instant) {
    let transfer = downloads.transfers[number]
    if downloads.isPage(number) { return endPage(number, at: now.nanoseconds) }
    let volume = Volume(nanobits: transfer.volume)
    recorder.end(transfer, .finished, received: volume, milestones: downloads.link.milestones(number), at: now.nanoseconds)
    pending.insert(.transferFinished)
    view.details.value.throughputSamples.add(
      ThroughputSample(
        volume: volume, requested: Instant(nanoseconds: transfer.requestedAt), finished: now, concurrent: downloads.inFlight.count))
    let isReady = downloads.finish(number, transfer, &view, &recorder, at: now.nanoseconds)
    if downloads.store.isOn { keep(transfer.item, at: now.nanoseconds) }
    // A segment ends a stall of the active video.
    if transfer.rendition >= 0, transfer.item == view.activeItem, viewer.playback.isStalled { checkPlayback(at: now.nanoseconds) }
    guard isReady else { return }
    if view.progress[transfer.item].awaitsDecode {
      decoders.add(transfer.item)
    } else if viewer.isWaiting, transfer.item == view.activeItem {
      becomeReady(at: now.nanoseconds)
    }
  }

  @inline(never) private mutating func beginDecoding(at now: Int64) {
    decoders.begin(&view, active: viewer.item, at: now)
    findWakeTime()
  }

  /// The instant at which an item is read from the disk or decoded.
  private var nextStage: Int64 { @inline(__always) get { min(decoders.nextEnd, downloads.store.readEnd) } }

  /// Ends the reading and decoding of the items that are due.
  @inline(never) private mutating func endStages(at now: Int64) {
    defer { findWakeTime() }
    if downloads.store.isReading, downloads.store.readEnd <= now { endRead(at: now) }
    while let item = decoders.end(&view, at: now) {
      recorder.note(.decoded(item), at: now)
      if viewer.isWaiting, item == view.activeItem { becomeReady(at: now) }
    }
  }

  /// Notes that the active item, for which the user waits, is ready.
  @inline(never) mutating func becomeReady(at now: Int64) {
    viewer.becomeReady(at: now)
    recorder.endWait(viewer.index, at: now)
    if view.progress[view.activeItem].plays { startPlayback(at: now) }
    recorder.note(.ready(view.activeItem), at: now)
    viewer.scheduleMotion(at: now)
  }

  // MARK: Plans

  /// Plans after some triggers, and applies the cancel rule to the transfers in flight.
  @inline(__always) private mutating func plan(on trigger: PlanTrigger, at now: Int64) {
    let isAsked = !subscribed.isDisjoint(with: trigger)
    downloads.rewind()
    if downloads.store.isOn { downloads.allowRequests(&view) }
    if isAsked {
      view.details.value.trigger = trigger
      view.details.value.now = Instant(nanoseconds: now)
      view.details.value.bufferedVolume =
        viewer.playback.isRunning ? viewer.playback.ahead(at: now, available: downloads.available(view.progress[view.activeItem])) : 0
      downloads.plan.removeAll(limit: view.items.count)
      prefetcher.plan(for: view, into: &downloads.plan)
      recorder.note(.planned(trigger, fetches: downloads.plan.count), at: now)
      if subscribed.contains(.askedFor) { scheduleNextPlan(at: now) }
    }
    // At an activation any rule may cancel; between activations only `keep` does, for what left the plan.
    if !downloads.inFlight.isEmpty, trigger.contains(.activation) || (isAsked && downloads.settings.cancel == .keep) {
      downloads.reconcile(&view, &recorder, at: now)
    }
    if viewer.isWaiting, downloads.settings.preempt, view.details.value.activeSince.nanoseconds == now {
      downloads.preempt(&view, &recorder, at: now)
    }
    if isAsked, downloads.link.hasPriorities { downloads.prioritizeInFlight(view) }
    if downloads.store.isOn { planReads(isAsked: isAsked, at: now) }
  }

  @inline(never) private mutating func scheduleNextPlan(at now: Int64) {
    askAgain = max(downloads.plan.askAgain ?? .never, Instant(nanoseconds: now + 1)).nanoseconds
    findWakeTime()
  }

  /// Tracks whether the active item waits while others share the link.
  @inline(never) private mutating func trackInversion(at now: Int64) {
    let active = view.progress[view.activeItem]
    let own = (active.headTransfer < 0 ? 0 : 1) + (active.restTransfer < 0 ? 0 : 1)
    recorder.inversion.set(viewer.isWaiting && active.headTransfer >= 0 && downloads.inFlight.count > own, at: now)
  }

  // MARK: Time

  @inline(never) private mutating func passTimer(at now: Int64) {
    if nextStage <= now { endStages(at: now) }
    if viewer.returnTime <= now {
      viewer.enterForeground()
      view.details.value.appState = .foreground
      pending.insert(.stateChange)
      recorder.note(.foreground, at: now)
      return
    }
    if viewer.nextMotion <= now {
      let trigger = viewer.advanceMotion(&view, at: now)
      if trigger.contains(.dragEnd) { recorder.note(.moved(to: view.targetOffset), at: now) }
      pending.formUnion(trigger)
    }
    if askAgain <= now {
      askAgain = Instant.never.nanoseconds
      findWakeTime()
      pending.insert(.askedFor)
    }
  }

  /// Applies the interruptions before the next visit; true if the app goes to the background.
  @inline(never) private mutating func interrupt(at now: Int64) -> Bool {
    while let interruption = viewer.nextInterruption() {
      pending.insert(.stateChange)
      switch interruption {
      case .memoryWarning:
        view.details.value.memoryWarning = Instant(nanoseconds: now)
        if downloads.settings.onMemoryWarning == .drop { downloads.dropStored(&view, &recorder) }
        decoders.forgetDropped(&view)
        findWakeTime()
        recorder.note(.memoryWarning, at: now)
      case .background(let nanoseconds):
        view.details.value.appState = .background
        recorder.note(.background, at: now)
        viewer.enterBackground(for: nanoseconds, at: now)
        return true
      }
    }
    return false
  }

  // MARK: End of the run

  private mutating func close() {
    let now = downloads.link.now
    if recorder.isLogging { recorder.log?.read(inFlight: downloads.bytesRead(), at: now) }
    downloads.close(view, &recorder, at: now.nanoseconds)
    recorder.close(playback: viewer.playback, renditions: downloads.segments.played, counters: downloads.link.counters, at: now.nanoseconds)
  }

  /// Stops the program if parts contradict themselves or each other. Debug builds call it after every event.
  private func checkInvariants() -> Bool {
    precondition(!viewer.isWaiting || view.activeItem == viewer.item, "the user waits for an item that is not on screen")
    return viewer.checkInvariants(at: now) && downloads.checkInvariants(view) && pages.checkInvariants()
      && decoders.checkInvariants(view, at: now) && recorder.checkInvariants(isWaiting: viewer.isWaiting, isBusy: downloads.isBusy)
  }
}
