import Base
import SampleSweeps
import TestSupport
import Testing

@testable import Analysis

/// The notes beside a verdict: the repetitions that would settle it, and the Pareto front.
@Suite struct VerdictWordsTests {
  private func comparison(_ differences: [Double], baseline: Double = 100) -> PairedComparison {
    PairedComparison(baseline: differences.map { _ in baseline }, candidate: differences.map { baseline + $0 })
  }

  /// A law of differences with mean 0 and standard deviation 1.
  struct Law: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// The share of cases in which the repetitions decide.
    var least = 0.8
    let draw: @Sendable (inout SplitMix64) -> Double
  }

  private static func unit(_ random: inout SplitMix64) -> Double { (Double(random.next() >> 11) + 0.5) * 0x1p-53 }

  /// The sum of 12 uniform draws, which is nearly normal.
  private static func normal(_ random: inout SplitMix64) -> Double { (0..<12).reduce(-6) { sum, _ in sum + unit(&random) } }

  private static let laws = [
    Law(testDescription: "normal") { normal(&$0) },
    Law(testDescription: "uniform") { (unit(&$0) - 0.5) * 12.0.squareRoot() },
    Law(testDescription: "-1, 0 or 1") { 1.5.squareRoot() * ((3 * unit(&$0)).rounded(.down) - 1) },
    // "Probably" holds for the hardest laws of `PromisedRatesTests`, too.
    Law(testDescription: "exponential", least: 0.7) { -StableMath.log(unit(&$0)) - 1 },
    Law(testDescription: "lognormal", least: 0.6) { (StableMath.exp(normal(&$0)) - StableMath.exp(0.5)) / 2.1612 },
    Law(testDescription: "negative lognormal", least: 0.6) { (StableMath.exp(0.5) - StableMath.exp(normal(&$0))) / 2.1612 },
    Law(testDescription: "10 % lognormal, others 0", least: 0.5) {
      ((unit(&$0) < 0.1 ? StableMath.exp(normal(&$0)) : 0) - 0.1 * StableMath.exp(0.5)) / 0.84
    },
  ]

  /// Plants differences with a mean between -6 and 6 standard errors, and adds repetitions where the verdict is open.
  @Test(arguments: laws, [(10, 1, 0.0), (20, 1, 0), (20, 49, 0), (20, 1, 0.4)])
  func theReportedRepetitionsDecideInMostCases(law: Law, plan: (count: Int, family: Int, margin: Double)) {
    var random = SplitMix64(state: UInt64(plan.count * 1000 + plan.family))
    let (margin, confidence) = (Margin.absolute(plan.margin), MultipleTests.simultaneousConfidence(0.95, count: plan.family))
    func verdict(_ differences: [Double]) -> Verdict { comparison(differences).verdict(margin: margin, familySize: plan.family) }
    var (open, decided) = (0, 0)
    while open < 120 {
      let mean = (12 * Self.unit(&random) - 6) / Double(plan.count).squareRoot()
      var differences = (0..<plan.count).map { _ in mean + law.draw(&random) }
      guard verdict(differences) == Verdict(.inconclusive, .interval),
        let needed = comparison(differences).neededCount(margin: margin, confidence: confidence), needed <= 2000
      else { continue }
      open += 1
      while differences.count < needed { differences.append(mean + law.draw(&random)) }
      if verdict(differences).outcome != .inconclusive { decided += 1 }
    }
    #expect(Double(decided) >= law.least * Double(open), "\(decided) of \(open)")
  }

  @Test func moreComparisonsAndMoreSkewNeedMoreRepetitions() throws {
    let open = comparison([-3, 2, -4, 1, -5, 3, -2, -1])
    #expect(open.verdict().outcome == .inconclusive)
    let needed = try #require(open.neededCount(margin: .none, confidence: 0.95))
    let family = try #require(open.neededCount(margin: .none, confidence: MultipleTests.simultaneousConfidence(0.95, count: 50)))
    #expect(open.count < needed && needed < family, "\(needed) and \(family)")
    let skewed = comparison([-9, -8, -9, -7, -9, -8, -9, -8, -7, 30])
    let plain = comparison((0..<10).map { skewed.sample.mean + ($0.isMultiple(of: 2) ? 1 : -1) * skewed.sample.standardDeviation })
    #expect(
      try #require(skewed.neededCount(margin: .none, confidence: 0.95)) > #require(plain.neededCount(margin: .none, confidence: 0.95)))
  }

  @Test func aMarginFarFromTheMeanIsDecidedSooner() throws {
    let open = comparison([-3, 2, -4, 1, -5, 3, -2, -1])
    func needed(_ margin: Margin) throws -> Int { try #require(open.neededCount(margin: margin, confidence: 0.95)) }
    // The mean is -1.1: within 3 %, at the edge of 1.1 %.
    #expect(try needed(.absolute(3)) == needed(.percent(3)))
    #expect(try needed(.absolute(5)) < needed(.absolute(3)) && needed(.absolute(3)) < needed(.absolute(1.125)))
  }

  @Test func theTableReportsTheMissingRepetitions() throws {
    var samples = Samples.usual
    samples.points[3].loaders = zip(samples.points[1].loaders, [-3, 2, -4, 1, -5, 3, -2, -1, -4, 1] as [Double]).map { $0 + $1 }
    let markdown = try samples.report["report.md"] ?? ""
    let page = try samples.report["report.html"] ?? ""
    #expect(page.contains(/inconclusive \([0-9]+ more\)/))
    #expect(page.contains("about N more repetitions would probably decide it"))
    #expect(
      markdown.contains("- **family**: the 3 comparisons with the baseline; p-values in summary.csv by Holm"))
  }

  @Test func noPointDominatesTheFront() {
    var generator = SplitMix64(state: 7)
    for size in [0, 1, 2, 7, 40] {
      for _ in 0..<50 {
        let costs: [(Double?, Double?)] = (0..<size).map { _ in
          (generator.next() % 9 == 0 ? nil : Double(generator.next() % 8), Double(generator.next() % 8))
        }
        let expected = costs.indices.filter { index in
          guard let (x, y) = costs[index].0.flatMap({ x in costs[index].1.map { (x, $0) } }) else { return false }
          return !costs.contains { other in
            guard let a = other.0, let b = other.1 else { return false }
            return a <= x && b <= y && (a < x || b < y)
          }
        }
        #expect(ParetoFront.indices(costs) == expected)
      }
    }
  }
}
