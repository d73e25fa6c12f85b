// What a run that is not plain has besides arrivals and activations: movements, the background, prefetchers that are asked at other
// times. None of it is reached from a plain run.

extension SessionLoop where Link: ~Copyable {
  /// Whether the content must be looked at while it moves.
  private var needsTicks: Bool { trigger.contains(.scrollTick) || pages.needsTicks }

  /// Whether the user is already moving on, so that nothing makes this stay longer.
  var isPassing: Bool { occasions.isMoving && visit < features.motions[occasions.motion].last }

  /// Plays a run in which anything may happen.
  mutating func runFully() {
    open()
    while watch.stop == nil, !mustStop() {
      if log.isOn { noteReads() }
      let next = min(leaves, min(playback.nextCheck, occasions.next))
      var arrival = link.advance(until: Instant(nanoseconds: next))
      if arrival != nil {
        let now = link.now
        while let one = arrival {
          receive(one)
          arrival = hasTransfers ? link.advance(until: now) : nil
        }
        if now.nanoseconds < leaves {
          settle(at: now.nanoseconds)
          fillFully(at: now.nanoseconds)
        }
        trackInversion(at: now.nanoseconds)
      } else if next == leaves {
        noteLeaving(at: next)
        leave(at: next)
        visit += 1
        if isTooLate(next) || visit == visits.count { return }
        if !interrupt(at: next) { activateFully(at: next) }
      } else if next == playback.nextCheck {
        playback.check(at: next, available: available(view.activeItem))
      } else {
        passTime(at: next)
      }
    }
  }

  /// Begins the run: the first page is fetched, then the first item becomes active.
  private mutating func open() {
    if pages.isOn {
      openPages()
      if watch.stop != nil { return }
    }
    let now = link.now.nanoseconds
    if !interrupt(at: now) { activateFully(at: now) }
  }

  // MARK: Stays

  private mutating func activateFully(at now: Int64) {
    let item = visits[visit].item
    begin(visits[visit], at: now)
    let isListed = view.progress[item].isListed
    occasions.isWaitingForPage = !isListed
    if !isListed { isWaiting = false }
    if occasions.isMoving, occasions.motionEnd <= now { endMotion(at: now) }
    if isPassing { leaves = limited(now + visits[visit].dwell.nanoseconds) }
    noteActivation(item, at: now)
    view.details.value.activeSince = Instant(nanoseconds: now)
    show(item)
    if isListed, !isWaiting, view.progress[item].plays { startPlayback(at: now) }
    scheduleMotion(at: now)
    if occasions.isMoving { moveContent(at: now) } else { occasions.pending.insert(.dragEnd) }
    occasions.pending.insert(.activation)
    checkPages(at: now, after: occasions.pending)
    occasions.schedule()
    askIfDue(at: now)
    if isWaiting && downloads.preempt && isHostBusy(of: item) { preempt(at: now) }
    if !onTheWay.isFull { fillFully(at: now) }
    trackInversion(at: now)
  }

  /// Makes an item the active one of the view, or the last listed one before it where a client could not go further.
  private mutating func show(_ item: Int) {
    let shown = view.progress[item].isListed || pages.isOffsetAddressed ? item : min(item, view.items.count - 1)
    if shown != view.activeItem { view.direction = shown < view.activeItem ? -1 : 1 }
    view.activeItem = shown
    if !occasions.isMoving {
      view.details.value.contentOffset = reachable(view.details.value.geometry.top(item))
      view.details.value.targetOffset = view.contentOffset
    }
  }

  private mutating func noteLeaving(at now: Int64) {
    if occasions.isWaitingForPage { records[visit].wait = now - records[visit].activation }
    occasions.isWaitingForPage = false
    view.details.value.dwellSamples.value.add(Interval(nanoseconds: now - records[visit].activation))
    log.note(.left(visits[visit].item), at: now)
  }

  mutating func becomeReadyFully(at now: Int64) {
    log.note(.ready(view.activeItem), at: now)
    scheduleMotion(at: now)
    occasions.schedule()
  }

  /// After the arrivals of an instant: the item that the user waited for may be listed now, and the prefetcher may want to know.
  mutating func settle(at now: Int64) {
    let item = visits[min(visit, visits.count - 1)].item
    if occasions.isWaitingForPage, view.progress[item].isListed {
      occasions.isWaitingForPage = false
      isWaiting = true
      show(item)
      occasions.pending.insert(.activation)
    }
    if !occasions.pending.isDisjoint(with: [.activation, .listGrown]) { checkPages(at: now, after: occasions.pending) }
    askIfDue(at: now)
  }

  /// Asks the prefetcher if something has happened that it wants to know, and settles what becomes of the transfers on the way.
  private mutating func askIfDue(at now: Int64) {
    let occasion = occasions.pending
    occasions.pending = []
    let isAsked = !trigger.isDisjoint(with: occasion)
    if isAsked {
      view.details.value.occasion = occasion
      plan.askAgain = nil
      view.details.value.now = Instant(nanoseconds: now)
      view.details.value.bufferedVolume = playback.isRunning ? playback.ahead(at: now, available: available(view.activeItem)) : 0
      ask()
      log.note(.planned(occasion, wishes: plan.count), at: now)
      occasions.askAgain = trigger.contains(.askedFor) ? max(plan.askAgain?.nanoseconds ?? Instant.never.nanoseconds, now + 1) : .max
      occasions.schedule()
    } else if occasion.contains(.activation) {
      rewindPlan()
    }
    // Only a swipe makes an app drop everything; between swipes it drops what it does not want any more.
    if !onTheWay.isEmpty, occasion.contains(.activation) || (isAsked && downloads.cancel == .keep) { reconcile(at: now) }
  }

  // MARK: Time

  /// Does what is due at an instant that a timer named.
  mutating func passTime(at now: Int64) {
    if occasions.comeBack <= now { return comeBack(at: now) }
    if occasions.motionStart <= now {
      beginMotion(at: now)
    } else if occasions.motionEnd <= now {
      endMotion(at: now)
    } else if occasions.tick <= now {
      moveContent(at: now)
      occasions.tick = now + Occasions.tickNanoseconds
      occasions.pending.insert(.scrollTick)
    }
    if occasions.askAgain <= now {
      occasions.askAgain = Instant.never.nanoseconds
      occasions.pending.insert(.askedFor)
    }
    occasions.schedule()
    if occasions.pending.contains(.scrollTick) || occasions.pending.contains(.dragEnd) { checkPages(at: now, after: occasions.pending) }
    askIfDue(at: now)
    if !onTheWay.isFull { fillFully(at: now) }
    trackInversion(at: now)
  }

  /// Names the moment at which the movement to the next item begins.
  private mutating func scheduleMotion(at now: Int64) {
    occasions.motionStart = Instant.never.nanoseconds
    guard !occasions.isMoving, occasions.motion < features.motions.count else { return }
    let motion = features.motions[occasions.motion]
    if motion.first == visit + 1 { occasions.motionStart = max(now, leaves - motion.lead) }
  }

  private mutating func beginMotion(at now: Int64) {
    let motion = features.motions[occasions.motion]
    occasions.motionStart = Instant.never.nanoseconds
    occasions.isMoving = true
    occasions.motionBegan = now
    occasions.motionEnd = now + motion.duration
    if needsTicks { occasions.tick = now + Occasions.tickNanoseconds }
    view.details.value.targetOffset = reachable(motion.to)
    view.direction = motion.to < motion.from ? -1 : 1
    moveContent(at: now)
    log.note(.moved(to: view.targetOffset), at: now)
    occasions.pending.insert(.dragEnd)
  }

  private mutating func endMotion(at now: Int64) {
    moveContent(at: now)
    if needsTicks { occasions.pending.insert(.scrollTick) }
    occasions.isMoving = false
    occasions.motion += 1
    occasions.motionEnd = Instant.never.nanoseconds
    occasions.tick = Instant.never.nanoseconds
    view.details.value.velocity = 0
    view.details.value.targetOffset = view.contentOffset
    scheduleMotion(at: now)
  }

  private mutating func moveContent(at now: Int64) {
    let motion = features.motions[occasions.motion]
    let elapsed = now - occasions.motionBegan
    view.details.value.contentOffset = reachable(motion.offset(after: elapsed))
    view.details.value.velocity = motion.velocity(after: elapsed)
  }

  /// An offset as near to one as the list goes.
  private func reachable(_ offset: Double) -> Double { max(0, min(offset, view.contentHeight - view.viewportHeight)) }

  // MARK: Interruptions

  /// Begins what comes before the next visit; whether the user is away and that visit must wait.
  mutating func interrupt(at now: Int64) -> Bool {
    while occasions.interruption < features.interruptions.count, features.interruptions[occasions.interruption].visit == visit {
      let interruption = features.interruptions[occasions.interruption]
      occasions.interruption += 1
      occasions.pending.insert(.stateChange)
      switch interruption.kind {
      case .memoryWarning:
        view.details.value.memoryWarning = Instant(nanoseconds: now)
        if downloads.onMemoryWarning == .drop { dropStored() }
        log.note(.memoryWarning, at: now)
      case .background(let nanoseconds):
        view.details.value.appState = .background
        log.note(.background, at: now)
        leaves = Instant.never.nanoseconds
        occasions.comeBack = limited(now + nanoseconds)
        occasions.schedule()
        askIfDue(at: now)
        if !onTheWay.isFull { fillFully(at: now) }
        trackInversion(at: now)
        return true
      }
    }
    return false
  }

  /// Throws away what lies in memory; of what was seen it was of use, of the rest it was not. O(items).
  private mutating func dropStored() {
    for item in items.indices where view.progress[item].headTransfer < 0 && view.progress[item].restTransfer < 0 {
      let progress = view.progress[item]
      guard progress.head > 0 || progress.rest > 0 else { continue }
      addReceived(Volume(nanobits: progress.head).bytes + Volume(nanobits: progress.rest).bytes, of: item)
      view.progress[item].head = 0
      view.progress[item].rest = 0
      view.progress[item].requestedAt = -1
      view.progress[item].isReady = false
      // An item whose page has been dropped is wanted by nobody.
      view.progress[item].isHeadCovered = !progress.isListed
      view.progress[item].isRestCovered = !progress.isListed || items[item].bytes == items[item].readyBytes
    }
    covered = CoveredItems()
    rewindPlan()
  }

  private mutating func comeBack(at now: Int64) {
    occasions.comeBack = Instant.never.nanoseconds
    view.details.value.appState = .foreground
    occasions.pending.insert(.stateChange)
    log.note(.foreground, at: now)
    if !interrupt(at: now) { activateFully(at: now) }
  }
}
