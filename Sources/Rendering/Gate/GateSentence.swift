// The sentences of a gate's result, shared by terminal, Markdown, JUnit and JSON.

import Analysis
import Base

struct GateSentence {
  let result: GateResult
  /// The decimals of all changes of a metric in a unit: no end reads like 0 or like a limit without being it.
  private let decimals: [ChangeUnit: Int]

  private struct ChangeUnit: Hashable {
    let metric: Metric
    let suffix: String
  }

  init(result: GateResult) {
    self.result = result
    let findings = result.strata.flatMap(\.findings)
    decimals = Dictionary(grouping: findings) { ChangeUnit(metric: $0.guarded.metric, suffix: Self.shown($0).suffix) }
      .mapValues(Self.decimals)
  }

  struct Item {
    let stratum: GateResult.Stratum
    let finding: GateFinding

    /// The name of the finding's stratum with a colon; empty without strata.
    var stratumPrefix: String { stratum.name.map { "\($0): " } ?? "" }
  }

  /// The most findings in a headline; it counts the others.
  private static let headlineLimit = 3
  /// The most findings whose warnings are shown; JSON has all.
  private static let warningLimit = 5

  /// True if the sweep has strata, or the user chose one.
  var hasStrata: Bool { result.strata.contains { $0.name != nil } }

  /// All findings: of the weighted whole, then of each stratum.
  var items: [Item] { result.strata.flatMap { stratum in stratum.findings.map { Item(stratum: stratum, finding: $0) } } }

  /// All findings, worst first: broken guards, then open ones, each by their distance from the limit.
  var worstFirst: [Item] {
    let ranked = items.enumerated().map { offset, item in
      let rank = [.worse, .unfit].contains(item.finding.outcome) ? 0 : item.finding.outcome == .inconclusive ? 1 : 2
      return (item: item, rank: rank, excess: excess(item.finding), offset: offset)
    }
    return ranked.sorted { ($0.rank, -$0.excess, $0.offset) < ($1.rank, -$1.excess, $1.offset) }.map(\.item)
  }

  /// Returns the distance of a mean beyond its limit in the bad direction, as a share of the baseline's mean, or of the bound.
  private func excess(_ finding: GateFinding) -> Double {
    let change = finding.guarded.side == .rise ? finding.difference : -finding.difference
    let base = finding.guarded.bound ?? finding.baselineMean ?? 0
    let limit = finding.guarded.bound == nil ? finding.limit : 0
    let size = max(base.magnitude, limit)
    return size > 0 ? (change - limit) / size : change
  }

  // MARK: The headline

  var word: String { result.outcome == .unfit ? "INSTRUMENT UNFIT" : result.outcome.rawValue.uppercased() }

  var headline: String { ([answer] + exemptions).joined(separator: " ") }

  private var answer: String {
    switch result.outcome {
    case .failed:
      let count = Words.count(result.failures.count, result.blocks == nil ? "pair" : "block")
      return "\(count) of runs failed, so there is no verdict on the candidate."
    case .regression: return named(worstFirst.filter { $0.finding.outcome == .worse })
    case .unfit: return named(worstFirst.filter { $0.finding.outcome == .unfit })
    case .inconclusive:
      return result.pairCount == 0 || result.blocks?.compared == 0
        ? "No look was complete, so there is no verdict on the candidate." : named(worstFirst.filter { !$0.finding.isSettled })
    case .passed:
      if result.isSame, result.blocks == nil, !result.rule.guards.contains(where: { $0.bound != nil }) {
        return "The candidate is the baseline: both resolve to the same scenario\(hasStrata ? " in every stratum" : "")."
      }
      if items.allSatisfy({ $0.finding.outcome == .identical }) { return equal }
      return hasStrata ? kept : items.filter { $0.finding.outcome != .exempt }.map { reason($0.finding) }.joined(separator: "; ") + "."
    }
  }

  /// A sentence for each bound that the baseline breaks, so that the objective's margin does not apply.
  private var exemptions: [String] {
    result.rule.guards.filter { $0.bound != nil }.compactMap { bound in
      let exempt = items.filter { $0.finding.outcome == .exempt && $0.finding.baselineBound == bound }
      guard let first = exempt.first else { return nil }
      let names = exempt.prefix(Self.headlineLimit).compactMap(\.stratum.name)
      let more = exempt.count > names.count && hasStrata ? [Words.count(exempt.count - names.count, "other")] : []
      let scope = names.isEmpty ? "" : " in \(Words.list(names + more))"
      return "The baseline breaks \(bound.text)\(scope) and is no allowed choice, so that the margin of "
        + "\(first.finding.guarded.metric.rawValue) does not apply."
    }
  }

  /// Returns the first of some findings with their strata, and the number of the others.
  private func named(_ items: [Item]) -> String {
    var texts = items.prefix(Self.headlineLimit).map { $0.stratumPrefix + reason($0.finding) }
    let more = items.count - texts.count
    if more > 0 { texts.append(Words.count(more, "more comparison")) }
    return texts.joined(separator: "; ") + "."
  }

  /// The kept guards, a clause each, with the change that is nearest to the limit.
  private var kept: String {
    let order = worstFirst
    let clauses = result.rule.guards.compactMap { guarded -> String? in
      let own = order.filter { $0.finding.guarded == guarded && $0.finding.waiver == nil && $0.finding.outcome != .exempt }
      guard own.count > 1, let first = own.first else { return own.first.map { $0.stratumPrefix + reason($0.finding) } }
      let strata = own.count { !$0.stratum.isWhole }
      let scope = "in any of \(strata) strata" + (strata < own.count ? " or in the weighted whole" : "")
      let promise =
        guarded.bound == nil ? "does not \(guarded.side.rawValue) by more than \(margin(guarded))" : "keeps \(guarded.limitText)"
      return "\(guarded.metric.rawValue) \(promise) \(scope), nearest to it in "
        + "\(first.stratum.name ?? ""): \(change(first.finding))"
    }
    let waived = order.filter { $0.finding.waiver != nil }.map { $0.stratumPrefix + reason($0.finding) + " (with a waiver)" }
    return (clauses + waived).filter { !$0.isEmpty }.joined(separator: "; ") + "."
  }

  /// The sentence about metrics that are equal in all pairs: all metrics, or the guarded ones alone.
  private var equal: String {
    let count = "all \(result.pairCount) pairs" + (hasStrata ? " of every stratum" : "")
    let guarded = result.rule.guards.map(\.metric)
    let pairs = result.strata.flatMap(\.pairs)
    // Bytes and waits come before counts of requests, because users notice them first.
    let first = [Metric.loadersPer1000, .bytesReceived, .waitMsMean]
    let differing = (first + Metric.allCases.filter { !first.contains($0) }).filter { metric in
      !guarded.contains(metric) && pairs.contains { $0.baseline[metric] != $0.candidate[metric] }
    }.map(\.rawValue)
    let names = guarded.map(\.rawValue).joined(separator: ", ")
    let same = "\(names) \(guarded.count == 1 ? "is" : "are") equal in \(count); "
    switch differing.count {
    case 0: return "The candidate equals the baseline in \(count)."
    case 1: return same + "\(differing[0]) is not."
    case 2: return same + "\(differing[0]) and \(differing[1]) are not."
    default: return same + "\(differing[0]) and \(differing.count - 1) other metrics are not."
    }
  }

  // MARK: Findings

  /// Returns the clause about one finding, without a full stop.
  func reason(_ finding: GateFinding) -> String {
    let (metric, side) = (finding.guarded.metric.rawValue, finding.guarded.side.rawValue)
    if let fault = finding.fault { return "\(metric) has no verdict, because \(fault)" }
    if finding.guarded.bound != nil { return reason(ofBound: finding) }
    if let bound = finding.baselineBound, finding.outcome == .inconclusive {
      return "\(metric) \(side)s by more than \(limit(finding)), but \(finding.pairs) \(unit) do not tell whether the baseline keeps "
        + "\(bound.text): \(change(finding))"
    }
    switch finding.outcome {
    case .exempt:
      return "\(metric) has no margin, because the baseline breaks \(finding.baselineBound?.text ?? "a bound") and is no allowed choice: "
        + "\(change(finding))"
    case .worse: return "\(metric) \(side)s by more than \(limit(finding)): \(change(finding))"
    case .notWorse: return "\(metric) does not \(side) by more than \(limit(finding)): \(change(finding))"
    case .better: return "\(metric) is better than the baseline's: \(change(finding))"
    case .unfit: return "\(metric) has no verdict"
    case .identical: return finding.pairs == 0 ? "\(metric): both sides are the same scenario" : "\(metric) is equal in every pair"
    case .inconclusive:
      return "\(metric): \(finding.pairs) \(unit) do not tell whether it \(side)s by more than \(limit(finding)): \(change(finding))"
        + needed(finding)
    }
  }

  /// Returns the clause about a bound on the candidate's mean.
  private func reason(ofBound finding: GateFinding) -> String {
    let (metric, distance) = (finding.guarded.metric.rawValue, "\(change(finding)) from the bound")
    switch finding.outcome {
    case .worse: return "\(metric) breaks \(finding.guarded.limitText): \(distance)"
    case .notWorse, .better, .identical, .exempt, .unfit: return "\(metric) keeps \(finding.guarded.limitText): \(distance)"
    case .inconclusive:
      return "\(metric): \(finding.pairs) \(unit) do not tell whether it keeps \(finding.guarded.limitText): \(distance)\(needed(finding))"
    }
  }

  private var unit: String { result.blocks == nil ? "pairs" : "blocks" }

  private func needed(_ finding: GateFinding) -> String {
    finding.pairsNeeded.map { "; about \($0) \(unit) would settle it if mean and spread stay as they are" } ?? ""
  }

  /// Returns the change with its interval: in per cent if the limit is, otherwise in the metric's unit, or if there is no per cent.
  func change(_ finding: GateFinding) -> ShownNumber {
    let (value, interval, _, suffix) = Self.shown(finding)
    let decimals = decimals[ChangeUnit(metric: finding.guarded.metric, suffix: suffix)] ?? Self.decimals([finding])
    return .change(value, interval, decimals, unit: suffix)
  }

  /// Returns the change as `change` shows it, and the most decimals of its unit.
  private static func shown(_ finding: GateFinding) -> (value: Double, interval: ConfidenceInterval?, limit: Int, suffix: String) {
    if !finding.isFloorDecisive, case .percent = finding.guarded.margin, let percent = finding.percent,
      finding.percentInterval != nil || finding.differenceInterval == nil
    {
      return (percent, finding.percentInterval, Digits.percent, " %")
    }
    let unit = finding.guarded.metric.shown
    return (finding.difference * unit.scale, finding.differenceInterval?.scaled(by: unit.scale), unit.decimals, unit.suffix)
  }

  /// Returns the decimals of changes of one metric in one unit.
  private static func decimals(_ findings: [GateFinding]) -> Int {
    let changes = findings.map(shown)
    let limits = zip(findings, changes).map { finding, change in
      if change.suffix == " %", case .percent(let percent) = finding.guarded.margin { return percent }
      return finding.guarded.limit(baselineMean: finding.baselineMean ?? 0) * finding.guarded.metric.shown.scale
    }
    return Precision.decimals(
      changes.map { ($0.value, $0.interval) }, limit: changes[0].limit, references: [0] + limits + limits.map { -$0 })
  }

  /// Returns the limit in words: the margin, in per cent also as an amount, with its floor if that decides.
  private func limit(_ finding: GateFinding) -> String {
    let (guarded, margin) = (finding.guarded, Self.amount(finding.guarded.margin, of: finding.guarded.metric))
    guard case .percent(let percent) = guarded.margin, percent > 0, let mean = finding.baselineMean else { return margin }
    let unit = guarded.metric.shown
    func number(_ value: Double) -> String { DecimalText.trimmed(value * unit.scale, decimals: max(2, unit.decimals)) }
    let own = "\(number(finding.marginAmount))\(unit.suffix.isEmpty ? " \(guarded.metric.unit)" : unit.suffix)"
    guard finding.isFloorDecisive else { return "\(margin) (\(own))" }
    let share = mean > 0 ? ", \(DecimalText.trimmed(finding.floor / mean * 100, decimals: 1)) % of the baseline" : ""
    return "\(margin) (\(own); the floor makes it \(number(finding.floor))\(share))"
  }

  /// Returns the margin in words, with its floor.
  private func margin(_ guarded: GateGuard) -> String {
    let margin = Self.amount(guarded.margin, of: guarded.metric)
    guard let floor = guarded.floor else { return "\(margin) (or its floor)" }
    return floor > 0 ? "\(margin) (at least \(DecimalText.exact(floor)) \(guarded.metric.unit))" : margin
  }

  private static func amount(_ margin: Margin, of metric: Metric) -> String {
    guard case .absolute(let value) = margin else { return margin.text }
    let unit = metric.shown
    if unit.scale != 1, value >= 1 / unit.scale { return DecimalText.exact(value * unit.scale) + unit.suffix }
    return "\(margin.text) \(metric.unit)"
  }

  var method: String {
    let rule = result.rule
    let floors = rule.guards.filter { $0.floor != 0 }.map { guarded in
      let amount = guarded.floor.map { "\(DecimalText.exact($0)) \(guarded.metric.unit) (--floor)" }
      return " The margin of \(guarded.metric.rawValue) is at least "
        + (amount ?? "√(1 + s²) / 5, with s the noise of the baseline's sessions, but at most 1; --floor sets another amount") + "."
    }.joined()
    if let blocks = result.blocks { return method(ofBlocks: blocks) + floors }
    if result.isSame, result.pairCount == 0 { return "Nothing was run: both sides are the same scenario.\(floors)" }
    if result.isDeterministic { return "The scenario has no randomness: one pair of runs is exact.\(floors)" }
    let rate = Words.percent(rule.falseAlarmRate)
    let perStratum = hasStrata ? " in each stratum" : ""
    let looks = rule.looks.count == 1 ? "its one look" : "all \(rule.looks.count) looks"
    let pairs =
      "\(result.pairCount) pairs of runs on common seeds\(perStratum), of at most \(rule.limit). Intervals hold at "
      + "\(Words.percent(rule.confidence)) at \(looks): at most \(rate) of candidates that are exactly at "
      + "the margin are called worse, and at most \(rate) of those beyond it pass, if differences are no more skewed than a lognormal "
      + "distribution with σ = 1 and no outcome is rarer than 1 session in 10."
    return pairs + family + floors
  }

  /// The sentence about several comparisons; empty for one.
  var family: String {
    let count = result.rule.comparisons
    guard count > 1 else { return "" }
    return " \(count) comparisons (\(counted)) are judged: a pass needs all of them to be not worse, so each may use the whole error; a "
      + "regression may come from any, so each uses 1/\(count) of the error (Bonferroni)."
  }

  /// The numbers of guards and strata in words.
  private var counted: String {
    let guards = Words.count(result.rule.guards.count, "guard")
    let judged = result.strata.filter { !$0.findings.isEmpty }
    let strata = judged.count { !$0.isWhole }
    guard hasStrata, strata > 0 else { return guards }
    return "\(guards) in \(Words.count(strata, "stratum", "strata"))" + (strata < judged.count ? " and the weighted whole" : "")
  }

  var notes: [String] {
    var notes = result.warnings + result.waivers.map(text)
    if result.blocks != nil, result.isSame { notes.append("Both sides have the same settings, so that the check judges the devices.") }
    notes += contradictions.map { "\($0)." }
    let doubtful = (hasStrata ? worstFirst : items).filter { $0.finding.isSettled && !$0.finding.warnings.isEmpty }
    for item in doubtful.prefix(Self.warningLimit) {
      for warning in item.finding.warnings { notes.append("\(item.stratumPrefix)\(item.finding.guarded.metric.rawValue): \(warning)") }
    }
    let equal = items.filter { item in
      let isSame = item.stratum.isWhole ? result.isSame : item.stratum.isSame
      return !item.stratum.isDeterministic && !isSame && item.finding.outcome == .identical
    }
    if let first = equal.first {
      let metrics = result.rule.guards.map(\.metric).filter { metric in equal.contains { $0.finding.guarded.metric == metric } }
      let share = GateRule.hiddenShare(pairs: first.finding.pairs, error: result.rule.falseAlarmRate)
      notes.append(
        "The settings differ, but all pairs are equal in \(metrics.map(\.rawValue).joined(separator: ", ")): a difference in fewer than "
          + "\(DecimalText.fixed(share * 100, decimals: 1)) % of sessions may be absent from \(first.finding.pairs) pairs.")
    }
    if [.inconclusive, .unfit].contains(result.outcome) {
      let word = result.outcome == .unfit ? "An unfit instrument" : "Inconclusive"
      notes.append(result.isStrict ? "\(word) counts as failed (--strict)." : "\(word) passes; --strict makes it fail with status 4.")
    }
    return notes
  }

  /// Returns the sentences about a waiver: what it allows, why, and whether the candidate needs it.
  private func text(_ waiver: GateWaiver) -> String {
    let name = "waiver of \(waiver.guarded.text)" + (waiver.stratum.map { " in \($0)" } ?? "")
    if waiver.isExpired { return "The \(name) ended on \(waiver.until) and has no effect: \(waiver.reason)." }
    let finding = items.first { $0.finding.waiver == waiver }?.finding
    let use: String? =
      switch finding?.outcomeWithoutWaiver {
      case .worse: finding?.isWaived == true ? "The candidate passes there by the waiver alone." : nil
      case .notWorse, .better, .identical: "The candidate does not need it."
      default: nil
      }
    return ["The \(name) allows \(waiver.wider.limitText) until \(waiver.until): \(waiver.reason).", use].compactMap { $0 }.joined(
      separator: " ")
  }

  /// Returns the table of at most `limit` findings, worst first if there are strata.
  func table(limit: Int = .max) -> Table {
    var table = Table(
      columns: (hasStrata ? [Table.Column("stratum", id: .stratum)] : []) + [
        Table.Column("guard", id: .guarded), .right("baseline", id: .baseline), .right("candidate", id: .candidate),
        .right("change", id: .difference, level: Words.percent(result.rule.confidence)),
      ] + (hasPredictions ? [.right("predicted")] : []) + ["verdict"])
    for item in (hasStrata ? worstFirst : items).prefix(limit) {
      let finding = item.finding
      let unit = finding.guarded.metric.shown
      let interval = finding.differenceInterval?.scaled(by: unit.scale)
      let decimals = Precision.decimals([(finding.difference * unit.scale, interval)], limit: unit.decimals)
      let means: [Table.Value] = [finding.baselineMean, finding.pairs == 0 ? nil : finding.candidateMean].map { mean in
        mean.map { .number(ShownNumber($0 * unit.scale, decimals: decimals, unit: unit.suffix)) } ?? "none"
      }
      let name = (item.stratum.name ?? "") + (item.stratum.isWhole ? " (weighted)" : "")
      var change = change(finding)
      if finding.guarded.bound != nil { change.label = "from the bound: " }
      let predicted: [Table.Value] = hasPredictions ? [prediction(finding).map { .number($0) } ?? "none"] : []
      table.append(
        ((hasStrata ? [.text(name)] : []) + [.text(finding.guarded.text)] + means + [.number(change)] + predicted).map { Table.Cell($0) }
          + [Table.Cell(Self.verdict(finding), style: finding.outcome == .worse ? .bad : finding.outcome == .better ? .good : .plain)])
    }
    return table
  }

  /// Returns the word of a table for a finding's outcome.
  private static func verdict(_ finding: GateFinding) -> String { finding.isWaived ? "waived" : finding.outcome.rawValue }

  /// The steps that make the table narrower; stratum, guard and verdict stay.
  static let steps: [Table.Step] = {
    let names = (6...24).reversed().flatMap { width in [.stratum, .guarded].map { Table.Step.truncate([$0], width) } }
    return [.omit([.baseline]), .omit([.candidate]), .omitIntervals(.difference)] + names.prefix(32) + [.omit([.difference])]
      + names.dropFirst(32)
  }()

  /// Returns a sentence about the rows beyond `limit`; nil if there are none.
  func rest(limit: Int) -> String? {
    let left = worstFirst.dropFirst(limit)
    guard !left.isEmpty else { return nil }
    let words = [GateFinding.Outcome.worse, .unfit, .inconclusive, .notWorse, .better, .identical, .exempt].compactMap { outcome in
      let count = left.count { $0.finding.outcome == outcome }
      return count > 0 ? "\(count) \(outcome.rawValue)" : nil
    }
    return "\(Words.count(left.count, "more comparison")): \(words.joined(separator: ", ")); --json has them all."
  }

  /// Returns the parts of the scenario in which strata differ, in the sweep's order; of more than `limit` strata, those of the worst.
  func heads(limit: Int) -> [(name: String, lines: [SweepDescription.HeadLine])] {
    var strata = result.strata
    if strata.count > limit {
      var seen = Set<String?>()
      strata = worstFirst.map(\.stratum).prefix(limit).filter { seen.insert($0.name).inserted }
    }
    return strata.filter { !$0.isWhole && !$0.head.isEmpty }.map { ($0.name ?? "", $0.head) }
  }
}
