import Base
import SampleSweeps
import Sweep
import Testing

@testable import Analysis
@testable import Rendering

/// Tables, verdicts and reports of a kind of scenario other than the feed.
@Suite struct RunSchemaTests {
  private let schema = RunSchema.backgroundDownload

  private func table(missing: [[Double]] = [[30, 30, 29], [0, 1, 0]]) -> RunTable {
    var table = RunTable(axes: ["strategy"], schema: schema)
    for (point, values) in missing.enumerated() {
      for (index, value) in values.enumerated() {
        var row = RunRow(
          point: Samples.id(point + 1), repetition: index + 1, seed: UInt64(index), axisValues: [point == 0 ? "fourPerWake" : "archive"])
        for metric in schema.metrics { row[metric] = Double(metric.index) }
        row[.missing8h] = value
        row[.energyJ] = point == 0 ? 120 : 4330
        row[.allResourcesMs] = point == 0 ? nil : 5000.5
        table.rows.append(row)
      }
    }
    return table
  }

  private func description(scenario: String? = "backgroundDownload") -> SweepDescription {
    SweepDescription(
      program: .init(name: "prefetch-sweep", version: "1.0.0", modelVersion: "1"), name: "night", question: "Which?", head: [],
      transport: "packet", axes: [.init(path: "strategy", values: ["fourPerWake", "archive"])], pointCount: 2,
      baseline: .init(point: Samples.id(1), axisValues: ["fourPerWake"], settings: "fourPerWake", inGrid: true), repeats: 3, seed: 1,
      scenario: scenario)
  }

  /// Returns two strategies on a network where the baseline has almost nothing missing, and on one where it has much; runs start at
  /// `first`.
  private func runs(from first: Int) -> RunTable {
    var table = RunTable(axes: ["network", "strategy"], schema: schema)
    let missing: [[[Double]]] = [[[0, 0, 0, 0, 0, 0], [1, 2, 1, 4, 2, 2]], [[30, 33, 29, 31, 30, 32], [1, 0, 2, 0, 1, 1]]]
    for (network, strategies) in missing.enumerated() {
      for (strategy, values) in strategies.enumerated() {
        for (index, value) in values.enumerated() {
          var row = RunRow(
            point: Samples.id(1 + network * 2 + strategy), repetition: first + index, seed: UInt64(first + index),
            axisValues: [["scenario", "LTE"][network], ["fourPerWake", "archive"][strategy]])
          for metric in schema.metrics { row[metric] = Double(metric.index) }
          row[.missing8h] = value
          row[.energyJ] = 1500 + Double(strategy * 250 + index)
          table.rows.append(row)
        }
      }
    }
    return table
  }

  private func strataDescription(_ kind: SweepDescription.Strata.Kind) -> SweepDescription {
    var sweep = description()
    sweep.axes = [.init(path: "network", values: ["scenario", "LTE"]), .init(path: "strategy", values: ["fourPerWake", "archive"])]
    let isPopulation = kind == .population
    func baseline(_ network: Int) -> SweepDescription.Baseline {
      .init(
        point: Samples.id(1 + network * 2), axisValues: [["scenario", "LTE"][network], "fourPerWake"], settings: "fourPerWake", inGrid: true
      )
    }
    (sweep.baseline, sweep.pointCount, sweep.repeats) = (baseline(0), 4, 6)
    sweep.strata = SweepDescription.Strata(
      kind: kind, paths: ["network"],
      members: [
        .init(name: "scenario", values: ["scenario"], weight: isPopulation ? 0 : 0.5, isLab: isPopulation, baseline: baseline(0)),
        .init(name: "LTE", values: ["LTE"], weight: isPopulation ? 1 : 0.5, isLab: false, baseline: baseline(1)),
      ])
    return sweep
  }

  @Test func theColumnsOfAKindAreFoundAgainInItsHeader() throws {
    let csv = table().csv
    #expect(String(decoding: csv, as: UTF8.self).hasPrefix("point,repetition,seed,strategy,missing8h,resourcesAtMark,"))
    let read = try RunTable(csv: csv, file: "runs.csv")
    #expect(read == table())
    #expect(read.csv == csv)
  }

  @Test func firstColumnsOfKindsDiffer() {
    for schema in RunSchema.all { #expect(RunSchema.beginning(with: schema.metrics[0].rawValue) == schema) }
    #expect(Set(RunSchema.all.map(\.kind)).count == RunSchema.all.count)
  }

  @Test func aColumnThatIsMissingOrMovedIsNamed() throws {
    let text = String(decoding: table().csv, as: UTF8.self)
    let moved = text.replacing("wakes,wakesAtMark", with: "wakesAtMark,wakes")
    let problems = #expect(throws: InvalidInput.self) { try RunTable(csv: Array(moved.utf8), file: "runs.csv") }
    #expect(problems?.diagnostics.first?.key == "wakes")
  }

  @Test func aReportUsesTheWordsOfItsKind() throws {
    let report = try Report.make(runs: table(), sweep: description())
    let text = try #require(report["report.md"])
    #expect(text.contains("resources missing after 8 h"))
    #expect(text.contains("energy, kJ"))
    #expect(!text.contains("loaders"))
    #expect(!text.contains("above bound"))
    let summary = try #require(report["summary.csv"])
    #expect(summary.contains("missing8h,missing8hLow,missing8hHigh,difference"))
  }

  @Test(arguments: [SweepDescription.Strata.Kind.axes, .population])
  func tablesOfStrataAndOfConfirmationsUseTheKindsWords(_ kind: SweepDescription.Strata.Kind) throws {
    var sweep = strataDescription(kind)
    sweep.sequential = SweepDescription.Sequential(until: "2", looks: [2, 6])
    let own = try Report.make(runs: runs(from: 1), sweep: sweep)
    sweep.confirm = SweepDescription.Confirm(repeats: 6, best: 1)
    let confirmed = try Report.make(runs: runs(from: 1), confirmation: runs(from: 7), sweep: sweep)
    for report in [own, confirmed] {
      let text = try #require(report["report.md"])
      let heads = try #require(text.split(separator: "\n").first { $0.hasPrefix("| stratum ") })
      #expect(heads.contains(#/ (resources missing after 8 h|missing) \|/#) && heads.contains(#/ (energy, )?kJ \|/#), "\(heads)")
      #expect(text.contains(", until a difference is known to ±2 resources missing after 8 h; checked after 2 and 6"))
      for file in report.all {
        #expect(!file.contents.contains("loaders") && !file.contents.contains("MB received"), "\(file.name)")
      }
    }
    let text = try #require(confirmed["report.md"])
    #expect(text.contains(" missing, confirmed | "))
    guard kind == .population else { return }
    // The baseline is zero, so that the difference is shown with its unit instead of per cent.
    #expect(
      own["report.md"]?.contains(#/ In the scenario itself it has 2(\.0+)? resources missing after 8 h, \+2(\.0+)?\u{A0}\[/#) == true,
      "\(own["report.md"] ?? "")")
    #expect(own["report.md"]?.contains("] resources missing after 8 h, ") == true)
    #expect(text.contains("wins on new seeds: 0.8 resources missing after 8 h against "))
  }

  @Test func theLeastOfTheHeadlineIsBestAndThenTheLeastCost() throws {
    let runs = table(missing: [[0, 0, 0], [0, 0, 0]])
    let columns = RunColumns(axes: runs.axes, schema: schema)
    for row in runs.rows { columns.add(row) }
    let summary = try columns.summary(sweep: description())
    #expect(summary.best.map(\.axisValues) == [["fourPerWake"], ["archive"]])
    #expect(summary.points[1].comparison?.verdict.outcome == .some(.identical))
  }

  @Test func rowsOfOneKindGiveNoReportOfAnother() {
    #expect(throws: ReportError.scenariosDiffer(table: "backgroundDownload", sweep: "feed")) {
      try Report.make(runs: table(), sweep: description(scenario: nil))
    }
  }

  @Test func aDescriptionOfAnUnknownKindIsRefused() throws {
    let json = description(scenario: "weather").json
    let problems = #expect(throws: InvalidInput.self) { try SweepDescription(json: json, file: "sweep.json") }
    #expect(problems?.diagnostics.first?.key == "scenario")
    #expect(try SweepDescription(json: description().json, file: "sweep.json").schema == schema)
  }
}
