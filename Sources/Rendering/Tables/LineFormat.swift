// The protocol of formats for other programs; each has a file in Rendering/Formats (as in hyperfine's export).

/// A format that writes each row without the others, so that a table may have a million of them.
package protocol LineFormat: Sendable {
  /// Returns the lines before the rows; empty for none.
  func head(_ columns: [Table.Column]) -> [UInt8]
  /// Returns the line of a row, ended by a line feed.
  func line(_ row: [Table.Cell], _ columns: [Table.Column]) -> [UInt8]
}
