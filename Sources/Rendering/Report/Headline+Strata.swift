// The answer's sentences about strata and about a baseline that the sweep file does not name.

import Analysis
import Base

extension Headline {
  /// The most strata that a sentence names; the table has all.
  static let namedLimit = 8

  func answer(_ strata: StrataSummary) -> String {
    let count = strata.members.count
    switch strata.kind {
    case .models:
      return "\(Words.count(count, "model")), each with its own table; models are not ranked against each other." + winners(strata)
    case .population:
      return "Over the population (\(markup.text(Self.shares(strata)))): \(Self.lowercased(sentence))" + gains(strata) + unkept(strata)
        + scenario(strata)
    case .worlds:
      let (kept, measured) = (strata.weightedCount, part.sweep.strata?.measured.map { markup.text($0.text) })
      if let measured, kept == 0 {
        return "In none of the \(count) worlds does the baseline have \(measured): give the unknowns other values, or check what was "
          + "measured."
      }
      let over = measured.map { "the \(kept) of \(count) worlds in which the baseline has \($0)" } ?? "all \(count) worlds"
      return "Over \(over): \(Self.lowercased(sentence))" + (WorldTable(part)?.sentence(markup) ?? "")
    case .axes where summary.familySize == 0: return "No setting but the baseline ran in full in every stratum." + winners(strata)
    case .axes:
      let names = PointNames.short(part.sweep.strata?.paths ?? []).map(markup.text)
      let axes = names.isEmpty ? "" : " (by \(Words.list(names)))"
      let over = count == 1 ? "the 1 stratum with runs" : "\(count == 2 ? "both" : "all \(count)") strata\(axes), each counting the same"
      return "Over \(over): \(Self.lowercased(sentence))" + gains(strata) + unkept(strata) + winners(strata)
    }
  }

  /// Returns the weights of strata, e.g. `80 % Wi-Fi, 20 % LTE`.
  static func shares(_ strata: StrataSummary) -> String {
    strata.members.filter { $0.weight > 0 }
      .map { "\(DecimalText.trimmed($0.weight * 100, decimals: 1)) % \($0.name)" }.joined(separator: ", ")
  }

  /// Returns a sentence for use after a colon; names keep their capitals.
  static func lowercased(_ sentence: String) -> String {
    ["The ", "Nothing ", "No ", "Only "].contains(where: sentence.hasPrefix)
      ? sentence.prefix(1).lowercased() + sentence.dropFirst() : sentence
  }

  /// The sentence about the point that is the baseline because the sweep file names none.
  var impliedBaseline: [String] {
    guard part.sweep.baseline.isImplied == true else { return [] }
    let points = part.members.compactMap { member in member.summary.baseline.map { (member.scope, strong($0)) } }
    guard let first = points.first else { return [] }
    let start = "The sweep file names no baseline, so that the first point"
    guard let strata = summary.strata else { return ["\(start), \(first.1), is the baseline."] }
    let isOne = points.allSatisfy { $0.1 == first.1 }
    let list = isOne ? first.1 : points.prefix(Self.namedLimit).map { "\(markup.text($0.0)): \($0.1)" }.joined(separator: "; ")
    let isShortened = !isOne && points.count > Self.namedLimit
    return ["\(start) of each \(strata.memberName) is its baseline (\(list)\(isShortened ? "; …" : ""))."]
  }

  /// Returns the sentences about the scenario itself, unless it is a part of the population.
  private func scenario(_ strata: StrataSummary) -> String {
    guard let member = strata.scenario, member.weight == 0 else { return "" }
    let scenario = member.summary
    let (chosen, itself) = (summary.winner, Headline(part: ReportPart(scenario, sweep: part.sweep), markup: markup))
    var text = ""
    if let there = chosen.flatMap(scenario.points.first(like:)).map(scenario.afterConfirmation), let comparison = there.comparison {
      text +=
        " In the scenario itself it has \(itself.counted(there)), \(itself.percentOrDifference(comparison)), "
        + "\(there.withConstraints(comparison.verdict.description))."
    }
    guard let winner = scenario.winner, winner.axisValues != chosen?.axisValues, let its = winner.comparison else { return text }
    text += " The scenario's own winner is \(strong(winner)): \(itself.percentOrDifference(its)) there"
    guard let here = summary.points.first(like: winner)?.comparison else { return text + "." }
    return text + ", \(percentOrDifference(here)) over the population, \(here.verdict.description)."
  }

  private func percentOrDifference(_ comparison: PointComparison) -> String {
    if comparison.percent != nil { return "\(part.percent(comparison, unit: " %"))" }
    let difference = part.difference(comparison)
    return difference.interval == nil ? words.counted(difference) : "\(difference) \(words.headline)"
  }

  /// Returns the sentence about the strata in which the winner of the whole gains and loses; empty if it gains in all.
  private func gains(_ strata: StrataSummary) -> String {
    guard let winner = summary.confirmedWinner else { return "" }
    let rows = strata.members.filter { $0.weight > 0 }.compactMap { member -> (outcome: Verdict.Outcome, text: String)? in
      let own = member.summary
      guard let there = own.points.first(like: winner).map(own.afterConfirmation), let base = own.baseline.map(own.afterConfirmation),
        let comparison = there.comparison
      else { return nil }
      let part = ReportPart(own, sweep: part.sweep)
      return (comparison.verdict.outcome, "\(markup.text(member.name)) (\(part.mean(base)) → \(part.mean(there)))")
    }
    func list(_ outcome: Verdict.Outcome) -> [String] { rows.filter { $0.outcome == outcome }.map(\.text) }
    let (better, worse) = (list(.better), list(.worse))
    guard rows.count > 1, better.count < rows.count, better.count <= Self.namedLimit, worse.count <= Self.namedLimit else { return "" }
    let gain =
      better.isEmpty
      ? "In no stratum alone is it shown to gain" : "Only \(Words.list(better)) \(better.count == 1 ? "is" : "are") shown to gain"
    return " \(gain)\(worse.isEmpty ? "" : "; \(Words.list(worse)) \(worse.count == 1 ? "loses" : "lose")")."
  }

  /// Returns the sentence about strata in which the winner of the whole does not keep all constraints; empty if there are none.
  private func unkept(_ strata: StrataSummary) -> String {
    guard let winner = summary.confirmedWinner else { return "" }
    let clauses = strata.members.compactMap { member -> String? in
      guard let there = member.summary.points.first(like: winner).map(member.summary.afterConfirmation), !there.constraints.areKept else {
        return nil
      }
      return markup.text("\(member.name) (\(there.constraints.text))")
    }
    guard !clauses.isEmpty else { return "" }
    let more = clauses.count > Self.namedLimit ? ["\(clauses.count - Self.namedLimit) others"] : []
    return " It is not shown to keep them in each stratum, as `check` demands: \(Words.list(clauses.prefix(Self.namedLimit) + more))."
  }

  private func winners(_ strata: StrataSummary) -> String {
    guard strata.members.count <= Self.namedLimit else { return "" }
    let clauses = strata.members.map { "\(markup.text($0.name)): \(outcome($0.summary))" }
    return (strata.kind == .models ? " Winner of each model: " : " Winner of each stratum: ") + clauses.joined(separator: "; ") + "."
  }

  private func outcome(_ member: SweepSummary) -> String {
    let part = ReportPart(member, sweep: part.sweep)
    if let winner = member.confirmedWinner.map(member.afterConfirmation) {
      let others = lower(than: winner, in: member).map { " (\($0))" } ?? ""
      guard member.confirmation == nil, let baseline = member.baseline else { return strong(winner) + others }
      let reason = baseline.constraints.areBroken ? " of the baseline, which \(markup.text(baseline.constraints.text))" : ""
      return "\(strong(winner)), \(part.mean(winner)) against \(part.mean(baseline))\(reason)\(others)"
    }
    guard member.baseline != nil else { return "the baseline has no runs" }
    guard member.points.count > 1 else { return "only the baseline" }
    if !member.schema.constrained.isEmpty { return Headline(part: part, markup: markup).unmet }
    if let baseline = member.unbeatenBaseline, member.confirmation == nil {
      let isShared = member.points.contains { !$0.isBaseline && !$0.isDropped && $0.hasSameMean(as: baseline) }
      return "nothing beats the baseline, which \(isShared ? "shares" : "has") the lowest mean, \(words.counted(part.mean(baseline)))"
    }
    guard let leader = member.leader, let comparison = member.afterConfirmation(leader).comparison else { return "nothing is compared" }
    switch comparison.verdict.outcome {
    case .equivalent: return "\(strong(leader)) is within the margin of the baseline"
    case .identical: return "\(strong(leader)) equals the baseline"
    case .worse: return "\(strong(leader)) was best in the sweep and is worse on new seeds"
    case .better, .inconclusive:
      return comparison.verdict.ground == .interval
        ? "nothing beats the baseline beyond the noise" : "none yet (\(comparison.verdict.description))"
    }
  }
}

extension SweepSummary {
  /// The baseline if it keeps all constraints and no other point has a lower mean; nil otherwise.
  var unbeatenBaseline: PointSummary? {
    // Points beyond a constraint rank last, whatever their means.
    let least =
      schema.constrained.isEmpty
      ? best.first : points.filter { !$0.isOracle }.min { ($0.headlineMean ?? .infinity) < ($1.headlineMean ?? .infinity) }
    guard let baseline, let least, let mean = baseline.headlineMean, let leastMean = least.headlineMean, baseline.constraints.areKept else {
      return nil
    }
    return points.count > 1 && (least.isBaseline || mean <= leastMean) ? baseline : nil
  }
}
