// What the repetitions of an experiment found: of each request the median, the least and the most.

/// The findings of an experiment.
package struct NetworkFindings: Sendable {
  /// A figure over the repetitions that have it, in nanoseconds or bytes.
  package struct Figure: Hashable, Sendable {
    /// The middle one; of two middle ones the mean, rounded down.
    package var median: Int64
    /// The least and the most.
    package var least: Int64, most: Int64

    /// Of at least one value. O(n log n).
    init?(_ values: [Int64]) {
      let sorted = values.sorted()
      guard let least = sorted.first, let most = sorted.last else { return nil }
      let half = sorted.count / 2
      median = sorted.count % 2 == 1 ? sorted[half] : sorted[half - 1] + (sorted[half] - sorted[half - 1]) / 2
      self.least = least
      self.most = most
    }
  }

  /// One request over all repetitions.
  package struct Row: Sendable {
    /// What it is called.
    package var name: String
    /// The payload asked for.
    package var size: Int64
    /// When it was asked for, and then from there: connection ready, first byte, end. Nil where it never came so far in any repetition.
    package var start: Figure?, connect: Figure?, firstByte: Figure?, end: Figure?
    /// The payload received.
    package var received: Figure?
    /// In how many repetitions it was cut, and in how many it had not ended after a day.
    package var cuts: Int, unfinished: Int
    /// Which connection it took, in the first repetition.
    package var connection: RequestOutcome.Connection
  }

  /// How many repetitions there are.
  package let repeats: Int
  private var runs: [[RequestOutcome]] = []
  private var drops: [Int64] = []
  private var dead: [Int64] = []

  init(repeats: Int) { self.repeats = repeats }

  mutating func add(_ run: PatternRun) {
    runs.append(run.outcomes)
    drops.append(Int64(run.packetsDropped))
    dead.append(run.bytesDead)
  }

  /// Packets dropped by full queues.
  package var packetsDropped: Figure? { Figure(drops) }
  /// Payload that crossed the link for nobody.
  package var bytesDead: Figure? { Figure(dead) }

  /// The requests in the order of their start.
  package var rows: [Row] {
    (runs.first ?? []).indices.map { index in
      let outcomes = runs.map { $0[index] }
      func figure(_ value: (RequestOutcome) -> Int64?) -> Figure? { Figure(outcomes.compactMap(value)) }
      return Row(
        name: outcomes[0].name, size: outcomes[0].size, start: figure { $0.start.nanoseconds }, connect: figure { $0.connect?.nanoseconds },
        firstByte: figure { $0.firstByte?.nanoseconds }, end: figure { $0.end?.nanoseconds }, received: figure { $0.received },
        cuts: outcomes.count { $0.isCut }, unfinished: outcomes.count { $0.end == nil }, connection: outcomes[0].connection)
    }
  }
}
