// Finds the runs with which a noisy mean changed, from all series that a run has, with a stated rate of false alarms.

import Base

package struct ChangePoint: Hashable, Sendable {
  /// The index of the first value after the change, and of the one with which it was found.
  package let index: Int, found: Int
  /// The series that shows the change most.
  package let series: Int
  /// The median from the change on less the median before it, in the unit of the values.
  package let difference: Double
}

/// The Shiryaev–Roberts rule (Roberts 1966; Pollak 1987) over Bayes factors of the two-sample t-test (Gönen et al. 2005,
/// doi:10.1198/000313005X55233): an alarm if their weighted sum over all times of a change exceeds a threshold.
/// The constants and the rate of false alarms are simulated, in Results/history/report.md.
package enum ChangeDetector {
  // Neither mean nor spread need be known, nor the law of the noise. Outliers are clipped; a spread that grew, and noise of neighbours
  // that is alike, count against a change.

  /// The threshold at which a false alarm comes at most 2 times in 1000 values, for the laws of noise in Results/history/report.md.
  package static let threshold = 54.0
  /// The standard deviation of a change in units of the noise, a priori.
  private static let effect = 3.0
  /// The most recent times of a change that are considered, and the most recent values.
  private static let window = 60, memory = 200
  /// The distance from the median, in units of the noise, at which values are clipped, and from which a single value is an outlier.
  private static let clip = 3.0, outlier = 5.0
  /// The number of values just before a change by whose spread the one after it is judged, and the weight of that spread in values.
  private static let recent = 12
  /// The correlations of neighbours that compete with a change, with their weights.
  private static let correlations = [(0.25, 0.6), (0.5, 0.4)]

  /// Returns the changes of some series of equal length; `weights` add up to 1. O(values · series), 200 values back at most.
  package static func changes(_ series: [[Double]], weights: [Double]) -> [ChangePoint] {
    var changes: [ChangePoint] = []
    var start = 0
    for last in 0..<(series.first?.count ?? 0) {
      let evidence = series.map { Self.evidence($0[start...last]) }
      let parts = zip(evidence, weights).map { $0.sum * $1 }
      guard parts.reduce(0, +) > threshold, let shown = parts.indices.max(by: { parts[$0] < parts[$1] }) else { continue }
      let index = evidence[shown].split
      let difference = median(series[shown][index...last]) - median(series[shown][start..<index])
      changes.append(ChangePoint(index: index, found: last, series: shown, difference: difference))
      start = index
    }
    return changes
  }

  /// Returns the single values far from the median between two changes, with their distance from it. The neighbours of an outlier are none.
  package static func outliers(_ values: [Double], changes: [ChangePoint]) -> [(index: Int, difference: Double)] {
    let ends = [0] + changes.map(\.index) + [values.count]
    return zip(ends, ends.dropFirst()).flatMap { start, end in
      let part = values[start..<end]
      guard part.count > 2 * recent else { return [(index: Int, difference: Double)]() }
      let scores = scores(part, clip: .infinity).map(\.magnitude)
      return scores.indices.filter { index in
        let neighbours = [index - 1, index + 1].filter(scores.indices.contains)
        return scores[index] > outlier && neighbours.allSatisfy { scores[$0] < clip }
      }.map { (start + $0, part[start + $0] - median(part)) }
    }
  }

  /// Returns the weighted sum of the Bayes factors of a change before each of the last values, and the first value after the most
  /// probable one. One value alone is no change.
  static func evidence(_ values: ArraySlice<Double>) -> (sum: Double, split: Int) {
    let values = values.suffix(memory)
    guard values.count > 4 else { return (0, values.startIndex) }
    let scores = scores(values, clip: clip)
    let count = Double(scores.count)
    let mean = scores.reduce(0, +) / count
    let rest = scores.map { $0 - mean }
    let squares = rest.reduce(into: [0.0]) { $0.append($0[$0.count - 1] + $1 * $1) }
    let total = squares[rest.count]
    guard total > 0 else { return (0, values.startIndex) }
    let discount = whiteness(scores, total: total)
    var (sum, best, split) = (0.0, -1.0, values.startIndex)
    var tail = rest[rest.count - 1]
    for index in rest.indices.dropFirst().dropLast().suffix(window).reversed() {
      tail += rest[index]
      let (before, after) = (Double(index), count - Double(index))
      // With Δ the difference of the means and N their harmonic number of values, N·Δ² is the part of `total` between the two.
      let number = after * before / count
      let between = min(total, tail * tail / number)
      let share = spreadShare(squares, index, between: between, within: total - squares[index] - tail * tail / after)
      let own = between * share
      let factor = bayesFactor(within: total - own, between: own, degreesOfFreedom: count - 2, number: number) * discount / after
      sum += factor
      if factor > best { (best, split) = (factor, values.startIndex + index) }
    }
    return (sum, split)
  }

  /// Returns the Bayes factor of a change of N(0, `effect`²) standard deviations against none, from the sums of squares.
  static func bayesFactor(within: Double, between: Double, degreesOfFreedom: Double, number: Double) -> Double {
    let spread = 1 + number * effect * effect
    guard within + between > 0 else { return 1 / spread.squareRoot() }
    let ratio = (within + between) / (within + between / spread)
    return StableMath.exp((degreesOfFreedom + 1) / 2 * StableMath.log(ratio) - StableMath.log(spread) / 2)
  }

  /// Returns the distances from the median in units of the noise, which is estimated by the median distance. O(n log n).
  private static func scores(_ values: ArraySlice<Double>, clip: Double) -> [Double] {
    let center = median(values)
    let distances = values.map { ($0 - center).magnitude }
    // Where most values are equal, the mean distance takes the place of the median one. Both are in units of a normal standard deviation.
    let middle = median(distances[...])
    let noise = middle > 0 ? 1.4826 * middle : 1.2533 * distances.reduce(0, +) / Double(max(1, distances.count))
    // A spread within rounding error counts as none.
    guard noise > center.magnitude * 1e-10 else { return values.map { _ in 0 } }
    return values.map { min(max(($0 - center) / noise, -clip), clip) }
  }

  private static func median(_ values: ArraySlice<Double>) -> Double {
    let sorted = values.sorted()
    return sorted.isEmpty ? 0 : (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
  }

  /// Returns the likelihood of independent noise over that of noise whose neighbours are alike, if that explains the scores better; else 1.
  private static func whiteness(_ scores: [Double], total: Double) -> Double {
    // Both are marginal over mean and spread, in logarithms. Autoregressive noise: y − φy′ is independent.
    let half = Double(scores.count - 1) / 2
    let independent = -StableMath.log(Double(scores.count)) / 2 - half * StableMath.log(total)
    let most = correlations.map { correlation, weight in
      let (start, later) = ((1 - correlation * correlation).squareRoot(), 1 - correlation)
      let rests = [start * scores[0]] + zip(scores, scores.dropFirst()).map { $1 - correlation * $0 }
      let number = start * start + Double(scores.count - 1) * later * later
      let mean = (start * rests[0] + later * rests.dropFirst().reduce(0, +)) / number
      let squares = rests.reduce(0) { $0 + $1 * $1 } - number * mean * mean
      return StableMath.log(weight * start) - StableMath.log(number) / 2 - half * StableMath.log(max(squares, 1e-300))
    }.reduce(independent, max)
    return StableMath.exp(independent - most)
  }

  /// Returns the part of a difference that remains if the spread just before a change, and after it, is larger than the usual one (Welch 1947).
  private static func spreadShare(_ squares: [Double], _ index: Int, between: Double, within: Double) -> Double {
    let (before, after) = (Double(index), Double(squares.count - 1 - index))
    let own = max(0, within)
    let usual = max(1e-12, squares[squares.count - 1] - between - own) / max(1, before - 1)
    let near = index > recent ? max(usual, (squares[index] - squares[index - recent]) / Double(recent)) : usual
    let weight = Double(recent)
    let later = (weight * near + own) / (weight + after - 1)
    return later > usual ? (usual / before + usual / after) / (usual / before + later / after) : 1
  }
}
