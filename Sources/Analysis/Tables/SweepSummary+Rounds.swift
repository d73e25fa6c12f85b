// The points that go on after a round: those that are not precise enough yet, or the better half.

extension SweepSummary {
  /// Returns the ids of the points whose difference to the baseline is not yet known to ± `precision`, or whose constraints are unclear, with
  /// their baselines. Of a population, the settings that are so over it, in every stratum. Empty if all are known.
  package func unsettled(until precision: Margin) -> [String] {
    ids { summary in
      summary.points.filter {
        !$0.isBaseline
          && ($0.constraints.areUnclear || !($0.comparison?.isKnown(to: precision, confidence: summary.lookConfidence) ?? true))
      }
    }
  }

  /// Returns the ids of the better half of the remaining points, at least `count` of them, with their baselines: by the headline, then
  /// by the cost. Each stratum halves its own points; a population is halved by the weighted whole.
  package func betterHalf(atLeast count: Int) -> [String] {
    ids { summary in
      let most = summary.points.filter { !$0.isBaseline }.map(\.repetitions).max() ?? 0
      let alive = summary.best.filter { !$0.isBaseline && $0.repetitions == most }
      return Array(alive.prefix(max(2, count, (alive.count + 1) / 2)))
    }
  }

  /// Returns the ids of the `count` points to confirm, the leader first, without those that surely break a constraint, with their
  /// baselines; per stratum, or, of a population, the settings that are best over it, in every stratum. Empty if nothing is compared.
  package func finalists(_ count: Int) -> [String] {
    ids { summary in
      guard summary.baseline != nil, let leader = summary.leader else { return [] }
      let others = summary.best.filter { !$0.isBaseline && !$0.isOracle && $0.point != leader.point && !$0.constraints.areBroken }
      return Array(([leader] + others).prefix(count))
    }
  }

  /// The share of the runs that a race over the repetitions that all points have would have made; 1 without any.
  package var racedShare: Double {
    let races = strata?.kind.isOneWhole == true ? [self] : parts
    let counts = races.map { race -> (raced: Int, all: Int) in
      let blocks = PointRuns.blocks(race.points.map(\.runs))
      guard !blocks.isEmpty else { return (0, 0) }
      let rule = RankRace(error: 1 - confidence, blocks: blocks.count)
      return (rule.runs(blocks, baseline: race.baselineIndex), blocks.count * blocks[0].count)
    }
    let all = counts.reduce(0) { $0 + $1.all }
    return all > 0 ? Double(counts.reduce(0) { $0 + $1.raced }) / Double(all) : 1
  }

  /// Returns the ids of the chosen points and of the baselines that they are compared with.
  private func ids(_ choose: (SweepSummary) -> [PointSummary]) -> [String] {
    func chosenIds(_ summary: SweepSummary) -> [String] {
      let chosen = choose(summary)
      return chosen.isEmpty ? [] : chosen.map(\.point) + (summary.baseline.map { [$0.point] } ?? [])
    }
    guard let strata else { return chosenIds(self) }
    switch strata.kind {
    case .axes, .models: return strata.members.flatMap { chosenIds($0.summary) }
    case .population, .worlds:
      let chosen = choose(self)
      if chosen.isEmpty { return [] }
      let keys = Set(chosen.map(\.axisValues))
      return strata.members.flatMap { member in member.summary.points.filter { $0.isBaseline || keys.contains($0.axisValues) }.map(\.point)
      }
    }
  }
}

extension PointComparison {
  /// True if the difference is known to ± `precision`: per cent of the baseline, or the headline's unit. Equal pairs are known once their
  /// sign-flip p-value, 2¹⁻ⁿ, is at most 1 − confidence, and the same difference, not 0, once it has a verdict.
  func isKnown(to precision: Margin, confidence: Double) -> Bool {
    if verdict.ground == .deterministic { return true }
    if let equalPairs {
      return verdict.outcome != .inconclusive && SignFlipTest.smallestPValue(count: equalPairs) <= (1 - confidence) * (1 + 1e-12)
    }
    switch precision {
    case .absolute(let value): return differenceInterval.map { $0.halfWidth <= value } ?? false
    case .percent(let value): return percentInterval.map { $0.halfWidth <= value } ?? false
    }
  }
}
