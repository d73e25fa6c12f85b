// The user of a run: visits and their dwells, scrolling, interruptions.

struct Viewer: ~Copyable {
  /// Nanoseconds between scroll ticks: 60 a second.
  private static let tickNanoseconds: Int64 = 16_666_667
  private static let never = Instant.never.nanoseconds

  private let visits: ContiguousArray<Visit>
  private let patience: Int64?
  private let stallsExtend: Bool
  private let motions: ContiguousArray<Motion>
  private let interruptions: ContiguousArray<Interruption>
  /// The limit of virtual time. A later instant is set to the first one beyond it, which keeps all instants below `Instant.never`.
  private let timeLimit: Int64
  /// True if the content's offset is needed while it moves.
  private let needsTicks: Bool

  /// The index of the current visit; of the next one while the app is in the background.
  private(set) var index = 0
  private var visit: Visit
  /// True if the next visit is due: at the start, after the user left an item, or when the app has returned.
  private(set) var isBetweenVisits = true
  /// The time at which the user leaves the active item; never while the app is in the background.
  private(set) var leaveTime: Int64 = 0
  /// True if the active item is listed and not ready.
  var isWaiting = false
  /// True if the user waits at the end of the list for an item whose page has not arrived.
  var isWaitingForPage = false
  var playback = Playback()
  /// The rest of the patience in this visit, while nothing is waited for.
  private var patienceLeft: Int64 = 0
  /// The rest of the dwell, during a stall that extends the visit; else nil.
  private var pausedDwell: Int64?

  /// The index of the current motion, or of the next one.
  private var motionIndex = 0
  private(set) var isMoving = false
  private var motionBegan: Int64 = 0
  private var nextStart = Viewer.never
  private var nextEnd = Viewer.never
  private var nextTick = Viewer.never
  private var interruptionIndex = 0
  private(set) var returnTime = Viewer.never
  /// The earliest start, tick or end of a motion.
  private(set) var nextMotion = Viewer.never

  init(_ script: DrawnScript, _ user: UserScript, needsTicks: Bool, timeLimit: Int64) {
    (visits, motions, interruptions) = (script.visits, script.motions, script.interruptions)
    visit = visits[0]
    patience = user.patience?.nanoseconds
    stallsExtend = user.stallsExtend && user.patience != nil
    (self.needsTicks, self.timeLimit) = (needsTicks, timeLimit)
  }

  var item: Int { @inline(__always) get { visit.item } }
  /// True if the user is already scrolling on; then nothing extends this visit.
  private var isPassing: Bool { @inline(__always) get { isMoving && index < motions[motionIndex].last } }

  /// Begins the current visit. It lasts its dwell, or the patience of a user who waits and is not scrolling on.
  @inline(__always) mutating func begin(isReady: Bool, isListed: Bool, at now: Int64) {
    let dwell = visit.dwell.nanoseconds
    isBetweenVisits = false
    isWaiting = !isReady && isListed
    isWaitingForPage = !isListed
    (patienceLeft, pausedDwell) = (patience ?? 0, nil)
    leaveTime = limited(now + (isReady || isPassing ? dwell : patience ?? dwell))
  }

  /// Notes that the active item is ready. With patience, its dwell begins now.
  mutating func becomeReady(at now: Int64) {
    isWaiting = false
    guard patience != nil, !isPassing else { return }
    patienceLeft = leaveTime - now
    leaveTime = limited(now + visit.dwell.nanoseconds)
  }

  /// Stops the dwell while the active video stalls, if stalls extend the visit; not once the user scrolls on.
  mutating func followStall(at now: Int64) {
    guard stallsExtend, !isMoving, playback.isStalled != (pausedDwell != nil) else { return }
    if let dwell = pausedDwell {
      (pausedDwell, patienceLeft, leaveTime) = (nil, leaveTime - now, limited(now + dwell))
    } else {
      (pausedDwell, leaveTime) = (leaveTime - now, limited(now + patienceLeft))
    }
    scheduleMotion(at: now)
  }

  /// Leaves the active item; true if another visit follows.
  @inline(__always) mutating func leave(at now: Int64) -> Bool {
    isWaiting = false
    isWaitingForPage = false
    if playback.isRunning { playback.stop(at: now) }
    isBetweenVisits = true
    index &+= 1
    if index == visits.count { return false }
    visit = visits[index]
    return true
  }

  private func limited(_ time: Int64) -> Int64 { min(time, timeLimit &+ 1) }

  /// Sets the time at which the motion to the next item begins.
  @inline(__always) mutating func scheduleMotion(at now: Int64) {
    if motions.isEmpty { return }
    nextStart = Viewer.never
    if !isMoving, motionIndex < motions.count, motions[motionIndex].first == index + 1 {
      nextStart = max(now, leaveTime - motions[motionIndex].lead)
    }
    findNextMotion()
  }

  @inline(never) mutating func advanceMotion(_ view: inout FeedView, at now: Int64) -> PlanTrigger {
    var trigger: PlanTrigger = []
    if nextStart <= now {
      (isMoving, motionBegan, nextStart, nextEnd) = (true, now, Viewer.never, now + motions[motionIndex].duration)
      if needsTicks { nextTick = now + Viewer.tickNanoseconds }
      view.direction = motions[motionIndex].to < motions[motionIndex].from ? -1 : 1
      view.details.value.targetOffset = view.reachable(motions[motionIndex].to)
      moveContent(view, at: now)
      trigger = .dragEnd
    } else if nextEnd <= now {
      trigger = endMotion(view, at: now)
    } else if nextTick <= now {
      moveContent(view, at: now)
      nextTick = now + Viewer.tickNanoseconds
      trigger = .scrollTick
    }
    findNextMotion()
    return trigger
  }

  /// Ends a motion that is over when an item becomes active, and returns its triggers.
  @inline(__always) mutating func arrive(_ view: borrowing FeedView, at now: Int64) -> PlanTrigger {
    isMoving && nextEnd <= now ? endMotion(view, at: now) : []
  }

  @inline(never) private mutating func endMotion(_ view: borrowing FeedView, at now: Int64) -> PlanTrigger {
    moveContent(view, at: now)
    (isMoving, nextEnd, nextTick) = (false, Viewer.never, Viewer.never)
    motionIndex += 1
    // A user whose patience ends during a fling has passed the start of the next motion.
    while motionIndex < motions.count, motions[motionIndex].first <= index { motionIndex += 1 }
    view.details.value.velocity = 0
    view.details.value.targetOffset = view.contentOffset
    scheduleMotion(at: now)
    return needsTicks ? .scrollTick : []
  }

  @inline(never) func moveContent(_ view: borrowing FeedView, at now: Int64) {
    view.details.value.contentOffset = view.reachable(motions[motionIndex].offset(after: now - motionBegan))
    view.details.value.velocity = motions[motionIndex].velocity(after: now - motionBegan)
  }

  private mutating func findNextMotion() { nextMotion = min(nextStart, min(nextEnd, nextTick)) }

  var mayBeInterrupted: Bool { @inline(__always) get { !interruptions.isEmpty } }

  /// Returns the next interruption before the next visit, and advances past it; nil if there is none.
  mutating func nextInterruption() -> Interruption.Kind? {
    guard interruptionIndex < interruptions.count, interruptions[interruptionIndex].visit == index else { return nil }
    interruptionIndex += 1
    return interruptions[interruptionIndex - 1].kind
  }

  mutating func enterBackground(for nanoseconds: Int64, at now: Int64) {
    isBetweenVisits = false
    leaveTime = Viewer.never
    returnTime = limited(now + nanoseconds)
  }

  mutating func enterForeground() { (returnTime, isBetweenVisits) = (Viewer.never, true) }

  /// Stops the program if the parts of the state contradict each other.
  func checkInvariants(at now: Int64) -> Bool {
    precondition(
      index <= visits.count && motionIndex <= motions.count && interruptionIndex <= interruptions.count, "an index beyond the script")
    precondition(!(isWaiting && isWaitingForPage), "an item waits for its page or for its bytes, not for both")
    precondition(isMoving == (nextEnd != Viewer.never) && (isMoving || nextTick == Viewer.never), "timers of a motion that has ended")
    precondition(nextMotion == min(nextStart, min(nextEnd, nextTick)) && nextMotion >= now, "a motion is late")
    precondition(index == visits.count || leaveTime >= now, "the user has left already")
    precondition(playback.isRunning || playback.nextCheck == Viewer.never, "a player check while nothing plays")
    return true
  }
}
