// What the points that share a value of an axis show together: an axis' effect, and the cells of a map of two axes.

/// Means over groups of points, taken within each repetition, so that their intervals are paired.
///
/// All points are needed at once for that, but not all repetitions: rows are gone over for so many repetitions at a time that their
/// values, 8 bytes a run, are within a limit.
struct GroupMeans: Sendable {
  /// One group's mean.
  struct Group: Sendable {
    /// How many points are in it.
    var count = 0
    /// The mean over its points and the common repetitions.
    var mean = Moments()
    /// The same less the mean over all points, paired by repetition.
    var effect = Moments()
  }

  /// The groups by one axis' values.
  struct Axis: Sendable {
    /// The values that points have, in the sweep file's order.
    let values: [String]
    /// How many values the axis has, those without points among them.
    let valueCount: Int
    /// A group for each of `values`, nil where a value stands there again; empty where there are too many to be drawn.
    let groups: [Group?]

    /// From the least of the groups' means to the largest.
    var spread: Double {
      let means = groups.compactMap { $0?.mean.mean }
      return (means.max() ?? 0) - (means.min() ?? 0)
    }
  }

  /// The groups by two axes' values.
  struct Map: Sendable {
    /// The axes' places.
    let across: Int, down: Int
    /// Row by row; nil where there are no points.
    let cells: [Group?]
  }

  /// More values of an axis are not drawn.
  static let valueLimit = 60

  /// By the places of the summary's axes.
  let axes: [Axis]
  /// Of the two axes that move the mean most; nil without two axes of two values or more.
  let map: Map?

  /// Groups of all points but a baseline that is no part of the grid, and what a search dropped; nil where they have no repetition in
  /// common. `limit` values are in memory at once, or one repetition's. O(points × repetitions × axes).
  init?(_ summary: SweepSummary, sweep: SweepDescription, samples: some SampleSource, limit: Int) throws {
    let kept = summary.points.indices.filter { index in
      let point = summary.points[index]
      return !point.isDropped && point.headlineMean != nil && (sweep.baseline.inGrid || !point.isBaseline)
    }
    let points = kept.map { summary.points[$0] }
    let repetitions = RepetitionSet.common(points.map(\.comparableRuns)).members
    guard !repetitions.isEmpty else { return nil }
    var columns = RepetitionColumns(places: kept, repetitions: repetitions, pointCount: summary.points.count, limit: limit)
    let values = summary.axes.indices.map { axis -> (present: [String], count: Int) in
      let all = summary.values(axis: axis, sweep: sweep)
      let present = Set(points.map { $0.axisValues[axis] })
      return (all.filter(present.contains), all.count)
    }
    func members(_ count: Int, _ place: (PointSummary) -> Int) -> [[Int]] {
      var members = [[Int]](repeating: [], count: count)
      for (index, point) in points.enumerated() { members[place(point)].append(index) }
      return members
    }
    func places(_ axis: Int) -> [String: Int] { Dictionary(zip(values[axis].present, 0...), uniquingKeysWith: { first, _ in first }) }
    let byAxis = values.enumerated().map { axis, values -> [[Int]] in
      guard values.present.count <= Self.valueLimit else { return [] }
      let place = places(axis)
      return members(values.present.count) { place[$0.axisValues[axis]] ?? 0 }
    }
    let groups = try columns.groups(byAxis, samples)
    axes = zip(values, groups).map { Axis(values: $0.present, valueCount: $0.count, groups: $1) }
    guard let (across, down) = Self.twoAxes(axes) else {
      map = nil
      return
    }
    let (column, row) = (places(across), places(down))
    let width = axes[across].values.count
    let cells = members(width * axes[down].values.count) {
      (row[$0.axisValues[down]] ?? 0) * width + (column[$0.axisValues[across]] ?? 0)
    }
    map = Map(across: across, down: down, cells: try columns.groups([cells], samples)[0])
  }

  /// The two axes that move the mean most; the longer one goes across.
  private static func twoAxes(_ axes: [Axis]) -> (Int, Int)? {
    let moving = axes.indices.filter { axes[$0].groups.count > 1 }.sorted { (axes[$1].spread, $0) < (axes[$0].spread, $1) }
    guard moving.count > 1 else { return nil }
    let pair = moving.prefix(2).sorted { (axes[$1].values.count, $0) < (axes[$0].values.count, $1) }
    return (pair[0], pair[1])
  }
}

/// What points show, a stretch of repetitions at a time.
private struct RepetitionColumns {
  /// The points' places in the source, ascending.
  let places: [Int]
  /// The repetitions that all of them have, rising.
  let repetitions: [Int]
  /// For each place of the source, its place among `places`.
  private let positions: [Int?]
  /// How many repetitions a stretch has.
  private let width: Int
  /// The stretch that is gathered.
  private var stretch = 0..<0
  private var values: [[Double]] = []

  init(places: [Int], repetitions: [Int], pointCount: Int, limit: Int) {
    (self.places, self.repetitions) = (places, repetitions)
    var positions = [Int?](repeating: nil, count: pointCount)
    for (position, place) in places.enumerated() { positions[place] = position }
    self.positions = positions
    width = max(1, limit / places.count)
  }

  /// The means of groups, some lists of them, each group by its members among `places`; nil for a group without members.
  mutating func groups(_ lists: [[[Int]]], _ samples: some SampleSource) throws -> [[GroupMeans.Group?]] {
    var results = lists.map { list in list.map { $0.isEmpty ? nil : GroupMeans.Group(count: $0.count) } }
    for first in stride(from: 0, to: repetitions.count, by: width) {
      try gather(first..<min(repetitions.count, first + width), samples)
      let all = stretch.indices.map { place in values.reduce(0) { $0 + $1[place - first] } / Double(places.count) }
      for (list, groups) in lists.enumerated() {
        for (index, members) in groups.enumerated() {
          for (place, mean) in all.enumerated() where !members.isEmpty {
            let own = members.reduce(0) { $0 + values[$1][place] } / Double(members.count)
            results[list][index]?.mean.add(own)
            results[list][index]?.effect.add(own - mean)
          }
        }
      }
    }
    return results
  }

  /// Gathers a stretch, unless that is at hand.
  private mutating func gather(_ wanted: Range<Int>, _ samples: some SampleSource) throws {
    guard wanted != stretch else { return }
    var found = [[Double]](repeating: [], count: places.count)
    let (positions, repetitions) = (positions, repetitions[wanted])
    values = []
    try samples.forEach(where: { positions[$0] != nil }) { place, sample in
      guard let position = positions[place] else { return }
      var next = repetitions.startIndex
      found[position].reserveCapacity(repetitions.count)
      for pair in sample.loaders where next < repetitions.endIndex && pair.repetition == repetitions[next] {
        found[position].append(pair.loadersPer1000)
        next += 1
      }
    }
    (values, stretch) = (found, wanted)
  }
}
