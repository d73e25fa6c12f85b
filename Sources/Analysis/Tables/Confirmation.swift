// Confirmation: the best points run again on new seeds, which had no part in choosing them.

package struct Confirmation {
  package let repetitions: Int
  /// The confirmed points and the baseline, each compared with the baseline; the verdicts hold for all of them at once.
  package let points: [PointSummary]
  package let familySize: Int
}

extension [PointSummary] {
  /// Returns the point with the same settings in another part or in other runs; nil if there is none.
  package func first(like point: PointSummary) -> PointSummary? {
    first { $0.axisValues == point.axisValues && $0.isBaseline == point.isBaseline }
  }
}

extension SweepSummary {
  /// The point that the sweep recommends: the winner, else the best other point that does not surely break a constraint, one that keeps them
  /// all before others; nil if there is none.
  package var leader: PointSummary? {
    let others = best.filter { !$0.isBaseline && !$0.isOracle && !$0.constraints.areBroken }
    return winner ?? others.first(where: \.constraints.areKept) ?? others.first
  }

  /// The winner, by its confirmation if there is one; nil if no point is better than the baseline. With constraints, unless the sweep's
  /// winner wins on the new seeds too, the best confirmed point that does.
  package var confirmedWinner: PointSummary? {
    guard let confirmation else { return winner }
    let base = baseline.map(afterConfirmation)
    func winsAgain(_ point: PointSummary) -> Bool { mayWin(afterConfirmation(point), against: base) }
    func mean(_ point: PointSummary) -> Double { afterConfirmation(point).headlineMean ?? .infinity }
    if schema.constrained.isEmpty { return leader.flatMap { winsAgain($0) ? $0 : nil } }
    if let winner, winsAgain(winner) { return winner }
    return best.filter { confirmation.points.first(like: $0) != nil && winsAgain($0) }.min { mean($0) < mean($1) }
  }

  /// Returns the confirmation runs of a point, or the point itself if it was not confirmed.
  package func afterConfirmation(_ point: PointSummary) -> PointSummary { confirmation?.points.first(like: point) ?? point }

  package func confirmed(by rerun: SweepSummary) -> SweepSummary {
    var summary = self
    let isWhole = strata?.kind.isOneWhole ?? true
    if isWhole, rerun.baselineIndex != nil {
      let repetitions = rerun.points.map(\.repetitions).max() ?? 0
      summary.confirmation = Confirmation(repetitions: repetitions, points: rerun.points, familySize: rerun.familySize)
    }
    if summary.confirmation != nil { summary.markPeers(of: summary.confirmedWinner) }
    guard let strata, let others = rerun.strata?.members else { return summary }
    for (index, member) in strata.members.enumerated() {
      guard let other = others.first(where: { $0.name == member.name }) else { continue }
      summary.strata?.members[index].summary = member.summary.confirmed(by: other.summary)
    }
    return summary
  }
}
