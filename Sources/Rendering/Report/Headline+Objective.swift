// The answer of a sweep with constraints.

import Analysis

extension Headline {
  private var bounds: String { Words.list((part.sweep.objective?.subjectTo ?? []).map { markup.text($0.text) }) }

  /// Returns the sentence about the best point that keeps all constraints, without its full stop.
  func constrained(_ baseline: PointSummary) -> String {
    let keepers = summary.points.filter(\.constraints.areKept)
    guard let winner = summary.winner else { return Words.capitalized(unmet) + lowest(baseline) }
    let broken = summary.points.count { $0.constraints.areBroken && ($0.headlineMean ?? .infinity) < (winner.headlineMean ?? 0) }
    let others =
      broken == 0 ? "" : "; \(Words.count(broken, "point with a lower mean breaks", "points with lower means break")) a constraint"
    let kept =
      ". It is the best of \(Words.count(keepers.count, "point that keeps", "points that keep")) \(bounds) (\(part.level))\(others)"
    if winner.comparison?.verdict.outcome == .better {
      return won(winner, baseline) + (lower(than: winner, in: summary).map { "; \($0)" } ?? "") + kept
    }
    return "\(strong(winner)) wins, because the baseline \(markup.text(baseline.constraints.text)): \(counted(winner)) against "
      + "\(part.mean(baseline)) of the baseline\(lower(than: winner, in: summary).map { "; \($0)" } ?? "")\(kept)"
  }

  /// The words for the constraints: one, or several.
  private var them: String { summary.points.first?.constraints.count == 1 ? "it" : "them" }

  /// The reason why no point wins, as a clause.
  var unmet: String {
    let points = summary.points.filter { !$0.isBaseline }
    let (kept, broken) = (points.count { $0.constraints.areKept }, points.count { $0.constraints.areBroken })
    let baseline = summary.baseline?.constraints.areUnclear == true ? ", whose own constraints are unclear" : ""
    if kept > 0 { return "no point that keeps \(bounds) is better than the baseline\(baseline) (\(kept) of \(points.count) keep \(them))" }
    return "no point is shown to keep \(bounds): of \(points.count), \(broken) surely break \(them)"
  }

  /// Returns a clause about the best point that may keep the constraints.
  private func lowest(_ baseline: PointSummary) -> String {
    let open = summary.points.filter { !$0.isBaseline && !$0.constraints.areBroken && $0.headlineMean != nil }
    guard let best = open.min(by: { ($0.headlineMean ?? 0) < ($1.headlineMean ?? 0) }), let comparison = best.comparison,
      baseline.headlineMean != nil
    else { return "" }
    let state = best.constraints.areKept ? "" : ", \(markup.text(best.constraints.text))"
    return "; the lowest mean of those not shown to break \(them), that of \(strong(best)), is \(counted(best)) against "
      + "\(part.mean(baseline)) of the baseline, \(change(comparison)) (\(comparison.verdict)\(state))"
  }
}
