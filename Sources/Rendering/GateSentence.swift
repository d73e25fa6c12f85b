// The sentences of a gate: the same for a terminal, a code host, a test report and a machine.

import Analysis

/// The sentences of a gate.
struct GateSentence {
  let result: GateResult

  /// A finding and the stratum that it is of.
  struct Item {
    let stratum: GateResult.Stratum
    let finding: GateFinding
  }

  /// So many findings are in a headline; of more it says how many.
  private static let headlineLimit = 3
  /// So many findings have their warnings shown; JSON has all.
  private static let warningLimit = 5

  /// True if the sweep has strata, or one of them was chosen.
  var hasStrata: Bool { result.strata.contains { $0.name != nil } }

  /// All findings, the whole's first, then stratum by stratum.
  var items: [Item] { result.strata.flatMap { stratum in stratum.findings.map { Item(stratum: stratum, finding: $0) } } }

  /// All findings, the worst first: broken guards, then those that are open, each by how far they are beyond the limit.
  var worstFirst: [Item] {
    func rank(_ item: Item) -> Int {
      switch item.finding.outcome {
      case .worse: 0
      case .inconclusive: 1
      default: 2
      }
    }
    let ranked = items.enumerated().map { (offset: $0, item: $1, rank: rank($1), excess: excess($1.finding)) }
    return ranked.sorted { ($0.rank, -$0.excess, $0.offset) < ($1.rank, -$1.excess, $1.offset) }.map(\.item)
  }

  /// The distance of a mean beyond its limit on the bad side, as a share of the baseline's mean.
  private func excess(_ finding: GateFinding) -> Double {
    let change = finding.guarded.side == .rise ? finding.difference : -finding.difference
    let limit = finding.guarded.limit(baselineMean: finding.baselineMean)
    let size = max(finding.baselineMean.magnitude, limit)
    return size > 0 ? (change - limit) / size : change
  }

  /// The answer in one sentence.
  var headline: String {
    switch result.outcome {
    case .failed:
      let count = result.failures.count
      return "\(count) \(count == 1 ? "pair" : "pairs") of runs failed, so nothing is said of the candidate."
    case .regression: return named(worstFirst.filter { $0.finding.outcome == .worse })
    case .inconclusive:
      let open = worstFirst.filter { !$0.finding.isSettled }
      return hasTooFewPairs ? "\(tooFewPairs). So far \(named(open, clause: soFar))" : named(open)
    case .passed:
      if result.isSame {
        return hasStrata
          ? "The candidate is the baseline: both resolve to the same scenario in every stratum."
          : "The candidate is the baseline: both resolve to the same scenario."
      }
      if items.allSatisfy({ $0.finding.outcome == .identical }) { return equal }
      return hasStrata ? kept : items.map { reason($0.finding) }.joined(separator: "; ") + "."
    }
  }

  /// The first of some findings, with their strata, and how many more there are.
  private func named(_ items: [Item], clause: ((GateFinding) -> String)? = nil) -> String {
    var texts = items.prefix(Self.headlineLimit).map { place($0) + (clause ?? reason)($0.finding) }
    let more = items.count - texts.count
    if more > 0 { texts.append("\(more) more \(more == 1 ? "comparison" : "comparisons")") }
    return texts.joined(separator: "; ") + "."
  }

  /// Before what is found in a stratum, its name.
  private func place(_ item: Item) -> String { item.stratum.name.map { "\($0): " } ?? "" }

  /// The guards that are kept in all strata, a clause each, with the change that is nearest to the limit.
  private var kept: String {
    let order = worstFirst
    let clauses = result.rule.guards.map { guarded -> String in
      let own = order.filter { $0.finding.guarded == guarded }
      guard own.count > 1, let first = own.first else { return own.first.map { place($0) + reason($0.finding) } ?? "" }
      let verb = guarded.side == .rise ? "does not rise" : "does not fall"
      let strata = own.count { !$0.stratum.isWhole }
      let scope = "in any of \(strata) strata" + (strata < own.count ? " or in the weighted whole" : "")
      return "\(guarded.metric.rawValue) \(verb) by more than \(margin(guarded)) \(scope), nearest to it in "
        + "\(first.stratum.name ?? ""): \(change(first.finding))"
    }
    return clauses.filter { !$0.isEmpty }.joined(separator: "; ") + "."
  }

  /// The metrics that are equal in all pairs: all, or the guarded ones alone.
  private var equal: String {
    let count = "all \(result.pairCount) pairs" + (hasStrata ? " of every stratum" : "")
    let guarded = result.rule.guards.map(\.metric)
    let differing = differingMetrics.filter { !guarded.contains($0) }
    guard let first = differing.first else { return "The candidate shows the same as the baseline in \(count)." }
    let names = guarded.map(\.rawValue).joined(separator: ", ")
    let others =
      switch differing.count {
      case 1: "\(first.rawValue) is not"
      case 2: "\(first.rawValue) and \(differing[1].rawValue) are not"
      default: "\(first.rawValue) and \(differing.count - 1) other metrics are not"
      }
    return "\(names) \(guarded.count == 1 ? "is" : "are") the same in \(count); \(others)."
  }

  /// The metrics that are not equal in some pair, by which one would notice first: bytes and waits before counts of requests.
  private var differingMetrics: [Metric] {
    let pairs = result.strata.flatMap(\.pairs)
    let differing = Metric.allCases.filter { metric in pairs.contains { $0.baseline[metric.index] != $0.candidate[metric.index] } }
    let first = [Metric.loadersPer1000, .bytesReceived, .waitMsMean]
    return first.filter(differing.contains) + differing.filter { !first.contains($0) }
  }

  /// One word for the whole gate.
  var word: String {
    switch result.outcome {
    case .passed: "PASSED"
    case .regression: "REGRESSION"
    case .inconclusive: "INCONCLUSIVE"
    case .failed: "FAILED"
    }
  }

  /// What is found of one guard, without a full stop.
  func reason(_ finding: GateFinding) -> String {
    let metric = finding.guarded.metric.rawValue
    let (rises, limit) = (finding.guarded.side == .rise ? "rises" : "falls", limit(finding))
    switch finding.outcome {
    case .worse: return "\(metric) \(rises) by more than \(limit): \(change(finding))"
    case .notWorse:
      return "\(metric) \(finding.guarded.side == .rise ? "does not rise" : "does not fall") by more than \(limit): \(change(finding))"
    case .better: return "\(metric) is better than the baseline's: \(change(finding))"
    case .identical: return "\(metric) is the same in every pair"
    case .inconclusive where hasTooFewPairs: return "\(tooFewPairs): so far \(soFar(finding))"
    case .inconclusive:
      let needed = finding.pairsNeeded.map { "; about \($0) pairs would tell, if mean and spread stay as they are" }
      return "\(metric): \(finding.pairs) pairs do not tell whether it \(rises) by more than \(limit): \(change(finding))"
        + (needed ?? "")
    }
  }

  /// True if the gate may not run as many pairs as a verdict needs.
  private var hasTooFewPairs: Bool { result.rule.limit < result.rule.fewestPairs }

  private var tooFewPairs: String {
    let fewest = result.rule.fewestPairs
    return "This gate gives no verdict on fewer than \(fewest) pairs, and --repeats allows \(result.rule.limit); "
      + "write --repeats \(fewest) or more"
  }

  /// What too few pairs show, without a verdict.
  private func soFar(_ finding: GateFinding) -> String {
    "\(finding.guarded.metric.rawValue) \(change(finding)) in \(finding.pairs) \(finding.pairs == 1 ? "pair" : "pairs")"
  }

  /// The change with its interval: in per cent where the limit is, in the metric's unit where not, or where there is no per cent.
  func change(_ finding: GateFinding) -> String {
    if !finding.isFloorDecisive, let percent = percentChange(finding), case .percent = finding.guarded.margin { return percent }
    let unit = GateUnit(finding.guarded.metric)
    let interval = finding.differenceInterval?.scaled(by: unit.scale)
    let value = Precision.signed(finding.difference * unit.scale, interval, limit: unit.decimals)
    let ends = Precision.signedEnds(interval, limit: unit.decimals)
    return [value + unit.suffix, ends].filter { !$0.isEmpty }.joined(separator: " ")
  }

  private func percentChange(_ finding: GateFinding) -> String? {
    guard let percent = finding.percent, finding.percentInterval != nil || finding.differenceInterval == nil else { return nil }
    let value = Precision.signed(percent, finding.percentInterval, limit: Digits.percent)
    let ends = Precision.signedEnds(finding.percentInterval, limit: Digits.percent)
    return "\(value) %" + (ends.isEmpty ? "" : " \(ends)")
  }

  /// The limit in words: the margin, or its floor where that decides.
  private func limit(_ finding: GateFinding) -> String {
    let guarded = finding.guarded
    guard finding.isFloorDecisive else { return Self.amount(guarded.margin, of: guarded.metric) }
    return Self.amount(.absolute(guarded.floor), of: guarded.metric)
  }

  /// The margin in words, with its floor.
  private func margin(_ guarded: GateGuard) -> String {
    let margin = Self.amount(guarded.margin, of: guarded.metric)
    return guarded.floor > 0 ? "\(margin) (at least \(DecimalText.exact(guarded.floor)) \(guarded.metric.unit))" : margin
  }

  private static func amount(_ margin: Margin, of metric: Metric) -> String {
    switch margin {
    case .percent: return margin.text
    case .absolute(let value):
      let unit = GateUnit(metric)
      if unit.scale != 1, value >= 1 / unit.scale { return DecimalText.exact(value * unit.scale) + unit.suffix }
      return "\(margin.text) \(metric.unit)"
    }
  }

  /// How it was judged.
  var method: String {
    let rule = result.rule
    let floors = rule.guards.filter { $0.floor > 0 }.map {
      " The margin of \($0.metric.rawValue) is at least \(DecimalText.exact($0.floor)) \($0.metric.unit) (--floor)."
    }.joined()
    if result.isDeterministic { return "The scenario has no randomness: one pair of runs is exact.\(floors)" }
    let rate = ConfidenceText.percent(rule.falseAlarmRate)
    let places = hasStrata ? " in each stratum" : ""
    let pairs =
      "\(result.pairCount) pairs of runs on common seeds\(places), of at most \(rule.limit). Intervals hold at "
      + "\(ConfidenceText.percent(rule.confidence)) at \(rule.looks.count == 1 ? "its one look" : "all \(rule.looks.count) looks"): at most \(rate) of candidates that are exactly at "
      + "the margin are called worse, and at most \(rate) of those beyond it are let through."
    let count = rule.comparisons
    let family =
      count == 1
      ? ""
      : " \(count) comparisons (\(counted)) are judged: a pass needs all of them to be settled as not worse, so each may use the whole error "
        + "for that, and a regression may come from any, so each uses 1/\(count) of it for that (Bonferroni)."
    return pairs + family + floors
  }

  /// The numbers of guards and strata, and the whole.
  private var counted: String {
    let guards = "\(result.rule.guards.count) \(result.rule.guards.count == 1 ? "guard" : "guards")"
    let judged = result.strata.filter { !$0.findings.isEmpty }
    let strata = judged.count { !$0.isWhole }
    guard hasStrata, strata > 0 else { return guards }
    let whole = judged.contains { $0.isWhole } ? " and the weighted whole" : ""
    return "\(guards) in \(strata) \(strata == 1 ? "stratum" : "strata")\(whole)"
  }

  /// What the sides differ in, a line each; empty if in nothing.
  var changes: [String] {
    result.changes.map { "\($0.path): \($0.baseline ?? "none") → \($0.candidate ?? "none")" }
  }

  /// What the reader must know.
  var notes: [String] {
    var notes = result.warnings
    let doubtful = (hasStrata ? worstFirst : items).filter { $0.finding.isSettled && !$0.finding.warnings.isEmpty }
    for item in doubtful.prefix(Self.warningLimit) {
      for warning in item.finding.warnings { notes.append("\(place(item))\(item.finding.guarded.metric.rawValue): \(warning)") }
    }
    let equal = items.filter { !$0.stratum.isDeterministic && !isSame($0.stratum) && $0.finding.outcome == .identical }
    if let first = equal.first {
      let metrics = result.rule.guards.map(\.metric).filter { metric in equal.contains { $0.finding.guarded.metric == metric } }
      let share = GateRule.hiddenShare(pairs: first.finding.pairs, error: result.rule.falseAlarmRate)
      notes.append(
        "The settings differ and \(metrics.map(\.rawValue).joined(separator: ", ")) shows the same: a difference in fewer than "
          + "\(DecimalText.fixed(share * 100, decimals: 1)) % of sessions could hide in \(first.finding.pairs) pairs.")
    }
    if result.outcome == .inconclusive {
      notes.append(
        result.isStrict
          ? "Inconclusive counts as failed (--strict)." : "Inconclusive is let through; --strict makes it fail with status 4.")
    }
    return notes
  }

  /// True if both sides are the same scenario in a stratum, or in all that the whole is made of.
  private func isSame(_ stratum: GateResult.Stratum) -> Bool { stratum.isWhole ? result.isSame : stratum.isSame }
}

/// How a guarded metric is shown.
struct GateUnit {
  let scale: Double
  let suffix: String
  let decimals: Int

  init(_ metric: Metric) {
    let isBytes = metric.unit == "bytes"
    scale = isBytes ? 1e-6 : 1
    suffix = isBytes ? " MB" : metric.unit == "ms" ? " ms" : ""
    decimals = isBytes ? Digits.megabytes : max(1, metric.decimals)
  }
}
