import Oracles
import Simulation
import Sweep
import TestSupport
import Testing

@testable import Analysis

/// The gate's verdicts on blocks of devices, from closed forms and from drawn noise.
@Suite struct GateBlockTests {
  private static let waits = GateGuard(.waitMsMean, .rise, by: .percent(2))
  private static let rule = GateRule(guards: [waits], comparisons: 1, blocks: 40)

  /// Returns blocks of runs whose time-dependent mean is `level`, by the number of the run, under a change of the candidate, a share.
  private func blocks(
    _ count: Int, change: Double, nullChange: Double = 0, devices: Int = 1, mirrors: (Int) -> Bool = { $0 % 2 == 1 },
    level: (_ run: Int) -> Double
  ) -> GateBlocks {
    var blocks = GateBlocks(devices: (0..<devices).map { "phone \($0 + 1)" })
    for number in 0..<count {
      let isNull = number % 13 == 4
      let values = (0..<4).map { run in
        let isCandidate = (run == 1 || run == 2) != mirrors(number)
        return level(4 * number + run) * (isCandidate ? 1 + (isNull ? nullChange : change) : 1)
      }
      let block = GateBlocks.Block(device: number % devices, isMirrored: mirrors(number), values: values)
      if isNull { blocks.null.append(block) } else { blocks.compared.append(block) }
    }
    return blocks
  }

  private func random(_ name: String) -> RandomStream { RandomStream(runSeed: 44, name: name) }

  @Test func aLinearDriftCancelsExactly() {
    let finding = Self.rule.finding(Self.waits, blocks(40, change: 0) { 100 + 3 * Double($0) }, look: 1)
    #expect(finding.outcome == .identical && finding.difference.magnitude < 1e-9 && finding.pairs == 37, "\(finding)")
  }

  @Test(arguments: [(0.05, GateFinding.Outcome.worse), (0.03, .worse), (0, .notWorse), (-0.05, .better)])
  func aChangeAgainstTwoPerCent(_ change: Double, _ outcome: GateFinding.Outcome) throws {
    var random = random("\(change)")
    let noise = (0..<160).map { _ in random.normal() }
    let found = blocks(40, change: change, mirrors: { $0 * 7 % 3 == 1 }) { 100 + noise[$0] }
    let finding = Self.rule.finding(Self.waits, found, look: 1)
    #expect(finding.outcome == outcome, "\(finding)")
    let interval = try #require(finding.percentInterval)
    #expect(interval.contains(100 * change) && interval.halfWidth < 1, "\(interval)")
  }

  @Test(arguments: ["waitMsMean +0ms", "waitMsMean +5%"]) func blocksWithoutADifferenceAreIdentical(_ text: String) throws {
    for level in [0.0, 100] {
      let finding = Self.rule.finding(try GateGuard(reading: text), blocks(40, change: 0) { _ in level }, look: 1)
      #expect(finding.outcome == .identical, "\(finding)")
    }
  }

  /// A fast phone and a slow one under a candidate that is exactly 3 % worse on both.
  @Test(arguments: ["waitMsMean +2%", "waitMsMean +50ms", "waitMsMean <= 400ms"]) func unequalPhonesMayAgree(_ text: String) throws {
    let found = blocks(40, change: 0.03, devices: 2, mirrors: { $0 * 7 % 3 == 1 }) { $0 / 4 % 2 == 0 ? 100 : 301 }
    let finding = Self.rule.finding(try GateGuard(reading: text), found, look: 1)
    #expect(finding.outcome == (text.hasSuffix("2%") ? .worse : .notWorse), "\(finding)")
  }

  @Test func oneOddRunOfAConstantMetricIsNoFlaw() {
    var found = blocks(40, change: 0) { _ in 5 }
    found.null[0] = GateBlocks.Block(device: 0, isMirrored: false, values: [5, 6, 5, 5])
    #expect(Self.rule.finding(Self.waits, found, look: 1).outcome == .identical)
  }

  /// The interval by inverted sign flips against its definition: the level-quantiles of the ratios over all subsets of blocks (Hartigan 1969).
  @Test func theIntervalIsThatOfAllSubsets() throws {
    var random = random("subsets")
    let differences = (0..<12).map { _ in 3 + 5 * random.normal() }
    let weights = (0..<12).map { _ in 90 + 20 * random.unit() }
    let found = try #require(SignFlips.interval(differences, weights: weights, lowLevel: 0.01, highLevel: 0.03))
    let ratios = (1..<4096).map { subset in
      let members = (0..<12).filter { subset >> $0 & 1 == 1 }
      return members.reduce(0) { $0 + differences[$1] } / members.reduce(0) { $0 + weights[$1] }
    }.sorted()
    // The empty subset counts as extreme on either side: 40 of 4096 patterns are at most 1 %, and 122 at most 3 %.
    #expect((found.low - ratios[39]).magnitude < 1e-6, "\(found.low) \(ratios[38...40])")
    #expect((found.high - ratios[4095 - 122]).magnitude < 1e-6, "\(found.high) \(ratios[(4095 - 123)...(4095 - 121)])")
  }

  @Test func fewBlocksGiveNoVerdict() {
    #expect(Self.rule.fewestPairs == 6 && Self.rule.looks == [18, 37])
    let six = GateRule(guards: [Self.waits], comparisons: 1, blocks: 6)
    #expect(six.outcome(Self.waits, blocks(5, change: 1) { 100 + Double($0 % 3) }, look: 1).outcome == .inconclusive)
  }

  /// Each flaw by itself, planted several times larger than the noise.
  @Test(
    arguments: [
      ("production against production", 0), ("in the middle of a block", 1), ("drifts by", 2), ("successive blocks", 3),
      ("phone 2", 4),
    ])
  func aFlawOfTheInstrumentIsNamed(_ words: String, _ flaw: Int) throws {
    var random = random(words)
    let noise = (0..<160).map { _ in random.normal() }
    var found = blocks(40, change: 0, nullChange: flaw == 0 ? 0.2 : 0, devices: 2, mirrors: { $0 * 5 % 7 < 3 }) { run in
      100 + noise[run] + (flaw == 1 && run % 4 == 0 ? 15 : 0)
    }
    func isMoved(_ index: Int) -> Double {
      switch flaw {
      case 2: Double(index) / 4
      case 3: index / 12 % 2 == 0 ? 0 : 5
      case 4: Double(found.compared[index].device) * 6
      default: 0
      }
    }
    for index in found.compared.indices {
      let (block, moved) = (found.compared[index], isMoved(index))
      let (runs, candidate) = (block.baselineRuns, block.candidate + moved)
      let values = block.isMirrored ? [candidate, runs[0], runs[1], candidate] : [runs[0], candidate, candidate, runs[1]]
      found.compared[index] = GateBlocks.Block(device: block.device, isMirrored: block.isMirrored, values: values)
    }
    let (outcome, fault) = Self.rule.outcome(Self.waits, found, look: 1)
    #expect(outcome == .unfit && fault?.contains(words) == true, "\(outcome) \(fault ?? "")")
  }

  /// The promise under noise that no rule was tuned on: at most 2.5 % of 120 null gates are worse (99.9 % of such counts are below 10).
  @Test(arguments: DeviceNoise.allCases)
  func nullGatesKeepTheirPromise(_ noise: DeviceNoise) {
    let gate = DeviceGate(noise) { gate, number in
      let plan = BlockPlan(seed: UInt64(gate), name: "test")
      return (plan.isNull(number), plan.isMirrored(number))
    }
    let worse = (0..<120).count { gate.verdict($0).outcome == .worse }
    #expect(worse < 10, "\(worse) of 120")
  }

  @Test func aGateHasOneNullBlockOfEach13AndMirrorsHalf() {
    let plan = BlockPlan(seed: 7, name: "a")
    let nulls = (1...1300).filter(plan.isNull)
    #expect(nulls.count == 100 && Set(nulls.map { ($0 - 1) % 13 }) == [1, 2, 3, 4, 5])
    #expect((540...760).contains((1...1300).count(where: plan.isMirrored)))
    let other = BlockPlan(seed: 7, name: "b")
    #expect((1...1300).contains { plan.isMirrored($0) != other.isMirrored($0) })
  }

  @Test func aBoundIsOnTheCandidateAlone() {
    var random = random("bound")
    let noise = (0..<160).map { _ in random.normal() }
    let found = blocks(40, change: 0.1) { 100 + noise[$0] }
    for (bound, outcome) in [(105.0, GateFinding.Outcome.worse), (115, .notWorse)] {
      let guarded = GateGuard(Constraint(.waitMsMean, isUpper: true, bound: bound, text: "waitMsMean <= \(bound)"))
      #expect(Self.rule.finding(guarded, found, look: 1).outcome == outcome)
    }
  }
}
