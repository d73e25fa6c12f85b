// The app in a background run: when it runs, which tasks it creates, how the system suspends or kills it.

struct AppProcess {
  enum State {
    case foreground
    /// It runs in the background, under a background task or kept awake.
    case background
    /// The daemon has woken it, and it has not finished its work.
    case woken
    /// It is in memory and does not run.
    case suspended
    /// It is not in memory; the daemon may launch it.
    case terminated
    /// The user has quit it; only the user can launch it.
    case quit
  }

  var state = State.suspended
  /// The time at which the system suspends or kills it.
  var deadline = Instant.never.nanoseconds
  /// The time at which the creation of the current task ends.
  var nextCreation = Instant.never.nanoseconds
  /// The tasks of the batch that are not created yet, including the current one.
  var uncreatedInBatch = 0
  /// The wait for suitable conditions that the batch has drawn; negative before the draw.
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

  /// Brings the app to the foreground: resets the limiter and continues or begins a batch.
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

  /// Ends the time that the system granted.
  mutating func meetDeadline(at now: Int64) {
    // A background task that ends in time leads to suspension. A leaked task, or a long wake-up, leads to a kill.
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

  /// Notifies the app that all its tasks are complete: wakes it unless it runs or the user has quit it.
  mutating func completeAll(at now: Int64) {
    if app.isRunning {
      if app.uncreatedInBatch == 0 { beginBatch(at: now) }
      endTaskIfDone(at: now)
    } else if app.state != .quit {
      wake(at: now)
    }
  }

  private mutating func wake(at now: Int64) {
    // The limiter doubles its delay before the app learns of the event.
    limiter.wake(at: Instant(nanoseconds: now))
    ledger.wakes.append(now)
    ledger.awake.set(true, at: now)
    let isLaunched = app.state == .terminated
    app.state = .woken
    app.deadline = now + scenario.life.assertion.draw(from: &assertionDraws)
    beginBatch(at: isLaunched ? now + scenario.life.launch.nanoseconds : now)
    if !isLaunched { endTaskIfDone(at: now) }
  }

  /// Suspends an app that has nothing left to do in the background. A leaked task keeps it running until it is killed.
  private mutating func endTaskIfDone(at now: Int64) {
    guard app.isRunningInBackground, !scenario.strategy.leaksBackgroundTask, app.uncreatedInBatch == 0 else { return }
    // A wake-up ends with its batch. A background task ends when nothing is left to create, or to wait for if kept awake.
    if app.state == .woken || queue.isComplete || (!scenario.strategy.staysAwake && queue.left == 0) { stop(.suspended, at: now) }
  }

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

  /// Refills a window of tasks after a completion.
  mutating func topUp(at now: Int64) {
    if isWindow, app.isRunning, app.uncreatedInBatch == 0 { beginBatch(at: now) }
  }

  /// Ends the creation of the current task and begins the next one, or ends the batch.
  mutating func create(at now: Int64) {
    app.nextCreation = Instant.never.nanoseconds
    if app.uncreatedInBatch > 0 {
      submitTask(at: now)
      app.uncreatedInBatch -= 1
      if app.uncreatedInBatch > 0 {
        app.nextCreation = now + scenario.strategy.creation.nanoseconds
      } else if app.state != .woken, queue.outstanding == 0 || isWindow {
        // Tasks may have completed during the batch and allow another one.
        beginBatch(at: now)
      }
      schedule(at: now)
    }
    endTaskIfDone(at: now)
  }

  private var isWindow: Bool { if case .window = scenario.strategy.batch { true } else { false } }

  /// Submits a task to the daemon. Only tasks created in the background wait for the limiter and for suitable conditions.
  private mutating func submitTask(at now: Int64) {
    metrics.tasks += 1
    // Kept awake, the app counts as one in the foreground.
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
