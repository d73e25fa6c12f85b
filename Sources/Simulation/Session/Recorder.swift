// The record of a run: counts, one record a visit, and every event where an event log is kept. What it means is worked out afterwards.

struct VisitRecord: BitwiseCopyable {
  var item = 0
  var activation: Int64 = 0
  /// How long it was not ready while active; the whole visit if it never was.
  var wait: Int64 = 0
  /// When its first bytes had been requested; −1 if not before its activation.
  var requestedAt: Int64 = -1
  /// True if the item had not been active before.
  var isFirst = false
  /// True if it was not ready when it became active.
  var isLoader = false
  /// True if a transfer of it had been cancelled before.
  var wasCancelled = false
  var isListed = true
}

/// Writes down what happens in a run.
struct Recorder: ~Copyable {
  let run: DrawnRun
  let hosts: FeedHosts
  private(set) var visits: FixedArray<VisitRecord>
  /// Every event; nil where nobody reads them.
  var log: EventLog?

  var requests = 0
  private(set) var cancels = 0
  private(set) var overCancels = 0
  var pageRequests = 0
  var duplicatePageRequests = 0
  var bytesUseful: Int64 = 0
  private(set) var bytesCancelled: Int64 = 0
  private(set) var bytesUnseen: Int64 = 0
  var bytesDuplicate: Int64 = 0
  /// The time in which the active item waits for bytes on a link that it shares with others.
  var inversion = Stopwatch()
  var radio = RadioClock()
  /// Set when the run ends.
  private(set) var playback = Playback()
  private(set) var counters = TransportCounters()
  private(set) var end: Int64 = 0

  /// All items, listed or not.
  var items: ContiguousArray<Item> { @inline(__always) get { run.items } }

  init(_ run: DrawnRun, hosts: FeedHosts) {
    self.run = run
    self.hosts = hosts
    visits = FixedArray(unsetCount: run.script.visits.count)
    radio.tail = run.network.radioTail.nanoseconds
    log = run.isLogged ? EventLog() : nil
  }

  /// True if an event log is kept.
  var isLogging: Bool { @inline(__always) get { run.isLogged } }

  @inline(__always)
  mutating func note(_ event: @autoclosure () -> SessionEvent, at now: Int64) { if isLogging { log?.note(event(), at: now) } }

  // MARK: Visits

  @inline(__always)
  mutating func begin(_ index: Int, _ item: Int, _ progress: inout ItemProgress, at now: Int64) {
    overCancels &+= Int(progress.cancelsUnseen)
    progress.cancelsUnseen = 0
    visits[index] = VisitRecord(
      item: item, activation: now, wait: 0, requestedAt: progress.requestedAt, isFirst: !progress.wasViewed, isLoader: !progress.isReady,
      wasCancelled: progress.wasCancelled, isListed: progress.isListed)
    progress.wasViewed = true
  }

  @inline(__always)
  mutating func endWait(_ index: Int, at now: Int64) { visits[index].wait = now - visits[index].activation }

  // MARK: Requests

  /// Adds a request to the log and returns its number there; 0 without a log.
  mutating func note(
    _ part: RequestedPart, _ kind: RequestRecord.Part, activeItem: Int, trigger: PlanTrigger, at now: Int64
  ) -> Int32 {
    log?.request(part, kind, activeItem: activeItem, trigger: trigger, at: now) ?? 0
  }

  /// A transfer ends; `serial` is its number in the log.
  @inline(__always)
  mutating func end(
    _ serial: Int32, _ end: RequestRecord.End, received: Volume, firstByte: @autoclosure () -> Instant?, at now: Int64
  ) {
    if isLogging { log?.end(serial, end, received: received, firstByte: firstByte(), at: now) }
  }

  /// A transfer is cancelled.
  mutating func cancel(_ progress: inout ItemProgress, isActive: Bool, lost: Int64) {
    cancels += 1
    bytesCancelled += lost
    // Under `drop` and `resume` an item may lose its transfer at the very moment it is seen.
    if isActive { overCancels += 1 } else { progress.cancelsUnseen += 1 }
  }

  /// Bytes of an item stay received: of use if it was seen.
  mutating func receive(_ bytes: Int64, wasViewed: Bool) {
    if wasViewed { bytesUseful += bytes } else { bytesUnseen += bytes }
  }

  mutating func close(_ view: borrowing FeedView, playback: Playback, counters: TransportCounters, at now: Int64) {
    inversion.set(false, at: now)
    // Items of dropped pages are listed no more, but what came of them came.
    for item in items.indices {
      let progress = view.progress[item]
      receive(progress.storedBytes, wasViewed: progress.wasViewed)
    }
    (self.playback, self.counters, end) = (playback, counters, now)
  }

  /// Stops the program where the counts contradict each other.
  func checkInvariants(isWaiting: Bool, isBusy: Bool) -> Bool {
    precondition(cancels <= requests && overCancels <= cancels, "more transfers cancelled than requested")
    precondition(duplicatePageRequests <= pageRequests, "more pages asked for again than at all")
    precondition(min(bytesUseful, bytesCancelled, bytesUnseen, bytesDuplicate) >= 0, "bytes below nothing")
    precondition(isWaiting || !inversion.isRunning, "an inversion without anybody who waits")
    precondition(radio.isBusy == isBusy, "the radio is busy while there are transfers")
    return true
  }
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

/// Adds up the time during which a radio is active: with a transfer in flight, and for its tail after that.
struct RadioClock {
  /// How long it stays active after the last byte.
  var tail: Int64 = 0
  private var since: Int64 = -1
  private var active: Int64 = 0
  private var lastEnd: Int64 = -1

  var isBusy: Bool { since >= 0 }

  mutating func begin(at now: Int64) {
    // A list of the gaps, to add the tails afterwards, took ten times as long.
    if lastEnd >= 0 { active &+= min(tail, now &- lastEnd) }
    since = now
  }

  mutating func end(at now: Int64) {
    active &+= now &- since
    lastEnd = now
    since = -1
  }

  /// The time the radio was active until the run's end; it is not busy any more.
  func activeNanoseconds(end: Int64) -> Int64 { active + (lastEnd >= 0 ? min(tail, max(0, end - lastEnd)) : 0) }
}
