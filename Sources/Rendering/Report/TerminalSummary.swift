// What a person sees when the sweep has ended: the sentence and a small table, no wider than the terminal.

import Analysis

package enum TerminalSummary {
  /// So many of the best points are shown, and the baseline.
  static let topCount = 5
  private static let memberLimit = 4

  /// What is done in a narrow terminal, one after the other until the table fits: a column left out, or the axes' values cut.
  private static let savings: [(column: PointTable.Part?, axisWidth: Int?)] =
    [(.headroom, nil), (.front, nil), (.percent, nil), (.megabytes, nil)] + (8...24).reversed().map { (nil, $0) }
    + [(.rank, nil), (.difference, nil)] + (3...7).reversed().map { (nil, $0) } + [(.verdict, nil)]

  /// The best five points and the baseline, and the sentence that says what won, in lines of at most `width` terminal columns.
  ///
  /// Where a narrow terminal has no room for all columns, some are left out, and long axis values are cut. Colours (ECMA-48) only
  /// where `isColored`. `width` is at least 20.
  package static func text(_ summary: SweepSummary, sweep: SweepDescription, width: Int = 80, isColored: Bool = false) -> String {
    let width = max(20, width)
    let part = ReportPart(summary, sweep: sweep)
    let sentences = [Headline(part: part, markup: .plain).text, ReportHead(part: part).runsSentence].filter { !$0.isEmpty }
    // Where nothing is said of all strata together, each of a few has its table.
    let members = summary.points.isEmpty && summary.strata?.members.isEmpty == false ? part.members.prefix(memberLimit) : []
    let tables =
      members.isEmpty
      ? [table(part, width: width, isColored: isColored)]
      : members.map { "\($0.place)\n" + table($0, width: width, isColored: isColored) }
    let lines = DisplayWidth.wrapped(sentences.joined(separator: " "), to: width)
    return tables.joined(separator: "\n") + "\n" + lines.joined(separator: "\n") + "\n"
  }

  /// The best points and the baseline in lines of at most `width` columns.
  private static func table(_ part: ReportPart, width: Int, isColored: Bool) -> String {
    var builder = PointTable(part: part, isNarrow: true)
    let shown = part.shown(limit: topCount + 1, top: topCount)
    var parts = builder.usefulParts
    var table = builder.table(shown, parts: parts)
    for (column, axisWidth) in savings where table.plainWidth > width {
      parts.removeAll { $0 == column }
      builder.axisWidth = axisWidth ?? builder.axisWidth
      table = builder.table(shown, parts: parts)
    }
    guard table.plainWidth > width else { return table.plainText(isColored: isColored) }
    let lines = table.plainText().split(separator: "\n", omittingEmptySubsequences: false)
    return lines.map { DisplayWidth.truncated(String($0), to: width) }.joined(separator: "\n")
  }
}
