import Base
import SampleSweeps
import Sweep
import TestSupport
import Testing

@testable import Analysis
@testable import Rendering

/// Settings over strata, compared with results computed by hand.
@Suite struct StrataTests {
  /// Two settings and the baseline in several strata: the loaders by stratum, then by setting, per repetition; the baseline is last.
  struct Field {
    var kind = SweepDescription.Strata.Kind.population
    var weights: [Double]
    var isLab: [Bool]
    var loaders: [[[Double]]]
    var settings = ["1", "2", "6"]

    private func id(_ stratum: Int, _ setting: Int) -> String { Samples.id(1 + stratum * 10 + setting) }
    private func name(_ stratum: Int) -> String { isLab[stratum] ? "scenario" : "net\(stratum)" }

    var sweep: SweepDescription {
      var samples = Samples()
      samples.axes = ["network", "prefetcher.maxCost"]
      samples.points = [(id(0, 0), [name(0), settings[0]], loaders[0][0])]
      var sweep = samples.sweep
      sweep.pointCount = weights.count * loaders[0].count
      sweep.strata = SweepDescription.Strata(
        kind: kind, paths: ["network"],
        members: weights.indices.map { stratum in
          let last = loaders[stratum].count - 1
          return SweepDescription.Stratum(
            name: name(stratum), values: [name(stratum)], weight: weights[stratum], isLab: isLab[stratum],
            baseline: .init(
              point: id(stratum, last), axisValues: [name(stratum), settings[last]], settings: "costBudget, maxCost 6", inGrid: true))
        })
      return sweep
    }

    var table: RunTable {
      var table = RunTable(axes: ["network", "prefetcher.maxCost"])
      for stratum in weights.indices {
        for (setting, values) in loaders[stratum].enumerated() {
          for (index, value) in values.enumerated() {
            var row = RunRow(
              point: id(stratum, setting), repetition: index + 1, seed: UInt64(index + 7), axisValues: [name(stratum), settings[setting]])
            for metric in Metric.allCases { row[metric] = 0 }
            row[.viewed] = 1000
            row[.loaders] = value
            row[.loadersPer1000] = value
            row[.late] = value
            row[.bytesReceived] = 1_000_000 * Double(stratum + 1) + 1000 * Double(index * index)
            table.rows.append(row)
          }
        }
      }
      return table
    }

    func summary(_ described: SweepDescription? = nil) throws -> SweepSummary {
      let sweep = described ?? sweep
      let columns = RunColumns(sweep)
      for row in table.rows { columns.add(row) }
      return try columns.summary(sweep: sweep)
    }
  }

  static let first: [[Double]] = [
    [20, 25, 31, 22, 28, 27], [30, 36, 33, 31, 37, 35], [31, 34, 35, 30, 36, 33],
  ]
  private static let second: [[Double]] = [
    [3, 5, 1, 4, 2, 6], [2, 2, 3, 5, 1, 4], [4, 3, 4, 6, 2, 5],
  ]

  @Test func theWholeIsTheWeightedMeanAndItsErrorHoldsTheCovariance() throws {
    let summary = try Field(weights: [0.2, 0.8], isLab: [false, false], loaders: [Self.first, Self.second]).summary()
    let differences = (0..<2).map { stratum -> [Double] in
      let loaders = [Self.first, Self.second][stratum]
      return zip(loaders[0], loaders[2]).map { $0 - $1 }
    }
    let (a, b) = (Sample(differences[0]), Sample(differences[1]))
    var covariance = 0.0
    for (x, y) in zip(differences[0], differences[1]) { covariance += (x - a.mean) * (y - b.mean) / 5 }
    let variance =
      0.04 * a.standardDeviation * a.standardDeviation + 0.64 * b.standardDeviation * b.standardDeviation + 2 * 0.16 * covariance
    let comparison = try #require(summary.points[0].comparison)
    expectClose(comparison.difference, 0.2 * a.mean + 0.8 * b.mean, 1e-12)
    expectClose(comparison.standardError, (variance / 6).squareRoot(), 1e-12)
    // Without the covariance the error would differ, because the strata share their seeds.
    #expect(covariance.magnitude > 0.1)
    let whole = Sample(zip(differences[0], differences[1]).map { 0.2 * $0 + 0.8 * $1 })
    expectClose(comparison.differenceInterval?.halfWidth, try #require(whole.adjustedInterval()).halfWidth, 1e-9)
  }

  @Test func equalStrataMakeAWholeThatIsLikeEach() throws {
    let summary = try Field(weights: [0.3, 0.7], isLab: [false, false], loaders: [Self.first, Self.first]).summary()
    let part = try #require(summary.strata?.members[0].summary)
    for (whole, alone) in zip(summary.points, part.points) {
      expectClose(whole.mean(.loadersPer1000), alone.mean(.loadersPer1000) ?? 0, 1e-12)
      guard let comparison = whole.comparison, let its = alone.comparison else { continue }
      expectClose(comparison.standardError, its.standardError, 1e-12)
      expectClose(comparison.percentInterval?.low, its.percentInterval?.low ?? 0, 1e-9)
      #expect(comparison.verdict == its.verdict && comparison.holmPValue == its.holmPValue)
    }
    #expect(summary.ranking == part.ranking)
  }

  @Test func aScenarioWithoutWeightIsNoPartOfThePopulation() throws {
    let summary = try Field(weights: [0, 1], isLab: [true, false], loaders: [Self.first, Self.second]).summary()
    let field = try #require(summary.strata?.members[1].summary)
    #expect(summary.points.map { $0.mean(.loadersPer1000) } == field.points.map { $0.mean(.loadersPer1000) })
    #expect(summary.points.map { $0.mean(.bytesReceived) } == field.points.map { $0.mean(.bytesReceived) })
    #expect(summary.points[0].costInterval(confidence: 0.95) == field.points[0].costInterval(confidence: 0.95))
    #expect(summary.points[0].axisValues == ["1"])
    #expect(summary.strata?.scenario?.summary.winner?.axisValues == ["1"])
  }

  @Test func oppositeStrataCancelOutExactly() throws {
    let mirrored = Self.first.enumerated().map { setting, values in
      setting == 0 ? zip(values, Self.first[2]).map { 2 * $1 - $0 } : values
    }
    let summary = try Field(weights: [0.5, 0.5], isLab: [false, false], loaders: [Self.first, mirrored]).summary()
    #expect(summary.points[0].comparison?.verdict.description == "identical")
    #expect(summary.strata?.members[0].summary.points[0].comparison?.verdict.outcome == .better)
    #expect(summary.strata?.members[1].summary.points[0].comparison?.verdict.outcome == .worse)
  }

  @Test func repetitionsMissingInOneStratumAreNotInTheWhole() throws {
    var loaders = [Self.first, Self.second]
    loaders[1][0].removeLast(2)
    let summary = try Field(weights: [0.5, 0.5], isLab: [false, false], loaders: loaders).summary()
    #expect(summary.points.map(\.repetitions) == [4, 6, 6])
    #expect(summary.points[0].comparison?.pairs == 4)
  }

  /// A setting that wins in the scenario's own stratum and not over the population, as in the article.
  @Test func theScenariosResultIsNotThePopulations() throws {
    let base: [Double] = [310, 270, 440, 380, 290, 520, 330, 410, 360, 300]
    let noise: [Double] = [1, -2, 0, 3, -1, 2, 0, -3, 1, -1]
    func points(_ share: Double, _ scale: Double) -> [[Double]] {
      let own = base.map { $0 * scale }
      return [zip(own, noise).map { $0 * (1 - share) + $1 }, zip(own, noise).map { $0 * 1.01 - $1 }, own]
    }
    let field = Field(
      weights: [0, 0.8, 0.2], isLab: [true, false, false], loaders: [points(0.08, 1), points(0.02, 0.5), points(0.05, 0.75)],
      settings: ["5", "7", "6"])
    let report = try Report.make(runs: field.table, sweep: field.sweep)
    try expectGolden(report["report.md"] ?? "", "field.md")
    try expectGolden(report["summary.csv"] ?? "", "field.csv")
    let again = try SweepDescription(json: field.sweep.json, file: "sweep.json")
    #expect(again == field.sweep)
  }

  @Test func eachStratumOfAnAxisHasAWinner() throws {
    var field = Field(
      kind: .axes, weights: [0.5, 0.5], isLab: [false, false], loaders: [Self.first, [Self.first[1], Self.first[0], Self.first[2]]])
    field.settings = ["1", "2", "6"]
    let summary = try field.summary()
    let text = Headline(part: ReportPart(summary, sweep: field.sweep), markup: .plain).text
    #expect(text.hasSuffix("Winner of each stratum: net0: maxCost 1, 25.5 against 33.2; net1: maxCost 2, 25.5 against 33.2."))
    try expectGolden(try Report.make(runs: field.table, sweep: field.sweep)["report.md"] ?? "", "strata.md")
  }

  @Test func modelsHaveTheirOwnTablesAndNoCommonOne() throws {
    var field = Field(
      kind: .models, weights: [0.5, 0.5], isLab: [false, false], loaders: [Self.first, [Self.first[1], Self.first[0], Self.first[2]]])
    field.settings = ["1", "2", "6"]
    let summary = try field.summary()
    #expect(summary.points.isEmpty && summary.warnings.isEmpty && summary.winner == nil && summary.marginalMeans == nil)
    #expect(summary.strata?.members.map { $0.summary.winner?.axisValues } == [["1"], ["2"]])
    let report = try Report.make(runs: field.table, sweep: field.sweep)
    let terminal = TerminalSummary.text(summary, sweep: field.sweep, width: 200)
    for text in [terminal, report["report.md"] ?? "", report["report.html"] ?? ""] {
      #expect(text.contains("2 models, each with its own table; models are not ranked against each other."))
      #expect(!text.contains("Over all") && !text.contains("strata together") && !text.contains("of the whole"))
    }
    #expect(terminal.components(separatedBy: "verdict").count == 3, "a table for each")
    #expect(report["summary.csv"]?.split(separator: "\n").count == 7, "no row over models")
    #expect(report.all.allSatisfy { !$0.contents.contains("strata together") })
    // A file of a program that did not know models.
    let old = String(decoding: field.sweep.json, as: UTF8.self).replacing("\"models\"", with: "\"axes\"")
      .replacing("\"network\"", with: "\"network.transport\"")
    #expect(try SweepDescription(json: Array(old.utf8), file: "sweep.json").strata?.kind == .models)
  }

  @Test func chartsNameTheStrataTheyAverage() throws {
    let field = Field(kind: .axes, weights: [0.5, 0.5], isLab: [false, false], loaders: [Self.first, Self.second])
    let report = try Report.make(runs: field.table, sweep: field.sweep)
    for name in ["cost", "effects", "differences", "reasons"] {
      let root = try #require(report["charts/\(name).svg"].flatMap(XMLTree.root), "\(name)")
      #expect(root.all("title").first?.text.hasSuffix("(all 2 strata together)") == true, "\(name)")
    }
    let lab = Field(weights: [0, 1], isLab: [true, false], loaders: [Self.first, Self.second])
    let root = try #require(try Report.make(runs: lab.table, sweep: lab.sweep)["charts/cost.svg"].flatMap(XMLTree.root))
    #expect(root.all("title").first?.text.hasSuffix("(the population)") == true)
  }

  @Test(arguments: [SweepDescription.Strata.Kind.axes, .population])
  func eachStratumHasTheChartsThatASweepOfItAloneWouldHave(_ kind: SweepDescription.Strata.Kind) throws {
    let field = Field(kind: kind, weights: [0.25, 0.75], isLab: [false, false], loaders: [Self.first, Self.second])
    var sweep = field.sweep
    // A baseline outside of the grid in one stratum is excluded from that stratum's marginal means.
    sweep.strata?.members[1].baseline.inGrid = false
    let report = try Report.make(runs: field.table, sweep: sweep)
    let page = try #require(report["report.html"].flatMap(XMLTree.root))
    var ids = Set<String>()
    for svg in page.all("svg") {
      for child in svg.children { if let id = child.attributes["id"] { #expect(ids.insert(id).inserted, "\(id)") } }
    }
    for stratum in 0...1 {
      var alone = sweep
      alone.axes.removeFirst()
      alone.baseline = try #require(sweep.strata?.members[stratum].baseline)
      alone.baseline.axisValues.removeFirst()
      (alone.strata, alone.pointCount) = (nil, 3)
      var table = RunTable(axes: ["prefetcher.maxCost"])
      table.rows = field.table.rows.filter { $0.axisValues[0] == "net\(stratum)" }
      for row in table.rows.indices { table.rows[row].axisValues.removeFirst() }
      let its = try Report.make(runs: table, sweep: alone)
      let names = its.files.map(\.name).filter { $0.hasPrefix("charts/") }
      #expect(names.count == 5)
      for name in names {
        let file = "charts/stratum-\(stratum + 1)/\(name.dropFirst(7))"
        #expect(report[file]?.replacing(" (net\(stratum))", with: "") == its[name], "\(file)")
        #expect(
          report["report.md"]?.contains(/!\[[^\]]*\]\(charts\/stratum-/) == true && report["report.md"]?.contains("](\(file))") == true)
      }
      // The stratum is folded below its own heading, and its charts once more.
      let folded = page.all("details").filter { $0.all("summary").first?.all("bdi").first?.text == "net\(stratum)" }
      #expect(folded.count == 1 && folded[0].all("svg").count == 5)
      let start = "<h2 id=\"stratum-\(stratum + 1)\"><bdi>net\(stratum)</bdi></h2>\n<details>"
      #expect(report["report.html"]?.contains(start) == true)
      #expect(report["report.md"]?.contains("<details>\n<summary>net\(stratum): points and charts</summary>") == true)
    }
    #expect(report.absent.contains("charts/stratum-3/cost.svg") && !report.absent.contains("charts/stratum-2/cost.svg"))
    // If the whole has no points, the only stratum with runs is drawn in its stead.
    var table = field.table
    table.rows.removeAll { $0.axisValues[0] == "net1" }
    let half = try Report.make(runs: table, sweep: sweep)
    #expect(half["charts/effects.svg"]?.contains("(net0)") == true && half["charts/stratum-1/effects.svg"] == nil)
    let single = Field(kind: kind, weights: [1], isLab: [false], loaders: [Self.first])
    #expect(try !Report.make(runs: single.table, sweep: single.sweep).files.contains { $0.name.hasPrefix("charts/stratum-") })
  }

  @Test func moreStrataThanAreShownHaveLinksToTheChartsOfTheFirst() throws {
    let field = Field(
      kind: .axes, weights: [Double](repeating: 1.0 / 14, count: 14), isLab: [Bool](repeating: false, count: 14),
      loaders: [[[Double]]](repeating: Self.first, count: 14))
    let report = try Report.make(runs: field.table, sweep: field.sweep)
    #expect(report["charts/stratum-12/cost.svg"] != nil && report["charts/stratum-13/cost.svg"] == nil)
    #expect(report["report.md"]?.contains("Charts of 12 of 14 strata: [net0](charts/stratum-1/), [net1](charts/stratum-2/), ") == true)
    #expect(report["report.html"]?.contains("<p>12 of 14 strata have tables and charts; summary.csv has all points.</p>") == true)
    var sweep = field.sweep
    sweep.strata?.kind = .models
    let text = TerminalSummary.text(try Report.make(runs: field.table, sweep: sweep).summary, sweep: sweep)
    #expect(text.contains("4 of 14 strata; the others are in summary.csv."), "\(text)")
  }

  /// In the second stratum maxCost 1 is lowest but too noisy, so that maxCost 2 wins beside a lower mean; in the third the baseline is best.
  @Test func aWinnerOfAStratumIsNotNamedWithoutTheLowerMeansAndTheTableSaysWhoIsWhat() throws {
    let base: [Double] = [90, 92, 88, 91, 89, 90]
    let noisy: [Double] = [10, 95, 12, 98, 11, 94], clear = zip(base, [20, 21, 19, 20.5, 19.5, 20]).map { $0 - $1 }
    let field = Field(
      kind: .axes, weights: [1 / 3, 1 / 3, 1 / 3], isLab: [false, false, false],
      loaders: [[clear, clear, base], [noisy, clear, base], [base.map { $0 + 10 }, base.map { $0 + 20 }, base]])
    let report = try Report.make(runs: field.table, sweep: field.sweep)
    let clause = "net1: maxCost 2, 70.0 against 90.0 (1 other has a lower mean, but no verdict of better)"
    let texts = [
      TerminalSummary.text(report.summary, sweep: field.sweep, width: 1000), (report["report.md"] ?? "").replacing("**", with: ""),
      (report["report.html"] ?? "").replacing(/<[^>]*>/, with: ""),
    ]
    for text in texts { #expect(text.contains(clause), "\(text.prefix(1500))") }
    let page = try #require(report["report.html"].flatMap(XMLTree.root))
    let rows = try #require(page.all("table").first).all("tr").dropFirst().map { $0.all("td").last }
    #expect(
      rows.prefix(3).map { ($0?.children.first ?? $0)?.text } == ["winner, 1 ≈", "winner, 1 ≈", "baseline"], "\(rows.map { $0?.text })"
    )
    #expect(rows.prefix(3).map { $0?.attributes["class"] } == ["good", "good", nil])
    // Both winners of the first stratum are framed, and the one of the second.
    let won = try #require(report["charts/strata.svg"].flatMap(XMLTree.root)).all("rect").filter { $0.attributes["class"] == "won" }
    #expect(won.count == 3)
  }

  @Test func aChartShowsEachSettingInEachStratum() throws {
    let field = Field(
      kind: .axes, weights: [0.5, 0.5], isLab: [false, false], loaders: [Self.first, [Self.first[1], Self.first[0], Self.second[2]]])
    let report = try Report.make(runs: field.table, sweep: field.sweep)
    let chart = try #require(report["charts/strata.svg"].flatMap(XMLTree.root))
    let tips = chart.all("rect").compactMap { $0.all("title").first?.text }
    #expect(tips.count == 6 && tips.contains { $0.hasPrefix("net1, maxCost 2: ") && $0.hasSuffix(", worse") })
    // The lowest of each column: maxCost 1 in the first, the baseline in the second.
    let marks = chart.all("rect").filter { $0.attributes["class"] == "mark" }
    #expect(marks.count == 2 && marks[0].attributes["y"] != marks[1].attributes["y"])
    #expect(chart.all("desc").first?.text.contains("net0: lowest with maxCost 1") == true)
    #expect(chart.all("desc").first?.text.contains("net1: lowest with baseline: maxCost 6") == true)
    #expect(report["report.html"]?.contains("strata-title") == true)
    let absent = try Samples.usual.report.absent
    #expect(absent.first == "charts/strata.svg" && absent.dropFirst().allSatisfy { $0.hasPrefix("charts/stratum-") } && absent.count == 73)
  }

  @Test func rowsOfNoStratumAreRefused() throws {
    let field = Field(weights: [0.5, 0.5], isLab: [false, false], loaders: [Self.first, Self.second])
    var sweep = field.sweep
    sweep.strata?.members.removeLast()
    #expect(throws: ReportError.unknownStratum(["net1"])) { try Report.make(runs: field.table, sweep: sweep) }
    sweep.strata?.members[0].weight = 0.4
    #expect(throws: InvalidInput.self) { try SweepDescription(json: sweep.json, file: "sweep.json") }
  }
}
