// Finished files by their names; whoever asked for them writes them.

/// A file of the report: its name in the results folder and its contents.
package struct ReportFile: Hashable, Sendable {
  /// The name in the results folder, e.g. `summary.csv` or `charts/cost.svg`.
  package let name: String
  /// The contents, UTF-8.
  package let contents: String
}

/// All files of a report, in the order in which they are written.
package struct ReportFiles: Hashable, Sendable {
  /// The files: `summary.csv`, `report.md`, `report.html`, and the charts in their folder.
  package let files: [ReportFile]
  /// Files of other reports that this one has not: what an earlier report left under these names no longer holds.
  package let absent: [String]

  /// The contents of one of them; nil where there is none of this name.
  package subscript(name: String) -> String? { files.first { $0.name == name }?.contents }
}
