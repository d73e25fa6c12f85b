// One row a run: the narrow waist between the simulator and the reports (design §3). Its CSV form is in RunWriter.swift.

/// What one run measured.
package struct RunRow: Hashable, Sendable {
  /// The point's id: 16 hexadecimal digits, a hash of the resolved scenario.
  package var point: String
  /// From 1.
  package var repetition: Int
  /// The repetition's seed; with the point it is enough to run the row alone.
  package var seed: UInt64
  /// The values of the table's axes, as written in the sweep file.
  package var axisValues: [String]
  /// One value a metric in the order of `Metric.allCases`; nil where it does not apply (an empty cell).
  package var metrics: [Double?]

  package init(point: String, repetition: Int, seed: UInt64, axisValues: [String], metrics: [Double?]) {
    precondition(metrics.count == Metric.allCases.count, "a row has one place for each metric")
    (self.point, self.repetition, self.seed, self.axisValues, self.metrics) = (point, repetition, seed, axisValues, metrics)
  }

  /// The value of one metric; nil for an empty cell.
  package subscript(metric: Metric) -> Double? {
    get { metrics[metric.index] }
    set { metrics[metric.index] = newValue }
  }

  /// The metrics of a row that has none yet: every place empty.
  package static let noMetrics = [Double?](repeating: nil, count: Metric.allCases.count)
}

/// Rows in the order of the table, by point and then by repetition, streamed as often as they are asked for.
package protocol RowSequence {
  /// Hands on each row; what `receive` throws ends it.
  /// - Throws: what `receive` throws, and what reading the rows does.
  func forEachRow(_ receive: (RunRow) throws -> Void) throws
}
