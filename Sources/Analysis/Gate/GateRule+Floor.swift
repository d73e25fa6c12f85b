// A margin in per cent with a floor, which is judged as two margins: per cent of the baseline, and an amount.

extension GateRule {
  /// Judges the pairs of one guard at a look, its floor included: worse only beyond both the margin and the floor, not worse within the
  /// floor, or within a margin that is surely above it. `isExact` where the scenario has no randomness or both sides are the same scenario.
  package func judgement(
    on guarded: GateGuard, baseline: [Double], candidate: [Double], look: Int, isExact: Bool = false
  ) -> GateFinding {
    guard guarded.floor > 0, case .percent(let percent) = guarded.margin else {
      return finding(guarded, baseline: baseline, candidate: candidate, look: look, isExact: isExact)
    }
    func part(_ margin: Margin) -> GateFinding {
      finding(
        GateGuard(guarded.metric, guarded.side, by: margin), baseline: baseline, candidate: candidate, look: look, isExact: isExact)
    }
    let (margin, floor) = (part(guarded.margin), part(.absolute(guarded.floor)))
    let kept = [GateFinding.Outcome.identical, .better, .notWorse]
    let outcome: GateFinding.Outcome
    if margin.outcome == .worse, floor.outcome == .worse {
      outcome = .worse
    } else if kept.contains(floor.outcome) {
      outcome = floor.outcome
    } else if kept.contains(margin.outcome),
      isExact || percent / 100 * surelyBelow(baseline, look: look) > guarded.floor
    {
      outcome = margin.outcome
    } else {
      outcome = .inconclusive
    }
    // The numbers are those of the larger limit, if it has the same outcome.
    let isFloorLarger = guarded.floor > percent / 100 * margin.baselineMean
    let parts = isFloorLarger ? [floor, margin] : [margin, floor]
    var whole = parts.first { $0.outcome == outcome } ?? parts[0]
    whole.isFloorDecisive = whole.guarded == floor.guarded
    whole.guarded = guarded
    whole.outcome = outcome
    let needed = whole.pairsNeeded ?? parts.compactMap(\.pairsNeeded).first
    whole.pairsNeeded = outcome == .inconclusive ? needed : nil
    return whole
  }

  /// An amount that the baseline's mean is below in at most a tenth of the error, over all looks. A choice of the limit by the mean
  /// itself would let more through than promised where the margin and its floor are about equal: either limit could be met by chance.
  private func surelyBelow(_ baseline: [Double], look: Int) -> Double {
    let quantile = StudentT.criticalValue(alpha: 2 * keptLevels[look] / 10, degreesOfFreedom: Double(max(1, baseline.count - 1)))
    return Sample(baseline).adjustedEnd(.low, quantile: quantile, ofCount: baseline.count)
  }
}
