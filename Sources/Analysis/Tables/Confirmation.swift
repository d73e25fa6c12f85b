// The best points once more, on seeds that had no part in choosing them.

/// What some points show on fresh seeds.
package struct Confirmation {
  package let repetitions: Int
  /// The points, the baseline among them, each compared with it; the verdicts hold for all of them at once.
  package let points: [PointSummary]
  package let familySize: Int

  /// The same point on fresh seeds; nil if it was not confirmed.
  package func point(like point: PointSummary) -> PointSummary? {
    points.first { $0.axisValues == point.axisValues && $0.isBaseline == point.isBaseline }
  }
}

extension SweepSummary {
  /// The point that the sweep puts forward: the winner, or else the best that is not the baseline; nil where there is none.
  package var leader: PointSummary? { winner ?? best.first { !$0.isBaseline } }

  /// The winner, on fresh seeds where there are any; nil where nothing is better than the baseline.
  package var provenWinner: PointSummary? {
    guard confirmation != nil else { return winner }
    return leader.flatMap { $0.isBaseline || onFreshSeeds($0).comparison?.verdict.outcome != .better ? nil : $0 }
  }

  /// What a point shows on fresh seeds, or in the sweep itself where it was not run again.
  package func onFreshSeeds(_ point: PointSummary) -> PointSummary { confirmation?.point(like: point) ?? point }

  /// This summary beside what its finalists show on fresh seeds.
  package func confirmed(by fresh: SweepSummary) -> SweepSummary {
    var summary = self
    let isWhole = strata == nil || strata?.kind == .population
    if isWhole, fresh.baselineIndex != nil {
      let repetitions = fresh.points.map(\.repetitions).max() ?? 0
      summary.confirmation = Confirmation(repetitions: repetitions, points: fresh.points, familySize: fresh.familySize)
    }
    guard let strata, let others = fresh.strata?.members else { return summary }
    for (index, member) in strata.members.enumerated() {
      guard let other = others.first(where: { $0.name == member.name }) else { continue }
      summary.strata?.members[index].summary = member.summary.confirmed(by: other.summary)
    }
    return summary
  }
}
