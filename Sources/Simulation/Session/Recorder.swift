// The record of a run: counts, one record per visit, and the event log if one is kept. `SessionMetrics` evaluates it after the run.

struct VisitRecord: BitwiseCopyable {
  var item = 0
  var activation: Int64 = 0
  /// The time for which it was active and not ready, in nanoseconds; the whole visit if it never became ready.
  var wait: Int64 = 0
  /// The time of the first request for its first bytes; −1 if that was not before its activation.
  var requestedAt: Int64 = -1
  /// True if the item was never active before.
  var isFirst = false
  /// True if it was not ready when it became active.
  var isLoader = false
  /// True if a transfer of it was cancelled before.
  var wasCancelled = false
  /// True if bytes of it were evicted before.
  var wasEvicted = false
  var isListed = true
}

struct Recorder: ~Copyable {
  let run: DrawnRun
  let hosts: FeedHosts
  private(set) var visits: FixedArray<VisitRecord>
  var log: EventLog?
  private(set) var digest = EventDigest()

  /// The counts so far; `SessionMetrics.init` adds what needs the whole record.
  var metrics = SessionMetrics()
  /// The time for which the active item waits while other transfers share the link.
  var inversion = Stopwatch()
  var radio = RadioClock()
  private(set) var counters = TransportCounters()
  private(set) var end: Int64 = 0

  /// All items, listed or not.
  var items: ContiguousArray<Item> { @inline(__always) get { run.items } }

  init(_ run: DrawnRun, hosts: FeedHosts) {
    (self.run, self.hosts) = (run, hosts)
    visits = FixedArray(unsetCount: run.script.visits.count)
    radio.tail = run.network.radioTail.nanoseconds
    log = run.isLogged ? EventLog() : nil
  }

  var isLogging: Bool { @inline(__always) get { run.isLogged } }

  @inline(__always) mutating func note(_ event: SessionEvent, at now: Int64) {
    digest.add(event, at: now)
    if isLogging { log?.note(event, at: now) }
  }

  @inline(__always) mutating func begin(_ index: Int, _ item: Int, _ progress: inout ItemProgress, at now: Int64) {
    metrics.overCancels &+= Int(progress.cancelsUnseen)
    progress.cancelsUnseen = 0
    visits[index] = VisitRecord(
      item: item, activation: now, wait: 0, requestedAt: progress.requestedAt, isFirst: !progress.wasViewed, isLoader: !progress.isVisible,
      wasCancelled: progress.wasCancelled, wasEvicted: progress.wasEvicted, isListed: progress.isListed)
    progress.wasViewed = true
  }

  @inline(__always) mutating func endWait(_ index: Int, at now: Int64) { visits[index].wait = now - visits[index].activation }

  @inline(__always) mutating func request(_ transfer: InFlightTransfer, at now: Int64) {
    digest.mix(transfer.isRest ? .restRequested : .requested, transfer.item, transfer.volume, at: now)
  }

  @inline(__always) mutating func end(
    _ transfer: InFlightTransfer, _ end: RequestRecord.End, received: Volume,
    milestones: @autoclosure () -> (connected: Instant?, firstByte: Instant?), at now: Int64
  ) {
    let kind: EventDigest.Kind = end == .finished ? .finished : end == .cancelled ? .cancelled : .unfinished
    digest.mix(kind, transfer.item << 1 | (transfer.isRest ? 1 : 0), received.nanobits, at: now)
    if isLogging { log?.end(transfer.serial, end, received: received, milestones: milestones(), at: now) }
  }

  mutating func cancel(_ progress: inout ItemProgress, isActive: Bool, lost: Int64) {
    metrics.cancels += 1
    metrics.bytesCancelled += lost
    // Under `drop` and `resume` an item may lose its transfer at the instant at which it becomes active.
    if isActive { metrics.overCancels += 1 } else { progress.cancelsUnseen += 1 }
  }

  /// Counts received bytes of an item: useful if it was viewed, else unseen.
  mutating func receive(_ bytes: Int64, wasViewed: Bool) {
    if wasViewed { metrics.bytesUseful += bytes } else { metrics.bytesUnseen += bytes }
  }

  mutating func close(playback: Playback, renditions: PlayedRenditions, counters: TransportCounters, at now: Int64) {
    inversion.set(false, at: now)
    (metrics.stalls, metrics.stallMs) = (playback.stalls, Double(playback.stallNanoseconds) / 1e6)
    metrics.playedMs = Double(playback.playedNanoseconds) / 1e6
    (metrics.playedKbps, metrics.renditionSwitches) = (renditions.kbps, renditions.switches)
    (self.counters, end) = (counters, now)
    digest.close(counters, at: now)
  }

  /// Stops the program if the counts contradict each other.
  func checkInvariants(isWaiting: Bool, isBusy: Bool) -> Bool {
    precondition(metrics.cancels <= metrics.requests && metrics.overCancels <= metrics.cancels, "more transfers cancelled than requested")
    precondition(metrics.duplicatePageRequests <= metrics.pageRequests, "more duplicate page requests than page requests")
    precondition(min(metrics.bytesUseful, metrics.bytesCancelled, metrics.bytesUnseen, metrics.bytesDuplicate) >= 0, "negative bytes")
    precondition(isWaiting || !inversion.isRunning, "an inversion while the user does not wait")
    precondition(radio.isBusy == isBusy, "the radio is busy while there are transfers")
    return true
  }
}

/// Sums the time for which a condition holds.
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

/// Sums the time for which a radio is active: while a transfer is in flight, and for the tail after it.
struct RadioClock {
  /// The time for which it stays active after the last byte, in nanoseconds.
  var tail: Int64 = 0
  private var since: Int64 = -1
  private var active: Int64 = 0
  private var lastEnd: Int64 = -1

  var isBusy: Bool { since >= 0 }

  mutating func begin(at now: Int64) {
    // Keeping a list of gaps and adding the tails afterwards took ten times as long.
    if lastEnd >= 0 { active &+= min(tail, now &- lastEnd) }
    since = now
  }

  mutating func end(at now: Int64) {
    active &+= now &- since
    lastEnd = now
    since = -1
  }

  /// Returns the time for which the radio was active until the end of the run. No transfer is in flight.
  func activeNanoseconds(end: Int64) -> Int64 { active + (lastEnd >= 0 ? min(tail, max(0, end - lastEnd)) : 0) }
}
