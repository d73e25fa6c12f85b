// Tables of terminals and logs.

import Analysis
import Base

/// Plain text with two spaces between columns.
struct TextFormat: TableFormat {
  /// True for the colours of styles.
  let isColored: Bool
  /// True for a rule below the headings.
  let hasRule: Bool

  func text(_ table: Table) -> String {
    let lines = Self.lines(table)
    let widths = Self.widths(lines)
    let rule = widths.map { String(repeating: "-", count: $0) }.joined(separator: "  ")
    var text = ""
    for (number, line) in lines.enumerated() {
      var row = ""
      for (index, cell) in line.enumerated() {
        let padded = Self.padded(cell, to: widths[index], table.columns[index].alignment)
        let style = number == 0 ? .plain : table.rows[number - 1][index].style
        row += (index == 0 ? "" : "  ") + (isColored ? Self.colored(padded, style) : padded)
      }
      while row.hasSuffix(" ") { row.removeLast() }
      text += row + "\n" + (number == 0 && hasRule ? rule + "\n" : "")
    }
    return text
  }

  /// Returns a text between the codes that start and end a style (ECMA-48, SGR).
  static func colored(_ text: String, _ style: Table.Style) -> String {
    let codes: [Table.Style: String] = [.strong: "1", .good: "32", .bad: "31"]
    return codes[style].map { "\u{1B}[\($0)m\(text)\u{1B}[0m" } ?? text
  }

  // MARK: Layout

  fileprivate static func lines(_ table: Table) -> [[String]] { table.texts { SafeText.line($0.text) } }

  static func widths(_ lines: [[String]]) -> [Int] {
    guard let first = lines.first else { return [] }
    return first.indices.map { column in lines.reduce(0) { max($0, DisplayWidth.of($1[column])) } }
  }

  static func padded(_ text: String, to width: Int, _ alignment: Table.Alignment) -> String {
    let space = String(repeating: " ", count: max(0, width - DisplayWidth.of(text)))
    return alignment == .left ? text + space : space + text
  }
}

extension Table {
  /// Returns the table as plain text; `hasRule` adds a rule below the headings, `isColored` colours styles.
  package func plainText(isColored: Bool = false, hasRule: Bool = true) -> String {
    TextFormat(isColored: isColored, hasRule: hasRule).text(self)
  }

  /// The width of the plain text in terminal columns.
  var plainWidth: Int {
    let widths = TextFormat.widths(TextFormat.lines(self))
    return widths.reduce(0, +) + 2 * max(0, widths.count - 1)
  }
}
