import SampleSweeps
import Testing

@testable import Analysis
@testable import Rendering

/// The truth of each headline.
@Suite struct HeadlineTests {
  private static let base: [Double] = [310, 270, 440, 380, 290, 520, 330, 410, 360, 300]

  /// Returns the baseline, a winner and the given number of worse points.
  private func family(_ others: Int, repetitions: Int = 10) -> Samples {
    var samples = Samples()
    samples.axes = ["prefetcher.maxCost"]
    let base = (0..<repetitions).map { Self.base[$0 % 10] + Double($0) }
    samples.points = [
      (Samples.id(1), ["5"], base.enumerated().map { $1 - 100 + Double($0 * 7 % 5) }), (Samples.id(2), ["6"], base),
    ]
    for index in 0..<others {
      samples.points.append((Samples.id(100 + index), ["\(100 + index)"], base.enumerated().map { $1 + 40 + Double(($0 + index) * 7 % 9) }))
    }
    samples.baseline = 1
    return samples
  }

  @Test func aVerdictHoldsForAllComparisonsOnlyIfTheExactTestCanReachTheLevel() throws {
    // 2^-9 · 25 is below 0.05, and 2^-9 · 26 is not.
    let reached = try family(24).headline
    #expect(reached.hasSuffix("; the verdict holds for all 25 comparisons at once."), "\(reached)")
    let beyond = try family(48).headline
    #expect(!beyond.contains("holds for all"))
    #expect(
      beyond.hasSuffix(
        "; for all 49 comparisons at once it rests on the intervals alone, which have so small an error only for differences that are not "
          + "skewed: with 10 repetitions the exact sign-flip test supports at most 25 at once."), "\(beyond)")
    #expect(try family(48, repetitions: 11).headline.hasSuffix("; the verdict holds for all 49 comparisons at once."))
    #expect(!(try family(0).headline.contains("at once")))
  }

  @Test func anEquivalentBestIsWithinTheMargin() throws {
    var samples = family(0)
    samples.points[0].loaders = samples.points[1].loaders.enumerated().map { $1 - 1 + Double($0 % 3) - 1 }
    samples.margin = "2%"
    let text = try samples.headline
    #expect(text.hasPrefix("maxCost 5 is within the margin of the baseline (2 %) and has the lowest mean: "), "\(text)")
    #expect(!text.contains("Nothing beats"))
  }

  @Test func costsThatAreWrittenAlikeAreNotCalledFewer() throws {
    var samples = family(0)
    samples.points[0].loaders = samples.points[1].loaders
    var table = samples.table
    for index in table.rows.indices { table.rows[index][.bytesReceived] = 252_000_000 + (index < 10 ? 0 : 1000) }
    let summary = try SweepSummary.of(runs: table, sweep: samples.sweep)
    let text = Headline(part: ReportPart(summary, sweep: samples.sweep), markup: .plain).sentence
    #expect(text.hasSuffix("together with 1 other."), "\(text)")
  }

  @Test func oneIsSingular() throws {
    var samples = family(0)
    samples.points = [(Samples.id(1), ["5"], [1, 1, 1, 1, 1, 1]), (Samples.id(2), ["6"], [9, 8, 9, 12, 7, 9])]
    #expect(try samples.headline.contains("wins: 1 loader per 1000 against "))
    samples.margin = "1"
    #expect(try samples.report["report.md"]?.contains("margin 1 loader per 1000") == true)
    samples.points.removeFirst()
    samples.points[0].loaders = [1]
    samples.baseline = 0
    #expect(try samples.headline == "Only one point: maxCost 6 shows 1 loader per 1000.")
    #expect(!(try samples.report.all.contains { $0.contents.contains("1 points") || $0.contents.contains("1 repetitions") }))
  }

  @Test func aSkewedIntervalIsCalledAdjustedEverywhere() throws {
    var samples = family(0)
    samples.points[0].loaders = zip(Self.base, [-9, -8, -9, -7, -9, -8, -9, -8, -7, 60] as [Double]).map { $0 + $1 }
    let report = try samples.report
    #expect(report["report.md"]?.contains("All intervals of differences are skewness-adjusted.") == true)
    for file in report.all { #expect(!file.contents.contains("widened") && !file.contents.contains("covers less")) }
  }

  @Test func tooFewRepetitionsForAnIntervalAreReported() throws {
    var samples = family(0)
    for index in 0...1 { samples.points[index].loaders = Array(samples.points[index].loaders.prefix(3)) }
    #expect(try samples.verdict(0) == "too few repetitions")
    #expect(try samples.headline.hasSuffix("but 3 repetitions are too few for an interval; run more."))
    #expect(try samples.report["report.md"]?.contains("(too few repetitions) |") == true)
  }

  @Test func repetitionsWhosePairsAreAlmostAllEqualAreNotCalledTooFew() throws {
    var samples = family(0)
    samples.points[0].loaders = samples.points[1].loaders.enumerated().map { $0 == 3 ? $1 - 20 : $1 }
    #expect(try samples.verdict(0) == "too few pairs differ")
    let text = try samples.headline
    #expect(text.hasSuffix("%, but too few of the 10 pairs differ for an interval; run more repetitions."), "\(text)")
    #expect(try samples.report["report.md"]?.contains("-2 (too few pairs differ) |") == true)
  }

  /// 192.6 less 260.3 is -67.7: 193 beside 260 would not show -68.
  @Test func theShownMeansDifferByTheShownDifference() throws {
    var samples = family(0, repetitions: 20)
    samples.points[0].loaders = samples.points[1].loaders.enumerated().map { $1 - 67.7 + 40 * (Double($0 * 7 % 20) / 19 - 0.5) }
    let shift = 260.3 - samples.points[1].loaders.reduce(0, +) / 20
    for index in 0...1 { samples.points[index].loaders = samples.points[index].loaders.map { $0 + shift } }
    let text = try samples.headline
    #expect(text.contains("192.6 loaders per 1000 against 260.3 of the baseline, -68 ["), "\(text)")
    #expect(try samples.report["report.md"]?.contains(/\| +192\.6 \| +-68/) == true)
  }

  @Test func predictionsHaveTwoDigits() {
    #expect([1, 23, 99, 100, 101, 137, 4392].map(Words.roundedUp) == [1, 23, 99, 100, 110, 140, 4400])
  }

  @Test func linesEndNeitherBeforePerCentNorInsideAnInterval() throws {
    #expect(
      Words.unbroken("-68 [-75, -59], -68 % (paired 95 % interval)")
        == "-68\u{A0}[-75,\u{A0}-59], -68\u{A0}% (paired 95\u{A0}% interval)")
    let report = try family(0).report
    for name in ["report.md", "report.html"] {
      #expect(report[name]?.contains("\u{A0}% (paired 95\u{A0}% interval") == true && report[name]?.contains("5 % interval,") == false)
    }
  }
}
