// Where the rows of a table come from, as often as they are asked for.

/// Rows in the order of the table, by point and then by repetition, streamed.
package protocol RowSequence {
  /// Hands on each row; what `receive` throws ends it.
  /// - Throws: what `receive` throws, and what reading the rows does.
  func forEachRow(_ receive: (RunRow) throws -> Void) throws
}
