// The summary at the end of a run: a small table, the answer and what to do next, no wider than the terminal.

import Analysis

package enum TerminalSummary {
  /// The number of best points shown beside the baseline.
  static let topCount = 5
  private static let memberLimit = 4

  /// The steps in the order in which they are tried until the table fits. Rank and verdict always stay.
  private static let savings: [PointTable.Saving] =
    [.omit(.headroom), .omit(.front), .omit(.percent), .omit(.megabytes)] + (8...24).reversed().map { .shortenAxes($0) }
    + [.omit(.difference), .shortenVerdict] + (4...7).reversed().map { .shortenAxes($0) } + [.omit(.loaders)]

  /// Returns the best five points, the baseline, the answer and the next steps, in lines of at most `width` terminal columns (at least 20).
  /// `isColored` adds colours (ECMA-48).
  package static func text(_ summary: SweepSummary, sweep: SweepDescription, width: Int = 80, isColored: Bool = false) -> String {
    let width = max(20, width)
    let part = ReportPart(summary, sweep: sweep)
    let sentences = [Headline(part: part, markup: .plain).text, ReportHead(part: part).runsSentence].filter { !$0.isEmpty }
    // Without a weighted whole, each of a few strata has its own table.
    let members = summary.points.isEmpty && summary.strata?.members.isEmpty == false ? part.members.prefix(memberLimit) : []
    let tables = members.isEmpty ? [table(part, width: width)] : members.map { table($0, width: width) }
    var texts = zip(tables, members.isEmpty ? [""] : members.map { "\(SafeText.line($0.scope))\n" }).map {
      $1 + $0.table.plainText(isColored: isColored)
    }
    var omitted: [String] = []
    for name in tables.flatMap(\.omitted) where !omitted.contains(name) { omitted.append(name) }
    func lines(_ text: String) -> String { DisplayWidth.wrapped(Words.unbroken(text), to: width).joined(separator: "\n") + "\n" }
    if !omitted.isEmpty { texts[texts.count - 1] += lines("Not shown in \(width) columns: \(SafeText.line(Words.list(omitted))).") }
    texts.append(lines(sentences.joined(separator: " ")))
    let steps = NextSteps(part: part, markup: .plain).sentences
    if !steps.isEmpty {
      texts.append(
        "\(NextSteps.title):\n"
          + steps.map { "- " + DisplayWidth.wrapped(Words.unbroken($0), to: width - 2).joined(separator: "\n  ") + "\n" }.joined())
    }
    return texts.joined(separator: "\n")
  }

  /// Returns the table of the best points and the baseline in at most `width` columns, and the headings of its omitted columns.
  private static func table(_ part: ReportPart, width: Int) -> (table: Table, omitted: [String]) {
    let builder = PointTable(part: part, isNarrow: true)
    let shown = part.shown(limit: topCount + 1, top: topCount)
    let all = savings + part.axes.map { _ in .omitAxis }
    let narrowed = builder.narrowed(by: all.prefix(builder.count(of: all, for: shown) { $0.plainWidth <= width }))
    return (narrowed.builder.table(shown, parts: narrowed.parts), narrowed.omitted)
  }
}
