// The one synchronous loop of a background run: the app's life, its tasks, the daemon that moves them.

/// Plays one run over a transport, up to a horizon.
///
/// At one instant arrivals come first, then what befalls the app, then what the app does, then what the daemon starts.
struct BackgroundLoop<Link: Transport & ~Copyable>: ~Copyable {
  var link: Link
  let strategy: DownloadStrategy
  let life: AppLife
  let daemon: DaemonSettings
  let horizon: Int64
  let watch: RunWatch
  var app = AppProcess()
  var limiter: WakeLimiter
  var book: TaskBook
  var ledger = BackgroundLedger()
  var fates: Fates
  var incidents: Incidents

  /// The task of each transfer on the way.
  private var fileOfTransfer: FixedArray<Int>
  private var onTheWay: NumberPool
  /// Whether the daemon has something on the way.
  private var isBusy = false
  /// When the daemon, which has nothing on the way, starts what it has; never while it has nothing to start.
  private var begin = Instant.never.nanoseconds
  /// What it takes the daemon to start this time; negative until it is drawn.
  private var startDelay: Int64 = -1
  private var idleSince: Int64 = 0
  private var events = 0

  init(
    link: consuming Link, book: TaskBook, strategy: DownloadStrategy, life: AppLife, daemon: DaemonSettings, connections: Int, seed: UInt64,
    horizon: Interval, watch: RunWatch
  ) {
    self.link = link
    self.watch = watch
    self.book = book
    self.strategy = strategy
    self.life = life
    self.daemon = daemon
    self.horizon = horizon.nanoseconds
    limiter = WakeLimiter(first: daemon.limiter)
    fates = Fates(seed: seed)
    incidents = Incidents(life)
    fileOfTransfer = FixedArray(repeating: 0, count: connections)
    onTheWay = NumberPool(capacity: connections)
    ledger.finishes.reserveCapacity(book.bytes.count)
  }

  /// Runs until nothing is left to do, or to the horizon.
  ///
  /// - Throws: why the run was stopped before that.
  mutating func run() throws(RunStop) {
    enterForeground(at: 0)
    while !isOver, watch.stop == nil, !mustStop() {
      let next = min(min(horizon, incidents.next), min(min(app.deadline, app.nextCreation), nextStart))
      if let arrival = link.advance(until: Instant(nanoseconds: next)) {
        finish(arrival, at: link.now.nanoseconds)
      } else if next >= horizon {
        break
      } else if incidents.next == next {
        befall(incidents.take(), at: next)
      } else if app.deadline == next {
        meetDeadline(at: next)
      } else if app.nextCreation == next {
        create(at: next)
      } else {
        start(at: next)
      }
    }
    try watch.check()
    close()
  }

  /// Counts an event; true if the run must stop.
  private mutating func mustStop() -> Bool {
    events += 1
    return events % RunWatch.sessionStep == 0 && watch.count(RunWatch.sessionStep)
  }

  private var isOver: Bool { book.isComplete && !app.isRunningInBackground }

  // MARK: The daemon

  /// When the daemon next starts something.
  private var nextStart: Int64 {
    guard !onTheWay.isFull, let head = book.head else { return Instant.never.nanoseconds }
    return isBusy ? head.released : begin
  }

  /// Looks when the daemon, if it is idle, begins with the task that is next.
  mutating func schedule(at now: Int64) {
    guard !isBusy, let head = book.head else { return }
    if startDelay < 0 { startDelay = fates.start(daemon.startDelay) }
    begin = max(now, max(head.released, idleSince) + startDelay)
  }

  private mutating func start(at now: Int64) {
    if !isBusy, let head = book.head {
      isBusy = true
      ledger.noteWait(of: head, idleSince: idleSince, at: now)
      ledger.radio.begin(at: now)
      (begin, startDelay) = (Instant.never.nanoseconds, -1)
    }
    while !onTheWay.isFull, let head = book.head, head.released <= now {
      let number = onTheWay.take()
      fileOfTransfer[number] = head.file
      book.started += 1
      link.start(number, volume: .bytes(book.bytes[head.file]), host: 0, priority: head.file)
    }
  }

  private mutating func finish(_ arrival: Arrival, at now: Int64) {
    onTheWay.giveBack(arrival.transfer)
    ledger.finishes.append(BackgroundLedger.Finish(at: now, file: fileOfTransfer[arrival.transfer]))
    book.finish()
    if let head = book.head, head.released <= now { start(at: now) }
    if onTheWay.isEmpty { fallIdle(at: now) }
    if book.outstanding == 0 { completeAll(at: now) } else { topUp(at: now) }
    schedule(at: now)
  }

  private mutating func fallIdle(at now: Int64) {
    ledger.radio.end(at: now)
    isBusy = false
    idleSince = now
  }

  /// The user has quit the app: its session is cancelled.
  mutating func cancelTasks(at now: Int64) {
    var running: [Int] = []
    while !onTheWay.isEmpty {
      let number = onTheWay.oldest
      ledger.bytesUnfinished += link.cancel(number).bytes
      running.append(fileOfTransfer[number])
      onTheWay.giveBack(number)
    }
    if isBusy { fallIdle(at: now) }
    ledger.tasksCancelled += book.cancelAll(running: running)
    (begin, startDelay) = (Instant.never.nanoseconds, -1)
  }

  private mutating func close() {
    let now = link.now.nanoseconds
    var number = onTheWay.oldest
    while number != onTheWay.end {
      ledger.bytesUnfinished += link.received(number).bytes
      number = onTheWay.next(after: number)
    }
    if isBusy {
      ledger.radio.end(at: now)
    } else if let head = book.head {
      ledger.noteWait(of: head, idleSince: idleSince, at: max(now, max(head.created, idleSince)))
    }
    ledger.awake.set(false, at: now)
    ledger.end = now
  }
}
