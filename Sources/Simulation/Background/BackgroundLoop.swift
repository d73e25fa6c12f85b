// The synchronous loop of a background run: the app's lifecycle, its tasks, and the daemon that transfers them.

/// Plays one run over a transport, up to the horizon.
/// At one instant, arrivals come first, then lifecycle events, then the app, then the daemon.
struct BackgroundLoop<Link: Transport & ~Copyable>: ~Copyable {
  var link: Link
  let scenario: BackgroundScenario
  private let watch: RunWatch
  var app = AppProcess()
  var limiter: WakeLimiter
  var queue: TaskQueue
  var ledger = BackgroundLedger()
  var metrics = BackgroundMetrics()
  private var lifecycleEvents: [(at: Int64, kind: AppLife.LifecycleEvent)]
  /// One stream for each kind of draw, so that the k-th draw is equal for all strategies.
  private var startDraws: RandomStream
  var assertionDraws: RandomStream, discretionaryDraws: RandomStream

  private var fileOfTransfer: FixedArray<Int>
  private var inFlight: NumberPool
  private var isBusy = false
  /// The time at which an idle daemon starts its next task; never if it has none.
  private var begin = Instant.never.nanoseconds
  /// The delay before the next start; negative before it is drawn.
  private var startDelay: Int64 = -1
  private var idleSince: Int64 = 0
  private var events = 0
  private(set) var digest = EventDigest()

  init(link: consuming Link, scenario: BackgroundScenario, seed: UInt64, watch: RunWatch) {
    self.link = link
    (self.scenario, self.watch) = (scenario, watch)
    queue = scenario.queue(seed: seed)
    limiter = WakeLimiter(first: scenario.daemon.limiter)
    lifecycleEvents = scenario.life.lifecycleEvents
    startDraws = RandomStream(runSeed: seed, name: "background.start")
    assertionDraws = RandomStream(runSeed: seed, name: "background.assertion")
    discretionaryDraws = RandomStream(runSeed: seed, name: "background.occasion")
    fileOfTransfer = FixedArray(repeating: 0, count: scenario.connections)
    inFlight = NumberPool(capacity: scenario.connections)
    ledger.finishes.reserveCapacity(queue.bytes.count)
    ledger.radio.tail = scenario.network.radioTail.nanoseconds
  }

  /// Runs until nothing is left to do, or to the horizon.
  /// - Throws: `RunStop` if the run is cancelled or reaches a limit.
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
        digest.mix(.lifecycle, at: next)
        apply(lifecycleEvents.removeLast().kind, at: next)
      } else if app.deadline == next {
        digest.mix(.deadline, at: next)
        meetDeadline(at: next)
      } else if app.nextCreation == next {
        digest.mix(.creation, app.uncreatedInBatch, at: next)
        create(at: next)
      } else {
        digest.mix(.started, queue.started, at: next)
        start(at: next)
      }
    }
    try watch.check()
    close()
  }

  private mutating func mustStop() -> Bool {
    events += 1
    return events % RunWatch.sessionStep == 0 && watch.count(RunWatch.sessionStep)
  }

  private var isOver: Bool { queue.isComplete && !app.isRunningInBackground }

  private var nextStart: Int64 {
    guard !inFlight.isFull, let head = queue.head else { return Instant.never.nanoseconds }
    return isBusy ? head.released : begin
  }

  /// Schedules the start of the next task if the daemon is idle.
  mutating func schedule(at now: Int64) {
    guard !isBusy, let head = queue.head else { return }
    if startDelay < 0 { startDelay = scenario.daemon.startDelay.draw(from: &startDraws) }
    begin = max(now, max(head.released, idleSince) + startDelay)
  }

  private mutating func start(at now: Int64) {
    if !isBusy, let head = queue.head {
      isBusy = true
      ledger.noteWait(of: head, idleSince: idleSince, at: now)
      ledger.radio.begin(at: now)
      (begin, startDelay) = (Instant.never.nanoseconds, -1)
    }
    while !inFlight.isFull, let head = queue.head, head.released <= now {
      let number = inFlight.allocate()
      fileOfTransfer[number] = head.file
      queue.started += 1
      link.start(number, volume: .bytes(queue.bytes[head.file]), host: 0, priority: head.file)
    }
  }

  private mutating func finish(_ transfer: Int, at now: Int64) {
    inFlight.release(transfer)
    digest.mix(.finished, fileOfTransfer[transfer], at: now)
    ledger.finishes.append((now, fileOfTransfer[transfer]))
    metrics.bytesReceived += queue.bytes[fileOfTransfer[transfer]]
    queue.finish()
    if let head = queue.head, head.released <= now { start(at: now) }
    if inFlight.isEmpty { fallIdle(at: now) }
    if queue.outstanding == 0 { completeAll(at: now) } else { topUp(at: now) }
    schedule(at: now)
  }

  private mutating func fallIdle(at now: Int64) {
    ledger.radio.end(at: now)
    isBusy = false
    idleSince = now
  }

  /// Cancels all tasks, because the user has quit the app.
  mutating func cancelTasks(at now: Int64) {
    var running: [Int] = []
    while !inFlight.isEmpty {
      let number = inFlight.oldest
      metrics.bytesReceived += link.cancel(number).bytes
      running.append(fileOfTransfer[number])
      inFlight.release(number)
    }
    if isBusy { fallIdle(at: now) }
    metrics.tasksCancelled += queue.cancelAll(running: running)
    (begin, startDelay) = (Instant.never.nanoseconds, -1)
  }

  private mutating func close() {
    let now = link.now.nanoseconds
    var bytes: Int64 = 0
    inFlight.forEach { bytes += link.received($0).bytes }
    metrics.bytesReceived += bytes
    if isBusy {
      ledger.radio.end(at: now)
    } else if let head = queue.head {
      ledger.noteWait(of: head, idleSince: idleSince, at: max(now, max(head.created, idleSince)))
    }
    ledger.awake.set(false, at: now)
    digest.mix(.unfinished, inFlight.count, metrics.bytesReceived, at: now)
    digest.close(link.counters, at: now)
  }
}
