// When the gate may stop, and what it may then say: repeated paired intervals against margins.

/// The rule of a gate: its guards, the looks at which it judges, and the intervals it judges by.
///
/// At each look every guard gets two paired intervals: Student's of how far the pairs are beyond the margin (Fieller's of the ratio,
/// said differently), and the widened one of the plain difference (`Sample.widenedInterval`), because a ratio's does not see that few pairs
/// have differed so far. They hold at all looks at once (`SequentialBounds`) and for all guards at once (Bonferroni). A guard is broken
/// when both lie beyond the margin, kept when both lie within. The gate stops when one is broken, when all are kept, or at the last look.
public struct GateRule: Hashable, Sendable {
  /// Pairs before the first look.
  public static let firstLook = 10
  /// The most pairs unless told otherwise.
  public static let usualLimit = 320

  /// What the candidate may not do; at least one.
  public let guards: [GateGuard]
  /// The number of comparisons (a guard in a stratum) that are judged together.
  public let comparisons: Int
  /// Pairs at each look, ascending.
  public let looks: [Int]
  /// The confidence of all intervals together.
  public let confidence: Double
  /// The one-sided nominal level at each look.
  private let levels: [Double]

  /// A rule of at most `limit` pairs. A candidate that is exactly at its margins is called worse in at most (1 − confidence) / 2 of
  /// gates, and one that is beyond a margin is let through in at most as many.
  public init(guards: [GateGuard], comparisons: Int? = nil, limit: Int = GateRule.usualLimit, confidence: Double = 0.95) {
    precondition(!guards.isEmpty && limit > 1 && confidence > 0 && confidence < 1, "a gate needs guards and pairs")
    self.guards = guards
    self.comparisons = comparisons ?? guards.count
    self.confidence = confidence
    looks = SequentialBounds.doubling(from: min(GateRule.firstLook, limit), to: limit)
    levels = SequentialBounds(sizes: looks, error: (1 - confidence) / 2 / Double(self.comparisons)).levels
  }

  /// The most pairs.
  public var limit: Int { looks[looks.count - 1] }

  /// The share of gates that call a candidate worse which is exactly at its margins, at most; fewer for a better one.
  public var falseAlarmRate: Double { (1 - confidence) / 2 }

  /// The share of sessions in which a difference may show and yet be in none of so many pairs in one gate of 1/error:
  /// 1 − error^(1/n), Clopper & Pearson's 1934 upper end for none seen (doi:10.1093/biomet/26.4.404).
  public static func hiddenShare(pairs: Int, error: Double = 0.025) -> Double { 1 - Elementary.power(error, 1 / Double(max(1, pairs))) }

  /// The confidence of one guard's interval at one look (from 0), were it alone.
  public func nominalConfidence(look: Int) -> Double { 1 - 2 * levels[look] }

  /// Judges the pairs of one guard at a look; `isExact` where the scenario has no randomness or both sides are the same scenario.
  public func finding(_ guarded: GateGuard, baseline: [Double], candidate: [Double], look: Int, isExact: Bool = false) -> GateFinding {
    let comparison = PairedComparison(baseline: baseline, candidate: candidate)
    let excess = Sample(zip(baseline, candidate).map { guarded.excess(baseline: $0, candidate: $1) })
    let confidence = nominalConfidence(look: look)
    let count = Double(max(1, baseline.count))
    let mean = baseline.reduce(0, +) / count
    let hasInterval = !isExact && comparison.sample.standardDeviation > 0
    let difference = hasInterval ? comparison.sample.widenedInterval(confidence: confidence) : nil
    let outcome: GateFinding.Outcome
    if comparison.count == 0 {
      outcome = .inconclusive
    } else if isExact {
      outcome = exact(guarded, comparison, excess)
    } else {
      outcome = judged(guarded, comparison, excess, difference, baselineMean: mean, look: look)
    }
    let isOpen = outcome == .inconclusive && comparison.count > 1 && excess.mean != 0
    return GateFinding(
      guarded: guarded, outcome: outcome, pairs: comparison.count, baselineMean: mean, candidateMean: candidate.reduce(0, +) / count,
      difference: comparison.sample.mean, differenceInterval: difference, percent: comparison.ratio.percent,
      percentInterval: percent(difference, comparison, confidence: confidence),
      pairsNeeded: isOpen ? pairsNeeded(excess) : nil, warnings: isExact ? [] : comparison.sample.warnings)
  }

  /// How many pairs would settle a guard, if mean and spread stay as they are.
  private func pairsNeeded(_ excess: Sample) -> Int? {
    Sample.repetitions(
      standardDeviation: excess.standardDeviation, halfWidth: excess.mean.magnitude, confidence: nominalConfidence(look: looks.count - 1))
  }

  /// The interval in per cent that agrees with the verdict: the one that holds both, Fieller's and the difference's.
  private func percent(_ difference: ConfidenceInterval?, _ comparison: PairedComparison, confidence: Double) -> ConfidenceInterval? {
    guard let difference, let fieller = comparison.ratio.percentInterval(confidence: confidence) else { return nil }
    return fieller.hull(with: difference.scaled(by: 100 / comparison.ratio.baselineMean))
  }

  /// Judges columns of pairs look by look, as the gate does while they come: where it stops, and what it says there. `values` has one
  /// pair of columns for each guard, each with `limit` values.
  public func replay(_ values: [(baseline: ArraySlice<Double>, candidate: ArraySlice<Double>)]) -> (look: Int, findings: [GateFinding]) {
    var findings: [GateFinding] = []
    for (look, size) in looks.enumerated() {
      findings = zip(guards, values).map { guarded, columns in
        finding(guarded, baseline: Array(columns.baseline.prefix(size)), candidate: Array(columns.candidate.prefix(size)), look: look)
      }
      if mayStop(findings) { return (look, findings) }
    }
    return (looks.count - 1, findings)
  }

  /// Whether the gate may stop with these findings: one guard broken, or all settled.
  public func mayStop(_ findings: [GateFinding]) -> Bool {
    findings.contains { $0.outcome == .worse } || findings.allSatisfy(\.isSettled)
  }

  private func exact(_ guarded: GateGuard, _ comparison: PairedComparison, _ excess: Sample) -> GateFinding.Outcome {
    if comparison.isIdentical { return .identical }
    // What rounding alone puts beyond the margin is not beyond it.
    let slack = 1e-12 * max(comparison.sample.mean.magnitude, excess.mean.magnitude)
    if excess.mean > slack { return .worse }
    return isGood(guarded, comparison.sample.mean) ? .better : .notWorse
  }

  private func judged(
    _ guarded: GateGuard, _ comparison: PairedComparison, _ excess: Sample, _ difference: ConfidenceInterval?, baselineMean: Double,
    look: Int
  ) -> GateFinding.Outcome {
    // Equal so far is not yet equal: a difference that shows in one run of twenty has not shown in ten.
    if comparison.isIdentical { return look == looks.count - 1 ? .identical : .inconclusive }
    guard comparison.count > 1, let beyond = excess.interval(confidence: nominalConfidence(look: look)) else { return .inconclusive }
    let limit = guarded.limit(baselineMean: baselineMean)
    guard let difference else {
      // The same shift in every pair has no spread, so no interval: the exact sign-flip test of a constant, 2¹⁻ⁿ.
      guard SignFlipTest.smallestPValue(count: comparison.count) <= 2 * levels[look] else { return .inconclusive }
      if beyond.low > 0 { return .worse }
      return beyond.high < 0 ? isGood(guarded, comparison.sample.mean) ? .better : .notWorse : .inconclusive
    }
    let (low, high) = guarded.side == .rise ? (difference.low, difference.high) : (-difference.high, -difference.low)
    if beyond.low > 0, low > limit { return .worse }
    guard beyond.high < 0, high < limit else { return .inconclusive }
    return high < 0 ? .better : .notWorse
  }

  private func isGood(_ guarded: GateGuard, _ change: Double) -> Bool { guarded.side == .rise ? change < 0 : change > 0 }
}
