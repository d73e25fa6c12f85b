import Testing

@testable import Analysis

/// What the gate says of pairs made by hand.
@Suite struct GateRuleTests {
  private static let loaders = GateGuard(.loadersPer1000, .rise, by: .percent(2))
  /// Made once: its bounds take some time in debug.
  private static let usual = GateRule(guards: [loaders])
  private let loaders = GateRuleTests.loaders
  private let noise: [Double] = [3, -5, 8, 1, -7, 4, -2, 6, -9, 1]

  private func baseline(_ count: Int) -> [Double] { (0..<count).map { 100 + 3 * noise[$0 % 10] } }

  private func finding(_ guarded: GateGuard, _ shift: Double, spread: Double = 0.1, count: Int = 20, look: Int = 1) -> GateFinding {
    let baseline = baseline(count)
    let candidate = baseline.enumerated().map { $1 + shift + spread * noise[($0 * 3 + 1) % 10] }
    // With one guard each, the levels are the same.
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
      let count = [10, 20, 40][trial % 3]
      let baseline = (0..<count).map { _ in 100 + 40 * unit() }
      // Few pairs differ, and by much: the interval leans.
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
    let zeros = [Double](repeating: 0, count: 20)
    let rule = Self.usual
    let worse = rule.finding(loaders, baseline: zeros, candidate: noise.map { 10 + $0 } + noise.map { 11 + $0 }, look: 1)
    #expect(worse.outcome == .worse)
    #expect(worse.percent == nil)
    #expect(rule.finding(loaders, baseline: zeros, candidate: zeros, look: 5).outcome == .identical)
  }

  @Test func whatIsEqualSoFarIsEqualOnlyAtTheLastLook() {
    let rule = Self.usual
    for look in 0..<5 {
      let values = baseline(rule.looks[look])
      #expect(rule.finding(loaders, baseline: values, candidate: values, look: look).outcome == .inconclusive)
    }
    let values = baseline(320)
    #expect(rule.finding(loaders, baseline: values, candidate: values, look: 5).outcome == .identical)
    #expect(rule.finding(loaders, baseline: [7], candidate: [7], look: 0, isExact: true).outcome == .identical)
  }

  @Test func aConstantShiftCountsOnceTheSignsDo() {
    let guarded = GateGuard(.loadersPer1000, .rise, by: .absolute(1))
    let rule = GateRule(guards: [guarded])
    func outcome(_ look: Int, _ shift: Double) -> GateFinding.Outcome {
      let values = baseline(rule.looks[look])
      return rule.finding(guarded, baseline: values, candidate: values.map { $0 + shift }, look: look).outcome
    }
    // 2¹⁻¹⁰ is above the level of the first look, 2 · 0.025/32; 2¹⁻²⁰ is below that of the second.
    #expect(outcome(0, 3) == .inconclusive)
    #expect(outcome(1, 3) == .worse)
    #expect(outcome(1, 0.5) == .notWorse)
    #expect(outcome(1, -0.5) == .better)
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

  @Test func moreGuardsNeedMoreEvidence() {
    let one = Self.usual
    let two = GateRule(guards: [loaders, GateGuard(.bytesReceived, .rise, by: .percent(5))])
    for look in one.looks.indices { #expect(two.nominalConfidence(look: look) > one.nominalConfidence(look: look)) }
    #expect(one.nominalConfidence(look: 5) > 0.95, "looking six times has its price")
    #expect(one.falseAlarmRate == two.falseAlarmRate)
  }

  @Test func anOpenGuardSaysHowManyPairsWouldTell() {
    let open = finding(loaders, 2.3, spread: 1)
    #expect(open.outcome == .inconclusive)
    #expect((open.pairsNeeded ?? 0) > 20)
    #expect(finding(loaders, 5).pairsNeeded == nil)
  }
}

@Suite struct WidenedIntervalTests {
  @Test func whatLeansNowhereHasStudentsInterval() throws {
    let sample = Sample([-3, -2, -1, 0, 1, 2, 3])
    #expect(try #require(sample.widenedInterval()) == #require(sample.interval()))
  }

  @Test func onlyTheSideToWhichItLeansIsWider() throws {
    let values: [Double] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 20]
    for sign in [1.0, -1.0] {
      let sample = Sample(values.map { $0 * sign })
      let (student, widened) = (try #require(sample.interval()), try #require(sample.widenedInterval()))
      #expect(sign > 0 ? widened.low == student.low : widened.high == student.high)
      #expect(sign > 0 ? widened.high > student.high + 1 : widened.low < student.low - 1)
    }
  }

  /// g(−h) = −q for g(t) = t + γt²/(3√n) + γ²t³/(27n) + γ/(6√n), Hall's transformation itself.
  @Test func theEndIsTheInverseOfHallsTransformation() throws {
    let sample = Sample([0, 0, 1, 0, 0, 2, 0, 1, 0, 9, 0, 3])
    let skewness = try #require(sample.skewness)
    let quantile = try #require(sample.interval(confidence: 0.99)).halfWidth / sample.standardError
    let end = try #require(sample.widenedInterval(confidence: 0.99)).high
    let t = (sample.mean - end) / sample.standardError
    let root = 12.0.squareRoot()
    let transformed = t + skewness * t * t / (3 * root) + skewness * skewness * t * t * t / (27 * 12) + skewness / (6 * root)
    #expect((transformed + quantile).magnitude < 1e-9)
  }
}
