// The rule of a gate: repeated paired intervals against margins, and when the gate may stop.

import Base

/// The rule of a gate: its guards, the looks at which it judges, and the intervals by which it judges.
package struct GateRule: Hashable, Sendable {
  package static let usualLimit = 320

  /// The guards that a candidate must keep; at least one.
  package let guards: [GateGuard]
  /// The number of comparisons (a guard in a stratum) that are judged together.
  package let comparisons: Int
  /// The number of pairs at each look, ascending.
  package let looks: [Int]
  package let confidence: Double
  /// The fewest pairs that support a verdict; 100 for one comparison at 95 %.
  package let fewestPairs: Int
  /// The one-sided nominal levels of "worse" and of "not worse" at each look.
  package let worseLevels: [Double], keptLevels: [Double]

  /// The metrics of guards that runs of a feed have only where they are named.
  package var furtherMetrics: [Metric] { guards.map(\.metric).filter(RunSchema.feed.offered.contains) }

  /// Creates a rule of at most `limit` pairs; `comparisons` defaults to the number of guards. A candidate at its margins is called worse
  /// in at most (1 − confidence) / 2 of gates; one at or beyond a margin passes in at most as many.
  package init(guards: [GateGuard], comparisons: Int? = nil, limit: Int = GateRule.usualLimit, confidence: Double = 0.95) {
    precondition(!guards.isEmpty && limit > 1 && confidence > 0 && confidence < 1, "a gate needs guards and pairs")
    // At each look every comparison gets two paired intervals: of the excess over the margin, and of the plain difference, because a
    // ratio's interval ignores that few pairs differed so far. Both are skewness-adjusted (`Sample.adjustedInterval`) and hold at all looks
    // at once (`SequentialBounds`). A guard is broken if both lie beyond the margin, and kept if both lie within.
    // The first look comes late enough for an outcome in 1 session of 10 to have occurred.
    // Any comparison may raise a false alarm, so "worse" is judged at the error divided by their number (Bonferroni). All must be kept to
    // pass, so "not worse" is judged at the whole error each (Berger 1982, doi:10.1080/00401706.1982.10487790).
    let count = max(1, comparisons ?? guards.count)
    let error = (1 - confidence) / 2
    self.guards = guards
    self.comparisons = count
    self.confidence = confidence
    fewestPairs = GateRule.fewestPairs(error: error / Double(count))
    looks = SequentialBounds.doubling(from: min(fewestPairs, limit), to: limit)
    worseLevels = SequentialBounds(sizes: looks, error: error / Double(count)).levels
    keptLevels = count == 1 ? worseLevels : SequentialBounds(sizes: looks, error: error).levels
  }

  package var limit: Int { looks[looks.count - 1] }

  /// The largest share of gates that call a candidate at its margins worse; better candidates are called worse less often.
  package var falseAlarmRate: Double { (1 - confidence) / 2 }

  /// Returns the largest share of sessions whose outcome is absent from `pairs` pairs with a probability of `error`.
  /// 1 − error^(1/n): the upper end of Clopper & Pearson (1934, doi:10.1093/biomet/26.4.404) for none seen.
  package static func hiddenShare(pairs: Int, error: Double = 0.025) -> Double { 1 - Elementary.power(error, 1 / Double(max(1, pairs))) }

  /// Returns the fewest pairs, in tens, of which at most 2 show an outcome of the rarest share of sessions with probability error / 10.
  private static func fewestPairs(error: Double) -> Int {
    let rarest = PairedComparison.rarestShare
    func isHidden(_ pairs: Int) -> Double {
      let (n, odds) = (Double(pairs), rarest / (1 - rarest))
      return Elementary.power(1 - rarest, pairs) * (1 + n * odds * (1 + (n - 1) / 2 * odds))
    }
    var pairs = 10
    while isHidden(pairs) > error / 10 { pairs += 10 }
    return pairs
  }

  /// Returns the finding of `judge` on a guard; under a waiver that on its wider guard, beside the outcome without it.
  package func finding(_ guarded: GateGuard, under waiver: GateWaiver?, _ judge: (GateGuard) -> GateFinding) -> GateFinding {
    let own = judge(guarded)
    guard let waiver else { return own }
    var waived = judge(waiver.wider)
    (waived.waiver, waived.outcomeWithoutWaiver) = (waiver, own.outcome)
    return waived
  }

  /// Returns the finding of a guard whose sides are the same scenario, without a run.
  package func identical(_ guarded: GateGuard) -> GateFinding {
    GateFinding(guarded: guarded, outcome: .identical, pairs: 0, candidateMean: 0, difference: 0)
  }

  /// Judges the pairs of one guard at a look. `isExact` if the scenario has no randomness, or both sides are the same scenario.
  package func finding(_ guarded: GateGuard, baseline: [Double], candidate: [Double], look: Int, isExact: Bool = false) -> GateFinding {
    if let bound = guarded.bound {
      // The bound takes the place of a baseline without noise, and no margin is allowed beyond it.
      let fixed = [Double](repeating: bound, count: candidate.count)
      var finding = withoutFloor(guarded, baseline: fixed, candidate: candidate, look: look, isExact: isExact)
      if [.better, .identical].contains(finding.outcome) { finding.outcome = .notWorse }
      finding.baselineMean = baseline.contains(where: \.isNaN) ? nil : Sample(baseline).mean
      return finding
    }
    // A margin in per cent with a floor counts as two limits. `worse`: beyond both. `notWorse`: within the floor, or within a margin that
    // is surely above the floor.
    func part(_ margin: Margin, _ floors: [Double]? = nil) -> GateFinding {
      withoutFloor(
        GateGuard(guarded.metric, guarded.side, by: margin), baseline: baseline, candidate: candidate, floors: floors, look: look,
        isExact: isExact)
    }
    guard guarded.floor != 0, case .percent(let percent) = guarded.margin else {
      return withoutFloor(guarded, baseline: baseline, candidate: candidate, look: look, isExact: isExact)
    }
    let (floors, isFixed) = floors(of: guarded, baseline: baseline, look: look)
    let size = Sample(floors).mean
    // A fixed floor is an absolute margin, a floor from noise has that noise.
    let (margin, floor) = (part(guarded.margin), isFixed ? part(.absolute(size)) : part(.none, floors))
    let kept = [GateFinding.Outcome.identical, .better, .notWorse]
    let outcome: GateFinding.Outcome =
      if kept.contains(floor.outcome) || margin.outcome == .worse && floor.outcome == .worse {
        floor.outcome
      } else if kept.contains(margin.outcome), isExact || lowerLimit(zip(baseline, floors).map { percent / 100 * $0 - $1 }, look: look) > 0
      {
        margin.outcome
      } else {
        .inconclusive
      }
    // The numbers shown are those of the larger limit, if it has the same outcome.
    let parts = size > percent / 100 * Sample(baseline).mean ? [floor, margin] : [margin, floor]
    var whole = parts.first { $0.outcome == outcome } ?? parts[0]
    whole.isFloorDecisive = whole.guarded == floor.guarded
    (whole.guarded, whole.outcome, whole.floor) = (guarded, outcome, size)
    whole.pairsNeeded = outcome == .inconclusive ? whole.pairsNeeded ?? parts.compactMap(\.pairsNeeded).first : nil
    return whole
  }

  /// Returns values of a floor (`GateGuard.floors`), and true if it is an amount without noise: it is given, or surely above its cap.
  private func floors(of guarded: GateGuard, baseline: [Double], look: Int) -> ([Double], isFixed: Bool) {
    let floors = guarded.floors(baseline)
    let excess = Sample(floors).mean - GateGuard.largestNoiseFloor
    guard guarded.floor == nil, excess > 0 else { return (floors, guarded.floor != nil) }
    // An estimate above the cap keeps its noise: the floor itself may be below.
    guard lowerLimit(floors, look: look) > GateGuard.largestNoiseFloor else { return (floors.map { $0 - excess }, false) }
    return (floors.map { _ in GateGuard.largestNoiseFloor }, true)
  }

  /// Returns a lower confidence limit of a mean, wrong in at most a tenth of the error over all looks.
  private func lowerLimit(_ values: [Double], look: Int) -> Double {
    // A choice of the limit by the mean itself would break the promised rates where margin and floor are about equal: either limit could
    // be met by chance.
    let quantile = StudentT.criticalValue(alpha: 2 * keptLevels[look] / 10, degreesOfFreedom: Double(max(1, values.count - 1)))
    return Sample(values).adjustedInterval(lowQuantile: quantile, highQuantile: quantile, ofCount: values.count).low
  }

  private func withoutFloor(
    _ guarded: GateGuard, baseline: [Double], candidate: [Double], floors: [Double]? = nil, look: Int, isExact: Bool
  ) -> GateFinding {
    let pairs = GatePairs(guarded, baseline: baseline, candidate: candidate, floors: floors)
    let quantiles = GatePairs.Quantiles(worse: worseLevels[look], kept: keptLevels[look], count: pairs.count)
    let interval = !isExact && pairs.count >= fewestPairs ? pairs.differenceInterval(quantiles) : nil
    let outcome = outcome(pairs, quantiles, look: look, isExact: isExact)
    // More pairs settle equal pairs only at the last look.
    let isOpen = outcome == .inconclusive && pairs.count > 1 && (!pairs.comparison.isIdentical || pairs.count < fewestPairs)
    return GateFinding(
      guarded: guarded, outcome: outcome, pairs: pairs.count, baselineMean: pairs.baselineMean, candidateMean: pairs.candidateMean,
      difference: pairs.comparison.sample.mean, differenceInterval: interval, percent: pairs.comparison.ratio.percent,
      percentInterval: interval == nil ? nil : pairs.percentInterval(quantiles), pairsNeeded: isOpen ? pairsNeeded(pairs) : nil,
      warnings: isExact ? [] : warnings(pairs))
  }

  private func outcome(_ pairs: GatePairs, _ quantiles: GatePairs.Quantiles, look: Int, isExact: Bool) -> GateFinding.Outcome {
    if isExact, pairs.count > 0 { return exact(pairs) }
    if pairs.count < fewestPairs { return .inconclusive }
    // Equal pairs so far do not prove equality: a difference in one run of 300 may be absent from the first 100.
    if pairs.comparison.isIdentical { return look == looks.count - 1 ? .identical : .inconclusive }
    return pairs.outcome(quantiles)
  }

  private func exact(_ pairs: GatePairs) -> GateFinding.Outcome {
    if pairs.comparison.isIdentical { return .identical }
    // An excess by rounding alone is none.
    let slack = 1e-12 * max(pairs.comparison.sample.mean.magnitude, pairs.excess.mean.magnitude)
    if pairs.excess.mean > slack { return .worse }
    return pairs.isBetter ? .better : .notWorse
  }

  private func warnings(_ pairs: GatePairs) -> [String] {
    if pairs.count < fewestPairs {
      let few = "\(pairs.count) \(pairs.count == 1 ? "pair supports" : "pairs support") no verdict"
      return ["\(few): what happens in one session of ten may not have shown yet. At least \(fewestPairs) are needed."]
    }
    guard pairs.comparison.sample.isSkewed, let skewness = pairs.comparison.sample.skewness else { return [] }
    let text = DecimalText.fixed(skewness, decimals: 1)
    return ["The paired differences are skewed (skewness \(text)): the interval is adjusted for that."]
  }

  /// Returns the number of pairs that would settle a guard if mean, spread and skewness stay as they are; nil above a million.
  private func pairsNeeded(_ pairs: GatePairs) -> Int? {
    if pairs.comparison.isIdentical { return fewestPairs }
    // The last look of any gate has at least half of the error as its level.
    let error = (1 - confidence) / 2
    let fewest = max(fewestPairs, pairs.count + 1)
    // Few pairs have larger quantiles, so the first number found is too large; the loop repeats it with its own quantiles.
    var size = fewest
    for _ in 0..<3 {
      let quantiles = GatePairs.Quantiles(worse: error / Double(comparisons) / 2, kept: error / 2, count: size)
      let found = Sample.fewest(above: fewest - 1) { pairs.outcome(quantiles, ofCount: $0) != .inconclusive }
      guard let found else { return nil }
      size = found
    }
    return size
  }

  /// Exempts the objective's margin from `findings` if the baseline surely breaks a bound. `ofBaseline` are the baseline's own findings on
  /// the bounds. Until the last look, a margin is not broken as long as one of them is open.
  package func exempt(_ findings: inout [GateFinding], ofBaseline: [GateFinding], look: Int) {
    let broken = ofBaseline.first { $0.outcome == .worse }
    let open = look < looks.count - 1 ? ofBaseline.first { !$0.isSettled } : nil
    for (index, guarded) in guards.enumerated() where guarded.isOfObjective {
      if let broken {
        (findings[index].outcome, findings[index].baselineBound) = (.exempt, broken.guarded)
        (findings[index].guarded, findings[index].waiver, findings[index].pairsNeeded) = (guarded, nil, nil)
      } else if let open, findings[index].outcome == .worse {
        (findings[index].outcome, findings[index].baselineBound) = (.inconclusive, open.guarded)
      }
    }
  }

  /// True if the gate may stop: one guard is broken, all are settled, or the instrument is unfit.
  package func mayStop(_ findings: [GateFinding]) -> Bool {
    findings.contains { [.worse, .unfit].contains($0.outcome) } || findings.allSatisfy(\.isSettled)
  }
}
