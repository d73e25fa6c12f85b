import SampleSweeps
import TestSupport
import Testing

@testable import Analysis
@testable import Rendering

/// Columns do not depend on the order of rows.
@Suite struct RunColumnsTests {
  /// Compares the reports of a table with those of its rows in other orders. Points keep the table's order, because each point's last row
  /// comes before all others.
  private func expectSameReports(
    _ table: RunTable, _ sweep: SweepDescription, fresh: RunTable? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let ordered = try Report.make(runs: table, confirmation: fresh, sweep: sweep)
    var generator = SplitMix64(state: 11)
    for _ in 0..<3 {
      func shuffled(_ table: RunTable) -> RunTable {
        var (result, seen) = (table, Set<[String]>())
        let first = table.rows.reversed().filter { seen.insert([$0.point] + $0.axisValues).inserted }.reversed()
        let rest = table.rows.filter { !first.contains($0) }.map { ($0, generator.next()) }
        result.rows = first + rest.sorted { $0.1 < $1.1 }.map(\.0)
        return result
      }
      let again = try Report.make(runs: shuffled(table), confirmation: fresh.map(shuffled), sweep: sweep)
      #expect(again.all.map(\.name) == ordered.all.map(\.name), sourceLocation: sourceLocation)
      for file in ordered.all { #expect(again[file.name] == file.contents, "\(file.name)", sourceLocation: sourceLocation) }
    }
  }

  /// Returns points of three axes, some of which share more of the baseline's scroll script than others.
  private func grid(repetitions: Int, seed: UInt64 = 5) -> Samples {
    var generator = SplitMix64(state: seed)
    func draw(_ limit: UInt64) -> Double { Double(generator.next() % limit) }
    var samples = Samples()
    samples.axes = ["prefetcher.maxCost", "downloads.cancel", "downloads.connections"]
    let base = (0..<repetitions).map { _ in 30 + draw(25) }
    for (index, cost) in ["4", "5", "6"].enumerated() {
      for cancel in ["keep", "drop"] {
        for connections in ["1", "2"] {
          let lean = Double(index) + (cancel == "drop" ? 7 : 0)
          let own = base.map { $0 + (connections == "1" ? draw(9) : -draw(5)) + lean }
          samples.points.append((Samples.id(samples.points.count + 1), [cost, cancel, connections], own))
        }
      }
    }
    samples.baseline = 5
    return samples
  }

  @Test func rowsInAnyOrderMakeTheSameReport() throws {
    for samples in [Samples.usual, grid(repetitions: 37)] { try expectSameReports(samples.table, samples.sweep) }
    var some = grid(repetitions: 12)
    some.missing = [(0, 1), (0, 7), (3, 12), (5, 2), (7, 6)]
    some.margin = "2%"
    try expectSameReports(some.table, some.sweep)
    var once = grid(repetitions: 1)
    once.deterministic = true
    try expectSameReports(once.table, once.sweep)
  }

  @Test func runsWithoutLoadersAndSweepsWithoutABaselineKeepTheOrderRule() throws {
    let samples = grid(repetitions: 9)
    var table = samples.table
    for index in [3, 30, 31, 50] { table.rows[index][.loadersPer1000] = nil }
    try expectSameReports(table, samples.sweep)
    table.rows.removeAll { $0.point == samples.points[samples.baseline].id }
    try expectSameReports(table, samples.sweep)
    var beside = samples.sweep
    beside.baseline.inGrid = false
    try expectSameReports(samples.table, beside)
  }

  @Test func roundsAndConfirmationsKeepTheOrderRule() throws {
    let samples = grid(repetitions: 20)
    var sweep = samples.sweep
    sweep.search = SweepDescription.Search(kind: .halving, rounds: [5, 10, 20])
    sweep.confirm = SweepDescription.Confirm(repeats: 8, best: 2)
    var table = samples.table
    table.rows.removeAll { row in ["4", "6"].contains(row.axisValues[0]) && row.repetition > (row.axisValues[1] == "keep" ? 10 : 5) }
    var fresh = samples
    fresh.points = fresh.points.map { ($0.id, $0.values, Array($0.loaders.suffix(8))) }
    var rows = fresh.table
    rows.rows.removeAll { $0.axisValues[0] != "5" }
    for index in rows.rows.indices { rows.rows[index].repetition += 20 }
    try expectSameReports(table, sweep, fresh: rows)
    (sweep.search, sweep.sequential) = (nil, SweepDescription.Sequential(until: "1%", looks: [5, 10, 20]))
    try expectSameReports(table, sweep)
  }

  @Test(arguments: [SweepDescription.Strata.Kind.population, .axes])
  func strataKeepTheOrderRule(_ kind: SweepDescription.Strata.Kind) throws {
    let loaders = (0..<3).map { stratum in grid(repetitions: 11, seed: UInt64(stratum)).points.prefix(3).map(\.loaders) }
    let isLab = [kind == .population, false, false]
    var field = StrataTests.Field(
      kind: kind, weights: kind == .population ? [0, 0.3, 0.7] : [0.2, 0.3, 0.5], isLab: isLab, loaders: loaders)
    try expectSameReports(field.table, field.sweep)
    // One stratum lacks a repetition, and a setting has no common repetition.
    field.loaders[1][0].removeLast(4)
    var table = field.table
    table.rows.removeAll { row in
      row.axisValues[1] == "2" && (row.axisValues[0] == "net1" ? row.repetition > 5 : row.axisValues[0] == "net2" && row.repetition <= 5)
    }
    try expectSameReports(table, field.sweep)
    // Without a weighted whole the charts show the first stratum.
    table.rows.removeAll { $0.axisValues[0] == "net2" }
    try expectSameReports(table, field.sweep)
  }

  @Test func rowsInAnyOrderAreSortedByPointAndRepetition() {
    var generator = SplitMix64(state: 3)
    let rows = grid(repetitions: 5).table.rows
    for _ in 0..<50 {
      let columns = RunColumns(axes: grid(repetitions: 1).axes)
      var seen = Set<RunRow>()
      for _ in 0..<80 {
        let row = rows[Int(generator.next() % UInt64(rows.count))]
        if seen.insert(row).inserted { columns.add(row) }
      }
      #expect(columns.count == seen.count)
      for point in columns.points {
        let own = seen.filter { $0.point == point.point }.sorted { $0.repetition < $1.repetition }
        #expect(
          point.repetitions.map(Int.init) == own.map(\.repetition) && Array(point.headline) == own.map { $0[.loadersPer1000] ?? .nan })
        #expect(point.firstRun == (own[0].repetition, own[0].seed))
      }
    }
  }

  @Test func commonRepetitionsAreTheIntersection() {
    var generator = SplitMix64(state: 3)
    for count in 1..<60 {
      let lists = (0..<3).map { _ in (1...40).filter { _ in generator.next() % 60 < UInt64(count) }.map(Int32.init) }
      let sets = lists.map { Set($0) }
      #expect(PointRuns.common(lists) == sets.dropFirst().reduce(sets[0]) { $0.intersection($1) }.sorted())
    }
    #expect(PointRuns.common([[Int32]]()).isEmpty)
  }
}
