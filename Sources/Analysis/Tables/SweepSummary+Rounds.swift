// Who goes on after a round: points whose difference is not known well enough, or the better half.

extension SweepSummary {
  /// The ids of the points whose difference to the baseline is not yet known to ± `precision`, with their baselines; of a population,
  /// the settings whose difference in the field is not, in every stratum. None where all is known.
  package func unsettled(until precision: Margin) -> [String] {
    goingOn { summary in
      summary.points.filter { !$0.isBaseline && !($0.comparison?.isKnown(to: precision, confidence: summary.lookConfidence) ?? true) }
    }
  }

  /// The ids of the better half of the points that have gone on so far, and at least as many as given, with their baselines: by the
  /// mean loaders per 1000, then by bytes. Each stratum halves its own; of a population, the field decides.
  package func betterHalf(atLeast count: Int) -> [String] {
    goingOn { summary in
      let most = summary.points.filter { !$0.isBaseline }.map(\.repetitions).max() ?? 0
      let alive = summary.best.filter { !$0.isBaseline && $0.repetitions == most }
      return Array(alive.prefix(max(2, count, (alive.count + 1) / 2)))
    }
  }

  /// The ids of the points to be run on fresh seeds: the leader and the next best, `count` in all, with their baselines; of a sweep with
  /// strata, those of each stratum, or the settings that are best over a population, in every stratum. None where nothing is compared.
  package func finalists(_ count: Int) -> [String] {
    goingOn { summary in
      guard summary.baseline != nil, let leader = summary.leader else { return [] }
      return [leader] + summary.best.filter { !$0.isBaseline && $0.point != leader.point }.prefix(count - 1)
    }
  }

  /// The ids of what is chosen, and of the baselines that it is compared with.
  private func goingOn(_ choose: (SweepSummary) -> [PointSummary]) -> [String] {
    func ids(_ summary: SweepSummary) -> [String] {
      let chosen = choose(summary)
      return chosen.isEmpty ? [] : chosen.map(\.point) + (summary.baseline.map { [$0.point] } ?? [])
    }
    guard let strata else { return ids(self) }
    switch strata.kind {
    case .axes, .models: return strata.members.flatMap { ids($0.summary) }
    case .population:
      let chosen = choose(self)
      if chosen.isEmpty { return [] }
      let keys = Set(chosen.map(\.axisValues))
      return strata.members.flatMap { member in
        member.summary.points.filter { $0.isBaseline || keys.contains($0.axisValues) }.map(\.point)
      }
    }
  }
}

extension PointComparison {
  /// True if the difference is known to ± `precision`, per cent of the baseline or loaders per 1000. Equal pairs, identical ones too, know
  /// it once their sign-flip p-value, 2¹⁻ⁿ, is at most 1 − confidence; too few repetitions for an interval do not.
  func isKnown(to precision: Margin, confidence: Double) -> Bool {
    if verdict.ground == .deterministic { return true }
    if let equalPairs { return SignFlipTest.smallestPValue(count: equalPairs) <= (1 - confidence) * (1 + 1e-12) }
    switch precision {
    case .absolute(let value): return differenceInterval.map { $0.halfWidth <= value } ?? false
    case .percent(let value): return percentInterval.map { $0.halfWidth <= value } ?? false
    }
  }
}
