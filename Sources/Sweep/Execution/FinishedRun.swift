// A run that has ended, as executors hand it to the journal.

/// Identifies a run: its point, its repetition and the seed that it ran with.
struct RunKey: Hashable, Sendable {
  /// The point's id, its 16 hexadecimal digits as a number; 0 for a point that is no valid scenario and so has none.
  var point: UInt64
  /// From 1.
  var repetition: Int
  /// The repetition's seed.
  var seed: UInt64

  /// The point's id as it is printed.
  var pointText: String { PointID.text(point) }
}

/// A run that has ended, well or not.
struct FinishedRun: Sendable {
  /// The point's place in the grid.
  var pointIndex: Int
  var key: RunKey
  var outcome: RunOutcome
  /// The time that it took on a real device, in whole milliseconds; nil where it was emulated.
  var deviceMs: Int?
}
