import SampleSweeps
import Testing

@testable import Analysis
@testable import Rendering

/// The bytes that each loader spared costs.
@Suite struct LoaderPriceTests {
  /// A sweep whose second point is the baseline, with loaders and megabytes of the first by repetition.
  private func summary(
    spared: [Double], megabytes: [Double], asks: Bool = true, isDeterministic: Bool = false
  ) throws -> (SweepSummary, SweepDescription) {
    var samples = Samples()
    samples.axes = ["prefetcher.maxCost"]
    samples.points = [
      (Samples.id(1), ["5"], spared.map { 50 - $0 }), (Samples.id(2), ["6"], spared.map { _ in 50 }),
    ]
    (samples.baseline, samples.deterministic) = (1, isDeterministic)
    var (table, sweep) = (samples.table, samples.sweep)
    if asks {
      sweep.metrics = ["bytesPerHour"]
      table.schema = sweep.schema
    }
    for index in table.rows.indices {
      let own = table.rows[index].point == Samples.id(1) ? megabytes[table.rows[index].repetition - 1] : 0
      table.rows[index][.bytesReceived] = 60e6 + own * 1e6
    }
    return (try SweepSummary.of(runs: table, sweep: sweep), sweep)
  }

  private func price(spared: [Double], megabytes: [Double], isDeterministic: Bool = false) throws -> LoaderPrice {
    let (summary, _) = try summary(spared: spared, megabytes: megabytes, isDeterministic: isDeterministic)
    return try #require(summary.price(of: summary.points[0]))
  }

  // The ends are the values of θ at which Student's t of bytes − θ · loaders is its 97.5 % point, found by bisection outside of this program.
  @Test func thePriceIsTheQuotientOfMeansWithFiellersInterval() throws {
    let price = try price(
      spared: [10, 12, 9, 14, 11, 8, 13, 10, 12, 11], megabytes: [5.2, 6.1, 4.0, 7.3, 5.6, 4.4, 6.4, 5.1, 5.5, 5.9])
    let interval = try #require(price.interval)
    #expect(price.spared == 11 && (price.bytes - 5.55e6).magnitude < 1 && ((price.perLoader ?? 0) - 504_545.4545).magnitude < 0.01)
    #expect((interval.low - 483_231.649939332).magnitude < 0.1 && (interval.high - 526_179.9028356237).magnitude < 0.1)
  }

  @Test func withoutLoadersSurelySparedThereIsNoPrice() throws {
    let megabytes = (1...10).map(Double.init)
    for spared in [[-3, -1, -4, -1, -5, -9, -2, -6, -5, -3], [1, -1, 2, -2, 3, -3, 1, -1, 2, 0], [Double](repeating: 0, count: 10)] {
      let price = try price(spared: spared, megabytes: megabytes)
      #expect(price.perLoader == nil && price.interval == nil && price.bytes == 5.5e6, "\(spared)")
    }
  }

  @Test func aRunWithoutRandomnessAndAConstantShiftHaveExactLoaders() throws {
    let exact = try price(spared: [4], megabytes: [2], isDeterministic: true)
    #expect(exact.perLoader == 0.5e6 && exact.interval == nil)
    // A point that saves bytes as well has a negative price.
    let shift = try price(spared: [Double](repeating: 5, count: 6), megabytes: [-2, -1, -3, -2, -1, -3])
    #expect(shift.perLoader == -0.4e6 && (shift.interval?.high ?? 0) < 0)
  }

  @Test func reportsHaveItOnlyWhereItIsAskedFor() throws {
    let (spared, megabytes) = ([10, 12, 9, 14, 11, 8, 13, 10, 12, 11].map(Double.init), [Double](repeating: 5.5, count: 10))
    for asks in [true, false] {
      let (summary, sweep) = try summary(spared: spared, megabytes: megabytes, asks: asks)
      let report = Report.make(summary: summary, sweep: sweep)
      var lines: [String] = []
      SummaryTable(summary).write(as: CSVFormat()) { lines.append(String(decoding: $0.dropLast(), as: UTF8.self)) }
      #expect(lines[0].contains(",bytesPerLoaderSpared,bytesPerLoaderSparedLow,bytesPerLoaderSparedHigh,") == asks)
      if asks {
        let price = try #require(summary.price(of: summary.points[0]))
        let cells = lines[1].split(separator: ",", omittingEmptySubsequences: false).suffix(4).map { Double($0) ?? .nan }
        #expect(abs(cells[0] - 500_000) < 1e-3 && abs(cells[1] - (price.interval?.low ?? 0)) < 1e-3 && cells[2] > cells[0])
        // The baseline has none.
        #expect(lines[2].hasSuffix(",,,,false"))
      }
      for name in ["report.md", "report.html"] {
        #expect(try #require(report[name]).contains("Megabytes per loader spared") == asks)
        #expect(try #require(report[name]).contains("Further metrics") == asks)
      }
      guard asks else { continue }
      #expect(
        report["report.md"]?.replacing("\u{a0}", with: " ").contains("  5.5 |           0.50 [0.45, 0.57] |") == true,
        "\(report["report.md"] ?? "")")
      let none = try self.summary(spared: spared.map { -$0 }, megabytes: megabytes)
      #expect(Report.make(summary: none.0, sweep: none.1)["report.md"]?.contains("none spared") == true)
    }
  }
}
