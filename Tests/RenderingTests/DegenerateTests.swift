import SampleSweeps
import Testing

@testable import Analysis
@testable import Rendering

@Suite struct DegenerateTests {
  /// Returns a candidate and the baseline on one axis.
  private func two(_ candidate: [Double], _ baseline: [Double]) -> Samples {
    var samples = Samples()
    samples.axes = ["prefetcher.maxCost"]
    samples.points = [(Samples.id(1), ["5"], candidate), (Samples.id(2), ["6"], baseline)]
    samples.baseline = 1
    return samples
  }

  @Test func oneRepetitionCannotShowNoise() throws {
    let samples = two([20], [30])
    #expect(try samples.verdict(0) == "inconclusive (one repetition)")
    #expect(try samples.headline.contains("one repetition cannot tell that from noise"))
    let markdown = try samples.report["report.md"] ?? ""
    #expect(markdown.contains("[^1]: One repetition cannot show noise"))
    #expect(markdown.contains("-10 |"))
  }

  @Test func identicalRunsAreCalledIdentical() throws {
    let samples = two([31, 27, 44], [31, 27, 44])
    #expect(try samples.verdict(0) == "identical")
    let headline = try samples.headline
    #expect(
      headline
        == "Nothing beats the baseline, maxCost 6: with 34 loaders per 1000 it has the lowest mean of 2 points, together with 1 other; "
        + "maxCost 5 has it with fewer bytes received, 61.00 MB against 61.35 MB a run.", "\(headline)")
  }

  @Test func aConstantShiftInFewPairsIsNoVerdict() throws {
    #expect(try two([8, 10, 13, 7, 9], [10, 12, 15, 9, 11]).verdict(0) == "too few repetitions (5 equal pairs)")
    #expect(try two([8, 10, 13, 7, 9, 12], [10, 12, 15, 9, 11, 14]).verdict(0) == "too few repetitions (6 equal pairs)")
    #expect(try two([8, 10, 13, 7, 9], [10, 12, 15, 9, 11]).headline.contains("too few to tell that from chance"))
  }

  @Test func aBaselineWithoutLoadersHasNoPerCent() throws {
    var samples = two([3, 1, 2, 4, 2, 3, 1], [0, 0, 0, 0, 0, 0, 0])
    #expect(try samples.verdict(0) == "worse")
    let markdown = try samples.report["report.md"] ?? ""
    #expect(markdown.contains("so that a difference in per cent is undefined"))
    let headline = try samples.headline
    #expect(headline == "Nothing beats the baseline, maxCost 6: with 0.0 loaders per 1000 it has the lowest mean of 2 points.")
    samples.margin = "5%"
    // Any difference is more than 5 % of zero.
    #expect(try samples.verdict(0) == "worse")
  }

  @Test func noLoadersAnywhereLeaveNoReasons() throws {
    let markdown = try two([0, 0], [0, 0]).report["report.md"] ?? ""
    #expect(!markdown.contains("## Loaders by reason"))
    #expect(try two([0, 0], [0, 0]).verdict(0) == "identical")
  }

  @Test func withoutABoundThereIsNoHeadroom() throws {
    var samples = Samples.usual
    samples.hasBound = false
    let report = try samples.report
    #expect(report["report.md"]?.contains("above bound") == false)
    #expect(report["summary.csv"]?.contains("better,,1000,") == true)
  }

  @Test func missingRepetitionsAreLeftOutOfThePairs() throws {
    var samples = Samples.usual
    samples.missing = [(0, 3), (1, 7), (1, 8)]
    let columns = RunColumns(axes: samples.axes)
    for row in samples.table.rows { columns.add(row) }
    let summary = try columns.summary(sweep: samples.sweep)
    #expect(summary.points.map { $0.comparison?.pairs } == [7, nil, 8, 8])
    #expect(summary.warnings[0].hasPrefix("2 points have fewer than 10 repetitions"))
    // The result equals that of the common repetitions alone.
    let common = [0, 1, 3, 4, 5, 8, 9]
    let alone = PairedComparison(
      baseline: common.map { samples.points[1].loaders[$0] }, candidate: common.map { samples.points[0].loaders[$0] })
    #expect(summary.points[0].comparison?.differenceInterval == alone.interval())
  }

  @Test func aMissingCommonRepetitionIsReported() throws {
    var samples = two([20, 21], [30, 31])
    samples.missing = [(0, 1), (1, 2)]
    #expect(try samples.verdict(0) == "inconclusive (no common repetition)")
    #expect(try samples.headline.contains("no repetition in common"))
    _ = try samples.report
  }

  @Test func aBaselineWithoutRunsLeavesATableWithoutComparisons() throws {
    let samples = two([20, 21], [30, 31])
    var table = samples.table
    table.rows.removeAll { $0.point == Samples.id(2) }
    let markdown = try Report.make(runs: table, sweep: samples.sweep)["report.md"] ?? ""
    #expect(markdown.contains("No comparison: the baseline has no runs."))
    #expect(markdown.contains("1 of 2 points has no runs") && !markdown.contains("difference ["))
  }

  @Test func onePointAlone() throws {
    var samples = two([20, 22, 21], [])
    samples.points.removeLast()
    samples.baseline = 0
    #expect(try samples.headline == "Only one point: maxCost 5 shows 21 loaders per 1000.")
    let markdown = try samples.report["report.md"] ?? ""
    #expect(!markdown.contains("difference") && markdown.contains("| **1** |"))
  }

  @Test func withoutAxesPointsAreNamedByTheirSettings() throws {
    var samples = two([20, 22, 21, 23, 20, 22], [30, 33, 31, 34, 29, 32])
    samples.axes = []
    for index in samples.points.indices { samples.points[index].values = [] }
    #expect(try samples.headline.hasPrefix("point \(Samples.id(1)) wins: 21."))
    #expect(try samples.report["report.md"]?.contains("| **costBudget, maxCost 6** |") == true)
  }

  @Test func twoPointsOfTheGridMayShareAnId() throws {
    var samples = two([20, 22, 21, 23, 20, 22], [30, 33, 31, 34, 29, 32])
    samples.points.append((Samples.id(1), ["7"], [20, 22, 21, 23, 20, 22]))
    #expect(try samples.report["summary.csv"]?.split(separator: "\n").count == 4)
    #expect(try samples.headline.contains("1 other point shows the same mean"))
  }

  @Test func anEquivalentPointNeedsAMargin() throws {
    let baseline: [Double] = [200, 210, 190, 220, 205, 195, 215, 200, 210, 190]
    let shift: [Double] = [1, -1, 0, 1, -1, 1, 0, -1, 1, 0]
    var samples = two(zip(baseline, shift).map { $0 - $1 }, baseline)
    #expect(try samples.verdict(0) == "inconclusive")
    samples.margin = "2%"
    #expect(try samples.verdict(0) == "equivalent")
    #expect(try samples.headline.contains("is within the margin of the baseline (2 %)"))
    samples.margin = "0.5"
    #expect(try samples.verdict(0) == "inconclusive")
    let headline = try samples.headline
    #expect(
      headline.hasPrefix("Nothing beats the baseline, maxCost 6, beyond the noise and the margin of 0.5 loaders per 1000"),
      "\(headline)")
  }

  @Test func aLeadThatHoldsForOnePointAloneIsNoWin() throws {
    var samples = two([26, 27, 39, 35, 28, 45, 31, 40, 33, 27], [31, 27, 44, 38, 29, 52, 33, 41, 36, 30])
    #expect(try samples.headline.contains("wins"))
    let far = samples.points[1].loaders.map { $0 + 9 }
    for index in 100..<160 { samples.points.append((Samples.id(index), [String(index)], far)) }
    #expect(try samples.headline.contains("this holds for one point alone, not for 61 comparisons at once"))
  }

  @Test func tablesThatDoNotFitTheirDescriptionAreRefused() throws {
    let samples = Samples.usual
    var sweep = samples.sweep
    sweep.axes[0].path = "prefetcher.ahead"
    #expect(throws: ReportError.self) { try Report.make(runs: samples.table, sweep: sweep) }
    #expect(throws: ReportError.noRuns) { try Report.make(runs: RunTable(axes: samples.axes), sweep: samples.sweep) }
  }

  @Test func theOrderOfRowsDoesNotMatterToPairs() throws {
    var table = Samples.usual.table
    let report = try Report.make(runs: table, sweep: Samples.usual.sweep)
    table.rows = (1...10).reversed().flatMap { repetition in table.rows.filter { $0.repetition == repetition } }
    let shuffled = try Report.make(runs: table, sweep: Samples.usual.sweep)
    #expect(report["report.md"] == shuffled["report.md"])
  }
}
