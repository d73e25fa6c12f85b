// The entry point: runs and the sweep's description in, finished files out; nothing is read or written here.

import Analysis

/// Makes a report.
package enum Report {
  /// The report of a whole table, and of the rows on fresh seeds where there are any: the same bytes for the same rows and description.
  ///
  /// - Throws: `ReportError` where table and description do not fit.
  package static func make(runs: some RowTable, confirmation: (any RowTable)? = nil, sweep: SweepDescription) throws -> ReportFiles {
    make(summary: try SweepSummary.of(runs: runs, confirmation: confirmation, sweep: sweep), sweep: sweep)
  }

  /// The names of all files that a report may have.
  package static var fileNames: [String] { ["summary.csv", "report.md", "report.html"] + Charts.allPaths }

  /// The report of runs that were summarized as they came.
  package static func make(summary: SweepSummary, sweep: SweepDescription) -> ReportFiles {
    let charts = Charts(summary, names: PointNames(axes: summary.axes, sweep: sweep), sweep: sweep)
    let files =
      [
        ReportFile(name: "summary.csv", contents: SummaryCSV.text(summary)),
        ReportFile(name: "report.md", contents: MarkdownReport.text(summary, sweep: sweep, charts: charts)),
        ReportFile(name: "report.html", contents: HTMLReport.text(summary, sweep: sweep, charts: charts)),
      ] + charts.files
    let names = Set(files.map(\.name))
    return ReportFiles(files: files, absent: Charts.allPaths.filter { !names.contains($0) })
  }
}
