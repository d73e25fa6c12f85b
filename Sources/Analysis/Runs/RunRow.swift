// One row per run: the interface between the simulator and the reports.

/// A run of a table: its place there and its metrics.
package struct RunRow: Hashable, Sendable {
  /// The point's id: 16 hexadecimal digits, a hash of the resolved scenario.
  package var point: String
  /// The repetition, from 1.
  package var repetition: Int
  /// The repetition's seed; point and seed suffice to repeat the run.
  package var seed: UInt64
  /// The values of the table's axes, as written in the sweep file.
  package var axisValues: [String]
  package var metrics: RunMetrics

  package init(point: String, repetition: Int, seed: UInt64, axisValues: [String], metrics: RunMetrics = RunMetrics()) {
    (self.point, self.repetition, self.seed, self.axisValues, self.metrics) = (point, repetition, seed, axisValues, metrics)
  }

  /// The value of one metric; nil for an empty cell.
  package subscript(metric: Metric) -> Double? {
    get { metrics[metric] }
    set { metrics[metric] = newValue }
  }
}

/// Rows ordered by point and then by repetition, which can be streamed repeatedly.
package protocol RowSequence {
  /// Calls `receive` with each row; an error that `receive` throws ends the stream.
  /// - Throws: the errors of `receive` and of reading the rows.
  func forEachRow(_ receive: (RunRow) throws -> Void) throws
}
