// The app's side of a background run: when it runs, what it creates, how the system ends it.

/// The app's process as the system sees it: what it is, and until when.
struct AppProcess {
  enum State {
    /// The user has it in front.
    case foreground
    /// It goes on in the background: under a background task, or because it is kept awake.
    case background
    /// The daemon has woken it, and it has not said yet that it is done.
    case woken
    /// It is in memory and does not run.
    case suspended
    /// It is not there; the daemon may launch it.
    case terminated
    /// The user has quit it; only the user launches it again.
    case quit
  }

  var state = State.suspended
  /// When the system takes the processor away from it.
  var deadline = Instant.never.nanoseconds
  /// When the task that it is creating is there.
  var nextCreation = Instant.never.nanoseconds
  /// Tasks of the batch that are not created yet, the one being created included.
  var uncreatedInBatch = 0
  /// The occasion's wait that the batch has drawn; negative until it is.
  var discretionaryWait: Int64 = -1

  var isRunning: Bool { state == .foreground || isRunningInBackground }
  var isRunningInBackground: Bool { state == .background || state == .woken }
}

extension BackgroundLoop where Link: ~Copyable {
  mutating func apply(_ event: AppLife.LifecycleEvent, at now: Int64) {
    switch event {
    case .leave: if app.state == .foreground { leaveForeground(at: now) }
    case .reenter: enterForeground(at: now)
    case .crash: if app.state != .quit { stop(.terminated, at: now) }
    case .quit:
      stop(.quit, at: now)
      cancelTasks(at: now)
    }
  }

  /// The user has the app in front: the limiter is reset, and the app goes on where it was.
  mutating func enterForeground(at now: Int64) {
    let isLaunched = now > 0 && (app.state == .terminated || app.state == .quit)
    ledger.awake.set(false, at: now)
    app.state = .foreground
    app.deadline = Instant.never.nanoseconds
    limiter.reset()
    queue.endLimit(at: now)
    if app.uncreatedInBatch == 0 { beginBatch(at: isLaunched ? now + scenario.life.launch.nanoseconds : now) }
    schedule(at: now)
  }

  private mutating func leaveForeground(at now: Int64) {
    if scenario.strategy.staysAwake || (scenario.strategy.usesBackgroundTask && scenario.life.backgroundTask > .zero) {
      ledger.awake.set(true, at: now)
      app.state = .background
      app.deadline = scenario.strategy.staysAwake ? Instant.never.nanoseconds : now + scenario.life.backgroundTask.nanoseconds
      endTaskIfDone(at: now)
    } else {
      stop(.suspended, at: now)
    }
  }

  /// The time that the system has given is over.
  mutating func meetDeadline(at now: Int64) {
    // A background task that is ended in time leaves the app suspended; one that is not, and a wake-up that takes too long, get it killed.
    if app.state == .background, !scenario.strategy.leaksBackgroundTask {
      stop(.suspended, at: now)
    } else {
      metrics.kills += 1
      stop(.terminated, at: now)
    }
  }

  private mutating func stop(_ state: AppProcess.State, at now: Int64) {
    ledger.awake.set(false, at: now)
    app = AppProcess(state: state, discretionaryWait: app.discretionaryWait)
  }

  // MARK: Wake-ups

  /// All tasks of the session are complete: a running app gets an event, any other is woken, unless its user has quit it.
  mutating func completeAll(at now: Int64) {
    if app.isRunning {
      if app.uncreatedInBatch == 0 { beginBatch(at: now) }
      endTaskIfDone(at: now)
    } else if app.state != .quit {
      wake(at: now)
    }
  }

  private mutating func wake(at now: Int64) {
    // The delay is doubled before the app hears of anything.
    limiter.wake(at: Instant(nanoseconds: now))
    ledger.wakes.append(now)
    ledger.awake.set(true, at: now)
    let isLaunched = app.state == .terminated
    app.state = .woken
    app.deadline = now + scenario.life.assertion.draw(from: &assertionDraws)
    beginBatch(at: isLaunched ? now + scenario.life.launch.nanoseconds : now)
    if !isLaunched { endTaskIfDone(at: now) }
  }

  /// Where the app has no more to do in the background, it says so and is suspended; a leaked task keeps it until it is killed.
  private mutating func endTaskIfDone(at now: Int64) {
    guard app.isRunningInBackground, !scenario.strategy.leaksBackgroundTask, app.uncreatedInBatch == 0 else { return }
    // A wake-up ends with its batch; a background task goes on while there is more to create, or more to wait for while kept awake.
    if app.state == .woken || queue.isComplete || (!scenario.strategy.staysAwake && queue.left == 0) { stop(.suspended, at: now) }
  }

  // MARK: Creating tasks

  /// Begins a batch, if the strategy has one now.
  private mutating func beginBatch(at now: Int64) {
    let size =
      switch scenario.strategy.batch {
      case .slices(let count): queue.outstanding == 0 ? min(count, queue.left) : 0
      case .resource: queue.outstanding == 0 ? queue.leftOfResource : 0
      case .everything: queue.left
      case .window(let count): min(max(0, count - queue.outstanding), queue.left)
      }
    app.uncreatedInBatch = size
    app.discretionaryWait = -1
    app.nextCreation =
      size > 0 || app.state == .woken ? now + (size > 0 ? scenario.strategy.creation.nanoseconds : 0) : Instant.never.nanoseconds
  }

  /// A strategy that keeps tasks ahead makes up for one that has come.
  mutating func topUp(at now: Int64) {
    guard case .window = scenario.strategy.batch, app.isRunning, app.uncreatedInBatch == 0 else { return }
    beginBatch(at: now)
  }

  /// The task in hand is there; the next one is begun, or the batch has ended.
  mutating func create(at now: Int64) {
    app.nextCreation = Instant.never.nanoseconds
    if app.uncreatedInBatch > 0 {
      submitTask(at: now)
      app.uncreatedInBatch -= 1
      if app.uncreatedInBatch > 0 {
        app.nextCreation = now + scenario.strategy.creation.nanoseconds
      } else {
        // What came while the batch was created may want another.
        if app.state != .woken, queue.outstanding == 0 || isWindow { beginBatch(at: now) }
      }
      schedule(at: now)
    }
    endTaskIfDone(at: now)
  }

  private var isWindow: Bool { if case .window = scenario.strategy.batch { true } else { false } }

  /// Hands a task to the daemon. Only those created in the background wait for the limiter, and for an occasion.
  private mutating func submitTask(at now: Int64) {
    metrics.tasks += 1
    // An app that is kept awake has the session of an app in front.
    let countsAsForeground = app.state == .foreground || (scenario.strategy.staysAwake && app.state == .background)
    let limited = countsAsForeground ? now : limiter.release(ofTaskCreatedAt: Instant(nanoseconds: now)).nanoseconds
    var released = limited
    if !countsAsForeground || scenario.strategy.isDiscretionary {
      if app.discretionaryWait < 0 { app.discretionaryWait = scenario.daemon.discretionary.draw(from: &discretionaryDraws) }
      released += app.discretionaryWait
    }
    queue.create(at: now, limited: limited, released: released)
  }
}
