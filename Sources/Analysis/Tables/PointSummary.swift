// One point of the sweep: what its runs come to.

/// The runs of one point, summed up.
package struct PointSummary: Sendable {
  /// Its runs.
  package let runs: PointRuns
  /// What they measure.
  package let schema: RunSchema
  /// Its values of the axes; within a stratum, and over all strata, without those of the axes that make them.
  package let axisValues: [String]
  /// Its values of all axes of the sweep; over all strata empty where these differ.
  package let gridValues: [String]
  /// Whether it is the baseline.
  package internal(set) var isBaseline = false
  /// Whether a search has dropped it before the last round.
  package internal(set) var isDropped = false
  /// Whether it is on the Pareto front of loaders against bytes received: no other point is better in one and as good in the other.
  package internal(set) var isOnFront = false
  /// How it compares with the baseline; nil for the baseline itself, and where that has no runs.
  package internal(set) var comparison: PointComparison?

  private let headline: Moments, cost: Moments, headroom: Moments

  /// A point with the axis values of its part of the sweep; without grid values where it stands for points of several parts. O(runs).
  init(_ runs: PointRuns, schema: RunSchema, axisValues: [String], gridValues: [String]) {
    (self.runs, self.schema, self.axisValues, self.gridValues) = (runs, schema, axisValues, gridValues)
    (headline, cost, headroom) = (Moments(runs.headline), Moments(runs.cost), Moments(runs.headroom))
  }

  /// The point's id in `runs.csv`.
  package var point: String { runs.point }
  /// The number of runs.
  package var repetitions: Int { runs.count }
  /// The lowest repetition and its seed: enough to run one row again.
  package var firstRun: (repetition: Int, seed: UInt64) { runs.firstRun }

  /// The mean of what points are compared by; nil where no run has it.
  package var headlineMean: Double? { headline.mean }

  /// Its interval, within what the metric can be; nil below 5 runs, and without spread.
  package func headlineInterval(confidence: Double) -> ConfidenceInterval? {
    headline.interval(confidence: confidence, range: 0...schema.headline.limit)
  }

  /// The interval of the cost's mean, likewise.
  package func costInterval(confidence: Double) -> ConfidenceInterval? {
    cost.interval(confidence: confidence, range: 0...schema.cost.limit)
  }

  /// The mean of a metric over the runs that have it; nil where none has.
  package func mean(_ metric: Metric) -> Double? { runs.mean(metric) }

  /// The mean of loaders less the clairvoyant bound, per 1000 items viewed; nil where no run has a bound.
  package var headroomMean: Double? { headroom.mean }

  /// The interval of the headroom; nil below 5 runs, and without spread.
  package func headroomInterval(confidence: Double) -> ConfidenceInterval? {
    headroom.interval(confidence: confidence, range: -1000...1000)
  }

  /// The share of a reason in all loaders, 0 … 1; nil where there was no loader.
  package func share(of reason: Metric) -> Double? {
    let all = Metric.reasons.reduce(0) { $0 + runs.sum($1) }
    return all > 0 ? runs.sum(reason) / all : nil
  }
}
