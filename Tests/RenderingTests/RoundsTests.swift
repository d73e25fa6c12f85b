import SampleSweeps
import TestSupport
import Testing

@testable import Analysis
@testable import Rendering

/// Points with different numbers of repetitions: the cost of looks, and the points that go on.
@Suite struct RoundsTests {
  private struct Normals {
    var generator: SplitMix64
    mutating func next() -> Double { Normal.quantile((Double(generator.next() >> 11) + 0.5) / 0x1p53) }
  }

  /// Returns how often the interval misses a mean of zero if sampling ends once the interval is narrow enough.
  private func misses(level: Double, looks: [Int], until: Double, trials: Int) -> Double {
    var normals = Normals(generator: SplitMix64(state: 11))
    var missed = 0
    let critical = looks.map { StudentT.criticalValue(alpha: 1 - level, degreesOfFreedom: Double($0 - 1)) }
    for _ in 0..<trials {
      var values: [Double] = []
      for (index, look) in looks.enumerated() {
        while values.count < look { values.append(normals.next()) }
        let sample = Sample(values)
        let half = critical[index] * sample.standardError
        guard half <= until || index + 1 == looks.count else { continue }
        if sample.mean.magnitude > half { missed += 1 }
        break
      }
    }
    return Double(missed) / Double(trials)
  }

  @Test func intervalsHoldUnderOptionalStopping() {
    let looks = [5, 10, 20, 40]
    var sweep = Samples.usual.sweep
    sweep.sequential = SweepDescription.Sequential(until: "1%", looks: looks)
    expectClose(sweep.lookConfidence, 1 - 0.05 / 4, 1e-12)
    // A precision that the first look sometimes reaches is the hardest case.
    let corrected = misses(level: sweep.lookConfidence, looks: looks, until: 0.8, trials: 4000)
    let plain = misses(level: 0.95, looks: looks, until: 0.8, trials: 4000)
    #expect(corrected <= 0.05, "\(corrected)")
    // The limit is three standard errors of 4000 trials; without correction for looks the rate is above it.
    #expect(plain > 0.05 + 3 * (0.05 * 0.95 / 4000).squareRoot(), "\(plain)")
  }

  @Test func intervalsAndPValuesAreCorrectedForLooks() throws {
    let samples = Samples.usual
    func summary(_ sweep: SweepDescription) throws -> SweepSummary {
      let columns = RunColumns(axes: samples.axes)
      for row in samples.table.rows { columns.add(row) }
      return try columns.summary(sweep: sweep)
    }
    var sweep = samples.sweep
    let once = try #require(try summary(sweep).points[0].comparison)
    sweep.sequential = SweepDescription.Sequential(until: "1%", looks: [5, 10])
    let twice = try #require(try summary(sweep).points[0].comparison)
    let paired = PairedComparison(baseline: samples.points[1].loaders, candidate: samples.points[0].loaders)
    expectClose(once.differenceInterval?.halfWidth, paired.interval(confidence: 0.95)?.halfWidth ?? 0, 1e-9)
    expectClose(twice.differenceInterval?.halfWidth, paired.interval(confidence: 0.975)?.halfWidth ?? 0, 1e-9)
    #expect(twice.differenceInterval?.halfWidth ?? 0 > once.differenceInterval?.halfWidth ?? 0)
    expectClose(twice.holmPValue, (once.holmPValue ?? 0) * 2, 1e-12)
  }

  @Test func aPointStopsOnceItsDifferenceIsPrecise() throws {
    let samples = Samples.usual
    let columns = RunColumns(axes: samples.axes)
    for row in samples.table.rows { columns.add(row) }
    let summary = try columns.summary(sweep: samples.sweep)
    let halves = summary.points.compactMap { point in point.comparison?.percentInterval.map { (point.point, $0.halfWidth) } }
    #expect(halves.count == 3)
    for limit in [0.5, 1.5, 4.0, 1000] {
      let open = halves.filter { $0.1 > limit }.map(\.0)
      #expect(summary.unsettled(until: .percent(limit)) == (open.isEmpty ? [] : open + [Samples.id(2)]))
    }
    let differences = summary.points.compactMap { point in point.comparison?.differenceInterval.map { (point.point, $0.halfWidth) } }
    #expect(summary.unsettled(until: .absolute(2)) == differences.filter { $0.1 > 2 }.map(\.0) + [Samples.id(2)])
  }

  @Test func enoughEqualPairsStopAPoint() throws {
    let base: [Double] = [31, 27, 44, 38, 29, 52, 33, 41, 36, 30, 35, 28]
    // At four looks 2⁻⁷ ≤ 0.05 / 4 < 2⁻⁶.
    for (count, isKnown) in [(2, false), (3, false), (6, false), (7, false), (8, true), (12, true)] {
      for shift in [0.0, -5] {
        // A difference goes on until it has a verdict.
        let isKnown = isKnown && shift == 0
        var samples = Samples()
        samples.axes = ["prefetcher.maxCost"]
        let values = Array(base.prefix(count))
        samples.points = [(Samples.id(1), ["5"], values.map { $0 + shift }), (Samples.id(2), ["6"], values)]
        samples.baseline = 1
        var sweep = samples.sweep
        sweep.sequential = SweepDescription.Sequential(until: "10%", looks: [3, 6, 12, 24])
        let columns = RunColumns(axes: samples.axes)
        for row in samples.table.rows { columns.add(row) }
        let open = try columns.summary(sweep: sweep).unsettled(until: .percent(10))
        #expect(open.isEmpty == isKnown, "\(count) pairs, shifted by \(shift)")
      }
    }
  }

  @Test func theBetterHalfGoesOnWithTheBaselineAndDroppedPointsHaveNoVerdict() throws {
    var samples = Samples()
    samples.points = (0..<9).map { index in
      (Samples.id(index + 1), [String(index), "keep"], [40, 44, 39, 51].map { $0 + Double((index * 5) % 9) * 10 })
    }
    samples.baseline = 8
    var sweep = samples.sweep
    sweep.search = SweepDescription.Search(kind: .halving, rounds: [2, 4])
    sweep.repeats = 4
    func summary(_ samples: Samples) throws -> SweepSummary {
      let columns = RunColumns(axes: samples.axes)
      for row in samples.table.rows { columns.add(row) }
      return try columns.summary(sweep: sweep)
    }
    var first = samples
    first.points = samples.points.map { ($0.id, $0.values, Array($0.loaders.prefix(2))) }
    let survivors = try summary(first).betterHalf(atLeast: 1)
    // (index · 5) mod 9 is 0, 1, 2, 3 at indices 0, 2, 4, 6.
    #expect(survivors == [1, 3, 5, 7, 9].map { Samples.id($0) })
    #expect(try summary(first).betterHalf(atLeast: 6).count == 7)
    var last = samples
    for index in [1, 3, 5, 7] { last.points[index].loaders = [0, 0] }
    let result = try summary(last)
    #expect(result.best.prefix(5).allSatisfy { $0.repetitions == 4 }, "what was dropped stands behind, however lucky")
    #expect(result.points[1].comparison?.verdict.description == "dropped" && result.points[1].comparison?.holmPValue == nil)
    #expect(result.familySize == 8, "what was dropped stays in the family")
    #expect(result.points.filter(\.isOnFront).allSatisfy { !$0.isDropped })
    let report = Report.make(summary: result, sweep: sweep)["report.md"] ?? ""
    #expect(report.contains("successive halving: all points 2, the better half of each round up to 4;"))
    #expect(report.contains("- **runs**: 28 of 36 (78\u{A0}%)"))
    #expect(report.contains("dropped"))
  }
}
