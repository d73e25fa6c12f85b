import Foundation
import SampleSweeps
import TestSupport
import Testing

@testable import Analysis
@testable import Rendering

/// Pairs that are all equal: they have no interval, and their number decides the verdict.
@Suite struct EqualPairsTests {
  private func two(_ candidate: [Double], _ baseline: [Double], margin: String? = nil) -> Samples {
    var samples = Samples()
    samples.axes = ["prefetcher.maxCost"]
    samples.points = [(Samples.id(1), ["5"], candidate), (Samples.id(2), ["6"], baseline)]
    samples.baseline = 1
    samples.margin = margin
    return samples
  }

  private func shifted(_ baseline: [Double], by shift: Double, margin: String? = nil) -> Samples {
    two(baseline.map { $0 + shift }, baseline, margin: margin)
  }

  private static let base: [Double] = [31, 27, 44, 38, 29, 52, 33, 41, 36, 30]

  @Test func everyRepetitionFrom1To1000LoadersIsWorse() throws {
    for count in 6...10 {
      for margin in [nil, "2%", "5"] {
        let samples = two(
          [Double](repeating: 1000, count: count), [Double](repeating: 1, count: count), margin: margin)
        #expect(try samples.verdict(0) == "worse (\(count) equal pairs)")
      }
    }
    #expect(try two([1000, 1000], [1, 1]).verdict(0) == "too few repetitions (2 equal pairs)")
  }

  @Test func aConstantShiftIsJudgedBeforeTheZeroBaseline() throws {
    // The interval of 100 and 150 contains zero, and that of 0 and 0 is zero.
    let few = two([95, 145], [100, 150], margin: "2%")
    #expect(try few.verdict(0) == "too few repetitions (2 equal pairs)")
    let markdown = try few.report["report.md"] ?? ""
    #expect(markdown.contains("| -5 (2 equal pairs) |") && !markdown.contains("[-5, -5]"))
    // 0.9²⁹ < 0.05 < 0.9²⁸.
    for (count, verdict) in [(28, "too few repetitions (28 equal pairs)"), (29, "worse (29 equal pairs)")] {
      let zeros = [Double](repeating: 0, count: count)
      #expect(try two(zeros.map { $0 + 3 }, zeros, margin: "50%").verdict(0) == verdict)
    }
  }

  @Test(arguments: [
    ("4", "better (30 equal pairs)"), ("5", "equivalent (30 equal pairs)"), ("6", "equivalent (30 equal pairs)"),
    ("13%", "better (30 equal pairs)"), ("14%", "equivalent (30 equal pairs)"), ("0", "better (30 equal pairs)"),
  ])
  func aConstantShiftIsComparedExactlyWithTheMargin(margin: String, verdict: String) throws {
    // The baseline's mean is 36.1, so that -5 is -13.85 %.
    #expect(try shifted(Self.base + Self.base + Self.base, by: -5, margin: margin).verdict(0) == verdict)
  }

  @Test func equalPairsHaveANoteInsteadOfAnInterval() throws {
    for (shift, verdict, start) in [
      (0.0, "identical", "The settings differ, but all pairs are equal: a"),
      (7, "too few repetitions (10 equal pairs)", "The difference is equal in all pairs: another"),
    ] {
      let samples = shifted(Self.base, by: shift)
      let report = try samples.report
      let markdown = report["report.md"] ?? ""
      let sign = shift > 0 ? "+7" : "0"
      #expect(markdown.contains("| \(sign) (10 equal pairs) |"), "\(markdown)")
      #expect(markdown.contains("\(start) difference in fewer than 25.9 % of sessions may be absent from 10 pairs."))
      #expect(report["report.html"]?.contains("may be absent from 10 pairs.") == true)
      let cells = try #require(report["summary.csv"]?.split(separator: "\n").dropFirst().first).split(
        separator: ",", omittingEmptySubsequences: false)
      #expect(cells[7] == "\(Int(shift))" && cells[8].isEmpty && cells[9].isEmpty, "difference, no interval")
      #expect(cells.contains { $0 == verdict })
    }
  }

  /// Two outcomes with a mean of 0: the frequent one in every pair is no verdict, however many points there are.
  @Test(arguments: [0.3, 0.1], [1, 49])
  func aFamilyOfTwoValuedDifferencesIsSeldomJudged(share: Double, family: Int) {
    var random = Draws(seed: UInt64(family))
    for size in [6, 10, 12, 20] {
      var wrong = 0
      for _ in 0..<60 {
        let verdicts = (0..<family).map { _ -> Verdict in
          let baseline = (0..<size).map { _ in (100 + 10 * random.normal()).rounded() }
          let candidate = baseline.map { $0 + (random.unit() < share ? 10 * (1 - share) : -10 * share) }
          return PairedComparison(baseline: baseline, candidate: candidate).verdict(familySize: family, limit: 1000)
        }
        if verdicts.contains(where: { $0.ground == .equalPairs(size) && $0.outcome != .inconclusive }) { wrong += 1 }
      }
      // The limit is three standard errors above 5 %.
      #expect(wrong <= 8, "\(wrong) of 60 lists of \(family) points at \(size) repetitions")
    }
  }

  @Test func aDifferenceOfTheWholeRangeNeedsFewPairs() {
    func least(_ shift: Double, family: Int) -> Int? {
      (2...100).first { count in
        let baseline = [Double](repeating: 1, count: count)
        let paired = PairedComparison(baseline: baseline, candidate: baseline.map { $0 + shift })
        return paired.verdict(familySize: family, limit: 1000).outcome == .worse
      }
    }
    // Half of the sessions would have to be opposite: 0.5003ⁿ ≤ 0.05/49; 0.9ⁿ ≤ 0.05/49 for a small one.
    #expect(least(999, family: 1) == 6 && least(999, family: 49) == 11)
    #expect(least(5, family: 1) == 29 && least(5, family: 49) == 66)
  }

  /// Pairs of which almost all are equal decide as equal ones do, by the smallest of them: 17 loaders of 1000 in 8 sessions, 18 and 20 in 2.
  @Test func almostEqualPairsOnOneSideDecide() throws {
    let base = [Double](repeating: 1000, count: 10)
    let few = [17, 17, 17, 17, 18, 17, 17, 17, 20, 17].map(Double.init)
    #expect(try two(few, base).verdict(0) == "better (10 pairs on one side)")
    let headline = try two(few, base).headline
    #expect(headline.contains("against 1000.0 of the baseline, -982.6, -98.3 % (all 10 pairs on one side)"), "\(headline)")
    #expect(try two(few, base).report["report.md"]?.contains("-982.6 (all pairs on one side)") == true)
    #expect(try two(base, few).verdict(0) == "worse (10 pairs on one side)")
    // Small differences need 29 pairs; a pair within the margin, and one without a difference, leave the question open.
    let shifts = [3, 3, 3, 3, 4, 3, 3, 3, 3, 3].map(Double.init)
    #expect(try two(zip(Self.base, shifts).map { $0 + $1 }, Self.base).verdict(0) == "too few pairs differ")
    let many = (0..<30).map { $0 == 7 ? 4.0 : 3 }
    let bases = Self.base + Self.base + Self.base
    #expect(try two(zip(bases, many).map { $0 + $1 }, bases).verdict(0) == "worse (30 pairs on one side)")
    #expect(try two(zip(bases, many).map { $0 + $1 }, bases, margin: "3").verdict(0) == "too few pairs differ")
    #expect(try two(zip(bases, many).map { $0 + $1 - 3 }, bases).verdict(0) == "too few pairs differ")
  }

  @Test func infinitiesAndSmallDifferencesOfLargeNumbersAreNotIdentical() {
    let large = PairedComparison(baseline: [1e15, 1e15, 2e15], candidate: [1e15 + 100, 1e15 + 100, 2e15 + 100])
    #expect(!large.isIdentical && large.differences == [100, 100, 100])
    #expect(!PairedComparison(baseline: [1e15, 5], candidate: [1e15 + 1, 5]).isIdentical)
    let pairs: [(first: [Double], second: [Double])] = [
      ([1, 2], [.infinity, .infinity]), ([.infinity, 1], [.infinity, 1]), ([.nan, 1], [.nan, 1]), ([1, -.infinity], [2, 3]),
    ]
    for (first, second) in pairs {
      let comparison = PairedComparison(baseline: first, candidate: second)
      #expect(
        !comparison.isIdentical && comparison.verdict().outcome == .inconclusive
          && comparison.verdict(isDeterministic: true).outcome == .inconclusive)
    }
    // A difference of equal numbers by rounding counts as zero.
    #expect(PairedComparison(baseline: [0.3, 0.3], candidate: [0.1 + 0.2, 0.3]).isIdentical)
  }

  // MARK: Per cent

  @Test func noPercentFallsBelowMinus100() throws {
    var generator = SplitMix64(state: 5)
    for round in 0..<400 {
      let base = (0..<8).map { _ in Double(generator.next() % 60) + Double(round % 3) * 20 }
      let candidate = base.map { max(0, $0 * 0.2 - Double(generator.next() % 40)) }
      let comparison = PairedComparison(baseline: base, candidate: candidate)
      if let interval = comparison.percentInterval() { #expect(interval.low >= -100 && interval.high >= -100) }
    }
  }

  @Test func noPercentIsGivenIfTheBaselinesIntervalContainsZero() throws {
    let faint: [Double] = [0, 0, 0, 9, 0, 0, 0, 1, 0, 0]
    for candidate in [faint.map { $0 + 7 }, [9, 3, 8, 2, 7, 9, 4, 1, 6, 9]] {
      let samples = two(candidate, faint)
      let report = try samples.report
      let rows = try #require(report["summary.csv"]).split(separator: "\n").map {
        $0.split(separator: ",", omittingEmptySubsequences: false)
      }
      let columns = ["percent", "percentLow", "percentHigh"].compactMap { name in rows[0].firstIndex { $0 == name } }
      #expect(columns.count == 3 && columns.allSatisfy { rows[1][$0].isEmpty })
      #expect(
        report["report.md"]?.contains("The interval of the baseline's mean contains zero, so that no difference in per cent is given.")
          == true)
      #expect(!(try samples.headline.contains(" %)")))
      let terminal = TerminalSummary.text(try SweepSummary.of(runs: samples.table, sweep: samples.sweep), sweep: samples.sweep, width: 200)
      #expect(!terminal.contains("+7 %") && !terminal.contains("+70"))
    }
  }

  @Test func aMarginInPerCentOfAlmostZeroDoesNotHideACertainDifference() throws {
    let faint: [Double] = [0, 0, 0, 9, 0, 0, 0, 1, 0, 0]
    let many = two([900, 930, 880, 910, 905, 921, 899, 903, 917, 911], faint, margin: "2%")
    #expect(try many.verdict(0) == "worse")
    let few = two([0, 1, 0, 9, 2, 0, 0, 1, 3, 1], faint, margin: "2%")
    #expect(try few.verdict(0) == "inconclusive (baseline may be zero)")
  }
}
