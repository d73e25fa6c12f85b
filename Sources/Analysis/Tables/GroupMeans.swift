// What the points that share a value of an axis show together: an axis' effect, and the cells of a map of two axes.

/// Means over groups of points, taken within each repetition, so that their intervals are paired.
///
/// Made in two passes over the rows, one for the axes and one for the maps, of however many parts; see `GroupSums`.
package struct GroupMeans: Sendable {
  /// One group's mean.
  package struct Group: Sendable {
    /// How many points are in it.
    package var count = 0
    /// The mean over its points and the common repetitions.
    package var mean = Moments()
    /// The same less the mean over all points, paired by repetition; empty in a map, which does not show it.
    package var effect = Moments()
  }

  /// The groups by one axis' values.
  package struct Axis: Sendable {
    /// The values that points have, in the sweep file's order.
    package let values: [String]
    /// How many values the axis has, those without points among them.
    package let valueCount: Int
    /// A group for each of `values`, nil where a value stands there again; empty where there are too many to be drawn.
    package let groups: [Group?]

    /// From the least of the groups' means to the largest.
    package var spread: Double {
      let means = groups.compactMap { $0?.mean.mean }
      return (means.max() ?? 0) - (means.min() ?? 0)
    }
  }

  /// The groups by two axes' values.
  package struct Map: Sendable {
    /// The axes' places.
    package let across: Int, down: Int
    /// Row by row; nil where there are no points.
    package let cells: [Group?]
    /// The cell that is the baseline and no other point; nil where none is.
    package let baseline: Int?
  }

  /// More values of an axis are not drawn.
  package static let valueLimit = 60
  /// So many maps of narrow pairs are made, the shorter axis of which has no more values than this.
  package static let mapLimit = 6
  package static let narrowLimit = 12

  /// By the places of the summary's axes.
  package let axes: [Axis]
  /// Of pairs of axes with two values or more: first of the two that move the mean most, then of narrow pairs.
  package let maps: [Map]

  /// A part of a sweep: its points, their places in the source of their samples, ascending, and its baseline.
  package typealias Part = (summary: SweepSummary, places: [Int], baseline: SweepDescription.Baseline)

  /// By part, groups of all its points but a baseline that is no part of the grid, and what a search dropped; nil where they have no
  /// repetition in common. `limit` sums are in memory at once. O(points × repetitions × axes).
  package static func all(
    _ parts: [Part], pointCount: Int, sweep: SweepDescription, samples: some SampleSource, limit: Int
  ) throws -> [GroupMeans?] {
    let drafts = parts.map { GroupDraft($0, sweep: sweep) }
    let drawn = drafts.compactMap { $0 }
    guard !drawn.isEmpty else { return drafts.map { _ in nil } }
    let sums = GroupSums(drawn.map(\.part), pointCount: pointCount, limit: limit)
    let groups = try sums.effects(drawn.map(\.byAxis), samples)
    let axes = zip(drawn, groups).map { draft, groups in
      zip(draft.values, groups).map { Axis(values: $0.present, valueCount: $0.count, groups: $1) }
    }
    let pairs = axes.map(Self.pairs)
    let cells = zip(drawn, pairs).map { draft, pairs in pairs.map(draft.cells) }
    let means = pairs.allSatisfy(\.isEmpty) ? cells.map { _ in [] } : try sums.means(cells, samples)
    var made = drawn.indices.map { index in
      let maps = zip(zip(pairs[index], cells[index]), means[index]).map { map, means in
        let baseline = map.1.firstIndex { $0.count == 1 && drawn[index].isBaseline($0[0]) }
        return Map(across: map.0.across, down: map.0.down, cells: means, baseline: baseline)
      }
      return GroupMeans(axes: axes[index], maps: maps)
    }[...]
    return drafts.map { $0 == nil ? nil : made.removeFirst() }
  }

  /// The pairs of axes that maps are made of, those that move the mean most first; the longer one goes across.
  private static func pairs(_ axes: [Axis]) -> [(across: Int, down: Int)] {
    let moving = axes.indices.filter { axes[$0].groups.count > 1 }.sorted { (axes[$1].spread, $0) < (axes[$0].spread, $1) }
    let all = moving.indices.flatMap { first in moving[(first + 1)...].map { [moving[first], $0] } }
      .sorted { one, other in
        let spreads = [one, other].map { axes[$0[0]].spread + axes[$0[1]].spread }
        return spreads[0] != spreads[1] ? spreads[0] > spreads[1] : one.sorted().lexicographicallyPrecedes(other.sorted())
      }
      .map { pair in pair.sorted { (axes[$1].values.count, $0) < (axes[$0].values.count, $1) } }
    let narrow = all.dropFirst().filter { axes[$0[1]].values.count <= narrowLimit }
    let isFirstNarrow = all.first.map { axes[$0[1]].values.count <= narrowLimit } ?? false
    return (all.prefix(1) + narrow.prefix(isFirstNarrow ? mapLimit - 1 : mapLimit)).map { ($0[0], $0[1]) }
  }
}

/// The points of a part that are grouped, before it is known what they show.
private struct GroupDraft {
  let part: GroupSums.Part
  /// By axis, the values that points have, and how many the axis has.
  let values: [(present: [String], count: Int)]
  private let points: [PointSummary]

  init?(_ part: GroupMeans.Part, sweep: SweepDescription) {
    let summary = part.summary
    let kept = summary.points.indices.filter { index in
      let point = summary.points[index]
      return !point.isDropped && point.headlineMean != nil && (part.baseline.inGrid || !point.isBaseline)
    }
    let points = kept.map { summary.points[$0] }
    let repetitions = RepetitionSet.common(points.map(\.comparableRuns)).members
    guard !repetitions.isEmpty else { return nil }
    self.points = points
    self.part = GroupSums.Part(places: kept.map { part.places[$0] }, repetitions: repetitions)
    values = summary.axes.indices.map { axis in
      let all = summary.values(axis: axis, sweep: sweep)
      let present = Set(points.map { $0.axisValues[axis] })
      return (all.filter(present.contains), all.count)
    }
  }

  /// The groups of each axis, as positions among the points; none of an axis with too many values to be drawn.
  var byAxis: GroupSums.Lists {
    values.indices.map { axis in
      guard values[axis].present.count <= GroupMeans.valueLimit else { return [] }
      let place = places(axis)
      return members(values[axis].present.count) { place[$0.axisValues[axis]] ?? 0 }
    }
  }

  /// True if the point at a position is the baseline.
  func isBaseline(_ position: Int) -> Bool { points[position].isBaseline }

  /// The groups of two axes' values, row by row.
  func cells(_ pair: (across: Int, down: Int)) -> [[Int]] {
    let (column, row) = (places(pair.across), places(pair.down))
    let width = values[pair.across].present.count
    return members(width * values[pair.down].present.count) {
      (row[$0.axisValues[pair.down]] ?? 0) * width + (column[$0.axisValues[pair.across]] ?? 0)
    }
  }

  private func members(_ count: Int, _ place: (PointSummary) -> Int) -> [[Int]] {
    var members = [[Int]](repeating: [], count: count)
    for (index, point) in points.enumerated() { members[place(point)].append(index) }
    return members
  }

  private func places(_ axis: Int) -> [String: Int] {
    Dictionary(zip(values[axis].present, 0...), uniquingKeysWith: { first, _ in first })
  }
}
