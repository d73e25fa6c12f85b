// The summary at the end of a run: a small table and the answer, no wider than the terminal.

import Analysis

package enum TerminalSummary {
  /// The number of best points shown beside the baseline.
  static let topCount = 5
  private static let memberLimit = 4

  /// The steps that make the table narrower, tried in order until it fits: omit a column, or truncate the axes' values.
  private static let savings: [(column: PointTable.Part?, axisWidth: Int?)] =
    [(.headroom, nil), (.front, nil), (.percent, nil), (.megabytes, nil)] + (8...24).reversed().map { (nil, $0) }
    + [(.rank, nil), (.difference, nil)] + (3...7).reversed().map { (nil, $0) } + [(.verdict, nil)]

  /// Returns the best five points, the baseline and the answer, in lines of at most `width` terminal columns (at least 20). `isColored`
  /// adds colours (ECMA-48).
  package static func text(_ summary: SweepSummary, sweep: SweepDescription, width: Int = 80, isColored: Bool = false) -> String {
    let width = max(20, width)
    let part = ReportPart(summary, sweep: sweep)
    let sentences = [Headline(part: part, markup: .plain).text, ReportHead(part: part).runsSentence].filter { !$0.isEmpty }
    // Without a weighted whole, each of a few strata has its own table.
    let members = summary.points.isEmpty && summary.strata?.members.isEmpty == false ? part.members.prefix(memberLimit) : []
    let tables =
      members.isEmpty
      ? [table(part, width: width, isColored: isColored)]
      : members.map { "\($0.scope)\n" + table($0, width: width, isColored: isColored) }
    let lines = DisplayWidth.wrapped(sentences.joined(separator: " "), to: width)
    return tables.joined(separator: "\n") + "\n" + lines.joined(separator: "\n") + "\n"
  }

  /// Returns the table of the best points and the baseline in lines of at most `width` columns.
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
