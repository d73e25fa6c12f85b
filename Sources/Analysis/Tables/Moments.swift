// The mean, spread and skewness of numbers that come one by one.

/// A running count, mean and sums of powers of the deviations (Pébay 2008, Sandia report SAND2008-6212, 2.1).
package struct Moments: Hashable, Sendable {
  private(set) var count = 0
  /// The plain sum: exact for whole numbers, so that their mean is the one that a reader computes.
  private(set) var sum = 0.0
  private var runningMean = 0.0
  private var squares = 0.0, cubes = 0.0, fourths = 0.0
  private var largest = 0.0

  /// Nothing yet.
  package init() {}

  /// The numbers of a column, without those that are NaN. O(n).
  package init(_ column: some Sequence<Double>) {
    for value in column where !value.isNaN { add(value) }
  }

  /// Takes the next value.
  package mutating func add(_ value: Double) {
    count += 1
    sum += value
    largest = max(largest, value.magnitude)
    let n = Double(count)
    let distance = value - runningMean
    let step = distance / n
    let term = distance * step * (n - 1)
    runningMean += step
    fourths += term * step * step * (n * n - 3 * n + 3) + 6 * step * step * squares - 4 * step * cubes
    cubes += term * step * (n - 2) - 3 * step * squares
    squares += term
  }

  /// The mean; nil for no values.
  package var mean: Double? { count > 0 ? sum / Double(count) : nil }

  /// The skewness-adjusted interval of the mean, within `range`; nil below 5 values and without spread.
  package func interval(confidence: Double, range: ClosedRange<Double> = -Double.infinity...Double.infinity) -> ConfidenceInterval? {
    guard let mean else { return nil }
    let sample = Sample(count: count, mean: mean, squares: max(0, squares), cubes: cubes, fourths: max(0, fourths), largest: largest)
    return sample.adjustedInterval(confidence: confidence).map {
      ConfidenceInterval(low: max(range.lowerBound, $0.low), high: min(range.upperBound, $0.high), confidence: confidence)
    }
  }
}
