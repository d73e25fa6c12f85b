// The entry point: runs and the sweep's description in, finished files out; nothing is read or written here.

/// Makes a report.
public enum Report {
  /// The report of a whole table, and of the rows on fresh seeds where there are any: the same bytes for the same rows and description.
  ///
  /// - Throws: `ReportError` where table and description do not fit.
  public static func make(runs: RunTable, confirmation: RunTable? = nil, sweep: SweepDescription) throws(ReportError) -> ReportFiles {
    make(summary: try summary(runs: runs, confirmation: confirmation, sweep: sweep), sweep: sweep)
  }

  /// The summary of a whole table, and of the rows on fresh seeds where there are any.
  ///
  /// - Throws: `ReportError` where table and description do not fit.
  public static func summary(runs: RunTable, confirmation: RunTable? = nil, sweep: SweepDescription) throws(ReportError) -> SweepSummary {
    var summarizer = Summarizer(axes: runs.axes, schema: runs.schema, keepsCosts: sweep.strata != nil)
    for row in runs.rows { try summarizer.add(row) }
    var summary = try summarizer.finish(sweep: sweep)
    if let confirmation, !confirmation.rows.isEmpty {
      var fresh = Summarizer(axes: confirmation.axes, schema: confirmation.schema, keepsCosts: sweep.strata != nil)
      for row in confirmation.rows { try fresh.add(row) }
      summary = summary.confirmed(by: try fresh.finishConfirmation(sweep: sweep))
    }
    return summary
  }

  /// A summary beside what its best points show on fresh seeds, whose rows were summarized as they came.
  public static func confirmed(
    _ summary: SweepSummary, by fresh: Summarizer, sweep: SweepDescription
  ) throws(ReportError) -> SweepSummary {
    fresh.isEmpty ? summary : summary.confirmed(by: try fresh.finishConfirmation(sweep: sweep))
  }

  /// The report of runs that were summarized as they came.
  public static func make(summary: SweepSummary, sweep: SweepDescription) -> ReportFiles {
    let charts = Charts.all(ChartData(summary, names: PointNames(axes: summary.axes, sweep: sweep), sweep: sweep))
    let files =
      [
        ReportFile(name: "summary.csv", contents: SummaryCSV.text(summary)),
        ReportFile(name: "report.md", contents: MarkdownReport.text(summary, sweep: sweep)),
        ReportFile(name: "report.html", contents: HTMLReport.text(summary, sweep: sweep, charts: charts)),
      ] + charts.map { ReportFile(name: Charts.path($0.name), contents: $0.file) }
    return ReportFiles(files: files, absent: Charts.names.filter { name in !charts.contains { $0.name == name } }.map(Charts.path))
  }
}
