import Base
import TestSupport
import Testing

@testable import Analysis

/// A margin in per cent with a floor: 2 % of a baseline of 0 is 0.
@Suite struct GateFloorTests {
  private static let rule = GateRule(guards: [guarded])
  private static let guarded = GateGuard(.loadersPer1000, .rise, by: .percent(2), floor: 1)
  private let noise: [Double] = [3, -5, 8, 1, -7, 4, -2, 6, -9, 1]

  private func finding(baseline mean: Double, shift: Double, spread: Double = 0.02, _ guarded: GateGuard = guarded) -> GateFinding {
    let baseline = (0..<200).map { mean + 0.01 * mean * noise[$0 % 10] }
    let candidate = baseline.enumerated().map { $1 + shift + spread * noise[($0 * 3 + 1) % 10] }
    return Self.rule.finding(guarded, baseline: baseline, candidate: candidate, look: 1)
  }

  @Test(arguments: [
    // A baseline of 10: 2 % is 0.2, and the floor of 1 decides.
    (10.0, 0.5, GateFinding.Outcome.notWorse), (10, 2, .worse), (10, 1, .inconclusive), (10, -1, .better),
    // A baseline of 0, of which per cent are undefined.
    (0, 0.5, .notWorse), (0, 2, .worse),
    // A baseline of 1000: 2 % is 20, and the floor does not matter.
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

  @Test func anExactDifferenceIsComparedWithTheFloor() {
    func outcome(_ candidate: Double) -> GateFinding.Outcome {
      Self.rule.finding(Self.guarded, baseline: [10], candidate: [candidate], look: 0, isExact: true).outcome
    }
    #expect(outcome(11) == .notWorse)
    #expect(outcome(11.1) == .worse)
    #expect(outcome(9) == .better)
    #expect(outcome(10) == .identical)
  }

  @Test func textsShowTheGuardAsGiven() {
    let open = finding(baseline: 10, shift: 1.02, spread: 0.1)
    #expect(open.outcome == .inconclusive)
    #expect(open.guarded == Self.guarded)
    #expect(open.pairsNeeded != nil)
    #expect(finding(baseline: 10, shift: 3).pairsNeeded == nil)
  }

  /// A candidate exactly at the larger limit, with 2 % of a baseline about equal to a floor of 1. Each limit alone passes 2.5 %; a choice
  /// between them by the baseline's mean would pass up to 5 %.
  @Test(arguments: [(0.4, 50.0), (0.08, 50), (2, 50)])
  func noMoreCandidatesPassThanPromisedIfMarginAndFloorAreEqual(spread: Double, mean: Double) {
    var draws = Draws(seed: UInt64(mean + 100 * spread))
    func normal() -> Double { draws.normal() }
    var (kept, worse) = (0, 0)
    let gates = 400
    for _ in 0..<gates {
      var (baseline, candidate): ([Double], [Double]) = ([], [])
      for (look, size) in Self.rule.looks.enumerated() {
        while baseline.count < size {
          baseline.append(mean + 20 * normal())
          candidate.append(baseline[baseline.count - 1] + max(1, 0.02 * mean) + spread * normal())
        }
        let finding = Self.rule.finding(Self.guarded, baseline: baseline, candidate: candidate, look: look)
        if finding.outcome == .worse { worse += 1 } else if finding.isSettled { kept += 1 }
        if finding.isSettled { break }
      }
    }
    // 16 of 400 are 4 %: one run of 20 at a rate of 2.5 %.
    #expect(kept <= 16 && worse <= 16, "\(kept) and \(worse) of \(gates)")
  }

  /// √(1 + π/2 · s²) / 5: a fifth of the noise of a session and of one loader in 1000 items, at most 1.
  @Test(arguments: [(0.0, 0.2), (1.0, 0.320_674_06), (10.0, 1)]) func aFloorFollowsTheBaselinesNoise(
    spread: Double, floor: Double
  ) {
    let guarded = GateGuard(.loadersPer1000, .rise, by: .percent(2), floor: nil)
    let baseline = (0..<200).map { 10 + ($0.isMultiple(of: 2) ? spread : -spread) }
    func outcome(_ change: Double) -> GateFinding {
      let candidate = baseline.enumerated().map { $1 + floor * (change + 0.001 * noise[$0 % 10]) }
      return Self.rule.finding(guarded, baseline: baseline, candidate: candidate, look: 1)
    }
    #expect((outcome(0.9).floor - floor).magnitude < 1e-5 && outcome(0.9).isFloorDecisive)
    #expect(outcome(0.9).outcome == .notWorse && outcome(1.1).outcome == .worse)
  }

  /// A candidate exactly at a floor that follows the noise, which itself is estimated from the same runs.
  @Test(arguments: [0.1, 1.0, 5.0], [false, true]) func aFloorFromNoiseKeepsThePromisedRates(spread: Double, isSkewed: Bool) {
    let guarded = GateGuard(.loadersPer1000, .rise, by: .percent(2), floor: nil)
    var draws = Draws(seed: UInt64(1000 * spread) + (isSkewed ? 1 : 0))
    func normal() -> Double { draws.normal() }
    // 1.2533 times the mean distance from the mean, which is 2e^(σ²/2)(2Φ(σ/2) − 1) for lognormal noise.
    let size = isSkewed ? 1.2533 * 2 * StableMath.exp(0.125) * (2 * Normal.cumulative(0.25) - 1) : 1
    let floor = min(1, 0.2 * (1 + 25 * size * size).squareRoot())
    var (kept, worse) = (0, 0)
    let gates = 400
    for _ in 0..<gates {
      var (baseline, candidate): ([Double], [Double]) = ([], [])
      for (look, size) in Self.rule.looks.enumerated() {
        while baseline.count < size {
          baseline.append(10 + 5 * (isSkewed ? StableMath.exp(0.5 * normal()) : normal()))
          candidate.append(baseline[baseline.count - 1] + floor + spread * normal())
        }
        let finding = Self.rule.finding(guarded, baseline: baseline, candidate: candidate, look: look)
        if finding.outcome == .worse { worse += 1 } else if finding.isSettled { kept += 1 }
        if finding.isSettled { break }
      }
    }
    #expect(kept <= 16 && worse <= 16, "\(kept) and \(worse) of \(gates)")
  }

  @Test func aMarginSurelyAboveItsFloorDecides() {
    // 2 % of 60 is 1.2.
    #expect(finding(baseline: 60, shift: 1.1).outcome == .notWorse)
    #expect(!finding(baseline: 60, shift: 1.1).isFloorDecisive)
    #expect(finding(baseline: 60, shift: 0.9).outcome == .notWorse)
    #expect(finding(baseline: 60, shift: 1.3).outcome == .worse)
    #expect(finding(baseline: 10, shift: 0.5).isFloorDecisive)
  }
}
