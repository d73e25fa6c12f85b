import Base
import SampleSweeps
import TestSupport
import Testing

@testable import Analysis
@testable import Rendering

/// The points that are as good as the winner.
@Suite struct PeersTests {
  private static let halfE = StableMath.exp(0.5)
  private static let laws = [
    Law(testDescription: "normal") { $1 },
    Law(testDescription: "exponential") { uniform, _ in -StableMath.log(uniform) - 1 },
    Law(testDescription: "lognormal") { StableMath.exp($1) - halfE },
    Law(testDescription: "3 of 10 differ by a whole number") { ($0 < 0.15 ? 1 : $0 > 0.85 ? -1 : 0) + 0 * $1 },
  ]

  /// Means of 8 points besides the baseline, the best of them 0; all equal, close together, and spread out.
  private static let means: [[Double]] = [
    [0, 0.02, 0.02, 0.02, 0.02, 0.02, 0.02, 0.02], [0, 0.3, 0.4, 0.5, 0.6, 0.8, 1, 1.2], [0, 0.2, 2, 2.5, 3, 3, 4, 5],
  ]

  /// Of drawn sweeps with a winner, the true best is the winner or as good in 95 %: the probability that it is missed is promised to be 5 %
  /// at most, however the winner was chosen.
  @Test(arguments: laws, [5, 10, 30])
  func theTrueBestIsInTheList(law: Law, repetitions: Int) throws {
    for (index, means) in Self.means.enumerated() {
      let sweeps = 60
      var (won, missed, listed) = (0, 0, 0)
      for sweep in 0..<sweeps {
        var draws = Draws(seed: UInt64(sweep * 1000 + index * 100 + repetitions))
        var samples = Samples()
        samples.axes = ["prefetcher.maxCost"]
        let common = (0..<repetitions).map { _ in 100 + 5 * draws.normal() }
        samples.points = (means + [20]).enumerated().map { point, mean in
          (Samples.id(point + 1), ["\(point)"], common.map { $0 + mean + law.draw(draws.unit(), draws.normal()) })
        }
        samples.baseline = means.count
        let summary = try SweepSummary.of(runs: samples.table, sweep: samples.sweep)
        guard let winner = summary.winner else { continue }
        won += 1
        listed += summary.peers.count + 1
        if winner.axisValues != ["0"], !summary.points[0].isAsGoodAsWinner { missed += 1 }
        #expect(!winner.isAsGoodAsWinner && !summary.points[means.count].isAsGoodAsWinner)
      }
      // 8 of 60 are 13 %: one run of 150 at a rate of 5 %.
      #expect(missed <= 7, "\(law.testDescription), \(repetitions): \(missed) of \(won)")
      // With 5 pairs of which most are equal, a point that is lower in each of them keeps others from winning.
      #expect(won > sweeps / 2 || repetitions == 5)
      if index == 2, repetitions == 30 { #expect(Double(listed) / Double(won) < 4, "points 2 away are told from the best") }
    }
  }

  /// The winner, a point that is as good and costs less, one that is worse for sure, and the baseline.
  private static let samples: Samples = {
    var samples = Samples()
    let base: [Double] = [41, 37, 54, 48, 39, 62, 43, 51, 46, 40]
    let noise: [Double] = [2, -2, 1, 0, -1, 2, -2, 1, -1, 2]
    samples.axes = ["prefetcher.maxCost"]
    samples.points = [
      (Samples.id(1), ["5"], zip(base, noise).map { $0 - 20 + $1 }),
      (Samples.id(2), ["6"], zip(base, [0, 1, -1, 0, 1, -1, 0, 1, -1, 0]).map { $0 - 20 + $1 }),
      (Samples.id(3), ["7"], zip(base, noise).map { $0 - 8 + $1 / 2 }), (Samples.id(4), ["8"], base),
    ]
    samples.baseline = 3
    return samples
  }()

  @Test func theHeadlineNamesTheCheapestOfThem() throws {
    let headline = try Self.samples.headline
    #expect(headline.hasPrefix("maxCost 6 wins: "), "\(headline)")
    #expect(
      headline.hasSuffix(
        " maxCost 5 is not shown to be worse than the winner by a paired comparison (≈; 95 %, for all 3 other points at once); it takes "
          + "61.01 MB a run against 61.36 MB of the winner."), "\(headline)")
  }

  @Test func tablesMarkThemAndTheirColumnIsTheLast() throws {
    let report = try Self.samples.report
    let csv = try #require(report["summary.csv"]).split(separator: "\n").map { $0.split(separator: ",", omittingEmptySubsequences: false) }
    #expect(csv.map(\.last) == ["asGoodAsWinner", "true", "true", "false", "false"])
    let rows = try #require(report["report.md"]).split(separator: "\n")
    #expect(rows.count { $0.contains(/≈ *\|/) } == 1 && rows.contains { $0.contains("≈: not shown to be worse than the winner") })
    #expect(report["report.html"]?.contains("≈") == true)
    var noWinner = Self.samples
    noWinner.points.removeFirst(3)
    noWinner.points.append((Samples.id(5), ["9"], noWinner.points[0].loaders))
    noWinner.baseline = 0
    let empty = try noWinner.report["summary.csv"] ?? ""
    #expect(empty.split(separator: "\n").last?.hasSuffix(",") == true)
  }

  /// A point that is worse than the baseline, or equal to it, is no peer of a point that is better, however few the pairs are.
  @Test(arguments: [5, 10, 30]) func noPeerIsWorseThanTheBaselineOrEqualToIt(repetitions: Int) throws {
    var samples = Samples()
    samples.axes = ["prefetcher.maxCost"]
    let noise = (0..<repetitions).map { Double(($0 * 7) % 5) }
    let base = (0..<repetitions).map { 30 + Double(($0 * 3) % 7) }
    samples.points = [
      (Samples.id(1), ["0"], base.map { _ in 1000 }), (Samples.id(2), ["1"], zip(base, noise).map { $0 + 40 + $1 }),
      (Samples.id(3), ["2"], base), (Samples.id(4), ["3"], zip(base, noise).map { $0 - 20 - $1 }), (Samples.id(5), ["4"], base),
    ]
    samples.baseline = 4
    let summary = try SweepSummary.of(runs: samples.table, sweep: samples.sweep)
    #expect(summary.winner?.axisValues == ["3"] && summary.peers.isEmpty, "\(summary.peers.map(\.axisValues))")
  }

  /// A point that is lower in each repetition comes before one whose verdict is `better`, even if its equal pairs are too few.
  @Test func nothingWinsWhileAPointIsLowerInEachRepetition() throws {
    var samples = Samples()
    samples.axes = ["prefetcher.maxCost"]
    let base = [Double](repeating: 30, count: 10)
    let noise: [Double] = [2, -2, 1, 0, -1, 2, -2, 1, -1, 2]
    samples.points = [
      (Samples.id(1), ["5"], base.map { $0 - 28 }), (Samples.id(2), ["6"], zip(base, noise).map { $0 - 10 + $1 }),
      (Samples.id(3), ["7"], base),
    ]
    samples.baseline = 2
    let headline = try samples.headline
    #expect(
      headline.hasPrefix("maxCost 5 has the lowest mean, 2.0 loaders per 1000 against 30.0 of the baseline, -28")
        && headline.hasSuffix("10 are too few to tell that from chance; it takes 36."), "\(headline)")
    samples.points[0].loaders = base.map { $0 - 28 } + [40]
    samples.points[0].loaders[3] = 25
    samples.points[0].loaders.removeLast()
    #expect(try SweepSummary.of(runs: samples.table, sweep: samples.sweep).winner?.axisValues == ["6"])
  }

  @Test func withoutRandomnessOnlyTheSameMeanIsAsGood() throws {
    var samples = Samples()
    samples.axes = ["prefetcher.maxCost"]
    samples.deterministic = true
    samples.points = [4, 4, 4.001, 9].enumerated().map { (Samples.id($0 + 1), ["\($0)"], [$1]) }
    samples.baseline = 3
    let summary = try SweepSummary.of(runs: samples.table, sweep: samples.sweep)
    #expect(summary.peers.map(\.axisValues) == [["1"]])
    #expect(try samples.headline.contains(" 1 other point shows the same mean (≈), and not with fewer bytes received."))
  }

  /// A difference within the margin does not matter, to the winner as to the baseline.
  @Test func aPointWithinTheMarginIsAsGood() throws {
    var samples = Self.samples
    samples.points[2].loaders = samples.points[1].loaders.enumerated().map { $0.element + 1 + 0.1 * Double($0.offset % 3) }
    func peers(_ margin: String?) throws -> [[String]] {
      samples.margin = margin
      return try SweepSummary.of(runs: samples.table, sweep: samples.sweep).peers.map(\.axisValues)
    }
    #expect(try peers(nil) == [["5"]])
    #expect(try peers("2") == [["5"], ["7"]])
  }

  /// 100 000 points take a second or two, and twice as many twice the time.
  @Test func itsCostGrowsWithThePoints() throws {
    func time(_ count: Int) throws -> Duration {
      var samples = Samples()
      samples.axes = ["prefetcher.maxCost"]
      samples.points = (0..<count).map { point in
        (Samples.id(point + 1), ["\(point)"], (0..<6).map { 50 + Double(($0 * 7 + point * 3) % 11) + (point == 0 ? 60 : 0) })
      }
      let columns = RunColumns(axes: samples.axes)
      for row in samples.table.rows { columns.add(row) }
      var summary = try columns.summary(sweep: samples.sweep)
      #expect(summary.winner != nil)
      return ContinuousClock().measure { summary.markPeers(of: summary.winner) }
    }
    let (few, many) = (try time(500), try time(4000))
    #expect(many < few * 40, "\(few) for 500, \(many) for 4000")
  }
}
