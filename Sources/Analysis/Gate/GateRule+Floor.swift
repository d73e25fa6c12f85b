// A margin in per cent with a floor, which is judged as two margins: per cent of the baseline, and an amount.

extension GateRule {
  /// Judges the pairs of one guard at a look, its floor included: worse only beyond both the margin and the floor, not worse within
  /// either. `isExact` where the scenario has no randomness or both sides are the same scenario.
  public func judgement(
    on guarded: GateGuard, baseline: [Double], candidate: [Double], look: Int, isExact: Bool = false
  ) -> GateFinding {
    guard guarded.floor > 0 else { return finding(guarded, baseline: baseline, candidate: candidate, look: look, isExact: isExact) }
    let parts = [guarded.margin, .absolute(guarded.floor)].map { margin in
      finding(
        GateGuard(guarded.metric, guarded.side, by: margin), baseline: baseline, candidate: candidate, look: look, isExact: isExact)
    }
    // The numbers are those of the part with the larger limit, which decides.
    let isFloorDecisive = guarded.isFloorDecisive(baselineMean: parts[0].baselineMean)
    var whole = isFloorDecisive ? parts[1] : parts[0]
    whole.guarded = guarded
    let outcomes = parts.map(\.outcome)
    if outcomes.allSatisfy({ $0 == .worse }) {
      whole.outcome = .worse
    } else {
      whole.outcome = [.identical, .better, .notWorse].first(where: outcomes.contains) ?? .inconclusive
    }
    let needed = whole.pairsNeeded ?? parts.compactMap(\.pairsNeeded).first
    whole.pairsNeeded = whole.outcome == .inconclusive ? needed : nil
    return whole
  }
}
