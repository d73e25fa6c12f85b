// One point of the sweep: what its runs come to.

/// The runs of one point, summed up.
package struct PointSummary {
  package let runs: PointRuns
  /// The axes of the runs that tell the points of this part of the sweep apart: within a stratum, without those that make the strata.
  private let axes: [Int]
  package internal(set) var isBaseline = false
  /// Whether a search has dropped it before the last round.
  package internal(set) var isDropped = false
  /// Whether it is on the Pareto front of loaders against bytes received: no other point is better in one and as good in the other.
  package internal(set) var isOnFront = false
  /// How it compares with the baseline; nil for the baseline itself, and where that has no runs.
  package internal(set) var comparison: PointComparison?

  init(_ runs: PointRuns, axes: [Int]) { (self.runs, self.axes) = (runs, axes) }

  package var schema: RunSchema { runs.columns.schema }
  /// Its values of the axes; within a stratum, and over all strata, without those of the axes that make them.
  package var axisValues: [String] { axes.map(runs.axisValue) }
  package func axisValue(_ axis: Int) -> String { runs.axisValue(axes[axis]) }
  package var point: String { runs.point }
  package var repetitions: Int { runs.count }
  package var firstRun: (repetition: Int, seed: UInt64) { runs.firstRun }

  /// The mean of what points are compared by; nil where no run has it.
  package var headlineMean: Double? { runs.mean(schema.headline) }

  /// Its interval, within what the metric can be; nil below 5 runs, and without spread. O(runs), as the other intervals.
  package func headlineInterval(confidence: Double) -> ConfidenceInterval? {
    interval(runs.headline, confidence, within: 0...schema.headline.limit)
  }

  /// The interval of the cost's mean, likewise.
  package func costInterval(confidence: Double) -> ConfidenceInterval? {
    interval(runs.cost, confidence, within: 0...schema.cost.limit)
  }

  package func mean(_ metric: Metric) -> Double? { runs.mean(metric) }

  /// The mean of loaders less the clairvoyant bound, per 1000 items viewed; nil where no run has a bound. O(runs).
  package var headroomMean: Double? {
    let sample = Sample(runs.headroom.filter { !$0.isNaN })
    return sample.count > 0 ? sample.mean : nil
  }

  /// The interval of the headroom; nil below 5 runs, and without spread.
  package func headroomInterval(confidence: Double) -> ConfidenceInterval? {
    interval(runs.headroom, confidence, within: -1000...1000)
  }

  private func interval(_ column: ArraySlice<Double>, _ confidence: Double, within range: ClosedRange<Double>) -> ConfidenceInterval? {
    Sample(column.filter { !$0.isNaN }).adjustedInterval(confidence: confidence, within: range)
  }

  /// The share of a reason in all loaders, 0 … 1; nil where there was no loader.
  package func share(of reason: Metric) -> Double? {
    let all = Metric.reasons.reduce(0) { $0 + runs.sum($1) }
    return all > 0 ? runs.sum(reason) / all : nil
  }
}
