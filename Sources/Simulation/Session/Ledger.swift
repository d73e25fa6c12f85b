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

/// Adds up the time during which a radio is active: with a transfer on the way, and for its tail after that.
struct RadioClock {
  /// How long it stays active after the last byte.
  var tail: Int64 = 0
  private var since: Int64 = 0
  private var active: Int64 = 0
  private var lastEnd: Int64 = -1

  mutating func begin(at now: Int64) {
    // A list of the gaps, to add the tails afterwards, took ten times as long.
    if lastEnd >= 0 { active &+= min(tail, now &- lastEnd) }
    since = now
  }

  mutating func end(at now: Int64) {
    active &+= now &- since
    lastEnd = now
  }

  /// The time the radio was active until the run's end; it is not busy any more.
  func activeNanoseconds(end: Int64) -> Int64 { active + (lastEnd >= 0 ? min(tail, max(0, end - lastEnd)) : 0) }
}
