// The metrics of a run, and its row: the interface between the simulator and the reports.

import Base

package struct RunMetrics: Hashable, Sendable {
  /// One value per metric in the order of `Metric.allCases`.
  private var values: [Double?]
  /// The hash of an emulated run's event log, or of a device's result, of 52 bits; nil in results of version 1.0.0.
  package var digest: UInt64?

  package init() { values = Self.none }

  private static let none = [Double?](repeating: nil, count: Metric.allCases.count)

  /// The value of one metric; nil if the metric does not apply.
  package subscript(metric: Metric) -> Double? {
    get { values[metric.index] }
    set { values[metric.index] = newValue }
  }

  /// Returns the first invalid value, alone or beside the others, with the problem as a phrase after it; nil if there is none.
  package func violation(in schema: RunSchema) -> (metric: Metric, value: Double, problem: String)? {
    for metric in schema.metrics {
      if let value = self[metric], let problem = metric.violation(of: value) { return (metric, value, problem) }
    }
    guard let loaders = self[.loaders], let problem = excessOfLoaders else { return nil }
    return (.loaders, loaders, problem)
  }

  /// The problem of more loaders than items viewed, as a phrase; nil if there is none.
  package var excessOfLoaders: String? {
    guard let loaders = self[.loaders], let viewed = self[.viewed], loaders > viewed else { return nil }
    return "is more than the \(DecimalText.exact(viewed)) items viewed"
  }

  /// The contradiction in the values, such as "loaders 5 is more than the 3 items viewed"; nil if there is none.
  package var impossible: String? {
    for schema in RunSchema.all.map({ $0.naming($0.offered.map(\.rawValue)) }) {
      guard let violation = violation(in: schema) else { continue }
      let value = violation.value.description
      return "\(violation.metric.rawValue) \(value.hasSuffix(".0") ? String(value.dropLast(2)) : value) \(violation.problem)"
    }
    return nil
  }
}

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
