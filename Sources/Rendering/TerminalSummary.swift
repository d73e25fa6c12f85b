// What a person sees when the sweep has ended: the sentence and a small table, no wider than the terminal.

import Analysis

/// The small closing table for a terminal.
package enum TerminalSummary {
  /// So many of the best points are shown, and the baseline.
  static let topCount = 5
  /// So many tables of models are shown.
  private static let memberLimit = 4

  /// What is done in a narrow terminal, one after the other until the table fits.
  private enum Saving {
    case without(PointTable.Part)
    case axes(width: Int)
  }

  private static let savings: [Saving] =
    [.without(.headroom), .without(.front), .without(.percent), .without(.megabytes)]
    + stride(from: 24, through: 8, by: -1).map { .axes(width: $0) }
    + [.without(.rank), .without(.difference)] + stride(from: 7, through: 3, by: -1).map { .axes(width: $0) } + [.without(.verdict)]

  /// The best five points and the baseline, and the sentence that says what won, in lines of at most `width` terminal columns.
  ///
  /// Where a narrow terminal has no room for all columns, some are left out, and long axis values are cut. Colours (ECMA-48) only
  /// where `isColored`. `width` is at least 20.
  package static func text(_ summary: SweepSummary, sweep: SweepDescription, width: Int = 80, isColored: Bool = false) -> String {
    let width = max(20, width)
    let names = PointNames(axes: summary.axes, sweep: sweep)
    let spared = RepetitionText.sentence(summary, sweep: sweep)
    let answer = StrataHeadline(summary, names: names, sweep: sweep, markup: .plain).text + (spared.isEmpty ? "" : " \(spared)")
    // Where nothing is said of all strata together, each of a few has its table.
    let members = summary.points.isEmpty ? (summary.strata?.members ?? []).prefix(memberLimit) : []
    let tables =
      members.isEmpty
      ? [table(summary, names: names, width: width, isColored: isColored)]
      : members.map { "\($0.name)\n" + table($0.summary, names: names, width: width, isColored: isColored) }
    return tables.joined(separator: "\n") + "\n" + wrapped(answer, to: width).joined(separator: "\n") + "\n"
  }

  /// The best points and the baseline in lines of at most `width` columns.
  private static func table(_ summary: SweepSummary, names: PointNames, width: Int, isColored: Bool) -> String {
    var builder = PointTable(summary: summary, names: names, isNarrow: true)
    let shown = builder.shown(limit: topCount + 1, top: topCount)
    var parts = builder.usefulParts
    var table = builder.table(shown, parts: parts)
    for saving in savings where table.plainWidth > width {
      switch saving {
      case .without(let part): parts.removeAll { $0 == part }
      case .axes(let width): builder.axisWidth = width
      }
      table = builder.table(shown, parts: parts)
    }
    return table.plainWidth > width ? cut(table.plainText(), to: width) : table.plainText(isColored: isColored)
  }

  private static func cut(_ text: String, to width: Int) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { DisplayWidth.truncated(String($0), to: width) }
      .joined(separator: "\n")
  }

  /// A space at which a line breaks only if it has no room for what the space joins.
  static let unbrokenSpace = "\u{A0}"

  /// The text in lines of at most `width` columns, broken between words; a longer word takes several lines.
  static func wrapped(_ text: String, to width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    let words = text.split(separator: " ").flatMap { word in
      DisplayWidth.of(String(word)) <= width ? [word] : word.split(separator: unbrokenSpace)
    }
    for piece in words.flatMap({ pieces($0.replacing(unbrokenSpace, with: " ")[...], of: width) }) {
      if line.isEmpty {
        line = piece
      } else if DisplayWidth.of(line) + 1 + DisplayWidth.of(piece) <= width {
        line += " " + piece
      } else {
        lines.append(line)
        line = piece
      }
    }
    return lines + [line]
  }

  /// A word in pieces of at most `width` columns.
  private static func pieces(_ word: Substring, of width: Int) -> [String] {
    var pieces = [""]
    for character in word {
      let longer = pieces[pieces.count - 1] + String(character)
      if DisplayWidth.of(longer) > width { pieces.append(String(character)) } else { pieces[pieces.count - 1] = longer }
    }
    return pieces
  }
}
