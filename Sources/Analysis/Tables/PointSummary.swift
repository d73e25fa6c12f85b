// One point of a sweep: its runs, its means and its comparison with the baseline.

package struct PointSummary {
  package let runs: PointRuns
  /// The indices of the axes that tell the points of this part apart; within a stratum, without the axes that make the strata.
  private let axes: [Int]
  package internal(set) var isBaseline = false
  /// True if its prefetcher knows the future: it is a bound, ranks after the others and never wins.
  package internal(set) var isOracle = false
  /// True if a search dropped the point before the last round.
  package internal(set) var isDropped = false
  /// True if the point is on the Pareto front of headline against cost: no point is better in one and at least as good in the other.
  package internal(set) var isOnFront = false
  /// True if no paired comparison tells that the point is worse than the winner; false for the winner, and without one.
  package internal(set) var isAsGoodAsWinner = false
  /// The comparison with the baseline; nil for the baseline itself, and if the baseline has no runs.
  package internal(set) var comparison: PointComparison?
  /// The verdicts on the sweep's constraints; empty without constraints.
  package internal(set) var constraints: [ConstraintFinding] = []

  init(_ runs: PointRuns, axes: [Int]) { (self.runs, self.axes) = (runs, axes) }

  package var schema: RunSchema { runs.columns.schema }
  /// The point's axis values; within a stratum, and over all strata, without those of the axes that make the strata.
  package var axisValues: [String] { axes.map(runs.axisValue) }
  package func axisValue(_ axis: Int) -> String { runs.axisValue(axes[axis]) }
  package var point: String { runs.point }
  package var repetitions: Int { runs.count }
  package var firstRun: (repetition: Int, seed: UInt64) { runs.firstRun }

  package var headlineMean: Double? { runs.mean(schema.headline) }

  /// Returns the interval of the headline's mean, clamped to the metric's range; nil below 5 runs and without spread. O(runs).
  package func headlineInterval(confidence: Double) -> ConfidenceInterval? {
    Sample(known: runs.headline).adjustedInterval(confidence: confidence, within: 0...schema.headline.limit)
  }

  /// Returns the interval of the cost's mean, clamped to the metric's range; nil below 5 runs and without spread. O(runs).
  package func costInterval(confidence: Double) -> ConfidenceInterval? {
    Sample(known: runs.cost).adjustedInterval(confidence: confidence, within: 0...schema.cost.limit)
  }

  package func mean(_ metric: Metric) -> Double? { runs.mean(metric) }

  /// The mean number of loaders above the lower bound, per 1000 items viewed; nil if no run has a bound. O(runs).
  package var headroomMean: Double? {
    let sample = Sample(known: runs.headroom)
    return sample.count > 0 ? sample.mean : nil
  }

  /// Returns the interval of the headroom; nil below 5 runs and without spread. O(runs).
  package func headroomInterval(confidence: Double) -> ConfidenceInterval? {
    Sample(known: runs.headroom).adjustedInterval(confidence: confidence, within: -1000...1000)
  }

  /// Returns a reason's share of all loaders, 0 … 1; nil if there was no loader.
  package func share(of reason: Metric) -> Double? {
    let all = Metric.reasons.reduce(0) { $0 + runs.sum($1) }
    return all > 0 ? runs.sum(reason) / all : nil
  }
}
