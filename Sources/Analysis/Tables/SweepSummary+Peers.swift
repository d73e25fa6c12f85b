// The points that are not shown to be worse than the winner: the best of many is chosen by its mean, which noise decides among near equals.

extension SweepSummary {
  /// The points that no paired comparison tells from the winner, best first. They and the winner hold the true best of the points with the
  /// sweep's confidence, unless a search dropped it. O(points).
  package var peers: [PointSummary] { best.filter(\.isAsGoodAsWinner) }

  /// Marks the points that keep all constraints and are not worse than `winner` in a paired comparison. O(runs).
  // Multiple comparisons with the best (Hsu 1984, Annals of Statistics 12:1136). The true best is missed only if it is shown to be worse than
  // the winner. The winner is one of the others, so that an error of α/(K − 1) for each keeps that of all at α, however it was chosen.
  // The comparison with the baseline decides where the winner is better than it and the point is not.
  mutating func markPeers(of winner: PointSummary?) {
    for index in points.indices {
      guard let winner, points[index].mayEqual(winner) else {
        points[index].isAsGoodAsWinner = false
        continue
      }
      // Confirmed points are compared by their new runs.
      let (first, second) = rerun(winner, points[index])
      let verdict = PairedComparison(winner: first, rival: second).verdict(
        margin: margin, confidence: rivalConfidence, familySize: familySize, limit: schema.headline.limit, isDeterministic: isDeterministic)
      points[index].isAsGoodAsWinner = verdict.outcome != .worse && !second.isBehind(first)
    }
  }

  /// Returns the new runs of two points if both were confirmed, else the points themselves.
  private func rerun(_ first: PointSummary, _ second: PointSummary) -> (PointSummary, PointSummary) {
    let confirmed = confirmation?.points ?? []
    guard let one = confirmed.first(like: first), let other = confirmed.first(like: second) else { return (first, second) }
    return (one, other)
  }

  /// Returns the total number of repetitions that would probably tell a point from the winner; nil above a million.
  package func neededRepetitions(toTell peer: PointSummary, from winner: PointSummary) -> Int? {
    isDeterministic
      ? nil
      : PairedComparison(winner: winner, rival: peer).neededCount(
        margin: margin, confidence: MultipleTests.simultaneousConfidence(rivalConfidence, count: familySize))
  }

  /// The confidence of two-sided intervals whose one end has the error of a look, because the comparison is one-sided.
  private var rivalConfidence: Double { 2 * lookConfidence - 1 }
}

extension PairedComparison {
  fileprivate init(winner: PointSummary, rival: PointSummary) {
    let (first, second) = PointComparison.pairs(winner.runs, rival.runs)
    self.init(baseline: first, candidate: second)
  }
}

extension PointSummary {
  /// True if the winner is better than the baseline, and the point is worse than it or equal to it.
  fileprivate func isBehind(_ winner: PointSummary) -> Bool {
    winner.comparison?.verdict.outcome == .better && [.worse, .identical].contains(comparison?.verdict.outcome)
  }

  /// True if the point may be as good as the winner: it keeps all constraints, and is neither the winner, the baseline nor dropped.
  fileprivate func mayEqual(_ winner: PointSummary) -> Bool {
    !isBaseline && !isDropped && !isOracle && headlineMean != nil && constraints.areKept && axisValues != winner.axisValues
  }
}
