// The user of a run: what they look at and for how long, how the content moves, and what takes them away from it.

/// Visits in order, the motions between them, interruptions, and the player of the active video.
struct Viewer: ~Copyable {
  /// Nanoseconds between scroll ticks: 60 a second.
  private static let tickNanoseconds: Int64 = 16_666_667
  private static let never = Instant.never.nanoseconds

  private let visits: ContiguousArray<Visit>
  private let patience: Int64?
  private let motions: ContiguousArray<Motion>
  private let interruptions: ContiguousArray<Interruption>
  /// No instant may be later than `Instant.never`: one that would be is the first beyond this limit of virtual time.
  private let timeLimit: Int64
  /// True if the content is looked at while it moves.
  private let needsTicks: Bool

  /// The index of the present visit, or of the next one while the app is in the background.
  private(set) var index = 0
  private var visit: Visit
  /// True if the next visit is due: the run begins, the user has left an item or comes back to the app.
  private(set) var isBetweenVisits = true
  /// When the user leaves the active item; never while the app is in the background.
  private(set) var leaveTime: Int64 = 0
  /// True if the active item is listed and not ready.
  var isWaiting = false
  /// True if the user waits at the end of the list for an item whose page has not come.
  var isWaitingForPage = false
  var playback = Playback()

  /// The motion that is going on, or that comes next, and when it began.
  private var motionIndex = 0
  private(set) var isMoving = false
  private var motionBegan: Int64 = 0
  private var nextStart = Viewer.never
  private var nextEnd = Viewer.never
  private var nextTick = Viewer.never
  private var interruptionIndex = 0
  /// When the app comes back from the background.
  private(set) var returnTime = Viewer.never
  /// The earliest start, tick or end of a motion.
  private(set) var nextMotion = Viewer.never

  init(_ script: DrawnScript, patience: Interval?, needsTicks: Bool, timeLimit: Int64) {
    (visits, motions, interruptions) = (script.visits, script.motions, script.interruptions)
    visit = visits[0]
    self.patience = patience?.nanoseconds
    self.needsTicks = needsTicks
    self.timeLimit = timeLimit
  }

  var item: Int { @inline(__always) get { visit.item } }
  /// True if the user is already moving on, so that nothing makes this visit longer.
  private var isPassing: Bool { @inline(__always) get { isMoving && index < motions[motionIndex].last } }

  /// Begins the present visit: it lasts its dwell, or the patience of a user who waits and is not moving on.
  @inline(__always)
  mutating func begin(isReady: Bool, isListed: Bool, at now: Int64) {
    let dwell = visit.dwell.nanoseconds
    isBetweenVisits = false
    isWaiting = !isReady && isListed
    isWaitingForPage = !isListed
    leaveTime = limited(now + (isReady || isPassing ? dwell : patience ?? dwell))
  }

  /// The active item has become ready: from now on the dwell counts.
  mutating func becomeReady(at now: Int64) {
    isWaiting = false
    if patience != nil, !isPassing { leaveTime = limited(now + visit.dwell.nanoseconds) }
  }

  /// Leaves the active item. True if there is another visit.
  @inline(__always)
  mutating func leave(at now: Int64) -> Bool {
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

  // MARK: Motion

  /// Names the moment at which the movement to the next item begins.
  @inline(__always)
  mutating func scheduleMotion(at now: Int64) {
    if motions.isEmpty { return }
    nextStart = Viewer.never
    if !isMoving, motionIndex < motions.count, motions[motionIndex].first == index + 1 {
      nextStart = max(now, leaveTime - motions[motionIndex].lead)
    }
    findNextMotion()
  }

  /// Does what is due of a motion, and returns what the prefetcher may want to know.
  @inline(never)
  mutating func advanceMotion(_ view: inout FeedView, at now: Int64) -> PlanTrigger {
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

  /// Ends a motion that is over when an item becomes active, and returns what the prefetcher may want to know.
  @inline(__always)
  mutating func arrive(_ view: borrowing FeedView, at now: Int64) -> PlanTrigger {
    isMoving && nextEnd <= now ? endMotion(view, at: now) : []
  }

  @inline(never)
  private mutating func endMotion(_ view: borrowing FeedView, at now: Int64) -> PlanTrigger {
    moveContent(view, at: now)
    (isMoving, nextEnd, nextTick) = (false, Viewer.never, Viewer.never)
    motionIndex += 1
    view.details.value.velocity = 0
    view.details.value.targetOffset = view.contentOffset
    scheduleMotion(at: now)
    return needsTicks ? .scrollTick : []
  }

  /// Moves the content to where the motion that is going on has brought it.
  @inline(never)
  func moveContent(_ view: borrowing FeedView, at now: Int64) {
    view.details.value.contentOffset = view.reachable(motions[motionIndex].offset(after: now - motionBegan))
    view.details.value.velocity = motions[motionIndex].velocity(after: now - motionBegan)
  }

  private mutating func findNextMotion() { nextMotion = min(nextStart, min(nextEnd, nextTick)) }

  // MARK: Interruptions

  var mayBeInterrupted: Bool { @inline(__always) get { !interruptions.isEmpty } }

  /// Takes the next interruption that comes before the next visit; nil if there is none.
  mutating func nextInterruption() -> Interruption.Kind? {
    guard interruptionIndex < interruptions.count, interruptions[interruptionIndex].visit == index else { return nil }
    interruptionIndex += 1
    return interruptions[interruptionIndex - 1].kind
  }

  /// The app goes to the background for a time.
  mutating func enterBackground(for nanoseconds: Int64, at now: Int64) {
    isBetweenVisits = false
    leaveTime = Viewer.never
    returnTime = limited(now + nanoseconds)
  }

  mutating func enterForeground() { (returnTime, isBetweenVisits) = (Viewer.never, true) }

  /// Stops the program where the parts of the state contradict each other.
  func checkInvariants(at now: Int64) -> Bool {
    precondition(index <= visits.count && motionIndex <= motions.count && interruptionIndex <= interruptions.count, "beyond the script")
    precondition(!(isWaiting && isWaitingForPage), "an item waits for its page or for its bytes, not for both")
    precondition(isMoving == (nextEnd != Viewer.never) && (isMoving || nextTick == Viewer.never), "timers of a motion that is not going on")
    precondition(nextMotion == min(nextStart, min(nextEnd, nextTick)) && nextMotion >= now, "a motion is late")
    precondition(index == visits.count || leaveTime >= now, "the user has left already")
    precondition(playback.isRunning || playback.nextCheck == Viewer.never, "nobody plays")
    return true
  }
}
