@testable import Rendering
import Testing

@testable import Analysis

/// Reports of rows that are gone over again are those of rows that are held, and what is held does not grow with the repetitions.
@Suite struct FlatMemoryTests {
  /// A table that counts how often it is gone over.
  private final class CountedTable: RowSequence {
    let table: RunTable
    private(set) var passes = 0

    init(_ table: RunTable) { self.table = table }

    func forEachRow(_ receive: (RunRow) throws -> Void) throws {
      passes += 1
      try table.forEachRow(receive)
    }
  }

  /// Nothing is held but the baselines, and a pass gathers next to nothing.
  private static let least = SampleLimits(held: 0, gathered: 1)

  private func report(
    _ table: RunTable, _ sweep: SweepDescription, _ limits: SampleLimits, again: RunTable? = nil, fresh: RunTable? = nil
  ) throws -> ReportFiles {
    func summarized(_ table: RunTable) throws -> Summarizer {
      var summarizer = Summarizer(axes: table.axes, schema: table.schema, sweep: sweep, limits: limits)
      for row in table.rows { try summarizer.add(row) }
      return summarizer
    }
    var summary = try summarized(table).finish(sweep: sweep, rows: again ?? table)
    if let fresh { summary = try SweepSummary.confirmed(summary, by: try summarized(fresh), rows: fresh, sweep: sweep) }
    return Report.make(summary: summary, sweep: sweep)
  }

  /// Holds the reports of a table against each other for several limits; the largest holds everything.
  private func expectSameReports(
    _ table: RunTable, _ sweep: SweepDescription, fresh: RunTable? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let whole = try report(table, sweep, SampleLimits(), fresh: fresh)
    for limits in [Self.least, SampleLimits(held: 5, gathered: 23), SampleLimits(held: 31, gathered: 1000)] {
      let again = try report(table, sweep, limits, fresh: fresh)
      #expect(again.files.map(\.name) == whole.files.map(\.name), sourceLocation: sourceLocation)
      for file in whole.files { #expect(again[file.name] == file.contents, "\(file.name)", sourceLocation: sourceLocation) }
    }
  }

  /// Points of three axes, some of which share their baseline's thumb more than others.
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

  @Test func rowsThatAreGoneOverAgainMakeTheSameReport() throws {
    for samples in [Samples.usual, grid(repetitions: 37)] { try expectSameReports(samples.table, samples.sweep) }
    var some = grid(repetitions: 12)
    some.missing = [(0, 1), (0, 7), (3, 12), (5, 2), (7, 6)]
    some.margin = "2%"
    try expectSameReports(some.table, some.sweep)
    var once = grid(repetitions: 1)
    once.deterministic = true
    try expectSameReports(once.table, once.sweep)
  }

  @Test func runsWithoutLoadersAndSweepsWithoutABaselineAreNoExceptions() throws {
    let samples = grid(repetitions: 9)
    var table = samples.table
    for place in [3, 30, 31, 50] { table.rows[place][.loadersPer1000] = nil }
    try expectSameReports(table, samples.sweep)
    table.rows.removeAll { $0.point == samples.points[samples.baseline].id }
    try expectSameReports(table, samples.sweep)
    var beside = samples.sweep
    beside.baseline.inGrid = false
    try expectSameReports(samples.table, beside)
  }

  @Test func roundsAndFreshSeedsAreNoExceptions() throws {
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
  func strataAreNoExceptions(_ kind: SweepDescription.Strata.Kind) throws {
    let loaders = (0..<3).map { stratum in grid(repetitions: 11, seed: UInt64(stratum)).points.prefix(3).map(\.loaders) }
    let isLab = [kind == .population, false, false]
    var field = StrataTests.Field(
      kind: kind, weights: kind == .population ? [0, 0.3, 0.7] : [0.2, 0.3, 0.5], isLab: isLab, loaders: loaders)
    try expectSameReports(field.table, field.sweep)
    // A repetition that one stratum lacks, and a setting that has none in common.
    field.loaders[1][0].removeLast(4)
    var table = field.table
    table.rows.removeAll { row in
      row.axisValues[1] == "2" && (row.axisValues[0] == "net1" ? row.repetition > 5 : row.axisValues[0] == "net2" && row.repetition <= 5)
    }
    try expectSameReports(table, field.sweep)
    // Without a whole the first stratum is drawn.
    table.rows.removeAll { $0.axisValues[0] == "net2" }
    try expectSameReports(table, field.sweep)
  }

  @Test func rowsInAnyOrderMakeTheSamePairs() throws {
    let field = StrataTests.Field(
      weights: [0.4, 0.6], isLab: [false, false],
      loaders: (0..<2).map { stratum in grid(repetitions: 8, seed: UInt64(stratum)).points.prefix(3).map(\.loaders) })
    for (table, sweep) in [(grid(repetitions: 8).table, grid(repetitions: 8).sweep), (field.table, field.sweep)] {
      var shuffled = table
      shuffled.rows = (1...8).reversed().flatMap { repetition in table.rows.filter { $0.repetition == repetition } }
      try expectSameReports(shuffled, sweep)
    }
  }

  @Test func tenTimesTheRepetitionsAreSummedUpInTheSameRoom() throws {
    func counts(_ repetitions: Int) throws -> (all: Int, baseline: Int) {
      let samples = grid(repetitions: repetitions)
      var known = Summarizer(axes: samples.axes, schema: .feed, sweep: samples.sweep, limits: SampleLimits(held: 50, gathered: 50))
      var unknown = Summarizer(axes: samples.axes, schema: .feed, sweep: nil, limits: SampleLimits(held: 50, gathered: 50))
      for row in samples.table.rows {
        try known.add(row)
        try unknown.add(row)
      }
      return (unknown.sampleCount, known.sampleCount - unknown.sampleCount)
    }
    let (few, many) = (try counts(40), try counts(400))
    // A range of repetitions for each of the twelve points, and the baseline's own rows.
    #expect(few == (12, 40) && many == (12, 400))
  }

  @Test func moreRepetitionsTakeNoMorePasses() throws {
    for repetitions in [40, 400] {
      let samples = grid(repetitions: repetitions)
      let rows = CountedTable(samples.table)
      var summarizer = Summarizer(
        axes: samples.axes, schema: .feed, sweep: samples.sweep, limits: SampleLimits(held: 0, gathered: 8 * 400))
      try rows.table.forEachRow { try summarizer.add($0) }
      _ = try summarizer.finish(sweep: samples.sweep, rows: rows)
      // One to compare, one for the axes' groups of points, one for the map's: of runs there are up to 4800, of groups' sums 3200.
      #expect(rows.passes == 3)
      var held = Summarizer(axes: samples.axes, schema: .feed, sweep: samples.sweep)
      try rows.table.forEachRow { try held.add($0) }
      _ = try held.finish(sweep: samples.sweep, rows: rows)
      #expect(rows.passes == 3, "what is held is not gone over again")
    }
  }

  @Test func rowsThatChangeInTheMeantimeAreRefused() throws {
    let samples = grid(repetitions: 6)
    var shorter = samples.table
    shorter.rows.removeLast()
    var moved = samples.table
    moved.rows[8].repetition = 40
    var another = samples.table
    another.rows[8].point = Samples.id(99)
    for again in [shorter, moved, another] {
      #expect(throws: ReportError.runsChanged) { try report(samples.table, samples.sweep, Self.least, again: again) }
    }
    var emptied = samples.table
    emptied.rows[8][.loadersPer1000] = nil
    #expect(throws: ReportError.runsChanged) { try report(samples.table, samples.sweep, Self.least, again: emptied) }
  }

  @Test func aSetOfRepetitionsIsTheSameInWhateverOrderTheyCome() {
    var generator = SplitMix64(state: 3)
    for _ in 0..<200 {
      var (set, plain) = (RepetitionSet(), Set<Int>())
      for _ in 0..<30 {
        let number = Int(generator.next() % 24) + 1
        #expect(set.insert(number) == plain.insert(number).inserted)
        #expect(set.count == plain.count && set.members == plain.sorted())
        #expect(zip(set.ranges, set.ranges.dropFirst()).allSatisfy { $0.upperBound + 1 < $1.lowerBound })
      }
      var (other, its) = (RepetitionSet(), Set<Int>())
      for _ in 0..<12 {
        let number = Int(generator.next() % 24) + 1
        other.insert(number)
        its.insert(number)
      }
      #expect(set.intersection(other).members == plain.intersection(its).sorted())
    }
    var far = RepetitionSet()
    #expect(far.insert(Int.max) && far.insert(1) && !far.insert(Int.max) && far.count == 2)
  }
}
