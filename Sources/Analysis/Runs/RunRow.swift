// One row per run: the interface between the simulator and the reports.

import Base

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
  /// One value per metric in the order of `Metric.allCases`, nil (an empty cell) if the metric does not apply, and then the digest.
  package var metrics: [Double?]

  package init(point: String, repetition: Int, seed: UInt64, axisValues: [String], metrics: [Double?]) {
    precondition(metrics.count == RunRow.noMetrics.count, "a row has one value per metric and a digest")
    (self.point, self.repetition, self.seed, self.axisValues, self.metrics) = (point, repetition, seed, axisValues, metrics)
  }

  /// Creates the row of a run without a place in a table.
  package init(metrics: [Double?] = RunRow.noMetrics) {
    self.init(point: "", repetition: 1, seed: 0, axisValues: [], metrics: metrics)
  }

  /// The value of one metric; nil for an empty cell.
  package subscript(metric: Metric) -> Double? {
    get { metrics[metric.index] }
    set { metrics[metric.index] = newValue }
  }

  /// The hash of an emulated run's event log, or of a device's result: a whole number of 52 bits, which `Double` holds exactly; nil in
  /// results of older programs.
  package var digest: UInt64? {
    get { metrics[Metric.allCases.count].flatMap { UInt64(exactly: $0) } }
    set { metrics[Metric.allCases.count] = newValue.map { Double($0) } }
  }

  /// The metrics of a row without values.
  package static let noMetrics = [Double?](repeating: nil, count: Metric.allCases.count + 1)
}

/// Rows ordered by point and then by repetition, which can be streamed repeatedly.
package protocol RowSequence {
  /// Calls `receive` with each row; an error that `receive` throws ends the stream.
  /// - Throws: the errors of `receive` and of reading the rows.
  func forEachRow(_ receive: (RunRow) throws -> Void) throws
}

extension ContentHash {
  /// Returns the digest of a device's result: the first 52 bits of the hash of its metrics, without the digest in the last element.
  package static func digest(ofResult metrics: [Double?]) -> UInt64 {
    var hash = ContentHash()
    for value in metrics.prefix(Metric.fixedCount) { hash.update(line: value.map(DecimalText.exact) ?? "") }
    // Results without further metrics keep the digest of older programs.
    for metric in Metric.allCases where metric.isFurther {
      if let value = metrics[metric.index] { hash.update(line: "\(metric.rawValue)=\(DecimalText.exact(value))") }
    }
    return hash.highHalf >> 12
  }
}
