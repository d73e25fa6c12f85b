// What the points that share a value of an axis show together: an axis' effect, and the cells of a map of two axes.

/// Means over groups of points, taken within each repetition, so that their intervals are paired.
package struct MarginalMeans {
  /// One group's mean.
  package struct Group: Sendable {
    package let count: Int
    /// Over the common repetitions, the mean over its points.
    package let mean: Sample
    /// The same less the mean over all points.
    package let effect: Sample
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

  /// Groups of all points of a summary but a baseline that is no part of the grid, and what a search dropped; nil where they have no
  /// repetition in common. O(runs × axes).
  init?(_ summary: SweepSummary, isBaselineInGrid: Bool, sweep: SweepDescription) {
    let all = summary.points
    let points = all.indices.filter { !all[$0].isDropped && all[$0].headlineMean != nil && (isBaselineInGrid || !all[$0].isBaseline) }
    guard let matrix = RunMatrix(points.map { all[$0].runs }) else { return nil }
    /// By the values of axes, the last the fastest, the points that have them, ascending.
    func members(_ axes: [Int], _ values: [[String]]) -> [[Int]] {
      let indices = values.map { Dictionary(zip($0, 0...), uniquingKeysWith: { first, _ in first }) }
      var members = [[Int]](repeating: [], count: values.reduce(1) { $0 * $1.count })
      for (index, point) in points.enumerated() {
        let cell = axes.indices.reduce(0) { $0 * values[$1].count + (indices[$1][all[point].axisValue(axes[$1])] ?? 0) }
        members[cell].append(index)
      }
      return members
    }
    let axes = summary.axes.indices.map { axis in
      let values = summary.values(axis: axis, sweep: sweep)
      let known = Set(points.lazy.map { all[$0].axisValue(axis) })
      let present = values.filter(known.contains)
      let drawn = present.count <= Self.valueLimit ? members([axis], [present]) : []
      return Axis(values: present, valueCount: values.count, groups: drawn.map(matrix.group))
    }
    self.axes = axes
    maps = Self.pairs(axes).map { across, down in
      let cells = members([down, across], [axes[down].values, axes[across].values])
      let baseline = cells.firstIndex { $0.count == 1 && all[points[$0[0]]].isBaseline }
      return Map(across: across, down: down, cells: cells.map(matrix.group), baseline: baseline)
    }
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

/// What points are compared by, a row a point and a column a repetition that all of them have.
private struct RunMatrix {
  private let rows: [ArraySlice<Double>]
  /// By repetition, the mean over all points.
  private var whole: [Double] = []

  /// The matrix of points; nil where they have no repetition in common.
  init?(_ points: [PointRuns]) {
    let common = PointRuns.common(points.lazy.map(\.comparableRepetitions))
    if common.isEmpty { return nil }
    let wanted = Set(common)
    rows = points.map { runs in
      runs.count == common.count ? runs.headline : zip(runs.repetitions, runs.headline).filter { wanted.contains($0.0) }.map(\.1)[...]
    }
    whole = means(Array(rows.indices))
  }

  private func means(_ members: [Int]) -> [Double] {
    var sums = [Double](repeating: 0, count: rows[0].count)
    for member in members {
      for (index, value) in rows[member].enumerated() { sums[index] += value }
    }
    return sums.map { $0 / Double(members.count) }
  }

  func group(_ members: [Int]) -> MarginalMeans.Group? {
    if members.isEmpty { return nil }
    let means = means(members)
    return MarginalMeans.Group(count: members.count, mean: Sample(means), effect: Sample(zip(means, whole).map { $0 - $1 }))
  }
}
