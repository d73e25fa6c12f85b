// What a metric can be: the one rule for cells of runs.csv and for results that a device prints.

extension Metric {
  /// The largest value of any metric: sums over 10⁶ runs and their squares stay exact enough and far from overflow.
  package static let valueLimit = Margin.limit
  /// The largest count of items, requests, connections and the like.
  package static let countLimit = 1e9

  /// True if its values are whole numbers: counts and bytes.
  package var isWhole: Bool { self != .loadersPer1000 && unit != "ms" && unit != "J" }

  /// The largest value that a run can have.
  package var limit: Double {
    if self == .loadersPer1000 { return 1000 }
    return isWhole && unit != "bytes" ? Metric.countLimit : Metric.valueLimit
  }

  /// Returns what a run's value violates, as a phrase after the value; nil if the metric can have it.
  package func violation(of value: Double) -> String? {
    if !value.isFinite { return "is not a finite number" }
    if value < 0 { return "is negative" }
    if value > limit { return "is more than \(DecimalText.exact(limit)), the most that \(rawValue) can be" }
    return isWhole && value.rounded(.towardZero) != value ? "is not a whole number" : nil
  }
}

/// A value that a run cannot have.
package struct MetricViolation: Error, Hashable, Sendable {
  /// The metric.
  package let metric: Metric
  /// Its value.
  package let value: Double
  /// What the value violates, as a phrase after it.
  package let problem: String
}

extension RunRow {
  /// Returns the first value that the run cannot have, alone or beside its others; nil if there is none.
  package func violation(in schema: RunSchema) -> MetricViolation? {
    for metric in schema.metrics {
      guard let value = self[metric] else { continue }
      if let problem = metric.violation(of: value) { return MetricViolation(metric: metric, value: value, problem: problem) }
    }
    guard let loaders = self[.loaders], let problem = MetricViolation.loaders(loaders, viewed: self[.viewed]) else { return nil }
    return MetricViolation(metric: .loaders, value: loaders, problem: problem)
  }
}

extension MetricViolation {
  /// Returns what a run's loaders violate beside its items viewed; nil if nothing.
  package static func loaders(_ loaders: Double?, viewed: Double?) -> String? {
    guard let loaders, let viewed, loaders > viewed else { return nil }
    return "is more than the \(DecimalText.exact(viewed)) items viewed"
  }
}
