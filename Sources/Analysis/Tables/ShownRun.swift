// The run of a point to repeat or to draw: one in which it differs from the baseline.

/// A run of a point, or, of a setting over strata, of its point in one of them.
package struct ShownRun {
  /// The stratum; nil for a point of its own.
  package var stratum: String?
  package let point: String
  package let repetition: Int
  /// True if the run's headline is not the baseline's on the same seed.
  package let differs: Bool
}

extension SweepSummary {
  /// Returns the first run in which a point differs from the baseline, or its first run if none does. Over strata, it is of the stratum
  /// with the largest mean difference, or of the heaviest. O(runs of the point).
  package func shownRun(of point: PointSummary) -> ShownRun {
    var best: (member: StrataSummary.Member, point: PointSummary, difference: Double)?
    for member in strata?.members ?? [] where member.weight > 0 {
      guard let there = member.summary.points.first(like: point) else { continue }
      let difference = (there.comparison?.difference ?? 0).magnitude
      if let best, (best.difference, best.member.weight) >= (difference, member.weight) { continue }
      best = (member, there, difference)
    }
    if let best {
      var run = best.member.summary.shownRun(of: best.point)
      run.stratum = best.member.name
      return run
    }
    let base = baseline.map { $0.runs.values($0.runs.headline, of: point.runs.repetitions) } ?? []
    let other = zip(point.runs.repetitions, zip(point.runs.headline, base)).first { ($1.0 - $1.1).magnitude > 0 }
    let repetition = other.map { Int($0.0) } ?? point.firstRun.repetition
    return ShownRun(point: point.point, repetition: repetition, differs: other != nil)
  }
}
