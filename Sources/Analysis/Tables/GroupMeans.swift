// What the points that share a value of an axis show together: an axis' effect, and the cells of a map of two axes.

/// Means over groups of points, taken within each repetition, so that their intervals are paired.
struct GroupMeans {
  /// One group's mean.
  struct Group {
    /// How many points are in it.
    var count = 0
    /// The mean over its points and the common repetitions.
    var mean: Moments
    /// The same less the mean over all points, paired by repetition.
    var effect: Moments
  }

  /// The points that count: the grid's, with the repetitions that all of them have.
  private let values: [[Double]]
  private let all: [Double]
  let points: [PointSummary]

  /// All points but a baseline that is no part of the grid, and what a search dropped. O(points × repetitions).
  init(_ summary: SweepSummary, sweep: SweepDescription) {
    let kept = summary.points.filter { !$0.isDropped && $0.headlineMean != nil && (sweep.baseline.inGrid || !$0.isBaseline) }
    var counts: [Int: Int] = [:]
    for point in kept {
      for pair in point.loadersByRepetition where !pair.loadersPer1000.isNaN { counts[pair.repetition, default: 0] += 1 }
    }
    let values = kept.map { point in
      point.loadersByRepetition.compactMap { counts[$0.repetition] == kept.count && !$0.loadersPer1000.isNaN ? $0.loadersPer1000 : nil }
    }
    points = kept
    self.values = values
    let size = values.first?.count ?? 0
    all = (0..<size).map { place in values.reduce(0) { $0 + $1[place] } / Double(kept.count) }
  }

  /// Whether there is anything to compare.
  var isEmpty: Bool { all.isEmpty }

  /// The groups of points by a number each point has, `count` of them; nil for a point that belongs to none.
  func groups(_ count: Int, of group: (PointSummary) -> Int?) -> [Group?] {
    var sums = [[Double]](repeating: [Double](repeating: 0, count: all.count), count: count)
    var counts = [Int](repeating: 0, count: count)
    for (index, point) in points.enumerated() {
      guard let place = group(point) else { continue }
      counts[place] += 1
      for repetition in all.indices { sums[place][repetition] += values[index][repetition] }
    }
    return (0..<count).map { place in
      guard counts[place] > 0 else { return nil }
      var result = Group(count: counts[place], mean: Moments(), effect: Moments())
      for repetition in all.indices {
        let mean = sums[place][repetition] / Double(counts[place])
        result.mean.add(mean)
        result.effect.add(mean - all[repetition])
      }
      return result
    }
  }

  /// The groups by one axis' values.
  func groups(axis: Int, values: [String]) -> [Group?] {
    let place = Dictionary(values.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    return groups(values.count) { place[$0.axisValues[axis]] }
  }
}
