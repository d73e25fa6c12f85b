// Choosing the best of many step by step: when a candidate may be dropped.

/// Constants of the fully sequential selection procedure KN (Kim & Nelson 2001, doi:10.1145/502109.502111, with c = 1).
package struct KimNelson: Hashable, Sendable {
  /// η = ½·[(2α/(k−1))^(−2/(n₀−1)) − 1].
  package let eta: Double
  /// h² = 2η·(n₀ − 1), the factor of the variances in the triangle's height.
  package let hSquared: Double

  /// The constants for `count` candidates, an error of `alpha` in all, and `firstStage` runs of each before the first decision.
  package init(count: Int, alpha: Double, firstStage: Int) {
    precondition(count >= 2 && firstStage >= 2 && alpha > 0 && alpha < 1, "a selection needs candidates and repetitions")
    let degrees = Double(firstStage - 1)
    eta = (Elementary.power(2 * alpha / Double(count - 1), -2 / degrees) - 1) / 2
    hSquared = 2 * eta * degrees
  }

  /// How much a candidate's sum may exceed another's after `repetitions` and still stay in the race:
  /// max(0, δ/2·(h²S²/δ² − r)) as a sum, with S² the first stage's variance of the paired difference and δ the indifference zone.
  package func tolerance(differenceVariance: Double, indifference: Double, repetitions: Int) -> Double {
    max(0, indifference / 2 * (hSquared * differenceVariance / (indifference * indifference) - Double(repetitions)))
  }
}
