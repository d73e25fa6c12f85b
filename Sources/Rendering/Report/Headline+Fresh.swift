// The headline on fresh seeds: what the sweep chose, judged by runs that had no part in choosing it.

import Analysis

extension Headline {
  /// The sentence of a confirmed sweep, without its full stop; nil where the leader was not confirmed.
  func fresh(_ confirmation: Confirmation) -> String? {
    guard let leader = summary.leader, let own = leader.comparison, let baseline = confirmation.points.first(where: \.isBaseline),
      let fresh = confirmation.point(like: leader), let comparison = fresh.comparison
    else { return nil }
    let name = strong(leader)
    let basis = comparison.differenceInterval == nil ? "" : ", paired \(interval)"
    let numbers =
      "\(counted(fresh)) against \(part.mean(baseline, beside: comparison.shownDecimals)) of the baseline, \(freshChange(comparison)) "
      + "(\(Words.count(comparison.pairs, "fresh repetition"))\(basis))"
    let family = family(
      comparison, subject: "confirmed points", size: confirmation.familySize, hasInterval: comparison.equalPairs == nil)
    let start =
      switch (comparison.verdict.outcome, comparison.verdict.ground) {
      case (.better, _): "\(name) wins on fresh seeds: \(numbers)\(family)"
      case (.equivalent, _): "\(name) is within the margin of the baseline (\(part.margin)) on fresh seeds: \(numbers)"
      case (.identical, _): "\(name) shows the same as the baseline on fresh seeds: \(numbers)"
      case (.worse, _): "\(name) looked best and is worse on fresh seeds: \(numbers)\(family)"
      case (.inconclusive, .interval), (.inconclusive, .zeroBaseline):
        "Nothing is shown to beat the baseline beyond \(noise) on fresh seeds: the sweep's best, \(name), shows \(numbers)"
      case (.inconclusive, _):
        "The fresh seeds do not tell whether \(name) beats the baseline (\(comparison.verdict.description)): it shows \(numbers)"
      }
    return start + estimate(own) + rival(of: fresh, confirmation)
  }

  private func freshChange(_ comparison: PointComparison) -> String {
    comparison.equalPairs == nil ? change(comparison) : equal(comparison, of: "equal pairs")
  }

  /// The sweep's own estimate, and what of it selection alone would explain.
  private func estimate(_ comparison: PointComparison) -> String {
    let text = ". The sweep's own \(Words.count(comparison.pairs, "repetition")) showed \(freshChange(comparison))"
    guard summary.familySize > 1, comparison.standardError > 0 else { return text }
    let bias = words.counted(Notes.selectionBias(summary.familySize, comparison))
    return text + "; the best of \(summary.familySize) equal settings would look \(bias) better than it is on average"
  }

  /// Another finalist with fewer loaders on the fresh seeds: it is named, but what is chosen now would be chosen by these seeds.
  private func rival(of fresh: PointSummary, _ confirmation: Confirmation) -> String {
    let mean = fresh.headlineMean ?? .infinity
    let rival = confirmation.points.filter { !$0.isBaseline }.min { ($0.headlineMean ?? .infinity) < ($1.headlineMean ?? .infinity) }
    guard let rival, let its = rival.headlineMean, its < mean - 1e-9 * max(1, mean), part.mean(rival) != part.mean(fresh) else { return "" }
    return "; on the fresh seeds \(strong(rival)) shows fewer, \(part.mean(rival))"
  }
}
