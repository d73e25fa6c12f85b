// failures.csv: the runs that failed, with their reasons.

import Analysis

/// Runs that failed as a table.
package struct FailureTable {
  /// The file's name.
  package static let fileName = "failures.csv"

  /// A failed run.
  package struct Row {
    /// The point's id; nil for a point that is no valid scenario.
    package var point: String?
    package var repetition: Int
    package var seed: UInt64
    package var axisValues: [String]
    package var reason: String
  }

  /// The whole file.
  package let csv: String

  /// The failures of a sweep so far, in the order of the table.
  package init(_ sweep: JournaledSweep) {
    let file = sweep.runner.sweep
    self.init(
      axes: file.grid.paths,
      rows: sweep.failures.map {
        Row(
          point: $0.point, repetition: $0.repetition, seed: $0.seed, axisValues: file.axisValues($0.pointIndex), reason: $0.reason)
      })
  }

  /// The failures of the shards of a sweep, in the order of the table; known when their rows have been handed on.
  package init(_ merge: ShardMerge) { self.init(axes: merge.description.axes.map(\.path), rows: merge.failures.rows) }

  private init(axes: [String], rows: [Row]) {
    var bytes: [UInt8] = []
    CSVText.appendLine(["point", "repetition", "seed"] + axes + ["reason"], to: &bytes)
    for row in rows {
      // Labels of programs that did not keep the values have none.
      let values = axes.indices.map { $0 < row.axisValues.count ? row.axisValues[$0] : "" }
      CSVText.appendLine([row.point ?? "", "\(row.repetition)", "\(row.seed)"] + (values + [row.reason]).map(SafeText.line), to: &bytes)
    }
    csv = String(decoding: bytes, as: UTF8.self)
  }
}
