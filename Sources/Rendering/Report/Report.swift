// The entry point of reports: takes a summary and the sweep's description, returns files; it reads and writes none.

import Analysis

/// A UTF-8 file of the report.
package struct ReportFile: Hashable, Sendable {
  /// The path in the results folder, e.g. `summary.csv` or `charts/cost.svg`.
  package let name: String
  package let contents: String
}

package struct ReportFiles {
  /// `report.md`, `report.html` and the charts, in the order in which they are written.
  package let files: [ReportFile]
  /// The summary for `summary.csv`, which is written line by line before the other files.
  package let summary: SweepSummary
  /// The paths of files that other reports have and this one does not; an earlier report's files there are obsolete.
  package let absent: [String]
}

package enum Report {
  package static var fileNames: [String] { [SummaryTable.fileName, "report.md", "report.html"] + Charts.allPaths }

  /// Makes the report; equal rows and descriptions give equal bytes.
  package static func make(summary: SweepSummary, sweep: SweepDescription) -> ReportFiles {
    let part = ReportPart(summary, sweep: sweep)
    let charts = Charts(summary, sweep: sweep)
    let texts = [
      ("report.md", MarkdownReport(part: part, charts: charts).text),
      ("report.html", HTMLReport(part: part, charts: charts).text),
    ]
    let files = (texts + charts.files).map { ReportFile(name: $0.0, contents: $0.1) }
    let names = Set(files.map(\.name))
    return ReportFiles(files: files, summary: summary, absent: Charts.allPaths.filter { !names.contains($0) })
  }
}

/// The commands that repeat a run of a report: one in which the point differs from the baseline.
enum RepeatCommand {
  /// Returns the commands that repeat a run of the winner and that draw the best point beside the baseline, each with a sentence before it.
  static func all(_ part: ReportPart, _ markup: Markup) -> [(sentence: String, command: String)] {
    let (stratum, summary) = part.summary.principal
    guard let row = summary.winner ?? summary.best.first else { return [] }
    func named(_ point: PointSummary, _ run: ShownRun) -> String {
      markup.text(part.name(point)) + ((run.stratum ?? stratum).map { ", \(markup.text($0))" } ?? "")
    }
    let run = summary.shownRun(of: row)
    guard let command = part.sweep.repeatCommand(point: run.point, repetition: "\(run.repetition)") else { return [] }
    var all = [("Repetition \(run.repetition) of \(named(row, run)):", command)]
    if summary.baseline != nil, let leader = summary.leader {
      let run = summary.shownRun(of: leader)
      // Two equal sides have nothing to show.
      if run.differs, let command = part.sweep.explainCommand(point: run.point, repetition: "\(run.repetition)") {
        all.append(("A timeline of \(named(leader, run)) beside the baseline, on the same seed:", command))
      }
    }
    return all
  }
}
