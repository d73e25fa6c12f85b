// Tables of terminals and logs: plain text with two spaces between columns.

import Base

extension Table {
  /// Returns the table as plain text; `hasRule` adds a rule below the headings, `isColored` colours styles.
  package func plainText(isColored: Bool = false, hasRule: Bool = true) -> String {
    let lines = plainLines
    let widths = Self.widths(lines)
    let rule = widths.map { String(repeating: "-", count: $0) }.joined(separator: "  ")
    var text = ""
    for (number, line) in lines.enumerated() {
      var row = ""
      for (index, cell) in line.enumerated() {
        let padded = columns[index].alignment.padded(cell, to: widths[index])
        let style = number == 0 ? .plain : rows[number - 1][index].style
        row += (index == 0 ? "" : "  ") + (isColored ? style.colored(padded) : padded)
      }
      while row.hasSuffix(" ") { row.removeLast() }
      text += row + "\n" + (number == 0 && hasRule ? rule + "\n" : "")
    }
    return text
  }

  var plainWidth: Int {
    let widths = Self.widths(plainLines)
    return widths.reduce(0, +) + 2 * max(0, widths.count - 1)
  }

  private var plainLines: [[String]] { texts { SafeText.line($0.text) } }

  /// Returns the width of each column in terminal columns.
  static func widths(_ lines: [[String]]) -> [Int] {
    lines[0].indices.map { column in lines.reduce(0) { max($0, DisplayWidth.of($1[column])) } }
  }
}

extension Table.Alignment {
  func padded(_ text: String, to width: Int) -> String {
    let space = String(repeating: " ", count: max(0, width - DisplayWidth.of(text)))
    return self == .left ? text + space : space + text
  }
}

extension Table.Style {
  /// Returns a text between the codes that start and end the style (ECMA-48, SGR).
  func colored(_ text: String) -> String {
    let codes: [Self: String] = [.strong: "1", .good: "32", .bad: "31"]
    return codes[self].map { "\u{1B}[\($0)m\(text)\u{1B}[0m" } ?? text
  }
}
