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

package enum Report {
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

/// The commands that run a row of a report again: of each point its first one.
enum ReproduceCommand {
  /// The command that makes the winner's first row again, and the one that draws the best point beside the baseline, each with a sentence in
  /// front; none where there is no such point.
  static func all(_ part: ReportPart, _ markup: Markup) -> [(sentence: String, command: String)] {
    let summary = part.summary.principal.summary
    guard !part.sweep.reproduceCommand.isEmpty, let row = summary.winner ?? summary.best.first else { return [] }
    func command(_ point: PointSummary, _ template: String) -> String {
      text(template, point: point.point, repetition: point.firstRun.repetition, seed: point.firstRun.seed)
    }
    // Of a setting over all strata, the one that weighs most.
    let stratum = part.summary.principal.name ?? part.summary.strata?.members.max { $0.weight < $1.weight }?.name
    let place = stratum.map { ", \(markup.text($0))" } ?? ""
    var all = [
      (
        "Repetition \(row.firstRun.repetition) of \(markup.text(part.name(row)))\(place):", command(row, part.sweep.reproduceCommand)
      )
    ]
    if let template = part.sweep.explainCommand, summary.baseline != nil, let leader = summary.leader {
      let name = markup.text(part.name(leader)) + (markup == .page ? "" : place)
      all.append(("A picture of \(name) beside the baseline, on the same seed:", command(leader, template)))
    }
    return all
  }

  static func text(_ template: String, point: String, repetition: Int, seed: UInt64) -> String {
    template.replacing(#/{(point|repetition|seed)}/#) { match in
      match.1 == "point" ? point : match.1 == "seed" ? "\(seed)" : "\(repetition)"
    }
  }
}
