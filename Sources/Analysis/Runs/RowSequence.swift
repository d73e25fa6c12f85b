// Where the rows of a table come from, as often as they are asked for.

/// Rows in the order of the table, by point and then by repetition, streamed.
package protocol RowSequence {
  /// Hands on each row; what `receive` throws ends it.
  func forEachRow(_ receive: (RunRow) throws -> Void) throws
}

/// Rows that say what their columns are.
package protocol RowTable: RowSequence {
  /// The swept parameters by their dotted paths, in the columns' order.
  var axes: [String] { get }
  /// What the rows measure.
  var schema: RunSchema { get }
}

extension RunTable: RowTable {
  /// Hands on each row.
  package func forEachRow(_ receive: (RunRow) throws -> Void) throws { for row in rows { try receive(row) } }
}
