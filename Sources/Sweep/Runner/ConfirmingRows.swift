// The rows on fresh seeds, as a sequence of their own.

import Analysis

/// The rows that confirm a sweep's winner; none where there is no sweep.
package struct ConfirmingRows: RowSequence {
  private let sweep: JournaledSweep?

  /// The rows of a sweep whose `confirm` has returned.
  package init(_ sweep: JournaledSweep?) { self.sweep = sweep }

  /// Hands on each row in the order of the table.
  package func forEachRow(_ receive: (RunRow) throws -> Void) throws { try sweep?.forEachConfirmingRow(receive) }
}
