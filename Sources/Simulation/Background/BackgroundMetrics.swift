// The metrics of a background run: the values of one row.

/// The metrics of one background run. Times in milliseconds from the start of the run, amounts in bytes.
package struct BackgroundMetrics: Hashable, Sendable {
  package struct Standing: Hashable, Sendable {
    /// The complete resources, and the slices received; those of an archive arrive together.
    package var resources = 0, slices = 0
  }

  /// The resources not complete at the horizon, 8 h.
  package var missing = 0
  package var atMark = Standing()
  /// The progress after 1, 4 and 8 hours.
  package var afterHours: [Standing] = []
  /// The completion of the first resource, and of all; nil if not reached.
  package var firstResourceMs: Double?, allResourcesMs: Double?
  /// The last arrival by the mark; nil if there was none.
  package var lastByMarkMs: Double?
  /// The number of times that the daemon resumed or relaunched the app: in all, and by the mark.
  package var wakes = 0, wakesAtMark = 0
  package var kills = 0
  /// Tasks created, and those of them that were cancelled.
  package var tasks = 0, tasksCancelled = 0
  /// Time without transfers while the next task waits: for the limiter, for suitable conditions, or for the daemon's start.
  package var limiterWaitMs = 0.0, occasionWaitMs = 0.0, startWaitMs = 0.0
  package var awakeMs = 0.0
  /// Connections opened; 0 on the fluid link.
  package var newConnections = 0
  /// Payload received, and payload sent but not delivered: after a cancel, or retransmitted.
  package var bytesReceived: Int64 = 0, bytesDead: Int64 = 0
  /// Time for which the radio was active, its tail included.
  package var radioActiveMs = 0.0
  /// The energy proxy, in joules.
  package var energy = 0.0
  /// The hash of the run's events, a whole number of 52 bits.
  package var digest: UInt64 = 0

  /// The hours at which progress is recorded; the last is the horizon of a run.
  package static let hours: [Int64] = [1, 4, 8]
}

extension BackgroundLoop where Link: ~Copyable {
  func finished() -> BackgroundMetrics {
    var metrics = metrics
    let perResource = queue.filesPerResource
    var left = ContiguousArray(repeating: perResource, count: scenario.resources)
    // The completion times of the resources, in ascending order.
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
    metrics.digest = digest.value
    metrics.newConnections = link.counters.newConnections
    metrics.bytesDead = link.counters.bytesDead
    metrics.radioActiveMs = Double(ledger.radio.activeNanoseconds(end: BackgroundScenario.horizon.nanoseconds)) / 1e6
    metrics.energy = scenario.energy.joules(
      radioMs: metrics.radioActiveMs, bytes: metrics.bytesReceived, awakeMs: metrics.awakeMs, wakes: metrics.wakes)
    return metrics
  }
}

struct BackgroundLedger {
  var finishes: ContiguousArray<(at: Int64, file: Int)> = []
  var wakes: ContiguousArray<Int64> = []
  /// Time without transfers while the limiter, the conditions or the daemon's start delayed the next task, in nanoseconds.
  private(set) var limiterWait: Int64 = 0, discretionaryWait: Int64 = 0, startWait: Int64 = 0
  var awake = Stopwatch()
  var radio = RadioClock()

  /// Adds the wait of a task that starts at `now`, split by reason, since its creation or since the link became idle.
  mutating func noteWait(of task: DownloadTask, idleSince: Int64, at now: Int64) {
    let from = max(task.created, idleSince)
    let limited = min(now, max(from, task.limited))
    let released = min(now, max(limited, task.released))
    limiterWait += limited - from
    discretionaryWait += released - limited
    startWait += now - released
  }
}
