// The error of the measurements against themselves: a bound for every model, since a median of few repetitions is not exact.

import Simulation

/// Computes the differences that two medians of the same measurement would have, from the number and the range of its repetitions.
package struct RepeatErrors {
  /// For each number of repetitions, the differences of two medians in units of their range.
  private var differences: [Int: [Double]] = [:]

  package init() {}

  /// Returns the expected differences of a figure's median from that of as many further repetitions, in per cent; empty if it was not
  /// repeated. Repetitions are taken as normally distributed.
  package mutating func errors(of row: Comparison) -> [Double] {
    guard row.repeats > 1, let range = row.repeatsMs else { return [] }
    let size = (range.upperBound - range.lowerBound) / row.truthMs * 100
    return unitDifferences(row.repeats).map { $0 * size }
  }

  private mutating func unitDifferences(_ count: Int) -> [Double] {
    if let known = differences[count] { return known }
    var random = RandomStream(runSeed: 1, name: "repetitions")
    let samples = (0..<1000).map { _ in (0..<count).map { _ in random.normal() }.sorted() }
    let range = samples.map { $0[count - 1] - $0[0] }.reduce(0, +) / Double(samples.count)
    let result = zip(samples, samples.dropFirst()).map { abs(median($0) - median($1)) / range }
    differences[count] = result
    return result
  }
}
