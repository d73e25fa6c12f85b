// The entry point: runs and the sweep's description in, finished files out; nothing is read or written here.

import Analysis

/// A file of the report, UTF-8.
package struct ReportFile: Hashable, Sendable {
  /// The path in the results folder, e.g. `summary.csv` or `charts/cost.svg`.
  package let name: String
  package let contents: String
}

/// All files of a report.
package struct ReportFiles {
  /// `report.md`, `report.html`, and the charts in their folder, in the order in which they are written.
  package let files: [ReportFile]
  /// What `summary.csv` is of, which is written line by line before the others.
  package let summary: SweepSummary
  /// Files of other reports that this one has not: what an earlier report left under these names no longer holds.
  package let absent: [String]
}

/// Makes a report.
package enum Report {
  /// The names of all files that a report may have.
  package static var fileNames: [String] { [SummaryCSV.fileName, "report.md", "report.html"] + Charts.allPaths }

  /// The report of runs that were summarized: the same bytes for the same rows and description.
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

/// A command that runs a row of a report again: the point's first one.
struct ReproduceCommand {
  let point: PointSummary
  let command: String

  /// The command that makes the winner's first row again; nil where there is none.
  static func row(_ part: ReportPart) -> ReproduceCommand? {
    let summary = part.summary.principal.summary
    guard !part.sweep.reproduceCommand.isEmpty, let point = summary.winner ?? summary.best.first else { return nil }
    return ReproduceCommand(point, part.sweep.reproduceCommand)
  }

  /// The command that draws the best point beside the baseline; nil where there is none.
  static func picture(_ part: ReportPart) -> ReproduceCommand? {
    let summary = part.summary.principal.summary
    guard let template = part.sweep.explainCommand, summary.baseline != nil, let point = summary.leader else { return nil }
    return ReproduceCommand(point, template)
  }

  private init(_ point: PointSummary, _ template: String) {
    self.point = point
    command = Self.text(template, point: point.point, repetition: point.firstRun.repetition, seed: point.firstRun.seed)
  }

  /// The stratum of the rows that run again; of a setting over all strata, the one that weighs most.
  static func stratum(_ summary: SweepSummary) -> String? {
    summary.principal.name ?? summary.strata?.members.max { $0.weight < $1.weight }?.name
  }

  /// The template with `{point}`, `{repetition}` and `{seed}` filled in.
  static func text(_ template: String, point: String, repetition: Int, seed: UInt64) -> String {
    template.replacing(#/{(point|repetition|seed)}/#) { match in
      match.1 == "point" ? point : match.1 == "seed" ? "\(seed)" : "\(repetition)"
    }
  }
}
