// The answer in one sentence: the winner with its interval, or that no point is better than the baseline.

import Analysis

/// The answer in sentences, for a terminal, Markdown or a page. Headline+Strata.swift adds strata.
struct Headline {
  let part: ReportPart
  let markup: Markup

  var summary: SweepSummary { part.summary }
  var words: RunSchema.Words { part.words }

  /// All sentences: the answer and the implied baseline, without line ends.
  var text: String { ([summary.strata.map(answer) ?? sentence] + impliedBaseline).joined(separator: " ") }

  /// The answer about the points, and which are not shown to be worse than the winner, without a line end.
  var sentence: String { answer + peers }

  private var answer: String {
    guard let best = summary.best.first else { return "No setting has runs in every stratum." }
    guard let baseline = summary.baseline else {
      return "No comparison: the baseline has no runs. \(strong(best)) has the lowest mean, \(counted(best))."
    }
    if let confirmed = summary.confirmation.flatMap(sentence) { return confirmed + "." }
    guard summary.points.count > 1 else { return "Only one point: \(strong(baseline)) shows \(counted(baseline))." }
    // A ratio of stalls without playback, for example.
    if baseline.headlineMean == nil {
      return "No comparison: \(markup.text(summary.schema.headline.rawValue)) has no value in any run of the baseline."
    }
    if !summary.schema.constrained.isEmpty { return constrained(baseline) + "." }
    if let winner = summary.winner {
      return won(winner, baseline) + besideOracle + (lower(than: winner, in: summary).map { "; \($0)" } ?? "") + "."
    }
    if best.hasSameMean(as: baseline) || best.isBaseline { return level(best, baseline) + "." }
    return unresolved(best, baseline) + "."
  }

  // MARK: Cases

  func won(_ winner: PointSummary, _ baseline: PointSummary) -> String {
    guard let comparison = winner.comparison else { return "" }
    let start = "\(strong(winner)) wins: \(counted(winner)) against \(against(baseline, winner, comparison)), "
    let basis: String
    switch comparison.verdict.ground {
    case .deterministic:
      return
        "\(start)\(part.difference(comparison).plain)\(percent(comparison)); the scenario has no randomness, so the difference is exact"
    case .equalPairs: basis = equal(comparison)
    case .oneSide(let count): basis = "\(change(comparison)) (all \(count) pairs on one side)"
    default: basis = "\(change(comparison)) (paired \(interval), \(comparison.pairs) repetitions)"
    }
    return start + basis + family(comparison, subject: "comparisons")
  }

  /// The sentence about the points that are not shown to be worse than the winner, with the cheapest of them; empty if there are none.
  private var peers: String {
    let others = summary.peers
    guard let winner = summary.confirmedWinner, let first = others.first else { return "" }
    let subject = others.count == 1 ? strong(first) : "\(others.count) other points"
    let isSame = others.allSatisfy { $0.hasSameMean(as: winner) }
    let family = summary.familySize > 2 ? ", for all \(summary.familySize) other points at once" : ""
    let clause =
      isSame
      ? " \(Words.count(others.count, "other point shows", "other points show")) the same mean (≈)"
      : " \(subject) \(others.count == 1 ? "is" : "are") not shown to be worse than the winner by a paired comparison "
        + "(≈; \(part.level)\(family))"
    let priced = others.compactMap { point in point.mean(summary.schema.cost).map { (point, cost: $0) } }
    guard let mine = winner.mean(summary.schema.cost), let cheapest = priced.min(by: { $0.cost < $1.cost }) else { return clause + "." }
    let (low, own) = ("\(part.cost(cheapest.0))", "\(part.cost(winner))")
    if cheapest.cost >= mine || low == own { return clause + ", \(others.count == 1 ? "and not" : "none") with \(words.lessCost)." }
    let name = others.count == 1 ? "it" : "the cheapest of them, \(strong(cheapest.0)),"
    return clause + "; \(name) takes \(low) \(words.costShort) a run against \(own) \(words.costShort) of the winner."
  }

  /// Returns a clause about points with lower means than the winner's that are not clearly better than the baseline; nil if there are none.
  func lower(than winner: PointSummary, in summary: SweepSummary) -> String? {
    let confirmed = summary.confirmation?.points ?? summary.best.prefix { !$0.isSame(as: winner) }
    let count = confirmed.count {
      !$0.isBaseline && ($0.headlineMean ?? .infinity) < (winner.headlineMean ?? 0) && !$0.hasSameMean(as: winner)
    }
    let words = Words.count(count, "other has a lower mean", "others have lower means")
    if count == 0 { return nil }
    if summary.confirmation != nil { return "\(words) on the new seeds" }
    if summary.schema.constrained.isEmpty { return "\(words), but no verdict of better" }
    let more = summary.baseline?.constraints.areBroken == true ? "" : " and to be better than the baseline"
    return "\(words), but \(count == 1 ? "is" : "are") not shown to keep the constraints\(more)"
  }

  private func level(_ best: PointSummary, _ baseline: PointSummary) -> String {
    let others = summary.points.count { $0.hasSameMean(as: baseline) && !$0.isOracle } - 1
    let start =
      "Nothing beats the baseline, \(strong(baseline)): with \(counted(baseline)) it has the lowest mean of "
      + "\(summary.points.count { !$0.isOracle }) points"
      + (summary.oracleIndex.map { ", \(strong(summary.points[$0])) aside, which knows the future" } ?? "")
    guard others > 0 else { return start }
    let shared = start + ", together with \(Words.count(others, "other"))"
    // Costs with equal texts are not distinguished.
    let (low, own) = ("\(part.cost(best))", "\(part.cost(baseline))")
    guard !best.isBaseline, let mine = best.mean(summary.schema.cost), let its = baseline.mean(summary.schema.cost), mine < its, low != own
    else { return shared }
    return shared + "; \(strong(best)) has it with \(words.lessCost), \(low) \(words.costShort) against \(own) \(words.costShort) a run"
  }

  /// A clause with the oracle's mean beside a winner; empty without one.
  private var besideOracle: String {
    summary.oracleIndex.map { index in
      "; \(strong(summary.points[index])), which knows the future and is no choice, shows \(part.mean(summary.points[index]))"
    } ?? ""
  }

  private func unresolved(_ best: PointSummary, _ baseline: PointSummary) -> String {
    guard let comparison = best.comparison else { return "Nothing is compared with the baseline" }
    let values = "\(counted(best)) against \(against(baseline, best, comparison))"
    let lowest = "\(strong(best)) has the lowest mean, \(values), "
    switch (comparison.verdict.outcome, comparison.verdict.ground) {
    case (_, .oneRepetition): return lowest + "but one repetition cannot tell that from noise; run more"
    case (_, .noPairs): return lowest + "but they have no repetition in common; run the sweep again"
    case (.equivalent, _):
      return "\(strong(best)) is within the margin of the baseline (\(part.margin)) and has the lowest mean: \(values), "
        + change(comparison) + basis(comparison)
    case (.identical, _):
      return "\(strong(best)) equals the baseline in each of \(comparison.pairs) common repetitions"
    case (.inconclusive, .equalPairs):
      let needed = comparison.neededRepetitions.map { "; it takes \($0)" } ?? ""
      return lowest + "\(equal(comparison)); \(comparison.pairs) are too few to tell that from chance\(needed)"
    case (_, .tooFewRepetitions):
      return lowest + "\(change(comparison)), but \(comparison.pairs) repetitions are too few for an interval; run more"
    case (_, .tooFewDiffering):
      return lowest + "\(change(comparison)), but too few of the \(comparison.pairs) pairs differ for an interval; run more repetitions"
    default:
      let alone = comparison.differenceInterval.map { $0.high < 0 } ?? false
      let isOneOfMany = alone && summary.familySize > 1 && summary.margin == .none
      let reason = isOneOfMany ? "; this holds for one point alone, not for \(summary.familySize) comparisons at once" : ""
      return "Nothing beats the baseline, \(strong(baseline)), beyond \(part.noise): the lowest mean, that of \(strong(best)), is "
        + "\(values), \(change(comparison))\(basis(comparison))\(reason)"
    }
  }

  // MARK: Phrases

  func strong(_ point: PointSummary) -> String { markup.strong(part.name(point)) }

  func counted(_ point: PointSummary) -> String { words.counted(part.mean(point)) }

  var interval: String { "\(part.level) interval" }

  /// Returns the baseline's mean over the repetitions of the comparison, as text.
  private func against(_ baseline: PointSummary, _ point: PointSummary, _ comparison: PointComparison) -> String {
    guard comparison.pairs < baseline.repetitions, let mean = comparison.baselineMean else {
      return "\(part.mean(baseline)) of the baseline"
    }
    return "\(part.mean(mean)) of the baseline in the same repetitions"
  }

  /// Returns the difference with its interval and the per cent, e.g. `-2.1 [-2.9, -1.3], -8 %`.
  func change(_ comparison: PointComparison) -> String { "\(part.difference(comparison))\(percent(comparison))" }

  /// Returns the difference that all pairs share, and its per cent of the mean.
  func equal(_ comparison: PointComparison, of unit: String = "repetitions") -> String {
    let percent = percent(comparison)
    return "\(part.difference(comparison).plain) in each of \(comparison.pairs) \(unit)\(percent)\(percent.isEmpty ? "" : " of the mean")"
  }

  private func percent(_ comparison: PointComparison) -> String {
    comparison.percent == nil ? "" : ", \(part.percent(comparison, unit: " %").plain)"
  }

  private func basis(_ comparison: PointComparison) -> String {
    switch comparison.verdict.ground {
    case .deterministic: " (exact)"
    case .equalPairs(let count): " (\(count) equal pairs)"
    case .oneSide(let count): " (\(count) pairs on one side)"
    default: comparison.differenceInterval == nil ? "" : " (paired \(interval))"
    }
  }

  /// Returns a clause with the number of comparisons for which a verdict holds at once, and with the number that the exact sign-flip test
  /// supports if it cannot reach Bonferroni's level; empty for one comparison.
  func family(_ comparison: PointComparison, subject: String, size: Int? = nil) -> String {
    let size = size ?? summary.familySize
    guard size > 1 else { return "" }
    let all = size == 2 ? "both" : "all \(size)"
    let least = SignFlipTest.smallestPValue(count: comparison.pairs)
    let level = (1 - summary.lookConfidence) * (1 + 1e-12)
    if least * Double(size) <= level { return "; the verdict holds for \(all) \(subject) at once" }
    let reached = Int((level / least).rounded(.down))
    let exact = reached < 1 ? "does not reach \(part.level) even for 1" : "supports at most \(reached) at once"
    return "; for \(all) \(subject) at once it rests on the intervals alone, which have so small an error only for differences that are "
      + "not skewed: with \(comparison.pairs) repetitions the exact sign-flip test \(exact)"
  }

  // MARK: Confirmation

  /// Returns the sentence of a confirmed sweep, without its full stop; nil if the leader was not confirmed.
  func sentence(_ confirmation: Confirmation) -> String? {
    guard let leader = summary.confirmedWinner ?? summary.leader, let own = leader.comparison,
      let baseline = confirmation.points.first(where: \.isBaseline),
      let rerun = confirmation.points.first(like: leader), let comparison = rerun.comparison
    else { return nil }
    let name = strong(leader)
    let basis = comparison.differenceInterval == nil ? "" : ", paired \(interval)"
    let new = Headline(part: part.ofConfirmation, markup: markup)
    let numbers =
      "\(words.counted(new.part.mean(rerun))) against \(new.part.mean(baseline)) of the baseline, "
      + "\(new.pairedChange(comparison)) "
      + "(\(Words.count(comparison.pairs, "new repetition"))\(basis))"
    let family = family(comparison, subject: "confirmed points", size: confirmation.familySize)
    let start =
      switch (comparison.verdict.outcome, comparison.verdict.ground) {
      case _ where !rerun.constraints.areKept:
        "No point is shown to win on new seeds: the sweep's best, \(name), \(markup.text(rerun.constraints.verbal)) there; it has \(numbers)"
      case _ where summary.confirmedWinner != nil && comparison.verdict.outcome != .better:
        "\(name) wins on new seeds, because it keeps the constraints and the baseline breaks them: \(numbers)"
      case (.better, _): "\(name) wins on new seeds: \(numbers)\(family)"
      case (.equivalent, _): "\(name) is within the margin of the baseline (\(part.margin)) on new seeds: \(numbers)"
      case (.identical, _): "\(name) equals the baseline on new seeds: \(numbers)"
      case (.worse, _): "\(name) was best in the sweep and is worse than the baseline on new seeds: \(numbers)\(family)"
      case (.inconclusive, .interval), (.inconclusive, .zeroBaseline):
        "No point is shown to be better than the baseline beyond \(part.noise) on new seeds: the sweep's best, \(name), has \(numbers)"
      case (.inconclusive, _):
        "The confirmation does not tell whether \(name) is better than the baseline (\(comparison.verdict.description)): it has \(numbers)"
      }
    return start + earlier(than: leader) + estimate(own) + rival(of: rerun, confirmation)
  }

  /// Returns a clause about the sweep's own leader, if another point wins on the new seeds.
  private func earlier(than winner: PointSummary) -> String {
    guard let leader = summary.leader, !leader.isSame(as: winner) else { return "" }
    let rerun = summary.afterConfirmation(leader)
    let reason =
      rerun.constraints.areKept ? "has \(part.ofConfirmation.mean(rerun)) there" : "\(markup.text(rerun.constraints.verbal)) there"
    return "; \(strong(leader)), the sweep's best, \(reason)"
  }

  private func pairedChange(_ comparison: PointComparison) -> String {
    comparison.equalPairs == nil ? change(comparison) : equal(comparison, of: "equal pairs")
  }

  private func estimate(_ comparison: PointComparison) -> String {
    let text = ". The sweep's own \(Words.count(comparison.pairs, "repetition")) showed \(pairedChange(comparison))"
    guard summary.familySize > 1, comparison.standardError > 0 else { return text }
    let bias = words.counted(Notes.selectionBias(summary.familySize, comparison))
    return text + "; the best of \(summary.familySize) equal settings would look \(bias) better than the baseline on average"
  }

  /// Returns a clause about another finalist with a lower mean on the new seeds.
  private func rival(of rerun: PointSummary, _ confirmation: Confirmation) -> String {
    let mean = rerun.headlineMean ?? .infinity
    let rival = confirmation.points.filter { !$0.isBaseline }.min { ($0.headlineMean ?? .infinity) < ($1.headlineMean ?? .infinity) }
    guard let rival, let its = rival.headlineMean, its < mean - 1e-9 * max(1, mean),
      "\(part.ofConfirmation.mean(rival))" != "\(part.ofConfirmation.mean(rerun))"
    else { return "" }
    let state = rival.constraints.areKept ? "" : ", but \(markup.text(rival.constraints.verbal))"
    return "; on the new seeds \(strong(rival)) has fewer, \(part.ofConfirmation.mean(rival))\(state)"
  }

  // MARK: Constraints

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
