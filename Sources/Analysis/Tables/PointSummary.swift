// One point of the sweep: what its runs come to.

/// The runs of one point, summed up.
package struct PointSummary: Sendable {
  /// The point's id in `runs.csv`.
  package let point: String
  /// Its values of the axes; within a stratum, and over all strata, without those of the axes that make them.
  package internal(set) var axisValues: [String]
  /// Its values of all axes of the sweep; over all strata empty where these differ.
  package internal(set) var gridValues: [String]
  /// Whether it is the baseline.
  package internal(set) var isBaseline = false
  /// Whether a search has dropped it before the last round.
  package internal(set) var isDropped = false
  /// Whether it is on the Pareto front of loaders against bytes received: no other point is better in one and as good in the other.
  package internal(set) var isOnFront = false
  /// The number of runs.
  package internal(set) var repetitions = 0
  /// The lowest repetition and its seed: enough to run one row again.
  package internal(set) var firstRun: (repetition: Int, seed: UInt64) = (0, 0)
  /// How it compares with the baseline; nil for the baseline itself, and where that has no runs.
  package internal(set) var comparison: PointComparison?

  package var metrics = [Moments](repeating: Moments(), count: Metric.allCases.count)
  package var headroom = Moments()
  /// Which repetitions it has.
  package var runs = RepetitionSet()
  /// The last of them; 0 for none.
  package var lastRepetition: Int { runs.ranges.last?.upperBound ?? 0 }
  /// Those of them whose runs have what points are compared by.
  var comparableRuns = RepetitionSet()

  package let schema: RunSchema

  package init(point: String, axisValues: [String], schema: RunSchema) {
    self.point = point
    self.axisValues = axisValues
    gridValues = axisValues
    self.schema = schema
  }

  /// The mean of what points are compared by; nil where no run has it.
  package var headlineMean: Double? { mean(schema.headline) }

  /// The mean of a metric over the runs that have it; nil where none has.
  package func mean(_ metric: Metric) -> Double? { metrics[metric.index].mean }

  /// The interval of a metric's mean, within what the metric can be; nil below 5 runs, and without spread.
  package func interval(_ metric: Metric, confidence: Double = 0.95) -> ConfidenceInterval? {
    metrics[metric.index].interval(confidence: confidence, range: 0...metric.limit)
  }

  /// The mean of loaders less the clairvoyant bound, per 1000 items viewed; nil where no run has a bound.
  package var headroomMean: Double? { headroom.mean }

  /// The interval of the headroom; nil below 5 runs, and without spread.
  package func headroomInterval(confidence: Double = 0.95) -> ConfidenceInterval? {
    headroom.interval(confidence: confidence, range: -1000...1000)
  }

  /// The share of a reason in all loaders, 0 … 1; nil where there was no loader.
  package func share(of reason: Metric) -> Double? {
    let all = Metric.reasons.reduce(0) { $0 + metrics[$1.index].sum }
    return all > 0 ? metrics[reason.index].sum / all : nil
  }

  /// Takes a run; false where the repetition has been taken before.
  package mutating func add(_ row: RunRow) -> Bool {
    guard runs.insert(row.repetition) else { return false }
    if row[schema.headline] != nil { comparableRuns.insert(row.repetition) }
    if repetitions == 0 || row.repetition < firstRun.repetition { firstRun = (row.repetition, row.seed) }
    repetitions += 1
    for (index, value) in row.metrics.enumerated() {
      if let value { metrics[index].add(value) }
    }
    if let headroom = Self.headroom(of: row) { self.headroom.add(headroom) }
    return true
  }

  /// Loaders above the bound, per 1000 items viewed; nil where the run has no bound.
  package static func headroom(of row: RunRow) -> Double? {
    guard let loaders = row[.loaders], let bound = row[.bound], let viewed = row[.viewed], viewed > 0 else { return nil }
    return (loaders - bound) / viewed * 1000
  }
}
