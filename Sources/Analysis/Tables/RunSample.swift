// What is needed of each run to pair it with others: the only thing in memory that grows with the runs, and never all of it.

/// The runs of a point, or of a setting over strata, by rising repetition: 16 bytes each, 32 with costs.
package struct RunSample: Sendable {
  /// What points are compared by; NaN where a run has none.
  private(set) var loaders: [(repetition: Int, loadersPer1000: Double)] = []
  /// The cost and the headroom of the same runs, NaN where there are none; empty where no strata are to be combined.
  private(set) var costs: [(cost: Double, headroom: Double)] = []

  /// No run.
  package init() {}

  /// Runs by rising repetition, with their costs.
  package init(loaders: [(repetition: Int, loadersPer1000: Double)], costs: [(cost: Double, headroom: Double)]) {
    (self.loaders, self.costs) = (loaders, costs)
  }

  /// How many runs.
  package var count: Int { loaders.count }

  /// Whether these are the runs that a point's summary was made of, as far as can be told by their repetitions. O(runs).
  func isOf(_ point: PointSummary) -> Bool {
    loaders.lazy.map(\.repetition).elementsEqual(point.runs.ranges.lazy.joined())
      && loaders.lazy.filter { !$0.loadersPer1000.isNaN }.map(\.repetition).elementsEqual(point.comparableRuns.ranges.lazy.joined())
  }

  /// Takes a run, which has not been taken before. O(1) where repetitions rise, O(runs) otherwise.
  package mutating func add(_ row: RunRow, schema: RunSchema, keepsCosts: Bool) {
    let place =
      loaders.last.map { $0.repetition > row.repetition } ?? false
      ? loaders.firstIndex { $0.repetition > row.repetition } ?? 0 : loaders.count
    loaders.insert((row.repetition, row[schema.headline] ?? .nan), at: place)
    if keepsCosts { costs.insert((row[schema.cost] ?? .nan, PointSummary.headroom(of: row) ?? .nan), at: place) }
  }
}

/// How many runs' samples are in memory at once.
package struct SampleLimits: Sendable {
  /// So many are held while rows come for the first time; of a larger sweep, only the baselines'. 2 MB, 4 MB of a sweep with strata.
  package var held = 1 << 17
  /// So many numbers are gathered when rows are gone over again, where many points are wanted together: 8 MB, 24 MB over strata.
  var gathered = 1 << 20
}

/// Samples one after another.
package protocol SampleSource {
  /// Calls `body` once with the place and the whole sample of each point that is wanted: by rising places where the rows of each point
  /// stand together, else in any order.
  func forEach(where wanted: (Int) -> Bool, _ body: (Int, RunSample) throws -> Void) throws
}
