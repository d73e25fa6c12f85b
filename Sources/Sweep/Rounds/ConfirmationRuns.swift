// The best points on seeds that the sweep has not used.

/// The runs that confirm the winner of a sweep.
final class ConfirmationRuns {
  private let runs: JournaledRuns
  /// The places of the points that are confirmed, ascending.
  private let points: [Int]
  private let repetitions: ClosedRange<Int>
  /// How many of the repetitions are made.
  private var madeCount: Int
  /// How many of its runs an earlier start has made.
  private(set) var resumed: Int
  /// Why it ended early; nil where it did not.
  private(set) var note: String?

  init(_ runs: JournaledRuns, points: [Int], repetitions: ClosedRange<Int>) {
    (self.runs, self.points, self.repetitions) = (runs, points, repetitions)
    madeCount = repetitions.count
    resumed = runs.doneCount(RunBatch(points: points, repetitions: repetitions, pointCount: runs.runner.sweep.pointCount))
  }

  /// How many runs there are.
  var total: Int { points.count * madeCount }

  /// The rows; nil where there are none.
  var rows: JournaledRows? {
    guard madeCount > 0 else { return nil }
    let last = repetitions.lowerBound + madeCount - 1
    var limits = [Int](repeating: 0, count: runs.runner.sweep.pointCount)
    for place in points { limits[place] = last }
    return JournaledRows(runs: runs, repetitions: repetitions.lowerBound...last, limits: limits)
  }

  /// Runs what is missing; where device time is counted, block by block while there is room for the next.
  func run(_ spent: DeviceTime?, tick: () -> Void, isCancelled: @escaping @Sendable () -> Bool) throws {
    guard var spent else {
      if resumed < total { try runs.run(batch(repetitions), tick: tick, isCancelled: isCancelled) }
      return
    }
    var next = repetitions.lowerBound
    while next <= repetitions.upperBound {
      // Each device makes a block at a time, as in the race.
      let block = batch(next...min(repetitions.upperBound, next + (runs.runner.maker?.laneCount ?? 1) - 1))
      guard spent.hasRoom(for: points, blocks: block.repetitions.count) || runs.isBegun(block) else {
        // Nothing of what is left out was made at this start.
        resumed -= runs.doneCount(batch(next...repetitions.upperBound))
        madeCount = next - repetitions.lowerBound
        note = spent.note(points, confirmed: madeCount, of: repetitions.count)
        return
      }
      try runs.run(block, tick: tick, isCancelled: isCancelled)
      if isCancelled() { return }
      var limits = [Int](repeating: 0, count: block.pointCount)
      for place in points { limits[place] = block.repetitions.upperBound }
      try spent.add(block.repetitions, of: runs, limits: limits)
      next = block.repetitions.upperBound + 1
    }
  }

  private func batch(_ repetitions: ClosedRange<Int>) -> RunBatch {
    RunBatch(points: points, repetitions: repetitions, pointCount: runs.runner.sweep.pointCount)
  }
}
