// Comma-separated values, quoted as in RFC 4180.

package enum CSVText {
  /// Appends a cell, after a comma unless it is the line's first. A cell with a comma, a quote or a line end is quoted; a cell that a
  /// spreadsheet would take for a formula gets an apostrophe in front.
  package static func append(_ cell: String, isFirst: Bool, to bytes: inout [UInt8]) {
    if !isFirst { bytes.append(comma) }
    let cell = isFormula(cell) ? "'\(cell)" : cell
    guard cell.utf8.contains(where: { $0 == comma || $0 == quote || $0 == lineFeed || $0 == carriageReturn }) else {
      bytes.append(contentsOf: cell.utf8)
      return
    }
    bytes.append(quote)
    for byte in cell.utf8 {
      if byte == quote { bytes.append(quote) }
      bytes.append(byte)
    }
    bytes.append(quote)
  }

  package static func line(_ cells: [String]) -> [UInt8] {
    var bytes: [UInt8] = []
    for (index, cell) in cells.enumerated() { append(cell, isFirst: index == 0, to: &bytes) }
    return bytes + [lineFeed]
  }

  /// Returns the text of a cell that `append` wrote, without the apostrophe before a formula.
  package static func text(ofCell cell: String) -> String {
    cell.utf8.first == apostrophe && isFormula(cell) ? String(cell.dropFirst()) : cell
  }

  /// True if a spreadsheet would run the cell as a formula, or if it looks like a formula with an apostrophe. Numbers are no formulas.
  private static func isFormula(_ cell: String) -> Bool {
    guard let first = cell.unicodeScalars.first, first == "'" || opensFormula(first) else { return false }
    if first == "'" { return cell.unicodeScalars.first { $0 != "'" }.map(opensFormula) ?? false }
    return Double(cell) == nil
  }

  /// True if spreadsheets take the character for the start of a formula, the full-width forms included.
  private static func opensFormula(_ scalar: Unicode.Scalar) -> Bool {
    "=+-@\t\r\u{FF1D}\u{FF0B}\u{FF0D}\u{FF20}".unicodeScalars.contains(scalar)
  }

  private static let apostrophe = UInt8(ascii: "'")
  package static let comma = UInt8(ascii: ",")
  package static let quote = UInt8(ascii: "\"")
  package static let lineFeed = UInt8(ascii: "\n")
  static let carriageReturn = UInt8(ascii: "\r")
}
