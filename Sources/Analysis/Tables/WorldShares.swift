// The share of worlds in which a setting's verdict holds, and the unknown that decides it.

package struct WorldShares {
  /// The worlds in which the setting is better and worse than the world's own baseline, of those that have it.
  package let better, worse: Proportion
  /// The worlds in which its mean is lower than the baseline's, whether or not the difference is clear.
  package let lower: Proportion
  /// The more frequent of better and worse.
  package let outcome: Verdict.Outcome
  /// The influence of each unknown on whether the verdict is `outcome`, the strongest first.
  package let influences: [Influence]

  package init(better: Proportion, worse: Proportion, lower: Proportion, outcome: Verdict.Outcome, influences: [Influence]) {
    (self.better, self.worse, self.lower) = (better, worse, lower)
    (self.outcome, self.influences) = (outcome, influences)
  }

  /// True if both the outcome and others occur in at least five worlds: with fewer, no unknown is named.
  package var isTestable: Bool {
    let share = outcome == .better ? better : worse
    return min(share.count, share.trials - share.count) >= 5
  }

  /// Returns the unknowns that each setting's outcome depends on, not by chance: of all settings and unknowns of a report, one without
  /// influence is named with a probability of at most `error` (Holm). O(n log n).
  package static func named(_ shares: [WorldShares], error: Double = 0.05) -> [[Int]] {
    let adjusted = MultipleTests.adjusted(shares.filter(\.isTestable).flatMap { $0.influences.map(\.pValue) })
    var rest = adjusted[...]
    return shares.map { shares in
      guard shares.isTestable else { return [] }
      let own = zip(shares.influences, rest)
      rest = rest.dropFirst(shares.influences.count)
      return own.filter { $0.explained >= 0.05 && $1 < error }.map(\.0.unknown)
    }
  }
}

extension SweepDescription.Strata {
  /// Returns the strata with equal weights for the worlds whose baseline has means as measured, and none for the others.
  func weighted(byBaselinesAmong points: some Sequence<PointRuns>) -> Self {
    guard let measured else { return self }
    var strata = self
    strata.measured = nil
    let baselines = Set(members.map(\.baseline.point))
    let alike = Set(
      points.filter { runs in
        baselines.contains(runs.point) && measured.allSatisfy { $0.holds(Metric(rawValue: $0.metric).flatMap(runs.mean)) }
      }.map(\.point))
    let count = members.count { alike.contains($0.baseline.point) }
    for index in members.indices { strata.members[index].weight = alike.contains(members[index].baseline.point) ? 1 / Double(count) : 0 }
    return strata
  }
}

extension SweepSummary {
  /// The values of each unknown, and the value's index of each unknown in each world; nil without worlds.
  package func unknowns(of sweep: SweepDescription) -> (values: [[String]], levels: [[Int]])? {
    guard let described = sweep.strata, described.kind == .worlds, let strata else { return nil }
    let worlds = strata.members.compactMap { member in described.members.first { $0.name == member.name }?.values }
    guard worlds.count == strata.members.count else { return nil }
    let values = described.paths.indices.map { unknown in
      let all = Set(worlds.map { $0[unknown] }).sorted()
      // Quantities ascend: `4s` comes before `10s`.
      return NumericAxis(all)?.texts ?? all
    }
    let levels = worlds.map { world in zip(world, values).map { value, all in all.firstIndex(of: value) ?? 0 } }
    return (values, levels)
  }

  /// Returns the verdicts on a setting of the whole in each world that counts; nil without worlds.
  package func worldShares(of setting: PointSummary, levels: [[Int]]) -> WorldShares? {
    guard let strata else { return nil }
    var (outcomes, rows, lower): ([Verdict.Outcome?], [[Int]], Int) = ([], [], 0)
    for (member, row) in zip(strata.members, levels) where member.weight > 0 {
      guard let point = member.summary.points.first(where: { $0.axisValues == setting.axisValues && !$0.isBaseline }) else { continue }
      outcomes.append(point.comparison?.verdict.outcome)
      if (point.comparison?.difference ?? 0) < 0 { lower += 1 }
      rows.append(row)
    }
    func share(_ outcome: Verdict.Outcome) -> Proportion { Proportion(outcomes.count { $0 == outcome }, of: outcomes.count) }
    let (better, worse) = (share(.better), share(.worse))
    let outcome = better.count < worse.count ? Verdict.Outcome.worse : .better
    return WorldShares(
      better: better, worse: worse, lower: Proportion(lower, of: outcomes.count), outcome: outcome,
      influences: Influence.ranked(levels: rows, on: outcomes.map { $0 == outcome }))
  }
}
