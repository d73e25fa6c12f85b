// report.md: the question, the answer in one sentence, the table best first, why loaders were shown, how to run a row again.

import Analysis

/// Writes `report.md`.
enum MarkdownReport {
  /// The whole file, ended by a line feed.
  static func text(_ summary: SweepSummary, sweep: SweepDescription, charts: Charts) -> String {
    let names = PointNames(axes: summary.axes, sweep: sweep)
    var notes = Footnotes()
    var general: [String] = []
    for note in generalNotes(summary, sweep: sweep) where !general.contains(note) { general.append(note) }
    let marks = general.map { notes.mark($0) }.joined()
    var parts = ["# \(SafeText.markdown(sweep.name))", SafeText.markdown(sweep.question, opensBlock: true)]
    parts.append(StrataHeadline(summary, names: names, sweep: sweep, markup: .markdown).text + marks)
    parts.append(head(summary, sweep: sweep).markdown)
    if let strata = summary.strata {
      parts += StrataSections.text(summary, strata, names: names, charts: charts.strata, notes: &notes)
    } else {
      parts += fresh(summary, names: names, notes: &notes)
      parts.append("## Points, best first")
      parts += points(summary, names: names, notes: &notes)
    }
    parts += pivots(summary, names: names, sweep: sweep)
    parts += reasons(summary, names: names)
    parts += reproduction(summary, names: names, sweep: sweep)
    if !notes.texts.isEmpty { parts.append(notes.definitions) }
    return parts.map { $0.hasSuffix("\n") ? $0 : $0 + "\n" }.filter { $0 != "\n" }.joined(separator: "\n")
  }

  // MARK: The head

  static func head(_ summary: SweepSummary, sweep: SweepDescription) -> Table {
    var table = Table(columns: [Table.Column("Scenario"), Table.Column("")])
    func add(_ label: String, _ text: String) {
      if !text.isEmpty { table.append([Table.Cell(label), Table.Cell(text)]) }
    }
    for line in sweep.head { add(line.label, line.text) }
    add("transport", sweep.transport)
    // A population is no choice of the team's, and stands in a line of its own.
    let population = sweep.strata?.kind == .population ? sweep.strata?.paths ?? [] : []
    add("swept", sweep.axes.filter { !population.contains($0.path) }.map { "\($0.path): \(values($0.values))" }.joined(separator: "; "))
    add("baseline", baseline(sweep) + origin(sweep.baseline, part: summary.strata?.memberName))
    if let strata = summary.strata { add(strata.kind == .models ? "models" : "strata", StrataSections.rule(strata)) }
    add("points", String(summary.strata?.gridOrder.count ?? summary.points.count))
    add("repetitions", RepetitionText.rule(sweep))
    add("runs", RepetitionText.fraction(summary, sweep: sweep))
    if let confirm = sweep.confirm {
      let place = sweep.hasSeparateStrata ? " of each \(summary.strata?.memberName ?? "stratum")" : ""
      add(
        "confirmed",
        "\(confirmedPoints(confirm, summary, sweep: sweep))\(place) and the baseline, \(RepetitionText.fresh(confirm, summary, sweep: sweep))"
      )
    }
    add("seed", String(sweep.seed))
    add("family", family(summary))
    add("verdicts", verdictRule(summary))
    add("program", "\(sweep.program.name), model \(sweep.program.modelVersion)")
    return table
  }

  /// The points that are confirmed beside the baseline; the sweep may have fewer than it asks for.
  private static func confirmedPoints(_ confirm: SweepDescription.Confirm, _ summary: SweepSummary, sweep: SweepDescription) -> String {
    let parts = sweep.hasSeparateStrata ? summary.strata?.members.map(\.summary) ?? [] : [summary]
    let others = parts.map { $0.points.count { !$0.isBaseline } }.max() ?? 0
    guard others <= confirm.best, others > 0 else { return confirm.best == 1 ? "the best point" : "the best \(confirm.best) points" }
    return others == 1 ? "the other point" : others == 2 ? "both other points" : "all \(others) other points"
  }

  /// The baseline's prefetcher, and its values of the axes outside of this that are no strata.
  private static func baseline(_ sweep: SweepDescription) -> String {
    let strata = sweep.strata?.paths ?? []
    let others = sweep.axes.indices.filter { index in
      let path = sweep.axes[index].path
      return path.hasPrefix("downloads.") || path.hasPrefix("feed.") || path.hasPrefix("network.") || path.hasPrefix("user.")
        ? !strata.contains(path) && sweep.baseline.axisValues.indices.contains(index) : false
    }
    let names = AxisNames.short(sweep.axes.map(\.path))
    let values = others.map { "\(names[$0]) \(sweep.baseline.axisValues[$0])" }.joined(separator: ", ")
    return [sweep.baseline.settings, values].filter { !$0.isEmpty }.joined(separator: "; ")
  }

  /// Where the baseline comes from, in brackets.
  private static func origin(_ baseline: SweepDescription.Baseline, part: String?) -> String {
    if baseline.isImplied == true {
      return " (the first point\(part.map { " of each \($0)" } ?? ""), since the sweep file names no baseline)"
    }
    return baseline.inGrid ? "" : " (added to the grid)"
  }

  /// All values of a short axis, the ends of a long one.
  private static func values(_ values: [String]) -> String {
    guard values.count > 12 else { return values.joined(separator: ", ") }
    return "\(values[0]), \(values[1]), … \(values[values.count - 1]) (\(values.count) values)"
  }

  /// What the verdicts hold for at once, and by which correction.
  private static func family(_ summary: SweepSummary) -> String {
    let size = familySize(summary)
    guard size > 1, !summary.isDeterministic else { return "" }
    let place = summary.strata.map { $0.kind == .models ? " of a model" : " of a stratum, and those of the whole" } ?? ""
    return "the \(size) comparisons with the baseline\(place); intervals by Bonferroni, p-values in summary.csv by Holm"
  }

  /// The number of comparisons of the whole, or of the largest stratum where there is none.
  private static func familySize(_ summary: SweepSummary) -> Int {
    summary.points.isEmpty ? summary.strata?.members.map(\.summary.familySize).max() ?? 0 : summary.familySize
  }

  private static func verdictRule(_ summary: SweepSummary) -> String {
    let size = familySize(summary)
    guard size > 0 else { return "" }
    let margin: String
    switch summary.margin {
    case .none: margin = "no margin"
    case .percent: margin = "margin \(summary.margin.text) of the baseline"
    case .absolute: margin = "margin \(MarginText.text(summary))"
    }
    if summary.isDeterministic { return "exact, \(margin)" }
    let level = ConfidenceText.percent(summary.confidence)
    guard size > 1 else { return "paired \(level) interval, \(margin)" }
    let parts = summary.points.isEmpty ? summary.strata?.members.map(\.summary) ?? [] : [summary]
    let hasEqual = parts.contains { $0.points.contains { $0.comparison?.equalPairs != nil } }
    let equal = hasEqual ? ", equal pairs judged one comparison at a time" : ""
    return "paired intervals at \(level) with Bonferroni's correction for the family\(equal), \(margin)"
  }

  /// The best points on fresh seeds; nothing where they were not run again.
  static func fresh(
    _ summary: SweepSummary, names: PointNames, of stratum: String = "", notes: inout Footnotes
  ) -> [String] {
    guard let confirmation = summary.confirmation else { return [] }
    return [
      "## \(SafeText.markdown(stratum.isEmpty ? "Fresh seeds" : "\(stratum), fresh seeds"))",
      FreshHeadline.table(summary, confirmation, names: names, notes: &notes).markdown,
    ]
  }

  // MARK: The points

  static func points(
    _ summary: SweepSummary, names: PointNames, notes: inout Footnotes, limit: Int = PointTable.rowLimit, hasLegend: Bool = true
  ) -> [String] {
    let builder = PointTable(summary: summary, names: names)
    let shown = builder.shown(limit: limit, top: PointTable.topCount)
    let parts = builder.usefulParts
    let marks = shown.map { index in rowNotes(summary.points[index], confidence: summary.confidence).map { notes.number($0) } }
    var texts = [builder.table(shown, parts: parts, marks: marks).markdown]
    if shown.count < summary.points.count {
      texts.append(
        "The best \(min(PointTable.topCount, shown.count)) of \(summary.points.count) points and the baseline; all of them are in `summary.csv`."
      )
    }
    if hasLegend { texts.append(legend(summary, shown, parts: parts)) }
    return texts
  }

  /// Explains what the rows of `shown` points contain, and nothing else.
  static func legend(_ summary: SweepSummary, _ shown: [Int], parts: [PointTable.Part]) -> String {
    var sentences: [String] = []
    let comparisons = shown.compactMap { summary.points[$0].comparison }
    if parts.contains(.difference), !summary.isDeterministic {
      var text = "Differences are to the baseline, paired by repetition"
      if comparisons.contains(where: { $0.differenceInterval != nil }) {
        text += ", with the interval of each point by itself" + (summary.familySize > 1 ? "; the verdict is stricter" : "")
      }
      sentences.append(text + ".")
      if summary.familySize > 1, comparisons.contains(where: { $0.equalPairs != nil }) {
        sentences.append("Equal pairs are judged one comparison at a time.")
      }
    } else if parts.contains(.difference) {
      sentences.append("Differences are to the baseline, and exact.")
    }
    if shown.contains(where: {
      summary.points[$0].repetitions < summary.baseline?.repetitions ?? 0 && !summary.points[$0].isDropped
    }) {
      sentences.append("Points of fewer repetitions stand where their difference to the baseline puts them.")
    }
    if summary.points.contains(where: \.isDropped) {
      sentences.append("Dropped points follow, the last one dropped first; they are not on the front.")
    }
    if parts.contains(.megabytes) { sentences.append(summary.schema.words.costMeaning) }
    if parts.contains(.front), shown.contains(where: { summary.points[$0].isOnFront }) {
      let counted = summary.schema.words.counted
      sentences.append("◆: on the front, where no other point shows fewer \(counted) at the same cost or less.")
    }
    if comparisons.contains(where: { $0.neededRepetitions != nil }) {
      sentences.append("Inconclusive: about so many more repetitions would tell, if mean and spread stay as they are.")
    }
    if parts.contains(.headroom) {
      sentences.append("Above bound: loaders per 1000 more than a clairvoyant prefetcher would have shown on the same link.")
    }
    return sentences.joined(separator: " ")
  }

  /// Two axes at a time, where not all points are listed.
  private static func pivots(_ summary: SweepSummary, names: PointNames, sweep: SweepDescription) -> [String] {
    let pivots = PivotTables(summary, names: names, sweep: sweep)
    guard !pivots.legend.isEmpty else { return [] }
    return ["## Two axes at a time", SafeText.markdown(pivots.legend)]
      + pivots.tables.flatMap { ["### \(SafeText.markdown($0.caption))", $0.table.markdown] }
  }

  // MARK: Reasons

  private static func reasons(_ whole: SweepSummary, names: PointNames) -> [String] {
    let (stratum, summary) = whole.principal
    guard let leader = summary.winner ?? summary.best.first else { return [] }
    var columns = [leader]
    if let baseline = summary.baseline, !leader.isBaseline { columns.append(baseline) }
    let shown = Metric.reasons.filter { reason in columns.contains { ($0.share(of: reason) ?? 0) > 0 } }
    guard !shown.isEmpty else { return [] }
    var table = Table(
      columns: [Table.Column("reason")]
        + columns.map { Table.Column($0.isBaseline ? "baseline" : names.name(of: $0), .right) } + [Table.Column("meaning")])
    for reason in shown {
      let shares = columns.map { Table.Cell($0.share(of: reason).map(ShareText.percent) ?? "no loaders") }
      table.append([Table.Cell(reason.rawValue)] + shares + [Table.Cell(reason.meaning)])
    }
    return ["## Why loaders were shown\(stratum.map { ", \(SafeText.markdown($0))" } ?? "")", table.markdown]
  }

  // MARK: Running a row again

  private static func reproduction(_ summary: SweepSummary, names: PointNames, sweep: SweepDescription) -> [String] {
    guard let (point, command) = reproduction(summary, sweep: sweep) else { return [] }
    let place = reproducedStratum(summary).map { ", \(SafeText.markdown($0))" } ?? ""
    let intro = "Repetition \(point.firstRun.repetition) of \(SafeText.markdown(names.name(of: point)))\(place):"
    var parts = ["## Run one row again", intro, fenced(command)]
    if let (point, command) = picture(summary, sweep: sweep) {
      parts += ["A picture of \(SafeText.markdown(names.name(of: point)))\(place) beside the baseline, on the same seed:", fenced(command)]
    }
    return parts
  }

  /// The stratum of the row that runs again; of a setting over all strata, the one that weighs most.
  static func reproducedStratum(_ summary: SweepSummary) -> String? {
    summary.principal.name ?? summary.strata?.members.max { $0.weight < $1.weight }?.name
  }

  /// The point that is worth seeing beside the baseline, and the command that draws both; nil where there is none.
  static func picture(_ summary: SweepSummary, sweep: SweepDescription) -> (point: PointSummary, command: String)? {
    let summary = summary.principal.summary
    guard let template = sweep.explainCommand, summary.baseline != nil, let point = summary.leader else { return nil }
    let run = point.firstRun
    return (point, ReproduceCommand.text(template, point: point.point, repetition: run.repetition, seed: run.seed))
  }

  /// The point whose first row is worth running again, and the command; nil where there is none.
  static func reproduction(_ summary: SweepSummary, sweep: SweepDescription) -> (point: PointSummary, command: String)? {
    let summary = summary.principal.summary
    guard !sweep.reproduceCommand.isEmpty, let point = summary.winner ?? summary.best.first else { return nil }
    let run = point.firstRun
    return (point, ReproduceCommand.text(sweep.reproduceCommand, point: point.point, repetition: run.repetition, seed: run.seed))
  }

  /// A block of code whose fence is longer than any in it (CommonMark 4.5).
  private static func fenced(_ text: String) -> String {
    let runs = text.split { $0 != "`" }.map(\.count).max() ?? 0
    let fence = String(repeating: "`", count: max(3, runs + 1))
    return "\(fence)sh\n\(text)\n\(fence)"
  }

  // MARK: Footnotes

  static func generalNotes(_ summary: SweepSummary, sweep: SweepDescription) -> [String] {
    var notes = summary.warnings + (summary.strata?.members.flatMap(\.summary.warnings) ?? []) + sweep.warnings
    if let bias = selectionNote(summary) { notes.append(bias) }
    let parts = [summary] + (summary.strata?.members.map(\.summary) ?? [])
    if parts.contains(where: { $0.points.contains { $0.comparison?.differenceInterval != nil } }) {
      notes.append(PairedComparison.assumption)
    }
    return notes
  }

  /// How much better than it is the winner may look, because it is the best of many.
  private static func selectionNote(_ summary: SweepSummary) -> String? {
    guard let comparison = summary.winner?.comparison, comparison.verdict.ground == .interval, summary.familySize > 1,
      summary.confirmation == nil
    else { return nil }
    let bias = SelectionBias.expected(ofBest: summary.familySize, standardError: comparison.standardError)
    let text = DecimalText.fixed(bias, decimals: Precision.decimals(halfWidth: bias, limit: Digits.difference))
    return "The best of many looks better than it is: among \(summary.familySize) equal settings the winner would seem ahead by \(text) "
      + "\(text == "1" ? summary.schema.words.headlineOfOne : summary.schema.words.headline) in the mean. Fresh seeds tell: confirm: 30."
  }

  static func rowNotes(_ point: PointSummary, confidence: Double) -> [String] {
    guard let comparison = point.comparison else { return [] }
    let counted = point.schema.words.counted
    var notes: [String] = []
    if let pairs = comparison.equalPairs, comparison.verdict.ground != .deterministic {
      // In the gate's words.
      let share = DecimalText.fixed(GateRule.hiddenShare(pairs: pairs, error: 1 - confidence) * 100, decimals: 1)
      let subject =
        comparison.verdict.outcome == .identical
        ? "The settings differ and show the same" : "The difference is the same in \(pairs) pairs"
      notes.append(
        "\(subject): \(comparison.verdict.outcome == .identical ? "a" : "another") difference in fewer than \(share) % of \(point.schema == .feed ? "sessions" : "repetitions") "
          + "could hide in \(pairs) pairs.")
    }
    if comparison.isBaselineZero {
      notes.append("The baseline shows no \(counted): there is no per cent of zero.")
    } else if comparison.pairs > 0, comparison.percent == nil {
      notes.append("The interval of the baseline's own \(counted) holds zero: no per cent of them is given.")
    }
    if comparison.differenceInterval != nil, comparison.warnings.contains(where: { if case .skewed = $0 { true } else { false } }) {
      notes.append("The paired differences of this point are skewed: its interval is skewness-adjusted.")
    }
    return notes
  }
}
