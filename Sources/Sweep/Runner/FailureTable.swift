// failures.csv: the runs that failed, with their reasons.

import Analysis

/// The failures of a start as a table.
public struct FailureTable {
  /// The whole file.
  public let csv: String

  /// The failures so far, in the order of the table.
  public init(_ sweep: JournaledSweep) {
    let axes = sweep.runner.sweep.grid.paths
    var table = Table(columns: (["point", "repetition", "seed"] + axes + ["reason"]).map { Table.Column($0) })
    for failure in sweep.failures {
      let values = sweep.runner.sweep.axisValues(failure.pointIndex)
      let cells = [failure.point ?? "", "\(failure.repetition)", "\(failure.seed)"] + values + [failure.reason]
      table.append(cells.map { Table.Cell($0) })
    }
    csv = table.csv
  }
}
