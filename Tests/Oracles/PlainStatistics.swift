// Statistics that studies and tests need beside those of the program.

import Analysis

extension Sample {
  /// Returns the smallest of `values` that at least the given share of them do not exceed (nearest rank); nil for no values. O(n log n).
  package static func quantile(_ values: [Double], share: Double) -> Double? {
    values.isEmpty ? nil : values.sorted()[min(values.count, max(1, Int((share * Double(values.count)).rounded(.up)))) - 1]
  }
}

extension RatioOfMeans {
  /// Returns Fieller's interval of the difference in per cent of the baseline; nil below two pairs, and if the interval of the baseline's
  /// mean contains zero, because it is unbounded then.
  package func percentInterval(confidence: Double = 0.95) -> ConfidenceInterval? {
    let quantile = count > 1 ? StudentT.criticalValue(alpha: 1 - confidence, degreesOfFreedom: Double(count - 1)) : 0
    return interval(quantile: quantile).map { ConfidenceInterval(low: $0.low * 100 - 100, high: $0.high * 100 - 100) }
  }
}
