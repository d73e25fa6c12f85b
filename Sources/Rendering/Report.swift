// The entry point: runs and the sweep's description in, finished files out; nothing is read or written here.

import Analysis

/// Makes a report.
package enum Report {
  /// The names of all files that a report may have.
  package static var fileNames: [String] { ["summary.csv", "report.md", "report.html"] + Charts.allPaths }

  /// The report of a sweep: the same bytes for the same summary and description.
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
