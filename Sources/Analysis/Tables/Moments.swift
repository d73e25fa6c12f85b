// The mean and spread of numbers that come one by one.

/// A running count, mean and sum of squared deviations (Welford 1962, doi:10.1080/00401706.1962.10490022).
struct Moments: Hashable, Sendable {
  private(set) var count = 0
  /// The plain sum: exact for whole numbers, so that their mean is the one that a reader computes.
  private(set) var sum = 0.0
  private var runningMean = 0.0
  private var squares = 0.0
  private var hasSpread = true

  /// Nothing yet.
  init() {}

  /// The mean of so many values whose spread is not known.
  init(mean: Double, count: Int) {
    self.count = count
    sum = mean * Double(count)
    hasSpread = false
  }

  /// Takes the next value.
  mutating func add(_ value: Double) {
    count += 1
    sum += value
    let distance = value - runningMean
    runningMean += distance / Double(count)
    squares += distance * (value - runningMean)
  }

  /// The mean; nil for no values.
  var mean: Double? { count > 0 ? sum / Double(count) : nil }

  /// Student's interval of the mean; nil below two values, or where their spread is not known.
  func interval(confidence: Double) -> ConfidenceInterval? {
    guard count > 1, hasSpread, let mean else { return nil }
    let error = (max(0, squares) / Double(count - 1) / Double(count)).squareRoot()
    let half = StudentT.criticalValue(alpha: 1 - confidence, degreesOfFreedom: Double(count - 1)) * error
    return ConfidenceInterval(low: mean - half, high: mean + half, confidence: confidence)
  }
}
