// The protocol of output formats; each has a file in Rendering/Formats (as in hyperfine's export).

/// A format that renders a table.
package protocol TableFormat: Sendable {
  func text(_ table: Table) -> String
}

/// A format whose lines need no row but their own, so that a table may have a million of them.
package protocol LineFormat: TableFormat {
  /// Returns the lines before the rows; empty for none.
  func head(_ columns: [Table.Column]) -> [UInt8]
  /// Returns the line of a row, ended by a line feed.
  func line(_ row: [Table.Cell], _ columns: [Table.Column]) -> [UInt8]
}

extension LineFormat {
  package func text(_ table: Table) -> String {
    String(decoding: head(table.columns) + table.rows.flatMap { line($0, table.columns) }, as: UTF8.self)
  }
}
