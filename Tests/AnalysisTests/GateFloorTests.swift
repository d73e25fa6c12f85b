import Testing

@testable import Analysis

/// A margin in per cent with a floor: 2 % of a baseline of 0 is 0.
@Suite struct GateFloorTests {
  private static let rule = GateRule(guards: [guarded])
  private static let guarded = GateGuard(.loadersPer1000, .rise, by: .percent(2), floor: 1)
  private let noise: [Double] = [3, -5, 8, 1, -7, 4, -2, 6, -9, 1]

  private func finding(baseline mean: Double, shift: Double, spread: Double = 0.02, _ guarded: GateGuard = guarded) -> GateFinding {
    let baseline = (0..<20).map { mean + 0.01 * mean * noise[$0 % 10] }
    let candidate = baseline.enumerated().map { $1 + shift + spread * noise[($0 * 3 + 1) % 10] }
    return Self.rule.judgement(on: guarded, baseline: baseline, candidate: candidate, look: 1)
  }

  @Test(arguments: [
    // A baseline of 10: 2 % is 0.2, and the floor of 1 decides.
    (10.0, 0.5, GateFinding.Outcome.notWorse), (10, 2, .worse), (10, 1, .inconclusive), (10, -1, .better),
    // Of 0, whose per cent is nothing.
    (0, 0.5, .notWorse), (0, 2, .worse),
    // Of 1000: 2 % is 20, and the floor does not matter.
    (1000, 5, .notWorse), (1000, 30, .worse),
  ])
  func theLargerOfMarginAndFloorDecides(baseline: Double, shift: Double, outcome: GateFinding.Outcome) {
    #expect(finding(baseline: baseline, shift: shift).outcome == outcome)
  }

  @Test func withoutAFloorTheMarginDecides() {
    let bare = GateGuard(.loadersPer1000, .rise, by: .percent(2))
    #expect(finding(baseline: 10, shift: 0.5, bare).outcome == .worse)
    #expect(GateGuard(.loadersPer1000, .rise, by: .absolute(3), floor: 1).floor == 0)
  }

  @Test func aFallHasAFloorToo() {
    let guarded = GateGuard(.loadersPer1000, .fall, by: .percent(2), floor: 1)
    #expect(finding(baseline: 10, shift: -0.5, guarded).outcome == .notWorse)
    #expect(finding(baseline: 10, shift: -2, guarded).outcome == .worse)
  }

  @Test func anExactDifferenceIsHeldToTheFloor() {
    func outcome(_ candidate: Double) -> GateFinding.Outcome {
      Self.rule.judgement(on: Self.guarded, baseline: [10], candidate: [candidate], look: 0, isExact: true).outcome
    }
    #expect(outcome(11) == .notWorse)
    #expect(outcome(11.1) == .worse)
    #expect(outcome(9) == .better)
    #expect(outcome(10) == .identical)
  }

  @Test func whatIsSaidIsTheGuardAsItWasGiven() {
    let open = finding(baseline: 10, shift: 1.02, spread: 0.1)
    #expect(open.outcome == .inconclusive)
    #expect(open.guarded == Self.guarded)
    #expect(open.pairsNeeded != nil)
    #expect(finding(baseline: 10, shift: 3).pairsNeeded == nil)
  }
}
