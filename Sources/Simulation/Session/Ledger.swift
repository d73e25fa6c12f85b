// The books of a run: what the loop counts while it goes, and what it writes down for afterwards.

/// One stay at one item, as it went.
struct VisitRecord: BitwiseCopyable {
  var item = 0
  /// When the item became active.
  var activation: Int64 = 0
  /// How long it was not ready while active; the whole stay if it never was.
  var wait: Int64 = 0
  /// When its first bytes had been asked for; −1 if not before its activation.
  var requestedAt: Int64 = -1
  /// Whether the item had not been active before.
  var isFirst = false
  /// Whether it was not ready when it became active.
  var isLoader = false
  /// Whether a transfer of it had been cut before.
  var wasCut = false
  /// Whether its page had come.
  var isListed = true
}

/// What the loop counts.
struct Ledger {
  var requests = 0
  var cancels = 0
  var overCancels = 0
  var bytesCancelled: Int64 = 0
  var bytesUseful: Int64 = 0
  var bytesUnseen: Int64 = 0
  var pageRequests = 0
  var duplicatePageRequests = 0
  var bytesDuplicate: Int64 = 0
  var inversion = Stopwatch()
  var radio = RadioClock()
  /// When the run ended.
  var end: Int64 = 0
}

/// Adds up the time during which something holds.
struct Stopwatch {
  private var since: Int64 = -1
  private(set) var nanoseconds: Int64 = 0

  var isRunning: Bool { since >= 0 }

  mutating func set(_ holds: Bool, at now: Int64) {
    if holds {
      if since < 0 { since = now }
    } else if since >= 0 {
      nanoseconds += now - since
      since = -1
    }
  }
}

/// The stretches of time with a transfer on the way, kept so that a radio's tail can be added afterwards.
struct RadioClock {
  private var since: Int64 = 0
  private(set) var busyNanoseconds: Int64 = 0
  private var lastEnd: Int64 = -1
  /// The idle gaps between busy stretches that were not empty, in nanoseconds.
  private(set) var gaps: ContiguousArray<Int64> = []

  /// Makes room for so many gaps, so that the loop need not.
  mutating func reserve(gaps count: Int) { gaps.reserveCapacity(count) }

  mutating func begin(at now: Int64) {
    if lastEnd >= 0, now > lastEnd { gaps.append(now - lastEnd) }
    since = now
  }

  mutating func end(at now: Int64) {
    busyNanoseconds += now - since
    lastEnd = now
  }

  /// The time the radio was active: busy, or within `tail` of having been, until the run's end.
  func activeNanoseconds(tail: Int64, end: Int64) -> Int64 {
    let lastTail = lastEnd >= 0 ? min(tail, max(0, end - lastEnd)) : 0
    return gaps.reduce(busyNanoseconds + lastTail) { $0 + min(tail, $1) }
  }
}
