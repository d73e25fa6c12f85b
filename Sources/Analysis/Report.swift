// The entry point: runs and the sweep's description in, finished files out; nothing is read or written here.

/// Makes a report.
public enum Report {
  /// The report of a whole table: the same bytes for the same rows and description.
  ///
  /// - Throws: `ReportError` where table and description do not fit.
  public static func make(runs: RunTable, sweep: SweepDescription) throws(ReportError) -> ReportFiles {
    var summarizer = Summarizer(axes: runs.axes, schema: runs.schema)
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
