// Where the rows of a table come from.

import Analysis

/// Rows in the order of the table, by point and then by repetition, streamed.
public protocol RowSequence {
  /// Hands on each row; what `receive` throws ends it.
  func forEachRow(_ receive: (RunRow) throws -> Void) throws
}
