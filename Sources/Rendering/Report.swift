// The entry point: runs and the sweep's description in, finished files out; nothing is read or written here.

import Analysis

/// Makes a report.
package enum Report {
  /// The report of a whole table, and of the rows on fresh seeds where there are any: the same bytes for the same rows and description.
  ///
  /// - Throws: `ReportError` where table and description do not fit.
  package static func make(runs: some RowTable, confirmation: (any RowTable)? = nil, sweep: SweepDescription) throws -> ReportFiles {
    make(summary: try summary(runs: runs, confirmation: confirmation, sweep: sweep), sweep: sweep)
  }

  /// The summary of a whole table, and of the rows on fresh seeds where there are any. Rows are streamed, a large table's several times;
  /// see `Summarizer` for what is in memory.
  ///
  /// - Throws: `ReportError` where table and description do not fit, and whatever the tables throw, which comes first.
  package static func summary(runs: some RowTable, confirmation: (any RowTable)? = nil, sweep: SweepDescription) throws -> SweepSummary {
    let summarizer = try summarized(runs, sweep)
    let fresh = try confirmation.map { ($0, try summarized($0, sweep)) }
    let summary = try summarizer.get().finish(sweep: sweep, rows: runs)
    guard let (rows, fresh) = fresh else { return summary }
    return try confirmed(summary, by: try fresh.get(), rows: rows, sweep: sweep)
  }

  /// Goes over all rows of a table; what does not fit the description is thrown only when the summarizer is asked for, since what is
  /// wrong with a file itself comes first.
  private static func summarized(_ table: some RowTable, _ sweep: SweepDescription) throws -> Result<Summarizer, ReportError> {
    var summarizer = Summarizer(axes: table.axes, schema: table.schema, sweep: sweep)
    var problem: ReportError?
    try table.forEachRow { row in
      guard problem == nil else { return }
      do throws(ReportError) { try summarizer.add(row) } catch { problem = error }
    }
    return problem.map { .failure($0) } ?? .success(summarizer)
  }

  /// A summary beside what its best points show on fresh seeds, whose rows were summarized as they came; `rows` are these once more.
  package static func confirmed(
    _ summary: SweepSummary, by fresh: Summarizer, rows: (any RowSequence)? = nil, sweep: SweepDescription
  ) throws -> SweepSummary {
    fresh.isEmpty ? summary : summary.confirmed(by: try fresh.finishConfirmation(sweep: sweep, rows: rows))
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
