// What can happen in a run besides arrivals and activations, and when it happens next.

/// The timers of a run that is not plain, and what a prefetcher has still to be told.
struct Occasions {
  /// Nanoseconds between scroll ticks: 60 a second.
  static let tickNanoseconds: Int64 = 16_666_667
  private static let never = Instant.never.nanoseconds

  /// The earliest of the timers below.
  private(set) var next = Occasions.never
  /// When the content begins to move, when it is looked at next while it moves, and when it comes to rest.
  var motionStart = Occasions.never
  var tick = Occasions.never
  var motionEnd = Occasions.never
  /// When the prefetcher wants to be asked.
  var askAgain = Occasions.never
  /// When the app comes back from the background.
  var comeBack = Occasions.never

  /// The motion that is going on, or that comes next.
  var motion = 0
  var isMoving = false
  /// When the present motion began.
  var motionBegan: Int64 = 0
  /// The interruption that comes next.
  var interruption = 0
  /// Whether the user waits at the end of the list for an item whose page has not come.
  var isWaitingForPage = false
  /// Why the prefetcher is to be asked.
  var pending: PlanTrigger = []

  /// To be called after a timer has changed.
  mutating func schedule() { next = min(min(motionStart, tick), min(min(motionEnd, askAgain), comeBack)) }
}
