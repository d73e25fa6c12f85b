// The rows that sweep.json lets runs.csv have.

/// Checks the points of rows against the description of their sweep.
package struct ExpectedRows {
  private let axes: [Set<String>]
  /// The axis values of each baseline, by its id.
  private let baselines: [String: [String]]
  private let isEmulated: Bool
  /// The id of the grid's point with these axis values.
  private var points: [[String]: String] = [:]

  package init(_ sweep: SweepDescription) {
    axes = sweep.axes.map { Set($0.values) }
    let all = [sweep.baseline] + (sweep.strata?.members.map(\.baseline) ?? [])
    baselines = Dictionary(all.map { ($0.point, $0.axisValues) }, uniquingKeysWith: { first, _ in first })
    isEmulated = sweep.backend == nil
  }

  /// True if a row may not leave the metric out.
  func requires(_ metric: Metric) -> Bool { isEmulated && (metric == .loaders || metric == .viewed) }

  /// The axis whose value does not fit a point that has no row yet, and the problem; nil if all fit. O(axes).
  package mutating func problem(point: String, axisValues: [String]) -> (axis: Int, problem: String)? {
    guard axisValues.count == axes.count, !axisValues.isEmpty else { return nil }
    let own = baselines[point]
    if own == axisValues { return nil }
    if let axis = axes.indices.first(where: { !axes[$0].contains(axisValues[$0]) }) {
      return (axis, own == nil ? "is no value of this axis in sweep.json" : "is not the value of the baseline in sweep.json")
    }
    if let other = points[axisValues], other != point {
      return (0, "and the other axis values of the row are those of point \(other); one of the two rows was changed")
    }
    points[axisValues] = point
    return nil
  }
}
