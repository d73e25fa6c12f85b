import SampleSweeps
import TestSupport
import Testing

@testable import Analysis
@testable import Rendering

/// Selection bias (the winner's curse), and its removal by confirmation on new seeds.
@Suite struct ConfirmationTests {
  /// Pseudo-random standard normal numbers by inversion.
  private struct Normals {
    var generator: SplitMix64
    mutating func next() -> Double { Normal.quantile((Double(generator.next() >> 11) + 0.5) / 0x1p53) }
  }

  /// Returns the mean advantage of the best of `count` equal settings over an equal baseline, in standard errors of the difference, in the
  /// sweep and on new seeds.
  private func advance(count: Int, repetitions: Int, trials: Int) -> (own: Double, confirmed: Double) {
    var normals = Normals(generator: SplitMix64(state: 42))
    var (own, confirmed) = (0.0, 0.0)
    for _ in 0..<trials {
      func means(_ normals: inout Normals) -> [Double] {
        (0...count).map { _ in (0..<repetitions).reduce(0) { sum, _ in sum + normals.next() } / Double(repetitions) }
      }
      let (first, second) = (means(&normals), means(&normals))
      let best = (1...count).min { first[$0] < first[$1] } ?? 1
      own += first[0] - first[best]
      confirmed += second[0] - second[best]
    }
    let error = (2 / Double(repetitions)).squareRoot()
    return (own / Double(trials) / error, confirmed / Double(trials) / error)
  }

  @Test(arguments: [1, 2, 20, 100])
  func theSelectionBiasIsAsPredicted(_ count: Int) {
    let measured = advance(count: count, repetitions: 1, trials: 1000)
    let expected = Normal.selectionBias(ofBest: count, standardError: 1)
    // Three standard errors of 1000 trials.
    #expect((measured.own - expected).magnitude < 3 / 1000.0.squareRoot(), "\(measured.own) \(expected)")
    #expect(measured.confirmed.magnitude < 3 / 1000.0.squareRoot(), "new seeds have no bias: \(measured.confirmed)")
  }

  /// The reference estimates the error from 10 or 30 runs, so that its numbers are slightly larger.
  @Test(arguments: [20, 100], [10, 30])
  func theSelectionBiasAgreesWithTheReference(_ count: Int, _ repetitions: Int) throws {
    let vector = try Vector.calibration()["null K=\(count) n=\(repetitions)"]
    let expected = Normal.selectionBias(ofBest: count, standardError: 1)
    let measured = -vector["winner_bias_in_se"].number
    #expect(measured > expected * 0.98 && measured < expected * (repetitions == 10 ? 1.1 : 1.05), "\(measured) \(expected)")
  }

  private func confirmed(_ fresh: [[Double]]) throws -> (headline: String, report: ReportFiles) {
    let samples = Samples.usual
    var sweep = samples.sweep
    sweep.confirm = SweepDescription.Confirm(repeats: fresh[0].count, best: 2)
    var again = samples
    again.points = zip([0, 1, 3], fresh).map { (samples.points[$0].id, samples.points[$0].values, $1) }
    var rows = again.table
    for index in rows.rows.indices { rows.rows[index].repetition += 10 }
    let report = try Report.make(runs: samples.table, confirmation: rows, sweep: sweep)
    let text = report["report.md"] ?? ""
    return (String(text.split(separator: "\n")[2]).replacing("\u{A0}", with: " "), report)
  }

  private static let base: [Double] = [33, 29, 41, 37, 30, 50, 35, 39]

  @Test func theHeadlineHasTheConfirmedNumberBesideTheSweepsOwn() throws {
    let winner = zip(Self.base, [-3, -2, -4, -3, -3, -5, -2, -4] as [Double]).map { $0 + $1 }
    let result = try confirmed([winner, Self.base, Self.base.map { $0 + 1 }])
    #expect(
      result.headline.hasPrefix(
        "**maxCost 5, cancel keep** wins on new seeds: 33.50 loaders per 1000 against 36.75 of the baseline, -3.2 [-4.7, -2.1], -8.8 % "
          + "(8 new repetitions, paired 95 % interval); the verdict holds for both confirmed points at once. The sweep's own 10 repetitions "
          + "showed -6.7 [-8.6, -5.1], -19 %; the best of 3 equal settings would look "), "\(result.headline)")
    try expectGolden(result.report["report.md"] ?? "", "confirmed.md")
    try expectGolden(result.report["summary.csv"] ?? "", "confirmed.csv")
  }

  @Test func aWinnerByChanceIsNotConfirmed() throws {
    let lucky = zip(Self.base, [1, -1, 2, -2, 0, 1, -1, 1] as [Double]).map { $0 + $1 }
    let result = try confirmed([lucky, Self.base, Self.base.map { $0 - 1 }])
    #expect(
      result.headline.hasPrefix(
        "No point is shown to be better than the baseline beyond the noise on new seeds: the sweep's best, **maxCost 5, cancel keep**, has")
    )
    #expect(result.headline.contains("on the new seeds **maxCost 5, cancel drop** has fewer, 35.8"), "\(result.headline)")
  }

  @Test func theFinalistsAreTheLeaderTheNextBestAndTheBaseline() throws {
    let samples = Samples.usual
    let columns = RunColumns(axes: samples.axes)
    for row in samples.table.rows { columns.add(row) }
    let summary = try columns.summary(sweep: samples.sweep)
    #expect(summary.finalists(1) == [Samples.id(1), Samples.id(2)])
    #expect(summary.finalists(2) == [Samples.id(1), Samples.id(4), Samples.id(2)])
    #expect(summary.finalists(50).count == 4)
  }
}
