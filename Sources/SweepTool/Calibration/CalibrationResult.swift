// What a calibration found: the settings with their intervals, and device and emulator side by side.

import Analysis

/// A fitted emulator beside the device.
package struct CalibrationResult: Sendable {
  /// A setting that was fitted.
  package struct Fitted: Sendable {
    /// Its path.
    package let path: String
    /// Where it was looked for.
    package let range: String
    /// Its value as text.
    package let value: String
    /// The same as it stands in a sweep file.
    let source: String
    /// The ends of its profile interval; nil where that does not end within the range.
    package let low: String?, high: String?
    /// Whether the runs say anything of it: its interval ends on one side at least.
    package var isIdentified: Bool { low != nil || high != nil }
  }

  /// One point of the device.
  package struct Point: Sendable {
    /// Its values of the axes.
    package let axisValues: [String]
    /// Whether it was held out of the fit.
    package let isHeldOut: Bool
    /// The means of `metrics`: of the device, of the emulator as the sweep has it, and fitted.
    package let device: [Double], before: [Double], after: [Double]
    /// The standard errors of the differences that chance alone makes, in the order of `metrics`.
    package let noise: [Double]
    /// What ranks are compared within; empty where all points are ranked together.
    let stratum: String
  }

  /// How far the emulator is from the device, over some points, in one metric's unit.
  package struct Miss: Hashable, Sendable {
    /// The root of the mean square of the differences.
    package let before: Double, after: Double
    /// What it would be by chance alone.
    package let noise: Double
  }

  /// The device's results and the sweep file, as the user named them.
  package let device: String, sweep: String
  /// What was held side by side.
  package let metrics: [Metric]
  /// The swept paths.
  package let axes: [String]
  /// The settings that were fitted, in the order in which they were asked for.
  package let fitted: [Fitted]
  /// The points in the device's order.
  package let points: [Point]
  /// The mean square of the fitted differences in standard errors, per degree of freedom; 1 where only chance is left.
  package let misfit: Double
  /// Runs of the emulator that it took.
  package let runs: Int
  /// Repetitions of the emulator.
  package let repeats: Int
  /// What the reader must know.
  package let warnings: [String]

  /// The miss of a metric, by its place in `metrics`, over the points fitted or those held out; nil where there are none.
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
