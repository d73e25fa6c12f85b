import SampleSweeps
import TestSupport
import Testing

@testable import Analysis
@testable import Rendering

/// The weighted whole over strata: what it says, and what it leaves out.
@Suite struct PopulationTests {
  /// Settings of a population whose heavier stratum does not tell them apart.
  private static let unlike: StrataTests.Field = {
    let base: [Double] = [50, 47, 61, 55, 52, 66, 49, 58, 53, 51]
    let fewer = base.enumerated().map { $0 == 0 ? $1 : $1 - 30 - Double($0 % 3) }
    let idle = base.map { _ in 1.0 }
    return StrataTests.Field(
      weights: [0, 0.8, 0.2], isLab: [true, false, false], loaders: [[base, base, base], [idle, idle, idle], [fewer, base, base]])
  }()

  /// In 80 % of items nobody waits, so that the population's 90th percentile is that of the others' upper half, not a fifth of their own.
  @Test func quantilesMaximaAndRatiosOfTheWholeAreLeftOut() throws {
    let field = Self.unlike
    var table = field.table
    for index in table.rows.indices {
      let isSlow = table.rows[index].axisValues[0] != "net1"
      for metric in [Metric.waitMsMean, .waitMsP50, .waitMsP90, .waitMsP99, .waitMsMax] { table.rows[index][metric] = isSlow ? 1000 : 0 }
    }
    let summary = try SweepSummary.of(runs: table, sweep: field.sweep)
    let (whole, slow) = (summary.points[0], try #require(summary.strata?.members[2].summary.points[0]))
    #expect([Metric.waitMsP50, .waitMsP90, .waitMsP99, .waitMsMax].allSatisfy { whole.mean($0) == nil && slow.mean($0) == 1000 })
    expectClose(whole.mean(.waitMsMean), 200, 1e-9)
    expectClose(whole.mean(.late), 0.8 * 1 + 0.2 * (slow.mean(.late) ?? 0), 1e-9)
    let report = Report.make(summary: summary, sweep: field.sweep)
    #expect(report["charts/waits.svg"] == nil && report["charts/stratum-3/waits.svg"] != nil)
    let csv = try #require(report["summary.csv"]).split(separator: "\n").map { $0.split(separator: ",", omittingEmptySubsequences: false) }
    for name in ["waitMsP50", "waitMsP90", "waitMsP99", "waitMsMax"] {
      let column = try #require(csv[0].firstIndex { $0 == name })
      #expect(csv.filter { $0.contains("population") }.allSatisfy { $0[column].isEmpty } && !csv[1][column].isEmpty)
    }
  }

  /// A mean over the runs that have a value is one over all of them, whichever stratum they are of.
  @Test func aMeanOverRunsWithAValueWeighsTheStrataByThem() throws {
    let field = StrataTests.Field(weights: [0.5, 0.5], isLab: [false, false], loaders: [StrataTests.first, StrataTests.first])
    var table = field.table
    for index in table.rows.indices {
      let (isFirst, repetition) = (table.rows[index].axisValues[0] == "net0", table.rows[index].repetition)
      table.rows[index][.bound] = isFirst ? (repetition > 2 ? nil : 10) : 40
    }
    let summary = try SweepSummary.of(runs: table, sweep: field.sweep)
    // A third of the runs of one half, and all of the other half.
    expectClose(summary.points[0].mean(.bound), (0.5 / 3 * 10 + 0.5 * 40) / (0.5 / 3 + 0.5), 1e-9)
  }

  @Test func anObjectiveOnAQuantileSaysWhatItIsOfTheWhole() throws {
    var sweep = Self.unlike.sweep
    sweep.objective = Objective(minimize: "waitMsP90", subjectTo: [])
    let columns = RunColumns(sweep)
    for row in Self.unlike.table.rows { columns.add(row) }
    let summary = try columns.summary(sweep: sweep)
    #expect(summary.points[0].mean(.waitMsP90) != nil)
    #expect(summary.warnings.contains { $0.hasPrefix("waitMsP90 of population is the weighted mean of the strata's values") })
  }

  /// The stratum with the largest difference, and the first repetition in which the two sides differ there.
  @Test func theRunToRepeatShowsTheDifference() throws {
    let field = Self.unlike
    let report = try Report.make(runs: field.table, sweep: field.sweep)
    let text = try #require(report["report.md"])
    let id = Samples.id(21)
    #expect(text.contains("Repetition 2 of maxCost 1, net2:") && text.contains("--point \(id) --repetition 2"))
    #expect(text.contains("A timeline of maxCost 1, net2 beside the baseline"))
    #expect(report["report.html"]?.contains("data-p=\"\(id)\" data-r=\"2\"") == true)
    // Where no stratum differs, there is no timeline.
    var same = field
    same.loaders[2][0] = field.loaders[2][2]
    let level = try Report.make(runs: same.table, sweep: same.sweep)["report.md"] ?? ""
    #expect(level.contains("Repetition 1 of maxCost 1, net1:") && !level.contains("A timeline of"))
  }

  @Test func theHeadlineSaysWhereTheGainComesFrom() throws {
    func text(_ field: StrataTests.Field) throws -> String {
      Headline(part: ReportPart(try field.summary(), sweep: field.sweep), markup: .plain).text
    }
    let alone = try text(Self.unlike)
    #expect(alone.contains("Only net2 (54 → 26) is shown to gain."), "\(alone)")
    // A second stratum loses.
    var field = Self.unlike
    field.loaders[1] = [
      field.loaders[1][0].enumerated().map { 1.5 + 0.2 * Double($0.offset % 3) }, field.loaders[1][1], field.loaders[1][2],
    ]
    let both = try text(field)
    #expect(both.contains("net2 (54 → 26) is shown to gain; net1 (1.00 → 1.68) loses."), "\(both)")
    // Strata of an axis say the same; of strata that all gain there is nothing to say.
    field = Self.unlike
    (field.kind, field.weights, field.isLab) = (.axes, [0.5, 0.5], [false, false])
    field.loaders.removeFirst()
    #expect(try text(field).contains(" is shown to gain."))
    field.loaders[0] = field.loaders[1]
    #expect(try !text(field).contains(" gain"))
  }
}

/// A population in a history.
@Suite struct StrataHistoryTests {
  private static let base: [Double] = [50, 47, 61, 55, 52, 66, 49, 58, 53, 51]

  private func entry(_ date: String, winner: Int = 0, weights: [Double] = [0, 0.8, 0.2]) throws -> HistoryEntry {
    let fewer = Self.base.enumerated().map { $1 - 30 - Double($0 % 3) }
    let rows = winner == 0 ? [fewer, Self.base, Self.base] : [Self.base, fewer, Self.base]
    let other = rows.map { $0.map { $0 + 10 } }
    let field = StrataTests.Field(weights: weights, isLab: [true, false, false], loaders: [rows, rows, other])
    return HistoryEntry(
      try field.summary(), sweep: field.sweep, origin: HistoryEntry.Origin(date: date, build: "b", commit: nil, rows: date))
  }

  @Test func theWholeIsTheFirstStratum() throws {
    let entry = try entry("2026-11-20T01:00:00Z")
    #expect(entry.strata.map(\.name) == ["population", "scenario", "net1", "net2"])
    #expect(entry.strata.map(\.isWhole) == [true, nil, nil, nil])
    #expect(entry.strata[0].best?.name == "maxCost 1")
    let series = HistorySeries.all([entry, try self.entry("2026-11-21T01:00:00Z", winner: 1)])
    #expect(series[0].answer(.plain).hasPrefix("population: maxCost 2 wins since 2026-11-21 01:00; before, maxCost 1 did. "))
  }

  /// The strata have the same numbers; the whole moves with its weights alone.
  @Test func otherWeightsExplainTheWhole() throws {
    let before = try entry("2026-11-20T01:00:00Z")
    var now = try entry("2026-11-21T01:00:00Z", weights: [0, 0.5, 0.5])
    #expect(before.whole?.weights == "80 % net1, 20 % net2" && before.strata.dropFirst().allSatisfy { $0.weights == nil })
    let report = HistoryReport(HistorySeries.all([before, now]))
    let text = report.text(isColored: false)
    #expect(text.contains("because the population's weights changed (80 % net1, 20 % net2 → 50 % net1, 50 % net2)."), "\(text)")
    #expect(!report.hasUnexplained)
    // A stratum that moves has no part in it, and nothing else explains a whole with the same weights.
    now.strata[2].points[0].mean += 1
    #expect(HistorySeries.all([before, now])[0].steps[0].unexplained.contains { $0.stratum == "net1" })
    var edited = try entry("2026-11-22T01:00:00Z")
    edited.strata[0].points[0].mean += 1
    #expect(HistoryReport(HistorySeries.all([before, edited])).hasUnexplained)
  }

  @Test func aWinnerThatWasAsGoodBeforeIsNamedSo() throws {
    var (first, second) = (try entry("2026-11-20T01:00:00Z"), try entry("2026-11-21T01:00:00Z", winner: 1))
    first.strata[0].asGood = ["maxCost 2"]
    second.strata[0].asGood = ["maxCost 1"]
    #expect(HistorySeries.all([first, second])[0].answer(.plain).contains("before, maxCost 1 did, and the two were as good."))
  }
}
