// The summary at the end of a run: a small table, the answer and what to do next, no wider than the terminal.

import Analysis
import Base

package enum TerminalSummary {
  /// The number of best points shown beside the baseline.
  static let topCount = 5
  private static let memberLimit = 4

  /// Returns the steps in the order in which they are tried until the table fits. Rank and verdict always stay.
  private static func steps(_ builder: PointTable) -> [Table.Step] {
    let columns: [Table.Step] = [
      .omit([.headroom]), .omit([.cost]), .omit([.front]), .shortenVerdicts, .omitIntervals(.percent), .omit([.percent]),
      .omit(builder.sharedNames), .omitIntervals(.difference),
    ]
    return columns + (6...24).reversed().map { .truncate(builder.names, $0) }
      + [.omit(builder.names), .omit([.difference]), .omit([.headline])]
  }

  /// Returns the best five points, the baseline, the answer and the next steps, in lines of at most `width` terminal columns (at least 20).
  /// `isColored` adds colours (ECMA-48). The commands of next steps are not wrapped; they name `folder`, if it is not the usual one.
  package static func text(
    _ summary: SweepSummary, sweep: SweepDescription, width: Int = 80, isColored: Bool = false, folder: String? = nil
  ) -> String {
    let width = max(20, width)
    let part = ReportPart(summary, sweep: sweep)
    let sentences = [Headline(part: part, markup: .plain).text, ReportHead(part: part).runsSentence].filter { !$0.isEmpty }
    // Without a weighted whole, each of a few strata has its own table.
    let parts = summary.points.isEmpty && summary.strata?.members.isEmpty == false ? Array(part.members.prefix(memberLimit)) : [part]
    let tables = parts.map { table($0, width: width) }
    var texts = zip(parts, tables).map {
      ($0.scope.isEmpty ? "" : "\(SafeText.line($0.scope))\n") + $1.table.plainText(isColored: isColored)
    }
    let omitted = tables.flatMap(\.omitted).distinct
    func lines(_ text: String) -> String { DisplayWidth.wrapped(Words.unbroken(text), to: width).joined(separator: "\n") + "\n" }
    if !omitted.isEmpty { texts[texts.count - 1] += lines("Not shown in \(width) columns: \(SafeText.line(Words.list(omitted))).") }
    for name in tables.flatMap(\.names) { texts[texts.count - 1] += lines(SafeText.line(name)) }
    if summary.points.isEmpty, let count = summary.strata?.members.count, parts.count < count {
      texts[texts.count - 1] += lines("\(parts.count) of \(count) strata; the others are in summary.csv.")
    }
    texts.append(lines(sentences.joined(separator: " ")))
    let steps = NextSteps(part: part, markup: .plain, folder: folder).steps
    if !steps.isEmpty {
      texts.append(
        "\(NextSteps.title):\n"
          + steps.map { step in
            "- " + DisplayWidth.wrapped(Words.unbroken(step.text), to: width - 2).joined(separator: "\n  ") + "\n"
              + (step.command.isEmpty ? "" : "  \(step.command)\n")
          }.joined())
    }
    return texts.joined(separator: "\n")
  }

  /// Returns a table of at most `width` columns, the headings of its omitted columns, and the points' names if they have no column.
  private static func table(_ part: ReportPart, width: Int) -> (table: Table, omitted: [String], names: [String]) {
    let shown = part.shown(limit: topCount + 1, top: topCount)
    let builder = PointTable(part: part, shown: shown)
    let whole = builder.table().narrowed(by: [.shortenHeading(.headline), .shortenHeading(.cost)]).table
    let narrow = whole.narrowed(by: steps(builder)) { builder.distinguishes($0) && $0.plainWidth <= width }
    let isNamed = !narrow.table.ids.isDisjoint(with: builder.names)
    let names = isNamed ? [] : shown.map { "\(part.rank(part.summary.points[$0])): \(part.name(part.summary.points[$0]))" }
    return (narrow.table, builder.omissions(from: whole, in: narrow), names)
  }
}
