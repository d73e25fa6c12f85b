// The buffer of a playing video, and its stalls.

/// Plays a video at its bit rate from the bytes downloaded, and counts stalls.
/// The player checks its buffer when it would run empty without further bytes, and every 10 ms during a stall (the polling interval of
/// common players); checks that find no new bytes are left out. It resumes with half a second in the buffer, or with the whole video.
struct Playback {
  private static let pollNanoseconds: Int64 = 10_000_000
  private static let resumeNanoseconds: Int64 = 500_000_000

  private(set) var bitsPerSecond: Int64 = 0
  private var total: Int64 = 0
  /// The nanobits played by `since`.
  private var played: Int64 = 0
  private var since: Int64 = 0
  private(set) var isStalled = false
  /// The last check of a stall.
  private var polledAt: Int64 = 0

  private(set) var isRunning = false
  /// The time of the next check; `Instant.never` while nothing plays or nothing can stall.
  private(set) var nextCheck = Instant.never.nanoseconds
  private(set) var stalls = 0
  /// The time spent in stalls, in nanoseconds.
  private(set) var stallNanoseconds: Int64 = 0
  /// The media played of all videos that the user left, in nanoseconds.
  private(set) var playedNanoseconds: Int64 = 0

  /// Starts a ready video that has a bit rate; `available` nanobits are stored or readable.
  @inline(never) mutating func start(_ item: Item, at now: Int64, available: Int64) {
    bitsPerSecond = item.bitsPerSecond
    total = Volume.bytes(item.bytes).nanobits
    played = 0
    since = now
    isRunning = true
    isStalled = false
    schedule(at: now, available: available)
  }

  @inline(never) mutating func stop(at now: Int64) {
    if isStalled { stallNanoseconds += now - since } else { played = played(at: now) }
    playedNanoseconds += played / bitsPerSecond
    isStalled = false
    isRunning = false
    nextCheck = Instant.never.nanoseconds
  }

  /// Checks the buffer, at the time `nextCheck`.
  @inline(never) mutating func check(at now: Int64, available: Int64) {
    if isStalled {
      guard available >= total || available - played >= media(of: Playback.resumeNanoseconds) else {
        (polledAt, nextCheck) = (now, Instant.never.nanoseconds)
        return
      }
      stallNanoseconds += now - since
      isStalled = false
    } else {
      played = played(at: now)
    }
    since = now
    schedule(at: now, available: available)
  }

  /// Sets the next check of a stall, if no byte arrives before `change`: the last one before that, or the first one from now on.
  @inline(__always) mutating func poll(at now: Int64, change: Int64) {
    let due = (now - polledAt + Playback.pollNanoseconds - 1) / Playback.pollNanoseconds
    let polls = max(1, due, (change - polledAt) / Playback.pollNanoseconds)
    nextCheck = min(nextCheck, polledAt + polls * Playback.pollNanoseconds)
  }

  /// Returns the nanobits that are available and not played.
  @inline(never) func ahead(at now: Int64, available: Int64) -> Int64 { max(0, available - (isStalled ? played : played(at: now))) }

  /// Returns the nanobits played by `now`, at most those available.
  func position(at now: Int64, available: Int64) -> Int64 { isStalled ? played : min(available, played(at: now)) }

  /// Returns the nanobits played by `now` if nothing stalls after `since`.
  private func played(at now: Int64) -> Int64 { played + min(total - played, media(of: now - since)) }

  private mutating func schedule(at now: Int64, available: Int64) {
    if available >= total {
      nextCheck = Instant.never.nanoseconds
    } else if available - played < media(of: Playback.pollNanoseconds) {
      stalls += 1
      isStalled = true
      (polledAt, nextCheck) = (now, Instant.never.nanoseconds)
    } else {
      nextCheck = min(Instant.never.nanoseconds, now + min(Instant.never.nanoseconds, (available - played) / bitsPerSecond))
    }
  }

  private func media(of nanoseconds: Int64) -> Int64 {
    let (amount, overflow) = bitsPerSecond.multipliedReportingOverflow(by: nanoseconds)
    return overflow ? total : amount
  }
}
