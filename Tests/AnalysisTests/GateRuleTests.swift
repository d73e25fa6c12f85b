import TestSupport
import Testing

@testable import Analysis

/// The gate's verdicts on constructed pairs.
@Suite struct GateRuleTests {
  private static let loaders = GateGuard(.loadersPer1000, .rise, by: .percent(2))
  /// The rule, shared by the tests because its bounds take some time in debug builds.
  private static let usual = GateRule(guards: [loaders])
  private let loaders = GateRuleTests.loaders
  private let noise: [Double] = [3, -5, 8, 1, -7, 4, -2, 6, -9, 1]

  private func baseline(_ count: Int) -> [Double] { (0..<count).map { 100 + 3 * noise[$0 % 10] } }

  private func finding(_ guarded: GateGuard, _ shift: Double, spread: Double = 0.1, count: Int = 200, look: Int = 1) -> GateFinding {
    let baseline = baseline(count)
    let candidate = baseline.enumerated().map { $1 + shift + spread * noise[($0 * 3 + 1) % 10] }
    // A rule of one guard has the same levels.
    return Self.usual.finding(guarded, baseline: baseline, candidate: candidate, look: look)
  }

  @Test(arguments: [
    (5.0, GateFinding.Outcome.worse), (3, .worse), (2, .inconclusive), (1, .notWorse), (0, .notWorse), (-1, .better), (-20, .better),
  ])
  func aShiftAgainstTwoPerCentOfAHundred(shift: Double, outcome: GateFinding.Outcome) {
    #expect(finding(loaders, shift).outcome == outcome)
  }

  @Test func aFallCountsWhereAFallIsBad() {
    let guarded = GateGuard(.bytesUseful, .fall, by: .percent(2))
    #expect(finding(guarded, -5).outcome == .worse)
    #expect(finding(guarded, 5).outcome == .better)
    #expect(finding(guarded, -1).outcome == .notWorse)
  }

  @Test func theIntervalInPerCentAgreesWithTheVerdict() throws {
    var random = SplitMix64(state: 7)
    func unit() -> Double { Double(random.next() >> 11) * 0x1p-53 }
    var seen: [GateFinding.Outcome: Int] = [:]
    for trial in 0..<400 {
      let count = [100, 200, 320][trial % 3]
      let baseline = (0..<count).map { _ in 100 + 40 * unit() }
      // Few pairs differ, but by much, so that the interval is skewed.
      let size = 30 * unit()
      let candidate = baseline.map { unit() < 0.2 ? $0 + size : $0 + 0.02 * unit() }
      let finding = Self.usual.finding(loaders, baseline: baseline, candidate: candidate, look: trial % 3)
      let interval = try #require(finding.percentInterval)
      seen[finding.outcome, default: 0] += 1
      switch finding.outcome {
      case .worse: #expect(interval.low > 2)
      case .notWorse, .better: #expect(interval.high < 2)
      default: #expect(interval.low <= 2 && interval.high >= 2, "\(finding)")
      }
    }
    #expect(seen.count >= 3, "all kinds occur: \(seen)")
  }

  @Test func aZeroBaselineNeedsNoPerCent() {
    let zeros = [Double](repeating: 0, count: 200)
    let rule = Self.usual
    let worse = rule.finding(loaders, baseline: zeros, candidate: (0..<200).map { 10 + noise[$0 % 10] + Double($0 % 2) }, look: 1)
    #expect(worse.outcome == .worse)
    #expect(worse.percent == nil)
    #expect(rule.finding(loaders, baseline: zeros, candidate: zeros, look: 1).outcome == .inconclusive)
    let more = [Double](repeating: 0, count: 320)
    #expect(rule.finding(loaders, baseline: more, candidate: more, look: 2).outcome == .identical)
  }

  @Test func equalPairsAreIdenticalOnlyAtTheLastLook() {
    let rule = Self.usual
    for look in 0..<2 {
      let values = baseline(rule.looks[look])
      #expect(rule.finding(loaders, baseline: values, candidate: values, look: look).outcome == .inconclusive)
    }
    let values = baseline(320)
    #expect(rule.finding(loaders, baseline: values, candidate: values, look: 2).outcome == .identical)
    #expect(rule.finding(loaders, baseline: [7], candidate: [7], look: 0, isExact: true).outcome == .identical)
  }

  @Test func aConstantShiftCountsOnceRareOutcomesWouldHaveOccurred() {
    let guarded = GateGuard(.loadersPer1000, .rise, by: .absolute(1))
    func outcome(_ limit: Int, _ shift: Double) -> GateFinding.Outcome {
      let rule = GateRule(guards: [guarded], limit: limit)
      let values = baseline(rule.looks[0])
      return rule.finding(guarded, baseline: values, candidate: values.map { $0 + shift }, look: 0).outcome
    }
    // With opposite outcomes in 10 % of sessions, one gate of 13,000 has none in 90 pairs, but one of 200 has few.
    #expect(outcome(90, 3) == .inconclusive)
    #expect(outcome(320, 3) == .worse)
    #expect(outcome(320, 0.5) == .notWorse)
    #expect(outcome(320, -0.5) == .better)
  }

  @Test(arguments: [2, 10, 40, 90])
  func tooFewPairsGiveNoVerdict(limit: Int) {
    let rule = GateRule(guards: [loaders], limit: limit)
    #expect(rule.looks == [limit] && rule.fewestPairs == 100)
    let values = baseline(limit)
    for candidate in [values, values.map { $0 + 50 }, values.map { $0 * 1.5 }, values.map { $0 - 50 }] {
      let finding = rule.finding(loaders, baseline: values, candidate: candidate, look: 0)
      #expect(finding.outcome == .inconclusive && finding.differenceInterval == nil && finding.percentInterval == nil)
      #expect(
        finding.warnings == [
          "\(limit) pairs support no verdict: what happens in one session of ten may not have shown yet. At least 100 are needed."
        ])
    }
    let far = rule.finding(loaders, baseline: values, candidate: values.map { $0 + 50 }, look: 0)
    #expect(far.pairsNeeded == 100)
  }

  @Test func anExactDifferenceOnTheMarginIsWithinIt() {
    let rule = Self.usual
    func outcome(_ candidate: Double) -> GateFinding.Outcome {
      rule.finding(loaders, baseline: [100], candidate: [candidate], look: 0, isExact: true).outcome
    }
    #expect(outcome(102) == .notWorse)
    #expect(outcome(102.1) == .worse)
    #expect(outcome(99) == .better)
    #expect(outcome(100) == .identical)
  }

  @Test func moreComparisonsNeedMoreEvidenceForWorseAndAsMuchForNotWorse() throws {
    let one = GateRule(guards: [loaders], limit: 320)
    let ten = GateRule(guards: [loaders], comparisons: 10, limit: 320)
    #expect(ten.fewestPairs > one.fewestPairs && ten.looks[0] == ten.fewestPairs)
    #expect(1 - one.worseLevels[2] - one.keptLevels[2] > 0.95, "looking three times has its price")
    #expect(one.falseAlarmRate == ten.falseAlarmRate)
    let baseline = baseline(320)
    let candidate = baseline.enumerated().map { $1 + 2 + noise[($0 * 3 + 1) % 10] }
    let (first, second) = (
      try #require(one.finding(loaders, baseline: baseline, candidate: candidate, look: 2).differenceInterval),
      try #require(ten.finding(loaders, baseline: baseline, candidate: candidate, look: ten.looks.count - 1).differenceInterval)
    )
    #expect(second.low < first.low - 0.1)
    #expect((second.high - first.high).magnitude < 0.05)
    #expect(GateRule(guards: [loaders, loaders]).comparisons == 2)
  }

  @Test func anOpenGuardReportsThePairsThatWouldSettleIt() throws {
    var random = SplitMix64(state: 3)
    func unit() -> Double { Double(random.next() >> 11) * 0x1p-53 }
    var open = 0
    for trial in 0..<200 {
      let count = [100, 200, 320][trial % 3]
      let baseline = (0..<count).map { _ in 100 + 20 * unit() }
      let size = 40 * unit() * (trial.isMultiple(of: 2) ? 1 : -1)
      let offset = unit() - 0.5
      let candidate = baseline.map { 1.02 * $0 + offset + 3 * (unit() - 0.5) + (unit() < 0.15 ? size : 0) - 0.15 * size }
      let finding = Self.usual.finding(loaders, baseline: baseline, candidate: candidate, look: trial % 3)
      guard finding.outcome == .inconclusive else {
        #expect(finding.pairsNeeded == nil)
        continue
      }
      open += 1
      guard let needed = finding.pairsNeeded else { continue }
      #expect(needed > count, "\(finding)")
      // Repeating the pairs keeps mean, spread and skewness: a gate of that many pairs settles, one of far fewer does not.
      func outcome(_ limit: Int) -> GateFinding.Outcome {
        let rule = GateRule(guards: [loaders], limit: limit)
        let repeated = (baseline: (0..<limit).map { baseline[$0 % count] }, candidate: (0..<limit).map { candidate[$0 % count] })
        return rule.finding(loaders, baseline: repeated.baseline, candidate: repeated.candidate, look: rule.looks.count - 1).outcome
      }
      let whole = (needed + count - 1) / count * count
      if open < 8, whole < 20_000 { #expect(outcome(whole) != .inconclusive, "\(needed) of \(count)") }
    }
    #expect(open > 50)
  }
}

@Suite struct AdjustedIntervalTests {
  @Test func manyValuesWithoutSkewnessHaveStudentsInterval() throws {
    let sample = Sample((0..<40).map { Double($0) })
    let (student, adjusted) = (try #require(sample.interval()), try #require(sample.adjustedInterval()))
    #expect((student.low - adjusted.low).magnitude < 1e-9 && (student.high - adjusted.high).magnitude < 1e-9)
  }

  @Test func theIntervalIsWiderOnTheSkewedSide() throws {
    let values: [Double] = [0, 0, 0, 0, 1, 0, 2, 0, 1, 20]
    for sign in [1.0, -1.0] {
      let sample = Sample(values.map { $0 * sign })
      let (student, adjusted) = (try #require(sample.interval()), try #require(sample.adjustedInterval()))
      #expect(adjusted.low <= student.low && adjusted.high >= student.high)
      let (up, down) = (adjusted.high - sample.mean, sample.mean - adjusted.low)
      #expect(sign > 0 ? up > 1.5 * down : down > 1.5 * up)
    }
  }

  @Test func moreSkewnessAndKurtosisNeverShortenAnInterval() {
    for count in [5, 10, 20, 100, 1000] {
      for quantile in [2.0, 3, 5] {
        var before = 0.0
        for step in 0...100 {
          let distance = Sample.adjustedDistance(
            quantile: quantile, skewness: Double(step - 50) / 5, excessKurtosis: 1, count: count)
          #expect(distance >= before && distance >= quantile)
          before = distance
        }
      }
    }
  }

  @Test func theEndIsTheInverseOfHallsTransformation() {
    // g(t) = t + γt²/(3√n) + γ²t³/(27n) + γ/(6√n) of the end's −t is −q, to the third order of γ/√n.
    for (quantile, estimate) in [(2.0, 0.01), (2.5, 0.02), (3, 0.005)] {
      let count = 10_000
      let skewness = estimate * 100
      let t = -Sample.adjustedDistance(quantile: quantile, skewness: skewness, excessKurtosis: 0, count: count)
      let u = estimate * (1 + (1 + 40.0 / 10_000) * estimate)
      let transformed = t + u * t * t / 3 + u * u * t * t * t / 27 + u / 6
      #expect((transformed + quantile).magnitude < 50 * u * u * u * quantile * quantile)
    }
  }
}
