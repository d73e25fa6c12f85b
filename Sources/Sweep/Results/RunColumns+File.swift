// The runs of a file on the disk.

import Analysis
import Import

extension RunColumns {
  /// Reads a file in the form of `runs.csv`, whose rows must be runs of the sweep.
  ///
  /// - Throws: `Refusal` where the file cannot be read, `FileProblems` where it is malformed.
  package init(path: String, sweep: SweepDescription) throws {
    let source = try RowSource(path: path, sweep: sweep)
    // The header has been read once a row has been asked for.
    var row = try source.row()
    self.init(axes: source.axes, schema: source.schema)
    while let next = row {
      try add(next)
      row = try source.row()
    }
  }
}
