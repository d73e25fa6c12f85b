// Where a true value lies, and with what confidence.

/// An interval that covers the true value with the confidence given.
package struct ConfidenceInterval: Hashable, Sendable {
  /// The lower end.
  package let low: Double
  /// The upper end.
  package let high: Double
  /// The confidence, e.g. 0.95.
  package let confidence: Double

  /// An interval from `low` to `high`.
  package init(low: Double, high: Double, confidence: Double) {
    self.low = low
    self.high = high
    self.confidence = confidence
  }

  /// Half the interval's width.
  package var halfWidth: Double { (high - low) / 2 }

  /// Whether the value lies in the interval.
  package func contains(_ value: Double) -> Bool { low <= value && value <= high }

  /// The smallest interval that holds both.
  func hull(with other: ConfidenceInterval) -> ConfidenceInterval {
    ConfidenceInterval(low: min(low, other.low), high: max(high, other.high), confidence: confidence)
  }

  /// The interval moved by `shift` after its ends were multiplied by `factor`, which is positive.
  package func scaled(by factor: Double, shift: Double = 0) -> ConfidenceInterval {
    ConfidenceInterval(low: low * factor + shift, high: high * factor + shift, confidence: confidence)
  }
}
