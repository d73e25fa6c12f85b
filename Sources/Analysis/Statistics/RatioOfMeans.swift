// The ratio of two paired means, with an interval that agrees with that of their difference.

package struct RatioOfMeans: Hashable, Sendable {
  package let count: Int
  package let baselineMean: Double
  private let candidateMean: Double
  private let baselineVariance: Double, candidateVariance: Double, covariance: Double

  /// Computes the moments of two arrays with one value per repetition, in the same order. O(n).
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
  }

  /// True if a difference in per cent of the baseline's mean is undefined.
  package var isBaselineZero: Bool { baselineMean == 0 }

  /// The difference in per cent of the baseline's mean; nil if that mean is zero.
  package var percent: Double? { isBaselineZero ? nil : (candidateMean / baselineMean - 1) * 100 }

  /// Returns Fieller's interval for Student's quantile `t`; nil if the interval is unbounded.
  package func interval(quantile t: Double) -> ConfidenceInterval? {
    // Fieller's interval (1954, https://www.jstor.org/stable/2984043) contains the ratio 1 exactly if Student's interval of the paired
    // difference contains 0. The delta method's interval does not.
    guard count > 1, !isBaselineZero else { return nil }
    let factor = t * t / Double(count)
    // (ȳ − θx̄)² ≤ t²(s_yy − 2θs_xy + θ²s_xx)/n, a quadratic in θ.
    let a = baselineMean * baselineMean - factor * baselineVariance
    let b = baselineMean * candidateMean - factor * covariance
    let c = candidateMean * candidateMean - factor * candidateVariance
    guard a > baselineMean * baselineMean * 1e-12 else { return nil }
    let root = max(0, b * b - a * c).squareRoot()
    return ConfidenceInterval(low: (b - root) / a, high: (b + root) / a)
  }
}
