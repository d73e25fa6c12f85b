import Foundation
import SampleSweeps
import TestSupport
import Testing

@testable import Analysis
@testable import Rendering

@Suite struct PivotTests {
  /// Returns a grid with these numbers of values, limited by `holds`, with ten repetitions per point.
  private func grid(_ counts: [Int], holds: ([Int]) -> Bool = { _ in true }) -> Samples {
    var samples = Samples()
    samples.axes = counts.indices.map { "prefetcher.\("abcdefgh".map(String.init)[$0])" }
    let all = counts.reduce([[Int]]([[]])) { points, count in points.flatMap { point in (0..<count).map { point + [$0] } } }
    samples.points = all.filter(holds).enumerated().map { index, values in
      let mean = Double(100 - 9 * values[0] + 4 * values[1] * values[1] + (values.count > 2 ? 3 * values[2] : 0))
      return (
        Samples.id(index + 1), values.map { "\($0 + 1)" },
        (0..<10).map { repetition in mean + Double((repetition * 31 + index * 7) % 11) - 5 }
      )
    }
    samples.baseline = samples.points.count / 2
    return samples
  }

  private func pivots(_ samples: Samples) throws -> PivotTables {
    let summary = try SweepSummary.of(runs: samples.table, sweep: samples.sweep)
    return PivotTables(summary, sweep: samples.sweep)
  }

  @Test func aWideGridIsWrittenTwoAxesAtATime() throws {
    try expectGolden(try grid([10, 3, 2]) { $0[1] >= $0[2] }.report["report.md"] ?? "", "wide.md")
  }

  @Test func aPivotTableHasTheNumbersOfTheHeatMap() throws {
    let samples = grid([8, 4, 2])
    let pivots = try pivots(samples)
    let map = try #require(try samples.report["charts/heat-map.svg"].flatMap(XMLTree.root))
    let texts = map.all("text").filter { ["light", "deep"].contains($0.attributes["class"] ?? "") }.map(\.text)
    let table = try #require(pivots.tables.first)
    #expect(table.caption == "loaders per 1000 by a and b")
    let written = table.table.rows.flatMap { $0.dropFirst().map { $0.text.replacing(" (baseline)", with: "") } }
    #expect(written.count == 32 && written.sorted() == texts.sorted())
    let strong = table.table.rows.flatMap { row in row.filter { $0.style == .strong } }
    #expect(strong.count == 1 && strong[0].text == written.min { (Double($0) ?? 0) < (Double($1) ?? 0) })
    // A mean over the third axis is not the baseline.
    #expect(table.table.rows.flatMap { $0 }.count { $0.text.contains("baseline") } == 0)
    #expect(map.all("rect").allSatisfy { $0.attributes["class"] != "outline" })
  }

  @Test func theBaselineIsMarkedIfItsCellHasNoOtherPoint() throws {
    let table = try #require(try pivots(grid([9, 5])).tables.first)
    #expect(table.table.rows.flatMap { $0 }.count { $0.text.hasSuffix(" (baseline)") } == 1)
    let map = try #require(try grid([9, 5]).report["charts/heat-map.svg"].flatMap(XMLTree.root))
    #expect(map.all("rect").count { $0.attributes["class"] == "outline" } == 2, "the cell and the legend")
    // A baseline outside of the grid shares its values with another point.
    var (samples, sweep) = (grid([9, 5, 1]), grid([9, 5, 1]).sweep)
    sweep.baseline.inGrid = false
    samples.baseline = 3
    let others = try SweepSummary.of(runs: samples.table, sweep: sweep)
    let tables = PivotTables(others, sweep: sweep).tables
    #expect(tables.allSatisfy { $0.table.rows.allSatisfy { $0.allSatisfy { !$0.text.contains("baseline") } } })
  }

  @Test func aHeatMapFramesAllTiedCellsAndTheWinners() throws {
    var samples = grid([3, 3, 2])
    for index in samples.points.indices {
      let values = samples.points[index].values
      // Two cells are tied; the winner is in a third cell, whose mean is larger.
      let mean: Double =
        values == ["3", "3", "1"] ? 5 : values[0] == values[1] && values[0] != "3" ? 20 : values == ["3", "3", "2"] ? 90 : 60
      samples.points[index].loaders = (0..<10).map { mean + Double((mean == 5 ? 9 - $0 : $0) % 3) }
    }
    samples.baseline = 1
    let summary = try SweepSummary.of(runs: samples.table, sweep: samples.sweep)
    #expect(summary.winner?.axisValues == ["3", "3", "1"])
    let groups = try #require(summary.marginalMeans)
    let map01 = try #require(groups.maps.first { [$0.across, $0.down].sorted() == [0, 1] })
    let pair = try #require(AxisPair(map01, across: 1, marginal: groups, part: ReportPart(summary, sweep: samples.sweep)))
    #expect(pair.best == [0, 4] && pair.winner == 8 && pair.baseline == nil)
    let map = try #require(try samples.report["charts/heat-map.svg"].flatMap(XMLTree.root))
    let frames = map.all("rect").compactMap { $0.attributes["class"] }.filter { ["mark", "won", "outline"].contains($0) }
    #expect(frames.count { $0 == "won" } == 2 && frames.contains("mark") && !frames.contains("outline"), "with the legend: \(frames)")
  }

  @Test func aFullyListedSweepHasNoPivotTable() throws {
    #expect(try pivots(grid([8, 5])).tables.isEmpty && pivots(grid([8, 5])).legend.isEmpty)
    #expect(try pivots(grid([9, 5])).tables.count == 1)
  }

  @Test func gapsByConditionsAreExplained() throws {
    #expect(try pivots(grid([8, 4, 2])).legend.hasPrefix("Each cell is the mean over the other axis. All have"))
    #expect(try pivots(grid([8, 4, 2]) { $0[1] >= $0[2] }).legend.contains("of which some cells have fewer values. All have"))
    #expect(try pivots(grid([9, 5])).legend.hasPrefix("Each cell is a point. All have"))
  }

  @Test func omittedPairsOfAxesAreNamed() throws {
    let many = try pivots(grid([3, 3, 3, 2, 2]))
    #expect(many.tables.count == 6)
    #expect(many.legend.contains("Left out, as beyond the limits of 60 values down, 12 across, 6 tables: "))
    #expect(many.legend.components(separatedBy: " and ").count - 1 >= 4)
    let long = try pivots(grid([70, 2]))
    #expect(long.tables.isEmpty && long.legend.hasSuffix("6 tables: a and b."))
    let wide = try pivots(grid([20, 13]))
    #expect(wide.tables.isEmpty)
  }

  @Test func thePageHasThePivotTables() throws {
    let samples = grid([8, 3, 2])
    let page = try #require(try samples.report["report.html"].flatMap(XMLTree.root))
    let captions = page.all("caption").map(\.text)
    for table in try pivots(samples).tables { #expect(captions.contains(table.caption)) }
  }
}
