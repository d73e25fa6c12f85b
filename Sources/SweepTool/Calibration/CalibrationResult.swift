// What a calibration found: the settings with their intervals, and device and emulator side by side.

import Analysis

/// A fitted emulator beside the device.
package struct CalibrationResult: Sendable {
  /// A setting that was fitted.
  package struct Fitted: Sendable {
    package let path: String
    /// Where it was looked for.
    let range: String
    /// Its value as text, and as it stands in a sweep file.
    package let value: String, source: String
    /// The ends of its profile interval; nil where that does not end within the range.
    package let low: String?, high: String?

    /// True if the runs say anything of it: its interval ends on one side at least.
    package var isIdentified: Bool { low != nil || high != nil }
  }

  /// One point of the device.
  struct Point: Sendable {
    let axisValues: [String]
    let isHeldOut: Bool
    /// The means of `metrics`: of the device, of the emulator as the sweep has it, and fitted.
    let device: [Double], before: [Double], after: [Double]
    /// The standard errors of the differences that chance alone makes, in the order of `metrics`.
    let noise: [Double]
    /// What ranks are compared within; empty where all points are ranked together.
    let stratum: String
  }

  /// The root of the mean square of the differences to the device, over some points, in one metric's unit.
  package struct Miss: Hashable, Sendable {
    package let before: Double, after: Double
    /// What it would be by chance alone.
    package let noise: Double
  }

  /// The device's results and the sweep file, as the user named them.
  let device: String, sweep: String
  /// What was held side by side.
  let metrics: [Metric]
  /// The swept paths.
  let axes: [String]
  /// The settings in the order in which they were asked for.
  package let fitted: [Fitted]
  /// The points in the device's order.
  let points: [Point]
  /// The mean square of the fitted differences in standard errors, per degree of freedom; 1 where only chance is left.
  let misfit: Double
  /// Runs of the emulator that it took, and repetitions of each.
  let runs: Int, repeats: Int
  let warnings: [String]

  /// The miss of a metric, by its index in `metrics`, over the points fitted or those held out; nil where there are none.
  package func miss(_ metric: Int, heldOut: Bool) -> Miss? {
    let chosen = points.filter { $0.isHeldOut == heldOut }
    guard !chosen.isEmpty else { return nil }
    func root(_ difference: (Point) -> Double) -> Double {
      (chosen.reduce(0) { $0 + difference($1) * difference($1) } / Double(chosen.count)).squareRoot()
    }
    return Miss(
      before: root { $0.before[metric] - $0.device[metric] }, after: root { $0.after[metric] - $0.device[metric] },
      noise: root { $0.noise[metric] })
  }
}
