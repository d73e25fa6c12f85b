// Marginal means: the effect of one axis, and the cells of a map of two axes.

/// Means over groups of points, taken within each repetition, so that their intervals are paired.
package struct MarginalMeans {
  package struct Group: Sendable {
    package let count: Int
    /// The mean over the group's points, one value for each common repetition.
    package let mean: Sample
    /// The group's mean less the mean over all points, one value for each common repetition.
    package let effect: Sample
  }

  package struct Axis: Sendable {
    /// The values that points have, in the sweep file's order.
    package let values: [String]
    /// The number of values of the axis, with those that no point has.
    package let valueCount: Int
    /// A group for each of `values`, nil for a repeated value; empty if there are more values than `valueLimit`.
    package let groups: [Group?]

    /// The difference between the largest and the smallest mean of the groups.
    package var spread: Double {
      let means = groups.compactMap { $0?.mean.mean }
      return (means.max() ?? 0) - (means.min() ?? 0)
    }
  }

  /// The groups by the values of two axes.
  package struct Map: Sendable {
    package let across: Int, down: Int
    /// The cells row by row; nil if a cell has no points.
    package let cells: [Group?]
    /// The index of the cell that holds the baseline and no other point; nil if there is none.
    package let baseline: Int?
  }

  package static let valueLimit = 60
  /// The most maps, and the most values of the shorter axis of a map other than the first.
  package static let mapLimit = 6
  package static let narrowLimit = 12

  package let axes: [Axis]
  /// The maps of pairs of axes with at least two values: the pair with the largest spreads, then narrow pairs.
  package let maps: [Map]
  /// The shares of the variance that axes explain; nil unless the points are a complete grid.
  package let indices: SobolIndices?

  /// Groups the points of a summary but dropped ones and a baseline outside of the grid; nil without a common repetition. O(runs × axes).
  init?(_ summary: SweepSummary, isBaselineInGrid: Bool, sweep: SweepDescription) {
    let all = summary.points
    let points = all.indices.filter { !all[$0].isDropped && all[$0].headlineMean != nil && (isBaselineInGrid || !all[$0].isBaseline) }
    guard let matrix = RunMatrix(points.map { all[$0].runs }) else { return nil }
    /// Returns the ascending indices of the points that have each combination of values of some axes, the last axis the fastest.
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
    let shape = axes.map(\.values.count)
    let isCounted = shape.reduce(1) { $0.multipliedReportingOverflow(by: $1).partialValue } == points.count
    let order = isCounted ? members(Array(axes.indices), axes.map(\.values)) : []
    indices =
      isCounted && order.allSatisfy { $0.count == 1 }
      ? SobolIndices(order.map { matrix.rows[$0[0]] }, shape: shape, isExact: summary.isDeterministic, confidence: summary.confidence) : nil
  }

  /// Returns the pairs of axes for maps, those with the largest spreads first; the longer axis of a pair goes across.
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

/// The headline values of points: one row per point, one column per repetition that all points have.
private struct RunMatrix {
  let rows: [ArraySlice<Double>]
  /// The mean over all points, for each repetition.
  private var whole: [Double] = []

  init?(_ points: [PointRuns]) {
    let common = PointRuns.common(points.lazy.map(\.comparableRepetitions))
    if common.isEmpty { return nil }
    rows = points.map { $0.count == common.count ? $0.headline : $0.values($0.headline, of: common)[...] }
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
