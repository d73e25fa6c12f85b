// A run that has ended, as executors hand it to the journal and as that keeps it.

/// Identifies a run: its point, by its id and never by its place in a grid, its repetition and the seed that it ran with.
struct RunKey: Hashable, Sendable {
  /// The point's id, its 16 hexadecimal digits as a number; 0 for a point that is no valid scenario and so has none.
  var point: UInt64
  /// From 1.
  var repetition: Int
  var seed: UInt64

  /// The point's id as it is printed.
  var pointText: String { PointID.text(point) }
}

/// A run that has ended, well or not.
struct FinishedRun: Equatable, Sendable {
  var key: RunKey
  var outcome: RunOutcome
  /// The time that it took on a real device, in whole milliseconds; nil for emulated runs, whose time is simulated and known from the row.
  var deviceMs: Int?

  /// One value a metric, in the order of `Metric.allCases`; nil if it failed.
  var metrics: [Double?]? { if case .metrics(let metrics) = outcome { metrics } else { nil } }
}
