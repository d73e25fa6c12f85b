// How many per cent: the ratio of two means measured with the same seeds, with an interval that agrees with the difference's.

/// The ratio of the candidate's mean to the baseline's, from paired values.
///
/// The interval is Fieller's (1954, https://www.jstor.org/stable/2984043) and not the delta method's: it holds the ratio 1 if and only if
/// Student's interval of the paired difference holds 0, so that absolute and per cent never contradict each other.
package struct RatioOfMeans: Hashable, Sendable {
  private let count: Int
  package let baselineMean: Double
  private let candidateMean: Double
  private let baselineVariance: Double, candidateVariance: Double, covariance: Double

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
  }

  /// True if no per cent of the baseline's mean can be said.
  package var isBaselineZero: Bool { baselineMean == 0 }

  /// The difference in per cent of the baseline; nil where that is zero.
  package var percent: Double? { isBaselineZero ? nil : (candidateMean / baselineMean - 1) * 100 }

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

  /// Fieller's interval of the difference in per cent of the baseline; nil below two pairs, and where the interval of the
  /// baseline's mean holds zero, because this one then has no ends.
  package func percentInterval(confidence: Double = 0.95) -> ConfidenceInterval? {
    let quantile = count > 1 ? StudentT.criticalValue(alpha: 1 - confidence, degreesOfFreedom: Double(count - 1)) : 0
    return ends(quantile: quantile).map {
      ConfidenceInterval(low: $0.low * 100 - 100, high: $0.high * 100 - 100, confidence: confidence)
    }
  }
}
