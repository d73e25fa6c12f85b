// Some of a sweep's runs: a stretch of repetitions of all points, or of those that are still of interest.

/// Points times repetitions, in the order in which they run: repetition by repetition.
package struct RunBatch: Sendable {
  /// The points' places, ascending; nil for all.
  package var points: [Int]?
  /// From 1.
  package var repetitions: ClosedRange<Int>
  /// How many points the sweep has.
  package let pointCount: Int

  /// A batch of some points, or of all.
  package init(points: [Int]? = nil, repetitions: ClosedRange<Int>, pointCount: Int) {
    self.points = points
    self.repetitions = repetitions
    self.pointCount = pointCount
  }

  /// How many points.
  package var width: Int { points?.count ?? pointCount }

  /// How many runs.
  package var count: Int { width * repetitions.count }

  /// The point and the repetition of the n-th run.
  package func run(_ order: Int) -> (point: Int, repetition: Int) {
    let place = order % width
    return (points?[place] ?? place, repetitions.lowerBound + order / width)
  }

  /// The place of a run among all runs of a sweep.
  package func index(_ run: (point: Int, repetition: Int)) -> Int { (run.repetition - 1) * pointCount + run.point }
}
