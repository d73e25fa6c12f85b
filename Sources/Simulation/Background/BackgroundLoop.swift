// The one synchronous loop of a background run: the app's life, its tasks, the daemon that moves them.

/// Plays one run over a transport, up to the horizon.
///
/// At one instant arrivals come first, then what happens to the app, then what the app does, then what the daemon starts.
struct BackgroundLoop<Link: Transport & ~Copyable>: ~Copyable {
  var link: Link
  let scenario: BackgroundScenario
  private let watch: RunWatch
  var app = AppProcess()
  var limiter: WakeLimiter
  var book: TaskBook
  var ledger = BackgroundLedger()
  var metrics = BackgroundMetrics()
  private var lifecycleEvents: [(at: Int64, kind: AppLife.LifecycleEvent)]
  /// A stream for each kind of draw, so that the k-th is the same for every strategy.
  private var starts: RandomStream
  var assertions: RandomStream, occasions: RandomStream

  /// The file of each transfer in flight.
  private var fileOfTransfer: FixedArray<Int>
  private var inFlight: NumberPool
  /// True if the daemon has something in flight.
  private var isBusy = false
  /// When the daemon, which has nothing in flight, starts what it has; never while it has nothing to start.
  private var begin = Instant.never.nanoseconds
  /// What it takes the daemon to start this time; negative until it is drawn.
  private var startDelay: Int64 = -1
  private var idleSince: Int64 = 0
  private var events = 0

  init(link: consuming Link, scenario: BackgroundScenario, seed: UInt64, watch: RunWatch) {
    self.link = link
    self.scenario = scenario
    self.watch = watch
    book = scenario.book(seed: seed)
    limiter = WakeLimiter(first: scenario.daemon.limiter)
    lifecycleEvents = scenario.life.lifecycleEvents
    starts = RandomStream(runSeed: seed, name: "background.start")
    assertions = RandomStream(runSeed: seed, name: "background.assertion")
    occasions = RandomStream(runSeed: seed, name: "background.occasion")
    fileOfTransfer = FixedArray(repeating: 0, count: scenario.connections)
    inFlight = NumberPool(capacity: scenario.connections)
    ledger.finishes.reserveCapacity(book.bytes.count)
    ledger.radio.tail = scenario.network.radioTail.nanoseconds
  }

  /// Runs until nothing is left to do, or to the horizon.
  /// - Throws: why the run was stopped before that.
  mutating func run() throws(RunStop) {
    let horizon = BackgroundScenario.horizon.nanoseconds
    enterForeground(at: 0)
    while !isOver, watch.stop == nil, !mustStop() {
      let lifecycleEvent = lifecycleEvents.last?.at ?? Instant.never.nanoseconds
      let next = min(min(horizon, lifecycleEvent), min(min(app.deadline, app.nextCreation), nextStart))
      if let transfer = link.advance(until: Instant(nanoseconds: next)) {
        finish(transfer, at: link.now.nanoseconds)
      } else if next >= horizon {
        break
      } else if lifecycleEvent == next {
        meet(lifecycleEvents.removeLast().kind, at: next)
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
    guard !inFlight.isFull, let head = book.head else { return Instant.never.nanoseconds }
    return isBusy ? head.released : begin
  }

  /// Looks when the daemon, if it is idle, begins with the task that is next.
  mutating func schedule(at now: Int64) {
    guard !isBusy, let head = book.head else { return }
    if startDelay < 0 { startDelay = scenario.daemon.startDelay.draw(from: &starts) }
    begin = max(now, max(head.released, idleSince) + startDelay)
  }

  private mutating func start(at now: Int64) {
    if !isBusy, let head = book.head {
      isBusy = true
      ledger.noteWait(of: head, idleSince: idleSince, at: now)
      ledger.radio.begin(at: now)
      (begin, startDelay) = (Instant.never.nanoseconds, -1)
    }
    while !inFlight.isFull, let head = book.head, head.released <= now {
      let number = inFlight.allocate()
      fileOfTransfer[number] = head.file
      book.started += 1
      link.start(number, volume: .bytes(book.bytes[head.file]), host: 0, priority: head.file)
    }
  }

  private mutating func finish(_ transfer: Int, at now: Int64) {
    inFlight.release(transfer)
    ledger.finishes.append((now, fileOfTransfer[transfer]))
    metrics.bytesReceived += book.bytes[fileOfTransfer[transfer]]
    book.finish()
    if let head = book.head, head.released <= now { start(at: now) }
    if inFlight.isEmpty { fallIdle(at: now) }
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
    while !inFlight.isEmpty {
      let number = inFlight.oldest
      metrics.bytesReceived += link.cancel(number).bytes
      running.append(fileOfTransfer[number])
      inFlight.release(number)
    }
    if isBusy { fallIdle(at: now) }
    metrics.tasksCancelled += book.cancelAll(running: running)
    (begin, startDelay) = (Instant.never.nanoseconds, -1)
  }

  private mutating func close() {
    let now = link.now.nanoseconds
    var number = inFlight.oldest
    while number != inFlight.end {
      metrics.bytesReceived += link.received(number).bytes
      number = inFlight.next(after: number)
    }
    if isBusy {
      ledger.radio.end(at: now)
    } else if let head = book.head {
      ledger.noteWait(of: head, idleSince: idleSince, at: max(now, max(head.created, idleSince)))
    }
    ledger.awake.set(false, at: now)
  }
}
