// What a background run comes to: the numbers of one row.

/// The metrics of one background run. Times in milliseconds from the start of the run, amounts in bytes.
package struct BackgroundMetrics: Hashable, Sendable {
  /// Resources and slices that had come by a moment.
  package struct Standing: Hashable, Sendable {
    /// Resources of which every slice had come, and slices that had come; those of an archive come together.
    package var resources = 0, slices = 0
  }

  /// Resources not complete at the horizon, 8 h.
  package var missing = 0
  /// What had come by the scenario's own mark.
  package var atMark = Standing()
  /// What had come after 1, 4 and 8 hours.
  package var afterHours: [Standing] = []
  /// When the first resource was complete, and when all were; nil if they never were.
  package var firstResourceMs: Double?, allResourcesMs: Double?
  /// The last arrival by the mark; nil if nothing had come.
  package var lastByMarkMs: Double?
  /// How often the daemon resumed or relaunched the app, in all and by the mark.
  package var wakes = 0, wakesAtMark = 0
  /// How often the system killed the app.
  package var kills = 0
  /// Tasks created, and those of them that were cancelled.
  package var tasks = 0, tasksCancelled = 0
  /// Time with nothing on the way because the next task waited for the limiter, for an occasion, or for the daemon to start it.
  package var limiterWaitMs = 0.0, occasionWaitMs = 0.0, startWaitMs = 0.0
  /// Time in which the app ran in the background.
  package var awakeMs = 0.0
  /// Connections opened; 0 on the fluid link, which has none.
  package var newConnections = 0
  /// Payload received, and payload that crossed the link for nobody.
  package var bytesReceived: Int64 = 0, bytesDead: Int64 = 0
  /// Time with the radio in its active state, its tail included.
  package var radioActiveMs = 0.0
  /// The energy proxy, in joules.
  package var energy = 0.0

  /// The hours after which standings are taken; the last is the horizon of a run.
  package static let hours: [Int64] = [1, 4, 8]
}

extension BackgroundMetrics {
  /// The metrics of a finished run.
  init<Link: Transport & ~Copyable>(_ loop: borrowing BackgroundLoop<Link>) {
    let (ledger, scenario, perResource) = (loop.ledger, loop.scenario, loop.book.filesPerResource)
    var left = ContiguousArray(repeating: perResource, count: scenario.resources)
    // When each resource was complete, in that order.
    let completions = ledger.finishes.compactMap { at, file -> Int64? in
      left[file / perResource] -= 1
      return left[file / perResource] == 0 ? at : nil
    }
    func standing(at time: Int64) -> Standing {
      let files = ledger.finishes.count { $0.at <= time }
      return Standing(resources: completions.count { $0 <= time }, slices: files * (scenario.slices / perResource))
    }
    let mark = scenario.mark.nanoseconds
    atMark = standing(at: mark)
    afterHours = Self.hours.map { standing(at: $0 * 3_600_000_000_000) }
    missing = scenario.resources - completions.count
    firstResourceMs = completions.first.map { Double($0) / 1e6 }
    allResourcesMs = missing == 0 ? completions.last.map { Double($0) / 1e6 } : nil
    lastByMarkMs = ledger.finishes.last { $0.at <= mark }.map { Double($0.at) / 1e6 }
    wakes = ledger.wakes.count
    wakesAtMark = ledger.wakes.count { $0 <= mark }
    kills = ledger.kills
    tasks = ledger.tasksCreated
    tasksCancelled = ledger.tasksCancelled
    limiterWaitMs = Double(ledger.limiterWait) / 1e6
    occasionWaitMs = Double(ledger.occasionWait) / 1e6
    startWaitMs = Double(ledger.startWait) / 1e6
    awakeMs = Double(ledger.awake.nanoseconds) / 1e6
    newConnections = loop.link.counters.newConnections
    bytesDead = loop.link.counters.bytesDead
    bytesReceived = ledger.finishes.reduce(ledger.bytesUnfinished) { $0 + loop.book.bytes[$1.file] }
    radioActiveMs = Double(ledger.radio.activeNanoseconds(end: BackgroundScenario.horizon.nanoseconds)) / 1e6
    energy = scenario.energy.joules(radioMs: radioActiveMs, bytes: bytesReceived, awakeMs: awakeMs, wakes: wakes)
  }
}

/// What the loop writes down while it goes.
struct BackgroundLedger {
  /// The files that have come.
  var finishes: ContiguousArray<(at: Int64, file: Int)> = []
  /// When the daemon resumed or relaunched the app.
  var wakes: ContiguousArray<Int64> = []
  /// How often the system killed it.
  var kills = 0
  var tasksCreated = 0, tasksCancelled = 0
  /// Payload of tasks that were cancelled, or not complete at the end.
  var bytesUnfinished: Int64 = 0
  /// Time with nothing in flight because the limiter, an occasion, or the daemon's start held the next task.
  private(set) var limiterWait: Int64 = 0, occasionWait: Int64 = 0, startWait: Int64 = 0
  var awake = Stopwatch()
  var radio = RadioClock()

  /// Adds up why the next task is started at `now` and not when it was created, or when the link fell idle.
  mutating func noteWait(of task: DownloadTask, idleSince: Int64, at now: Int64) {
    let from = max(task.created, idleSince)
    let limited = min(now, max(from, task.limited))
    let released = min(now, max(limited, task.released))
    limiterWait += limited - from
    occasionWait += released - limited
    startWait += now - released
  }
}
