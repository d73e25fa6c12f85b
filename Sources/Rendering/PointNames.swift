// What a point is called in sentences and tables: its axis values, by the shortest names that tell the axes apart.

import Analysis

/// Names of axes and points.
package struct PointNames {
  /// One name an axis: the last part of its path where no other axis ends so, else the whole path.
  let axes: [String]
  private let baselineSettings: String

  init(axes paths: [String], sweep: SweepDescription) {
    axes = Self.short(paths)
    baselineSettings = sweep.baseline.settings
  }

  /// The shortest names that tell paths apart: the last part where no other path ends so.
  package static func short(_ paths: [String]) -> [String] {
    let last = paths.map { path in path.split(separator: ".").last.map(String.init) ?? path }
    return paths.indices.map { index in last.count { $0 == last[index] } == 1 ? last[index] : paths[index] }
  }

  /// `maxCost 5, videoCost 2`; without axes the baseline's settings or the point's id.
  func name(of point: PointSummary) -> String {
    guard !axes.isEmpty else { return point.isBaseline && !baselineSettings.isEmpty ? baselineSettings : "point \(point.point)" }
    return Self.name(axes, point.axisValues)
  }

  /// `maxCost 5, videoCost 2`.
  package static func name(_ axes: [String], _ values: [String]) -> String {
    zip(axes, values).map { "\($0) \($1)" }.joined(separator: ", ")
  }
}
