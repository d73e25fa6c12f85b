// The entry point: runs and the sweep's description in, finished files out; nothing is read or written here.

/// A file of the report: its name in the results folder and its contents.
public struct ReportFile: Hashable, Sendable {
  /// The name in the results folder, e.g. `summary.csv`.
  public let name: String
  /// The contents, UTF-8.
  public let contents: String
}

/// All files of a report, in the order in which they are written.
public struct ReportFiles: Hashable, Sendable {
  /// The files, `summary.csv` and `report.md`.
  public let files: [ReportFile]

  /// The contents of one of them; nil where there is none of this name.
  public subscript(name: String) -> String? { files.first { $0.name == name }?.contents }
}

/// Makes a report.
public enum Report {
  /// The report of a whole table: the same bytes for the same rows and description.
  ///
  /// - Throws: `ReportError` where table and description do not fit.
  public static func make(runs: RunTable, sweep: SweepDescription) throws(ReportError) -> ReportFiles {
    var summarizer = Summarizer(axes: runs.axes)
    for row in runs.rows { try summarizer.add(row) }
    return make(summary: try summarizer.finish(sweep: sweep), sweep: sweep)
  }

  /// The report of runs that were summarized as they came.
  public static func make(summary: SweepSummary, sweep: SweepDescription) -> ReportFiles {
    ReportFiles(files: [
      ReportFile(name: "summary.csv", contents: SummaryCSV.text(summary)),
      ReportFile(name: "report.md", contents: MarkdownReport.text(summary, sweep: sweep)),
    ])
  }
}
