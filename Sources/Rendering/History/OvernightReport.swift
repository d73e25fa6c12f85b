// overnight.md: what ran and won, what changed since the results before, and since when the winners win.

import Analysis
import Base

package struct OvernightReport {
  private var rows = "", changes = "", times = ""

  package init() {}

  /// Adds a sweep with the answer of its results; nil if it has no tables.
  package mutating func add(_ name: String, state: String, seconds: Int = 0, results: ResultsComparison.Results? = nil) {
    let answer = results.map { Words.unbroken(Headline(part: ReportPart($0.summary, sweep: $0.sweep), markup: .markdown).text) }
    rows += "| \(SafeText.markdown(name)) | \(state) | \(seconds) | \(answer ?? "") |\n"
  }

  /// Adds what changed since the results before.
  package mutating func add(_ name: String, _ comparison: ResultsComparison) {
    changes += "- \(SafeText.markdown(name)): \(comparison.answer(.markdown))\n"
  }

  /// Adds since when the winner of a sweep wins.
  package mutating func add(_ name: String, _ series: HistorySeries) {
    times += "- \(SafeText.markdown(name)): \(series.answer(.markdown))\n"
  }

  package static let fileName = "overnight.md"

  /// Returns `overnight.md`; `summary` has the numbers of good and other sweeps.
  package func file(date: String, summary: String) -> ReportFile {
    let text =
      "# Overnight run of \(date)\n\n\(SafeText.markdown(summary)).\n\n| sweep | state | seconds | answer |\n| --- | --- | ---: | --- |\n\(rows)"
      + (changes.isEmpty ? "" : "\n## Changes since the earlier results\n\n\(changes)")
      + (times.isEmpty ? "" : "\n## Winners and their first run\n\n\(times)\n[All runs](\(HistoryReport.fileNames[1]))\n")
    return ReportFile(name: Self.fileName, contents: text)
  }
}
