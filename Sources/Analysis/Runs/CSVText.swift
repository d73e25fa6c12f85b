// Comma separated values on the way out, quoted as RFC 4180 has it.

/// How a cell is written.
enum CSVText {
  /// The cell's bytes with a comma before it unless it is the line's first; quoted where it holds a comma, a quote or a line's end.
  static func append(_ cell: String, isFirst: Bool, to bytes: inout [UInt8]) {
    if !isFirst { bytes.append(comma) }
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

  /// A whole line with its line feed.
  static func appendLine(_ cells: [String], to bytes: inout [UInt8]) {
    for (index, cell) in cells.enumerated() { append(cell, isFirst: index == 0, to: &bytes) }
    bytes.append(lineFeed)
  }

  static let comma = UInt8(ascii: ",")
  static let quote = UInt8(ascii: "\"")
  static let lineFeed = UInt8(ascii: "\n")
  static let carriageReturn = UInt8(ascii: "\r")
}
