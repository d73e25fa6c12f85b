import Testing

@testable import Analysis

/// Repetitions that are alike because they follow one another, as on a device that warms up.
@Suite struct SerialCorrelationTests {
  /// All 720 orders of six values, two of them equal, have the mean and the variance that the p-value assumes.
  @Test func theMomentsAreThoseOfAllOrders() {
    var products: [Double] = []
    func permute(_ values: [Double], _ rest: [Double]) {
      if rest.isEmpty { products.append(SerialCorrelation(values).value) }
      for index in rest.indices {
        permute(values + [rest[index]], Array(rest[..<index]) + Array(rest[(index + 1)...]))
      }
    }
    let values: [Double] = [3, 1, 4, 1, 5, 90]
    permute([], values)
    let sample = Sample(products)
    expectClose(sample.mean, -1.0 / 6, 1e-12)
    let deviation = sample.standardDeviation * (719.0 / 720).squareRoot()
    let seen = SerialCorrelation(values)
    expectClose(seen.pValue, Normal.upperTail((seen.value + 1.0 / 6) / deviation), 1e-9)
    #expect(SerialCorrelation([2, 2, 2, 2, 2]).pValue == 1 && SerialCorrelation([1, 2, 3, 4]).pValue == 1)
  }

  /// Returns the share of lists of `points` points with the warning, if successive repetitions share `correlation` of their drift.
  private func warned(_ correlation: Double, points: Int, repetitions: Int, lists: Int, backend: String? = "command") throws -> Double {
    var random = Draws(seed: UInt64(points))
    var count = 0
    for _ in 0..<lists {
      var samples = Samples()
      samples.axes = ["prefetcher.maxCost"]
      samples.points = (0...points).map { point in
        var drift = random.normal()
        return (
          Samples.id(point + 1), ["\(point)"],
          (0..<repetitions).map { _ in
            drift = correlation * drift + (1 - correlation * correlation).squareRoot() * random.normal()
            // Whole numbers, of which the exact test is fast.
            return (100 + 5 * drift).rounded()
          }
        )
      }
      var sweep = samples.sweep
      sweep.backend = backend
      let warnings = try SweepSummary.of(runs: samples.table, sweep: sweep).warnings
      if warnings.contains(where: { $0.contains("Successive repetitions are alike") }) { count += 1 }
    }
    return Double(count) / Double(lists)
  }

  @Test(arguments: [(1, 10), (9, 10), (9, 40)])
  func independentRepetitionsSeldomWarn(_ list: (points: Int, repetitions: Int)) throws {
    let share = try warned(0, points: list.points, repetitions: list.repetitions, lists: 100)
    #expect(share <= 0.05 + 3 * (0.05 * 0.95 / 100).squareRoot(), "\(share)")
  }

  @Test func correlatedRepetitionsOfADeviceAreSaid() throws {
    #expect(try warned(0.6, points: 9, repetitions: 40, lists: 30) >= 0.9)
    #expect(try warned(0.6, points: 9, repetitions: 20, lists: 30) >= 0.5)
    #expect(try warned(0.6, points: 9, repetitions: 40, lists: 20, backend: nil) == 0, "the emulator's seeds are independent")
  }
}
