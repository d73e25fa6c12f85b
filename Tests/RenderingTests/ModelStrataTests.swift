import SampleSweeps
import Sweep
import Testing

@testable import Analysis
@testable import Rendering

/// Models of one network: the packet transport represents them, and no text calls them strata.
@Suite struct ModelStrataTests {
  private static func field() -> (table: RunTable, sweep: SweepDescription) {
    let means: [Double] = [20, 40, 60]
    let loaders = (0..<3).map { shift in means.map { mean in (0..<8).map { mean + Double(($0 * 7 + shift) % 5) } } }
    var field = StrataTests.Field(kind: .models, weights: [0.5, 0.5], isLab: [false, false], loaders: Array(loaders.prefix(2)))
    field.settings = ["1", "2", "6"]
    var (table, sweep) = (field.table, field.sweep)
    let names = ["net0": "fluid", "net1": "packet"]
    table.axes[0] = "network.transport"
    for index in table.rows.indices { table.rows[index].axisValues[0] = names[table.rows[index].axisValues[0]] ?? "" }
    sweep.axes[0].path = "network.transport"
    sweep.strata?.paths = ["network.transport"]
    for (index, name) in ["fluid", "packet"].enumerated() {
      sweep.strata?.members[index].name = name
      sweep.strata?.members[index].values = [name]
      sweep.strata?.members[index].baseline.axisValues[0] = name
      sweep.strata?.members[index].isPrincipal = name == "packet" ? true : nil
    }
    return (table, sweep)
  }

  @Test func thePacketTransportGivesTheReasonsAndTheRunToRepeat() throws {
    let (table, sweep) = Self.field()
    let report = try Report.make(runs: table, sweep: sweep)
    let (markdown, page) = (report["report.md"] ?? "", report["report.html"] ?? "")
    #expect(markdown.contains("Loaders by reason, packet") && markdown.contains("maxCost 1, packet:"))
    #expect(page.contains("Loaders by reason (packet)") && page.contains(/maxCost 1<.*packet.*:<\/p>/))
  }

  @Test func aFileOfAnOlderProgramMeansThePacketTransport() throws {
    var sweep = Self.field().sweep
    for index in 0..<2 { sweep.strata?.members[index].isPrincipal = nil }
    let read = try SweepDescription(json: sweep.json, file: "sweep.json")
    #expect(read.strata == Self.field().sweep.strata && read.strata?.members[1].isPrincipal == true)
    // Another model may be the one.
    sweep.strata?.members[0].isPrincipal = true
    #expect(try SweepDescription(json: sweep.json, file: "sweep.json").strata == sweep.strata)
  }

  @Test func noTextCallsThemStrata() throws {
    var (table, sweep) = Self.field()
    sweep.baseline.isImplied = true
    table.rows.removeAll { $0.axisValues[0] == "fluid" }
    let text = try Report.make(runs: table, sweep: sweep)["report.md"] ?? ""
    #expect(text.contains("1 of 2 models have no runs.") && text.contains("(the first point of each model, because"), "\(text)")
    #expect(text.firstRange(of: /stratum|strata/) == nil, "\(text)")
  }
}

/// Sentences about strata hold for each stratum.
@Suite struct StrataWordsTests {
  @Test func aBaselineWithASharedMeanIsDescribedAsTied() throws {
    let equal: [Double] = [4, 5, 6, 4, 5, 6]
    let field = StrataTests.Field(
      kind: .axes, weights: [0.5, 0.5], isLab: [false, false],
      loaders: [[equal, equal.map { $0 + 9 }, equal], [equal.map { $0 + 7 }, equal.map { $0 + 9 }, equal]])
    let summary = try field.summary()
    let text = Headline(part: ReportPart(summary, sweep: field.sweep), markup: .plain).text
    #expect(text.contains("net0: nothing beats the baseline, which shares the lowest mean"), "\(text)")
    #expect(text.contains("net1: nothing beats the baseline, which has the lowest mean"), "\(text)")
    #expect(text.contains("each counting the same: nothing beats the baseline"), "\(text)")
  }

  @Test func theChartOfStrataCountsAllPointsAndReportsOmittedOnes() throws {
    let loaders = (0..<2).map { _ in (0..<30).map { setting in [Double](repeating: setting < 25 ? 0 : 9, count: 6) } }
    var field = StrataTests.Field(kind: .axes, weights: [0.5, 0.5], isLab: [false, false], loaders: loaders)
    field.settings = (0..<30).map(String.init)
    let chart = try Report.make(runs: field.table, sweep: field.sweep)["charts/strata.svg"] ?? ""
    #expect(chart.contains("lowest with maxCost 0 and 24 others"), "\(chart.prefix(900))")
    #expect(chart.contains(/\d+ of\s+30 settings/), "\(chart.prefix(900))")
  }

  @Test func theBaselineNamesSweptKeysOutsideOfThePrefetcher() throws {
    #expect(try Samples.usual.report["report.md"]?.contains("- **baseline**: costBudget, maxCost 6; cancel keep\n") == true)
  }
}
