// One row per run: the interface between the simulator and the reports.

/// The metrics of one run.
package struct RunRow: Hashable, Sendable {
  /// The point's id: 16 hexadecimal digits, a hash of the resolved scenario.
  package var point: String
  /// The repetition, from 1.
  package var repetition: Int
  /// The repetition's seed; point and seed suffice to repeat the run.
  package var seed: UInt64
  /// The values of the table's axes, as written in the sweep file.
  package var axisValues: [String]
  /// One value per metric in the order of `Metric.allCases`; nil (an empty cell) if the metric does not apply.
  package var metrics: [Double?]

  package init(point: String, repetition: Int, seed: UInt64, axisValues: [String], metrics: [Double?]) {
    precondition(metrics.count == Metric.allCases.count, "a row has one value per metric")
    (self.point, self.repetition, self.seed, self.axisValues, self.metrics) = (point, repetition, seed, axisValues, metrics)
  }

  /// The value of one metric; nil for an empty cell.
  package subscript(metric: Metric) -> Double? {
    get { metrics[metric.index] }
    set { metrics[metric.index] = newValue }
  }

  /// The metrics of a row without values.
  package static let noMetrics = [Double?](repeating: nil, count: Metric.allCases.count)
}

/// Rows ordered by point and then by repetition, which can be streamed repeatedly.
package protocol RowSequence {
  /// Calls `receive` with each row; an error that `receive` throws ends the stream.
  /// - Throws: the errors of `receive` and of reading the rows.
  func forEachRow(_ receive: (RunRow) throws -> Void) throws
}
