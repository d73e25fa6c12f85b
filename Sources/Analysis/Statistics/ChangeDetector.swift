// Finds the runs with which a noisy mean changed, from all series that a run has, with a stated rate of false alarms.

/// A change of a mean that the detector found.
package struct ChangePoint: Hashable, Sendable {
  /// The index of the first value after the change, and of the one with which it was found.
  package let index: Int, found: Int
  /// The series that shows the change most.
  package let series: Int
  /// The mean from the change on less the mean before it, in the unit of the values.
  package let difference: Double
}

/// The Shiryaev–Roberts rule (Roberts 1966; Pollak 1987) over Bayes factors of the two-sample t-test (Gönen et al. 2005,
/// doi:10.1198/000313005X55233): an alarm if their sum over all times of a change exceeds a threshold.
///
/// Neither mean nor spread need be known. Each factor is a nonnegative martingale of mean 1 for values without a change (the prior of
/// location and scale is the invariant one: Pérez-Ortiz et al. 2024, doi:10.1214/23-AOS2365). So the mean time to a false alarm is at
/// least the threshold, for normal noise, and so it is for a weighted mean of the sums of several series, however they depend on each other.
package enum ChangeDetector {
  /// The threshold at which a false alarm comes once in 1000 values or more rarely; simulated, in Results/history/report.md.
  package static let threshold = 400.0
  /// The standard deviation of a change in units of the noise, a priori.
  private static let effect = 3.0
  /// The most recent times of a change that are considered.
  private static let window = 60

  /// Returns the changes of some series of equal length; `weights` add up to 1. O(values · window).
  package static func changes(_ series: [[Double]], weights: [Double]) -> [ChangePoint] {
    var changes: [ChangePoint] = []
    var start = 0
    for last in 0..<(series.first?.count ?? 0) {
      let evidence = series.map { Self.evidence($0[start...last]) }
      let parts = zip(evidence, weights).map { $0.sum * $1 }
      guard parts.reduce(0, +) > threshold, let shown = parts.indices.max(by: { parts[$0] < parts[$1] }) else { continue }
      let index = evidence[shown].split
      let (before, after) = (Sample(series[shown][start..<index]), Sample(series[shown][index...last]))
      changes.append(ChangePoint(index: index, found: last, series: shown, difference: after.mean - before.mean))
      start = index
    }
    return changes
  }

  /// Returns the sum of the Bayes factors of a change before each of the last values, and the first value after the most probable one.
  static func evidence(_ values: ArraySlice<Double>) -> (sum: Double, split: Int) {
    guard values.count > 2 else { return (0, values.startIndex) }
    let count = Double(values.count)
    let mean = values.reduce(0, +) / count
    // A spread within rounding error counts as none.
    let total = values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } + count * mean * mean * 1e-20
    var (sum, best, split, tail) = (0.0, -1.0, values.startIndex, 0.0)
    for index in values.indices.dropFirst().suffix(window).reversed() {
      tail += values[index] - mean
      let after = Double(values.endIndex - index)
      // With Δ the difference of the means and N their harmonic number of values, N·Δ² is the part of `total` between the two.
      let number = after * (count - after) / count
      let between = min(total, tail * tail / number)
      let factor = bayesFactor(within: total - between, between: between, degreesOfFreedom: count - 2, number: number)
      sum += factor
      if factor > best { (best, split) = (factor, index) }
    }
    return (sum, split)
  }

  /// Returns the Bayes factor of a change of N(0, `effect`²) standard deviations against none, from the sums of squares.
  static func bayesFactor(within: Double, between: Double, degreesOfFreedom: Double, number: Double) -> Double {
    let spread = 1 + number * effect * effect
    guard within + between > 0 else { return 1 / spread.squareRoot() }
    let ratio = (within + between) / (within + between / spread)
    return Elementary.exp((degreesOfFreedom + 1) / 2 * Elementary.log(ratio) - Elementary.log(spread) / 2)
  }
}
