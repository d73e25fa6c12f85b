import SampleSweeps
import TestSupport
import Testing

@testable import Analysis

/// Repetitions that are alike because they follow one another, as on a device that warms up.
@Suite struct SerialCorrelationTests {
  /// The p-value is the share of all 720 orders whose neighbours are at least as alike, but for the error of 999 random ones.
  @Test func thePValueIsTheShareOfAllOrders() {
    for values: [Double] in [[3, 1, 4, 1, 5, 90], [1, 1, 3, 4, 5, 90], [0, 0, 0, 0, 7, 7]] {
      let ranks = values.map { value in values.reduce(0) { $0 + ($1 < value ? 1 : $1 == value ? 0.5 : 0) } - 3 }
      func likeness(_ order: [Int]) -> Double { zip(order, order.dropFirst()).reduce(0) { $0 + ranks[$1.0] * ranks[$1.1] } }
      let observed = likeness(Array(0..<6))
      var (count, atLeast) = (0.0, 0.0)
      func permute(_ order: [Int], _ rest: [Int]) {
        if rest.isEmpty {
          count += 1
          if likeness(order) >= observed { atLeast += 1 }
        }
        for index in rest { permute(order + [index], rest.filter { $0 != index }) }
      }
      permute([], Array(0..<6))
      let share = atLeast / count
      expectClose(SerialCorrelation([values]).pValue, share, 3 * ((1 - share) / share / 999).squareRoot() + 0.001 / share)
    }
    #expect(
      SerialCorrelation([[2, 2, 2, 2, 2]]).pValue == 1 && SerialCorrelation([[1, 2, 3, 4]]).pValue == 1 && SerialCorrelation([]).pValue == 1
    )
  }

  /// Returns the share of lists of `points` points with the warning, if successive repetitions share `correlation` of their drift.
  private func warned(
    _ correlation: Double, points: Int, repetitions: Int, lists: Int, isTwoValued: Bool = false, backend: String? = "command"
  ) throws -> Double {
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
            return isTwoValued ? (drift > 1 ? 5 : 0) : (100 + 5 * drift).rounded()
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

  /// Ranks with many ties: a normal approximation for each point warned in 30 of 100 lists.
  @Test func repetitionsOfWhichMostAreLevelSeldomWarn() throws {
    let share = try warned(0, points: 20, repetitions: 20, lists: 60, isTwoValued: true)
    #expect(share <= 0.05 + 3 * (0.05 * 0.95 / 60).squareRoot(), "\(share)")
  }

  @Test func correlatedRepetitionsOfADeviceAreSaid() throws {
    #expect(try warned(0.6, points: 9, repetitions: 40, lists: 30) >= 0.9)
    #expect(try warned(0.6, points: 9, repetitions: 20, lists: 30) >= 0.5)
    #expect(try warned(0.6, points: 9, repetitions: 40, lists: 20, backend: nil) == 0, "the emulator's seeds are independent")
  }
}
