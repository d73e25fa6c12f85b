// The daemon's wake limiter: each resume of an app doubles the delay of its new tasks.
// Rules by Apple's engineers: developer.apple.com/forums/thread/14854; delays of 60, 120 and 240 s measured in thread/128813.

/// The delay of new tasks that an app creates in the background.
/// Zero until the daemon first resumes the app, then `first`; it doubles at each resume or relaunch. The foreground resets it, and so
/// does its end if no task has waited for it.
struct WakeLimiter {
  /// The delay after the first wake-up; zero for no limiter.
  private let first: Interval
  private(set) var delay = Interval.zero
  private var ends = Instant.start
  private var hasWaiters = false

  /// The upper limit of the delay, longer than any run.
  private static let longest = Interval(nanoseconds: 1 << 60)

  init(first: Interval) { self.first = first }

  /// Doubles the delay and restarts it, before the app learns of the resume or relaunch.
  mutating func wake(at now: Instant) {
    elapse(until: now)
    delay = delay == .zero ? first : min(Self.longest, delay + delay)
    ends = now + delay
    hasWaiters = false
  }

  /// Removes the delay, because the user brings the app to the foreground.
  mutating func reset() { delay = .zero }

  /// Returns the earliest start of a task that the app creates at `now` in the background.
  mutating func release(ofTaskCreatedAt now: Instant) -> Instant {
    elapse(until: now)
    guard delay > .zero, now < ends else { return now }
    hasWaiters = true
    return ends
  }

  /// Removes a delay that has ended and that no task has waited for.
  private mutating func elapse(until now: Instant) { if !hasWaiters, now >= ends { delay = .zero } }
}
