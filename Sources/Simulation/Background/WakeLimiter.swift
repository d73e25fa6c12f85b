// The daemon's limit on how often it wakes an app: an app that is resumed again and again waits twice as long each time.
// Rules as published by Apple's engineers: developer.apple.com/forums/thread/14854; 60, 120 and 240 s measured in thread/128813.

/// The delay that one app's new background tasks wait for.
///
/// It is zero until the daemon first resumes the app, then `first`, and doubles at each resume or relaunch. It falls back to zero when
/// the user brings the app to the front, and when it elapses without any task having waited for it.
struct WakeLimiter {
  /// The delay after the first wake-up; zero for no limiter at all.
  private let first: Interval
  /// The delay that holds now; zero where none does.
  private(set) var delay = Interval.zero
  private var ends = Instant.start
  private var hasWaiters = false

  /// Longer than any run; doubling stops here.
  private static let longest = Interval(nanoseconds: 1 << 60)

  init(first: Interval) { self.first = first }

  /// The daemon resumes or relaunches the app: before the app learns of it, the delay doubles and starts anew.
  mutating func wake(at now: Instant) {
    elapse(until: now)
    delay = delay == .zero ? first : min(Self.longest, delay + delay)
    ends = now + delay
    hasWaiters = false
  }

  /// The user brings the app to the front.
  mutating func reset() { delay = .zero }

  /// When a task that the app creates at `now`, in the background, may start.
  mutating func release(ofTaskCreatedAt now: Instant) -> Instant {
    elapse(until: now)
    guard delay > .zero, now < ends else { return now }
    hasWaiters = true
    return ends
  }

  /// Lets time pass: a delay that nobody waited for is forgotten at its end.
  private mutating func elapse(until now: Instant) {
    if !hasWaiters, now >= ends { delay = .zero }
  }
}
