// How many per cent: the ratio of two means measured with the same seeds, with an interval that agrees with the difference's.

/// The ratio of the candidate's mean to the baseline's, from paired values.
///
/// The interval is Fieller's (1954, https://www.jstor.org/stable/2984043) and not the delta method's: it holds the ratio 1 if and only if
/// Student's interval of the paired difference holds 0, so that absolute and per cent never contradict each other.
package struct RatioOfMeans: Hashable, Sendable {
  /// The ratio; nil where the baseline's mean is zero.
  package let ratio: Double?
  /// Whether the baseline's mean is zero, so that no per cent of it can be said.
  package let isBaselineZero: Bool

  private let count: Int
  /// The baseline's mean.
  package let baselineMean: Double
  private let candidateMean: Double
  private let baselineVariance: Double
  private let candidateVariance: Double
  private let covariance: Double

  /// The ratio of paired values: both arrays have one value a repetition, in the same order. O(n).
  package init(baseline: [Double], candidate: [Double]) {
    precondition(baseline.count == candidate.count, "paired values come in pairs")
    count = baseline.count
    let n = Double(max(1, count))
    let (x, y) = (baseline.reduce(0, +) / n, candidate.reduce(0, +) / n)
    var (xx, yy, xy) = (0.0, 0.0, 0.0)
    for (first, second) in zip(baseline, candidate) {
      xx += (first - x) * (first - x)
      yy += (second - y) * (second - y)
      xy += (first - x) * (second - y)
    }
    let degrees = Double(max(1, count - 1))
    (baselineMean, candidateMean) = (x, y)
    (baselineVariance, candidateVariance, covariance) = (xx / degrees, yy / degrees, xy / degrees)
    isBaselineZero = x == 0
    ratio = x == 0 ? nil : y / x
  }

  /// The difference in per cent of the baseline; nil where that is zero.
  package var percent: Double? { ratio.map { ($0 - 1) * 100 } }

  /// Fieller's interval of the ratio; nil below two pairs, and where the baseline's mean is itself not told from zero,
  /// because the interval then has no ends.
  package func interval(confidence: Double = 0.95) -> ConfidenceInterval? {
    guard count > 1 else { return nil }
    let quantile = StudentT.criticalValue(alpha: 1 - confidence, degreesOfFreedom: Double(count - 1))
    return ends(quantile: quantile).map { ConfidenceInterval(low: $0.low, high: $0.high, confidence: confidence) }
  }

  /// The ends of Fieller's interval for Student's quantile `t`; nil where there are none.
  package func ends(quantile t: Double) -> (low: Double, high: Double)? {
    guard count > 1, !isBaselineZero else { return nil }
    let factor = t * t / Double(count)
    // (ȳ − θx̄)² ≤ t²(s_yy − 2θs_xy + θ²s_xx)/n, a quadratic in θ.
    let a = baselineMean * baselineMean - factor * baselineVariance
    let b = baselineMean * candidateMean - factor * covariance
    let c = candidateMean * candidateMean - factor * candidateVariance
    guard a > baselineMean * baselineMean * 1e-12 else { return nil }
    let root = max(0, b * b - a * c).squareRoot()
    return ((b - root) / a, (b + root) / a)
  }

  /// The interval of the difference in per cent of the baseline; nil where there is none.
  package func percentInterval(confidence: Double = 0.95) -> ConfidenceInterval? {
    interval(confidence: confidence)?.scaled(by: 100, shift: -100)
  }
}
