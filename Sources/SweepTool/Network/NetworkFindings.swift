// What the repetitions of an experiment found: of each request the median, the least and the most.

/// The findings of an experiment.
struct NetworkFindings {
  /// A figure over the repetitions that have it, in nanoseconds or bytes.
  struct Figure {
    /// The middle one; of two middle ones the mean, rounded down.
    let median: Int64
    let least: Int64, most: Int64

    /// Of at least one value. O(n log n).
    init?(_ values: [Int64]) {
      let sorted = values.sorted()
      guard let least = sorted.first, let most = sorted.last else { return nil }
      let half = sorted.count / 2
      median = sorted.count % 2 == 1 ? sorted[half] : sorted[half - 1] + (sorted[half] - sorted[half - 1]) / 2
      (self.least, self.most) = (least, most)
    }
  }

  /// One request over all repetitions.
  struct Row {
    let name: String
    /// The payload of the response.
    let size: Int64
    /// When it was asked for, and then from there: connection ready, first byte, end. Nil where it never came so far in any repetition.
    let start: Figure?, connect: Figure?, firstByte: Figure?, end: Figure?
    /// The payload received.
    let received: Figure?
    /// In how many repetitions it was cancelled, and in how many it had not ended after a day.
    let cuts: Int, unfinished: Int
    /// Which connection it took, in the first repetition.
    let connection: RequestOutcome.Connection

    fileprivate init(_ outcomes: [RequestOutcome]) {
      func figure(_ value: (RequestOutcome) -> Int64?) -> Figure? { Figure(outcomes.compactMap(value)) }
      (name, size, connection) = (outcomes[0].name, outcomes[0].size, outcomes[0].connection)
      start = figure { $0.start.nanoseconds }
      connect = figure { $0.connect?.nanoseconds }
      firstByte = figure { $0.firstByte?.nanoseconds }
      end = figure { $0.end?.nanoseconds }
      received = figure { $0.received }
      cuts = outcomes.count { $0.isCut }
      unfinished = outcomes.count { $0.end == nil }
    }
  }

  /// The number of repetitions.
  let repeats: Int
  private var runs: [[RequestOutcome]] = []
  private var drops: [Int64] = [], dead: [Int64] = []

  init(repeats: Int) { self.repeats = repeats }

  mutating func add(_ run: PatternRun) {
    runs.append(run.outcomes)
    drops.append(Int64(run.packetsDropped))
    dead.append(run.bytesDead)
  }

  /// Packets dropped by full queues.
  var packetsDropped: Figure? { Figure(drops) }
  /// Payload that was sent and not read.
  var bytesDead: Figure? { Figure(dead) }

  /// The requests in the order of their start.
  var rows: [Row] { (runs.first ?? []).indices.map { index in Row(runs.map { $0[index] }) } }
}
