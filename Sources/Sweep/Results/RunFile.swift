// A runs.csv on the disk as rows, read from its start as often as they are asked for.

import Analysis
import Import

/// The rows of a file in the form of `runs.csv`; memory is a piece of the file.
package struct RunFile: RowTable {
  /// The axes in its header; empty where that is malformed.
  package let axes: [String]
  /// What its rows measure.
  package let schema: RunSchema
  private let path: String
  private let name: String
  private let sweep: SweepDescription?

  /// A file, which is called by its path in messages, or by another name. Reads the header; what is wrong with it is said with the rows.
  /// With `sweep` its rows must be runs of that sweep.
  ///
  /// - Throws: `Refusal` where the file cannot be read.
  package init(path: String, shownAs name: String? = nil, sweep: SweepDescription? = nil) throws(Refusal) {
    (self.path, self.name, self.sweep) = (path, name ?? path, sweep)
    let source = try RowSource(path: path, shownAs: self.name)
    // What is malformed is found again, with all else, when the rows are asked for.
    _ = try? source.row()
    (axes, schema) = (source.axes, source.schema)
  }

  /// Hands on each row.
  ///
  /// - Throws: `FileProblems` after the last row where the file is malformed, `Refusal` where it cannot be read.
  package func forEachRow(_ receive: (RunRow) throws -> Void) throws {
    let source = try RowSource(path: path, shownAs: name, sweep: sweep)
    while let row = try source.row() { try receive(row) }
  }
}

extension ResultsFolder {
  /// The rows of a file that has been written and is not yet published.
  ///
  /// - Throws: `Refusal` where it cannot be read.
  package func rows(of name: String) throws(Refusal) -> RunFile {
    try RunFile(path: PartialFile.path(of: "\(path)/\(name)"), shownAs: "\(path)/\(name)")
  }
}
