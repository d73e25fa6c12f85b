import Foundation
import SampleSweeps
import TestSupport
import Testing

@testable import Analysis
@testable import Base
@testable import Rendering

/// Advice for a best point at the end of a numeric axis: the values to try next.
@Suite struct AxisEdgeTests {
  @Test(arguments: [
    (["1", "2", "3", "4"], "5,6,7,8", "0"), (["1", "4"], "7,10", "0"), (["1", "3", "5"], "7,9,11", "0"),
    (["1", "2", "4", "8"], "16,32,64", "0"),
    (["1", "2", "3", "5", "8"], "11,14,17", "0"), (["5", "10", "15"], "20,25,30", "2,1,0"), (["8", "2", "4"], "16,32,64", "1,0"),
    (["100ms", "200ms", "300ms"], "400ms,500ms,600ms", "50ms,25ms,0ms"), (["500ms", "1s", "2s"], "4s,8s,16s", "250ms,125ms,62.5ms"),
    (["10%", "20%"], "30%,40%", "5%,2.5%,0%"), (["200KB", "1MB"], "1.8MB,2.6MB", "100KB,50KB"),
    (["0.2", "0.4", "0.6"], "0.8,1,1.2", "0.1,0.05,0"),
    (["0.1", "0.2", "0.3"], "0.4,0.5,0.6", "0.05,0.025,0"),
  ])
  func proposalsContinueTheSpacing(values: [String], above: String, below: String) throws {
    let axis = try #require(NumericAxis(values))
    #expect(axis.proposals(beyond: .upper).joined(separator: ",") == above)
    #expect(axis.proposals(beyond: .lower).joined(separator: ",") == below)
  }

  @Test(arguments: [
    ["5"], ["5", "5"], ["keep", "drop"], ["1", "many"], ["1s", "1MB"], ["1", "1s"], [], ["\"3G\"", "4"], ["1e999", "2"],
  ])
  func aNonNumericAxisHasNoEnds(values: [String]) { #expect(NumericAxis(values) == nil) }

  /// Returns a sweep over one axis whose values have these means, with 10 repetitions and the given baseline.
  static func samples(_ values: [String], _ means: [Double], baseline: Int, path: String = "prefetcher.maxCost") -> Samples {
    var samples = Samples()
    samples.axes = [path]
    samples.points = zip(values, means).enumerated().map { index, point in
      (Samples.id(index + 1), [point.0], (0..<10).map { point.1 + Double(($0 * 7 + index * 3) % 5) })
    }
    samples.baseline = baseline
    return samples
  }

  /// Returns terminal text, report.md and page in one line each, without markup.
  static func texts(_ samples: Samples, _ change: (inout SweepDescription) -> Void = { _ in }) throws -> [String] {
    var sweep = samples.sweep
    change(&sweep)
    let report = try Report.make(runs: samples.table, sweep: sweep)
    let terminal = TerminalSummary.text(try SweepSummary.of(runs: samples.table, sweep: sweep), sweep: sweep)
    return [
      terminal.replacing(/\n */, with: " "), (report["report.md"] ?? "").replacing("**", with: ""),
      (report["report.html"] ?? "").replacing(/<[^>]*>/, with: ""),
    ]
  }

  @Test func aWinnerAtTheUpperEndNamesTheNextValuesAndTheCommand() throws {
    let values = (1...10).map(String.init)
    for text in try Self.texts(Self.samples(values, values.indices.map { 90 - 7 * Double($0) }, baseline: 3)) {
      #expect(
        text.contains(/The winner lies at the upper end of maxCost \(1…10\): try 11…20 \(120 runs\)\./)
          && text.contains(
            "prefetch-sweep run Sweeps/featured-3g.json5 --set prefetcher.maxCost=10...20 --output Results/featured-3g-maxCost-20"),
        "\(text.prefix(900))")
    }
  }

  @Test func aBaselineThatIsBestAtTheLowerEndNamesNoValueBelowTheLeast() throws {
    let samples = Self.samples(["2", "4", "6"], [20, 40, 60], baseline: 0)
    for text in try Self.texts(samples) {
      #expect(
        text.contains(
          "The baseline lies at the lower end of maxCost (2…6): try 1 (20 runs)"),
        "\(text.prefix(600))")
    }
    let bounded = try Self.texts(samples) { $0.axes[0].valuesBelow = [] }
    for text in bounded { #expect(!text.contains("lower end")) }
    for text in try Self.texts(Self.samples(["1", "2", "3"], [20, 40, 60], baseline: 0)) { #expect(!text.contains("try 0")) }
  }

  @Test func aWinnerInsideOfAnAxisOrOnAnAxisOfNamesHasNoAdvice() throws {
    for samples in [Self.samples(["1", "2", "3"], [60, 20, 60], baseline: 0), Self.samples(["keep", "drop"], [60, 20], baseline: 0)] {
      for text in try Self.texts(samples) { #expect(!text.contains("end of maxCost")) }
    }
  }

  @Test(arguments: [
    (["1", "3", "5"], NumericAxis.End.lower, ["0"], "0"), (["0", "0.5", "0.9"], .upper, ["0.95"], "0.95"),
    (["0", "0.5", "0.9"], .upper, [], ""), (["1", "2", "3"], .upper, ["4", "6"], "4,6"),
  ])
  func ifNoStepIsValidAFractionOfOneIsProposed(values: [String], end: NumericAxis.End, valid: [String], proposed: String) throws {
    let axis = try #require(NumericAxis(values))
    #expect(axis.proposals(beyond: end) { valid.contains($0) }.joined(separator: ",") == proposed)
  }

  @Test func valuesThatTheSweepRefusesBesideTheWinnersAreNotProposed() throws {
    let samples = Self.samples(["1", "2", "3"], [60, 40, 20], baseline: 1)
    for (exclusions, text) in [
      ([SweepDescription.Exclusion(value: "4", paths: [], combinations: [[]])], "try 5 ("),
      ([.init(value: "4", paths: ["prefetcher.maxCost"], combinations: [["2"]])], "try 4 and 5 ("),
    ] {
      let texts = try Self.texts(samples) {
        $0.axes[0].valuesAbove = ["4", "5"]
        $0.axes[0].exclusions = exclusions
      }
      for report in texts { #expect(report.contains(text), "\(report.prefix(600))") }
    }
  }

  @Test func valuesThatTheCommandLineLeftOutAreNamedAndNotProposed() throws {
    let texts = try Self.texts(Self.samples(["4", "7", "10"], [20, 40, 60], baseline: 0)) {
      $0.axes[0].fileValues = ["1", "4"]
      $0.axes[0].valuesBelow = ["1"]
    }
    for text in texts {
      #expect(text.contains("end of maxCost (4…10), which --set narrows: the sweep file also has 1."), "\(text.prefix(600))")
      #expect(!text.contains("try 1"))
    }
  }

  @Test func aValueThatIsNotOnTheAxisLiesAtNoEnd() throws {
    let texts = try Self.texts(Self.samples(["3", "8", "11"], [20, 40, 60], baseline: 0)) { $0.axes[0].values = ["8", "11"] }
    for text in texts { #expect(!text.contains("end of maxCost")) }
  }

  @Test func aBestPointTiedWithAnInnerOneHasNoAdvice() throws {
    for best in [[20, 20, 60], [20, 60, 20]] as [[Double]] {
      var samples = Self.samples(["2", "4", "6"], best, baseline: 0)
      for index in best.indices { samples.points[index].loaders = [best[index], best[index] + 1] }
      for text in try Self.texts(samples) { #expect(!text.contains("end of maxCost")) }
    }
  }

  @Test func commandsOfAForeignFileAreQuotedForAShell() throws {
    let path = "x'; touch y; '"
    var samples = Self.samples(["1", "2", "4"], [60, 40, 20], baseline: 1, path: path)
    samples.name = "a `b` $(c)"
    let report = try Report.make(runs: samples.table, sweep: samples.sweep)
    let quoted = #"--set 'x'\''; touch y; '\''=[4,8,16,32]' --output 'Results/a `b` $(c)-x'\''; touch y; '\''-32'"#
    let markdown = report["report.md"] ?? ""
    #expect(markdown.contains("`` prefetch-sweep run Sweeps/featured-3g.json5 \(quoted) ``"), "\(markdown.prefix(600))")
  }

  @Test func aTerminalKeepsAnOptionOnOneLine() throws {
    let samples = Self.samples(["2", "4", "6"], [60, 40, 20], baseline: 1)
    for width in 60...120 {
      let text = TerminalSummary.text(try SweepSummary.of(runs: samples.table, sweep: samples.sweep), sweep: samples.sweep, width: width)
      #expect(
        text.contains("--set 'prefetcher.maxCost=[6,8,10,12]'") && text.contains("--output Results/featured-3g-maxCost-12"), "\(text)")
    }
  }

  @Test func severalAxesAreOneSentenceAndOneCommand() throws {
    var samples = Samples()
    samples.axes = ["prefetcher.maxCost", "prefetcher.videoCost"]
    samples.points = [("1", "1", 60), ("1", "2", 70), ("2", "1", 20), ("2", "2", 50)].enumerated().map { index, point in
      (Samples.id(index + 1), [point.0, point.1], (0..<10).map { point.2 + Double(($0 * (3 + index) + index) % 7) })
    }
    for text in try Self.texts(samples, { $0.axes[1].valuesBelow = ["0.5"] }) {
      #expect(
        text.contains(
          /The winner lies at the upper end of maxCost \(1…2\) and the lower end of videoCost \(1…2\): try maxCost 3 and 4 and videoCost 0.5/
        ),
        "\(text)")
      #expect(text.contains(" --output Results/featured-3g-maxCost-4-videoCost-0.5"))
    }
  }

  @Test func aBaselineThatTheFileDoesNotNameIsNamed() throws {
    let texts = try Self.texts(Self.samples(["1", "2", "3"], [60, 20, 60], baseline: 0)) { $0.baseline.isImplied = true }
    for text in texts {
      #expect(
        text.contains("The sweep file names no baseline, so that the first point, maxCost 1, is the baseline."), "\(text.prefix(600))")
    }
    #expect(texts[1].contains("(the first point, because the sweep file names no baseline)"))
  }
}
