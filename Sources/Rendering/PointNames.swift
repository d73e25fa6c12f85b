// What a point is called in sentences and tables: its axis values, by the shortest names that tell the axes apart.

import Analysis

/// Names of axes and points.
package struct PointNames {
  /// One name an axis: the last part of its path where no other axis ends so, else the whole path.
  let axes: [String]
  private let baselineSettings: String

  init(axes paths: [String], sweep: SweepDescription) {
    axes = AxisNames.short(paths)
    baselineSettings = sweep.baseline.settings
  }

  /// `maxCost 5, videoCost 2`; without axes the baseline's settings or the point's id.
  func name(of point: PointSummary) -> String {
    guard !axes.isEmpty else { return point.isBaseline && !baselineSettings.isEmpty ? baselineSettings : "point \(point.point)" }
    return AxisNames.point(axes, point.axisValues)
  }
}
