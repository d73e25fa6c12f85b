// What a background run comes to: the numbers of one row.

/// The metrics of one background run. Times in milliseconds from the start of the run, amounts in bytes.
package struct BackgroundMetrics: Hashable, Sendable {
  /// Resources and slices that had come by a moment.
  package struct Standing: Hashable, Sendable {
    /// Resources of which every slice had come.
    package var resources = 0
    /// Slices that had come; those of an archive come together.
    package var slices = 0
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
  /// Payload received.
  package var bytesReceived: Int64 = 0
  /// Payload that crossed the link for nobody.
  package var bytesDead: Int64 = 0
  /// Time with the radio in its active state, its tail included.
  package var radioActiveMs = 0.0
  /// The energy proxy, in joules.
  package var energy = 0.0

  /// The hours after which standings are taken; the last is the horizon of a run.
  package static let hours: [Int64] = [1, 4, 8]
}

extension BackgroundMetrics {
  /// Works out a finished run.
  init<Link: Transport & ~Copyable>(_ loop: borrowing BackgroundLoop<Link>, scenario: BackgroundScenario, network: NetworkConfiguration) {
    let ledger = loop.ledger
    let tally = Tally(ledger.finishes, filesPerResource: loop.book.filesPerResource, resources: scenario.resources, slices: scenario.slices)
    let mark = scenario.mark.nanoseconds
    atMark = tally.standing(at: mark)
    afterHours = Self.hours.map { tally.standing(at: $0 * 3_600_000_000_000) }
    missing = scenario.resources - tally.completions.count
    firstResourceMs = tally.completions.first.map { Double($0) / 1e6 }
    allResourcesMs = missing == 0 ? tally.completions.last.map { Double($0) / 1e6 } : nil
    lastByMarkMs = ledger.finishes.last { $0.at <= mark }.map { Double($0.at) / 1e6 }
    wakes = ledger.wakes.count
    wakesAtMark = ledger.wakes.count { $0 <= mark }
    kills = ledger.kills.count
    tasks = ledger.tasksCreated
    tasksCancelled = ledger.tasksCancelled
    limiterWaitMs = Double(ledger.limiterWait) / 1e6
    occasionWaitMs = Double(ledger.occasionWait) / 1e6
    startWaitMs = Double(ledger.startWait) / 1e6
    awakeMs = Double(ledger.awake.nanoseconds) / 1e6
    let counters = loop.link.counters
    newConnections = counters.newConnections
    bytesDead = counters.bytesDead
    bytesReceived = ledger.finishes.reduce(ledger.bytesUnfinished) { $0 + loop.book.bytes[$1.file] }
    radioActiveMs =
      Double(ledger.radio.activeNanoseconds(end: BackgroundScenario.horizon.nanoseconds)) / 1e6
    energy = scenario.energy.joules(radioMs: radioActiveMs, bytes: bytesReceived, awakeMs: awakeMs, wakes: wakes)
  }

  /// When files and resources came.
  private struct Tally {
    let finishes: ContiguousArray<BackgroundLedger.Finish>
    /// When each resource was complete, in that order.
    private(set) var completions: ContiguousArray<Int64> = []
    /// Slices that a file stands for.
    private let slicesPerFile: Int

    init(_ finishes: ContiguousArray<BackgroundLedger.Finish>, filesPerResource: Int, resources: Int, slices: Int) {
      self.finishes = finishes
      slicesPerFile = slices / filesPerResource
      var left = ContiguousArray(repeating: filesPerResource, count: resources)
      for finish in finishes {
        let resource = finish.file / filesPerResource
        left[resource] -= 1
        if left[resource] == 0 { completions.append(finish.at) }
      }
    }

    func standing(at time: Int64) -> Standing {
      Standing(resources: completions.count { $0 <= time }, slices: finishes.count { $0.at <= time } * slicesPerFile)
    }
  }
}
