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

extension BackgroundLoop where Link: ~Copyable {
  /// The metrics of a finished run.
  func finished() -> BackgroundMetrics {
    var metrics = metrics
    let perResource = queue.filesPerResource
    var left = ContiguousArray(repeating: perResource, count: scenario.resources)
    // When each resource was complete, in that order.
    let completions = ledger.finishes.compactMap { at, file -> Int64? in
      left[file / perResource] -= 1
      return left[file / perResource] == 0 ? at : nil
    }
    func standing(at time: Int64) -> BackgroundMetrics.Standing {
      let files = ledger.finishes.count { $0.at <= time }
      return .init(resources: completions.count { $0 <= time }, slices: files * (scenario.slices / perResource))
    }
    let mark = scenario.mark.nanoseconds
    metrics.atMark = standing(at: mark)
    metrics.afterHours = BackgroundMetrics.hours.map { standing(at: $0 * 3_600_000_000_000) }
    metrics.missing = scenario.resources - completions.count
    metrics.firstResourceMs = completions.first.map { Double($0) / 1e6 }
    metrics.allResourcesMs = metrics.missing == 0 ? completions.last.map { Double($0) / 1e6 } : nil
    metrics.lastByMarkMs = ledger.finishes.last { $0.at <= mark }.map { Double($0.at) / 1e6 }
    metrics.wakes = ledger.wakes.count
    metrics.wakesAtMark = ledger.wakes.count { $0 <= mark }
    metrics.limiterWaitMs = Double(ledger.limiterWait) / 1e6
    metrics.occasionWaitMs = Double(ledger.discretionaryWait) / 1e6
    metrics.startWaitMs = Double(ledger.startWait) / 1e6
    metrics.awakeMs = Double(ledger.awake.nanoseconds) / 1e6
    metrics.newConnections = link.counters.newConnections
    metrics.bytesDead = link.counters.bytesDead
    metrics.radioActiveMs = Double(ledger.radio.activeNanoseconds(end: BackgroundScenario.horizon.nanoseconds)) / 1e6
    metrics.energy = scenario.energy.joules(
      radioMs: metrics.radioActiveMs, bytes: metrics.bytesReceived, awakeMs: metrics.awakeMs, wakes: metrics.wakes)
    return metrics
  }
}

/// What the loop writes down while it goes, beside the metrics that it counts at once.
struct BackgroundLedger {
  /// The files that have come.
  var finishes: ContiguousArray<(at: Int64, file: Int)> = []
  /// When the daemon resumed or relaunched the app.
  var wakes: ContiguousArray<Int64> = []
  /// Time with nothing in flight because the limiter, an occasion, or the daemon's start held the next task.
  private(set) var limiterWait: Int64 = 0, discretionaryWait: Int64 = 0, startWait: Int64 = 0
  var awake = Stopwatch()
  var radio = RadioClock()

  /// Adds up why the next task is started at `now` and not when it was created, or when the link fell idle.
  mutating func noteWait(of task: DownloadTask, idleSince: Int64, at now: Int64) {
    let from = max(task.created, idleSince)
    let limited = min(now, max(from, task.limited))
    let released = min(now, max(limited, task.released))
    limiterWait += limited - from
    discretionaryWait += released - limited
    startWait += now - released
  }
}
