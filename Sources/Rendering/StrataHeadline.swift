// What won over all strata, and what won in each: the sentence that keeps a lab's result from being taken for the field's.

import Analysis

/// The answer of a sweep, with or without strata, for Markdown or plain text.
struct StrataHeadline {
  /// So many strata are named in the sentence; more are in the table alone.
  private static let namedLimit = 8

  private let summary: SweepSummary
  private let names: PointNames
  private let sweep: SweepDescription
  private let markup: Markup

  init(_ summary: SweepSummary, names: PointNames, sweep: SweepDescription, markup: Markup) {
    self.summary = summary
    self.names = names
    self.sweep = sweep
    self.markup = markup
  }

  /// The sentences: the answer, what stands for a baseline that the file does not name, and the ends of axes. They have no line's end.
  var text: String {
    ([answer] + impliedBaseline + edges).joined(separator: " ")
  }

  private var answer: String {
    let sentence = Self.ended(Headline(summary, names: names, markup: markup).text)
    guard let strata = summary.strata else { return sentence }
    switch strata.kind {
    case .models:
      let count = strata.members.count == 1 ? "1 model" : "\(strata.members.count) models"
      return "\(count), each with its own table; models are not ranked against each other." + winners(strata)
    case .population: return "In the field (\(markup.text(Self.shares(strata)))): \(Self.lowercased(sentence))" + lab(strata)
    case .axes where summary.familySize == 0: return "No setting but the baseline ran in full in every stratum." + winners(strata)
    case .axes:
      return
        "Over \(strata.members.count == 1 ? "the 1 stratum with runs" : "all \(strata.members.count) strata, each counting the same"): \(Self.lowercased(sentence))"
        + winners(strata)
    }
  }

  /// `80 % Wi-Fi, 20 % LTE`.
  static func shares(_ strata: StrataSummary) -> String {
    strata.members.filter { $0.weight > 0 }
      .map { "\(DecimalText.trimmed($0.weight * 100, decimals: 1)) % \($0.name)" }.joined(separator: ", ")
  }

  /// Which point stands for a baseline that the file does not name.
  private var impliedBaseline: [String] {
    guard sweep.baseline.isImplied == true else { return [] }
    let parts = summary.strata?.members.map { (name: $0.name, summary: $0.summary) } ?? [("", summary)]
    let points = parts.compactMap { part in part.summary.baseline.map { (part.name, markup.strong(names.name(of: $0))) } }
    guard let first = points.first else { return [] }
    let start = "The sweep file names no baseline, so that the first point"
    guard let strata = summary.strata else { return ["\(start), \(first.1), is the baseline."] }
    let isOne = points.allSatisfy { $0.1 == first.1 }
    let list = isOne ? first.1 : points.prefix(Self.namedLimit).map { "\(markup.text($0.0)): \($0.1)" }.joined(separator: "; ")
    let isCut = !isOne && points.count > Self.namedLimit
    return ["\(start) of each \(strata.memberName) is its baseline (\(list)\(isCut ? "; …" : ""))."]
  }

  /// The whole's best point at the ends of axes, and what strata say beside that.
  private var edges: [String] {
    let builder = AxisEdges(sweep: sweep, names: names, markup: markup)
    let sentences = builder.sentences(summary)
    var parts: [(sentence: String, names: [String])] = []
    for member in summary.strata?.members ?? [] {
      for sentence in builder.sentences(member.summary) where !sentences.contains(sentence) {
        if let index = parts.firstIndex(where: { $0.sentence == sentence }) {
          parts[index].names.append(member.name)
        } else {
          parts.append((sentence, [member.name]))
        }
      }
    }
    let isNamed = (summary.strata?.members.count ?? 0) <= Self.namedLimit
    return sentences
      + (isNamed ? parts.map { "For \(markup.text($0.names.joined(separator: "; "))): \(Self.lowercased($0.sentence))" } : [])
  }

  /// A sentence after a colon; names keep their letters.
  private static func lowercased(_ sentence: String) -> String {
    ["The ", "Nothing ", "No ", "Only "].contains(where: sentence.hasPrefix)
      ? sentence.prefix(1).lowercased() + sentence.dropFirst() : sentence
  }

  private static func ended(_ sentence: String) -> String { sentence.hasSuffix(".") ? sentence : sentence + "." }

  // MARK: Lab and field

  private func lab(_ strata: StrataSummary) -> String {
    guard let lab = strata.lab?.summary else { return "" }
    let chosen = summary.winner
    var text = ""
    if let chosen, let there = Self.point(like: chosen, in: lab).map(lab.onFreshSeeds), let comparison = there.comparison {
      let mean = summary.schema.words.counted(HeadlineText.mean(there, confidence: lab.confidence))
      text += " In the lab it shows \(mean), \(change(comparison, lab)), \(comparison.verdict.description)."
    }
    guard let winner = lab.winner, winner.axisValues != chosen?.axisValues, let its = winner.comparison else { return text }
    text += " The lab's own winner is \(markup.strong(names.name(of: winner))): \(change(its, lab)) in the lab"
    guard let here = Self.point(like: winner, in: summary)?.comparison else { return text + "." }
    return text + ", \(change(here, summary)) in the field, \(here.verdict.description)."
  }

  /// The same setting in another part.
  static func point(like point: PointSummary, in other: SweepSummary) -> PointSummary? {
    other.points.first { $0.axisValues == point.axisValues && $0.isBaseline == point.isBaseline }
  }

  /// The per cent with its interval; the difference where no per cent is supported.
  private func change(_ comparison: PointComparison, _ part: SweepSummary) -> String {
    if comparison.percent != nil {
      let ends = Precision.signedEnds(comparison.percentInterval, limit: Digits.percent)
      return comparison.percentText + " %" + (ends.isEmpty ? "" : " \(ends)")
    }
    let ends = Precision.signedEnds(comparison.differenceInterval, limit: Digits.difference)
    let text = comparison.differenceText
    return ends.isEmpty ? part.schema.words.counted(text) : "\(text) \(ends) \(part.schema.words.headline)"
  }

  // MARK: Who wins where

  private func winners(_ strata: StrataSummary) -> String {
    guard strata.members.count <= Self.namedLimit else { return "" }
    let clauses = strata.members.map { member -> String in
      let name = markup.text(member.name)
      return "\(name): \(outcome(member.summary))"
    }
    let title = strata.kind == .models ? "Winner of each model: " : "Who wins where: "
    return " " + title + clauses.joined(separator: "; ") + "."
  }

  /// The winner of a stratum, or why there is none.
  private func outcome(_ part: SweepSummary) -> String {
    if let winner = part.provenWinner { return markup.strong(names.name(of: winner)) }
    guard part.baseline != nil else { return "the baseline has no runs" }
    guard part.points.count > 1 else { return "only the baseline" }
    if let baseline = part.unbeatenBaseline, part.confirmation == nil {
      let isShared = part.points.contains { !$0.isBaseline && !$0.isDropped && $0.hasSameMean(as: baseline) }
      return "nothing beats the baseline, which \(isShared ? "shares" : "has") the lowest mean"
    }
    guard let leader = part.leader, let comparison = part.onFreshSeeds(leader).comparison else { return "nothing is compared" }
    let name = markup.strong(names.name(of: leader))
    switch comparison.verdict.outcome {
    case .equivalent: return "\(name) is within the margin of the baseline"
    case .identical: return "\(name) shows the same as the baseline"
    case .worse: return "\(name) looked best and is worse on fresh seeds"
    case .better, .inconclusive:
      return comparison.verdict.ground == .interval
        ? "nothing beats the baseline beyond the noise" : "none yet (\(comparison.verdict.description))"
    }
  }
}
