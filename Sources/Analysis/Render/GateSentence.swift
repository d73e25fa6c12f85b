// What a gate comes to, in sentences: the same for a terminal, a code host, a test report and a machine.

/// The sentences of a gate.
struct GateSentence {
  let result: GateResult

  /// The answer in one sentence.
  var headline: String {
    let findings = result.findings
    let worse = findings.filter { $0.outcome == .worse }
    let open = findings.filter { !$0.isSettled }
    switch result.outcome {
    case .failed:
      let count = result.failures.count
      return "\(count) \(count == 1 ? "pair" : "pairs") of runs failed, so nothing is said of the candidate."
    case .regression: return worse.map { reason($0) }.joined(separator: "; ") + "."
    case .inconclusive: return open.map { reason($0) }.joined(separator: "; ") + "."
    case .passed:
      if findings.allSatisfy({ $0.outcome == .identical }) {
        return result.baseline.point == result.candidate.point
          ? "The candidate is the baseline: both resolve to the same scenario."
          : "The candidate shows the same as the baseline in all \(result.pairs.count) pairs."
      }
      return findings.map { reason($0) }.joined(separator: "; ") + "."
    }
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
    case .inconclusive:
      let needed = finding.pairsNeeded.map { "; about \($0) pairs would tell, if mean and spread stay as they are" }
      return "\(metric): \(finding.pairs) pairs do not tell whether it \(rises) by more than \(limit): \(change(finding))"
        + (needed ?? "")
    }
  }

  /// The change with its interval: in per cent where the margin is, in the metric's unit where not, or where there is no per cent.
  func change(_ finding: GateFinding) -> String {
    if let percent = percentChange(finding), case .percent = finding.guarded.margin { return percent }
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

  /// A mean with the digits that the difference supports.
  func mean(_ value: Double, _ finding: GateFinding) -> String {
    let unit = GateUnit(finding.guarded.metric)
    return Precision.text(value * unit.scale, finding.differenceInterval?.scaled(by: unit.scale), limit: unit.decimals) + unit.suffix
  }

  private func limit(_ finding: GateFinding) -> String {
    switch finding.guarded.margin {
    case .percent: finding.guarded.margin.text
    case .absolute: "\(finding.guarded.margin.text) \(finding.guarded.metric.unit)"
    }
  }

  /// How it was judged.
  var method: String {
    if result.isDeterministic { return "The scenario has no randomness: one pair of runs is exact." }
    let rule = result.rule
    let family = rule.guards.count == 1 ? "" : " and for all \(rule.guards.count) guards at once (Bonferroni)"
    return "\(result.pairs.count) pairs of runs on common seeds, of at most \(rule.limit). Intervals hold at "
      + "\(ConfidenceText.percent(rule.confidence)) at all \(rule.looks.count) looks\(family): at most "
      + "\(ConfidenceText.percent(rule.falseAlarmRate)) of candidates that are exactly at the margin are called worse."
  }

  /// What the sides differ in, a line each; empty if in nothing.
  var changes: [String] {
    result.changes.map { "\($0.path): \($0.baseline ?? "none") → \($0.candidate ?? "none")" }
  }

  /// What the reader must know.
  var notes: [String] {
    var notes = result.warnings
    for finding in result.findings where finding.isSettled {
      for warning in finding.warnings { notes.append("\(finding.guarded.metric.rawValue): \(warning)") }
    }
    let isSame = result.isDeterministic || result.baseline.point == result.candidate.point
    if !isSame, result.findings.contains(where: { $0.outcome == .identical }) {
      let share = GateRule.hiddenShare(pairs: result.pairs.count, error: result.rule.falseAlarmRate)
      notes.append(
        "The settings differ and show the same: a difference in fewer than \(DecimalText.fixed(share * 100, decimals: 1)) % of sessions "
          + "could hide in \(result.pairs.count) pairs.")
    }
    if result.outcome == .inconclusive {
      notes.append(
        result.isStrict
          ? "Inconclusive counts as failed (--strict)." : "Inconclusive is let through; --strict makes it fail with status 4.")
    }
    return notes
  }

  /// The guards as a table.
  var table: Table {
    var table = Table(columns: [
      Table.Column("guard"), Table.Column("baseline", .right), Table.Column("candidate", .right),
      Table.Column("change [\(ConfidenceText.percent(result.rule.confidence))]", .right), Table.Column("verdict"),
    ])
    for finding in result.findings {
      let style: Table.Style =
        switch finding.outcome {
        case .worse: .bad
        case .better: .good
        default: .plain
        }
      let cells = [
        finding.guarded.text, mean(finding.baselineMean, finding), mean(finding.candidateMean, finding), change(finding),
        finding.outcome.rawValue,
      ]
      table.append(cells.map { Table.Cell($0, style: style) })
    }
    return table
  }
}

/// How a guarded metric is shown.
private struct GateUnit {
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
