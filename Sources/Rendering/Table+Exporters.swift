// The table as GitHub's Markdown, as comma separated values and as plain text.

import Analysis

extension Table {
  /// GitHub-flavored Markdown (GFM 4.10), padded so that it reads as plain text too.
  package var markdown: String {
    let lines = mapTexts { cell in
      let text = SafeText.markdown(cell.text)
      let notes = cell.footnotes.map { "[^\($0)]" }.joined()
      return (cell.style == .strong && !text.isEmpty ? "**\(text)**" : text) + notes
    }
    let widths = Table.widths(lines).map { max(3, $0) }
    func row(_ texts: [String]) -> String {
      let cells = texts.enumerated().map { Table.padded($1, to: widths[$0], columns[$0].alignment) }
      return "| " + cells.joined(separator: " | ") + " |\n"
    }
    let rule = columns.indices.map { index in
      columns[index].alignment == .left
        ? String(repeating: "-", count: widths[index]) : String(repeating: "-", count: widths[index] - 1) + ":"
    }
    return row(lines[0]) + row(rule) + lines.dropFirst().map(row).joined()
  }

  /// Comma separated values (RFC 4180), the heads in the first line.
  package var csv: String {
    var bytes: [UInt8] = []
    for line in mapTexts({ SafeText.line($0.text) }) { CSVText.appendLine(line, to: &bytes) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Plain text: two spaces between the columns, a rule below the heads where it `hasRule`; styles as colours where `isColored`.
  package func plainText(isColored: Bool = false, hasRule: Bool = true) -> String {
    let lines = mapTexts { SafeText.line($0.text) }
    let widths = Table.widths(lines)
    let rule = widths.map { String(repeating: "-", count: $0) }.joined(separator: "  ")
    var text = ""
    for (number, line) in lines.enumerated() {
      var row = ""
      for (index, cell) in line.enumerated() {
        let padded = Table.padded(cell, to: widths[index], columns[index].alignment)
        let style = number == 0 ? Style.plain : rows[number - 1][index].style
        row += (index == 0 ? "" : "  ") + (isColored ? Table.colored(padded, style) : padded)
      }
      while row.hasSuffix(" ") { row.removeLast() }
      text += row + "\n" + (number == 0 && hasRule ? rule + "\n" : "")
    }
    return text
  }

  /// The width of `plainText` in terminal columns.
  package var plainWidth: Int {
    let widths = Table.widths(mapTexts { SafeText.line($0.text) })
    return widths.reduce(0, +) + 2 * max(0, widths.count - 1)
  }

  /// A text between the codes that switch a style on and off (ECMA-48, SGR).
  static func colored(_ text: String, _ style: Style) -> String {
    let code: String
    switch style {
    case .plain: return text
    case .strong: code = "1"
    case .good: code = "32"
    case .bad: code = "31"
    }
    return "\u{1B}[\(code)m\(text)\u{1B}[0m"
  }
}
