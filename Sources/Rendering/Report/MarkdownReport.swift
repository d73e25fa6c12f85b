// report.md: the question, the answer, the table of points, the reasons for loaders, and the command that repeats a run.

import Analysis
import Base

struct MarkdownReport {
  let part: ReportPart
  let charts: Charts
  /// The number of steps that make all tables of points narrow enough, the same for all strata.
  private let stepCount: Int
  private var notes = Footnotes()

  init(part: ReportPart, charts: Charts) {
    (self.part, self.charts) = (part, charts)
    let members = part.summary.strata.map { $0.members.count <= StrataSummary.shownLimit ? part.members : [] } ?? []
    let counts = (members + [part]).filter { !$0.summary.points.isEmpty }.map { part in
      let builder = PointTable(part: part, shown: Self.shown(part))
      return builder.table().narrowed(by: Self.steps(builder)) { builder.distinguishes($0) && $0.pageWidth <= PageWidth.markdown }.steps
        .count
    }
    stepCount = counts.max() ?? 0
  }

  /// Returns the steps in the order in which they are tried until the tables of points fit.
  private static func steps(_ builder: PointTable) -> [Table.Step] {
    let columns: [Table.Step] = [
      .shortenHeading(.headline), .shortenHeading(.cost), .omit([.headroom]), .shortenVerdicts, .omit([.front]), .omitIntervals(.percent),
      .omit([.percent]), .omit([.cost]),
    ]
    return columns + (16...64).reversed().map { .truncate(builder.names, $0) }
  }

  private static func shown(_ part: ReportPart) -> [Int] { part.shown(limit: PointTable.rowLimit, top: PointTable.topCount) }

  private var summary: SweepSummary { part.summary }

  var text: String {
    var report = self
    return report.paragraphs().map { $0.hasSuffix("\n") ? $0 : $0 + "\n" }.filter { $0 != "\n" }.joined(separator: "\n")
  }

  private mutating func paragraphs() -> [String] {
    let marks = notes.numbers(Notes.general(part))
    let head = ReportHead(part: part).lines.map { "- **\(SafeText.markdown($0.label))**: \(Words.unbroken(SafeText.markdown($0.text)))\n" }
      .joined()
    var paragraphs = [
      "# \(SafeText.markdown(part.sweep.name))", SafeText.markdown(part.sweep.question, opensBlock: true),
      Words.unbroken(Headline(part: part, markup: .markdown).text) + marks.map(Footnotes.mark).joined(), nextSteps,
      "<details>\n<summary>Scenario and method</summary>", head + "\n</details>",
    ]
    if let strata = summary.strata {
      paragraphs += self.strata(strata)
    } else {
      paragraphs += confirmation(part, title: "Confirmation") + ["## Points, best first"] + points(part)
    }
    let drawings = images(charts.whole)
    return paragraphs + (drawings.isEmpty ? [] : ["## Charts", drawings]) + axes + pivots + reasons + repeatCommands + [notes.markdown]
  }

  private var nextSteps: String {
    let steps = NextSteps(part: part, markup: .markdown).steps.map { step in
      "- \(Words.unbroken(step.text))\n" + (step.command.isEmpty ? "" : "  \(Markup.markdown.code(step.command))\n")
    }
    return steps.isEmpty ? "" : "\(NextSteps.title):\n\n\(steps.joined())"
  }

  // MARK: Points

  private mutating func points(_ part: ReportPart, hasLegend: Bool = true) -> [String] {
    let (summary, shown) = (part.summary, Self.shown(part))
    let builder = PointTable(part: part, shown: shown)
    let whole = builder.table { notes.numbers(Notes.row($0, confidence: summary.confidence)) }
    let narrow = whole.narrowed(by: Self.steps(builder).prefix(stepCount))
    let columns = narrow.table.ids
    var paragraphs = [narrow.table.markdown]
    if shown.count < summary.points.count {
      let best = min(PointTable.topCount, shown.count)
      paragraphs.append("The best \(best) of \(summary.points.count) points and the baseline; all of them are in `summary.csv`.")
    }
    let more = part.furtherTables.flatMap { ["**\($0.title)**", $0.table.markdown] + (hasLegend ? [Words.unbroken($0.legend)] : []) }
    guard hasLegend else { return paragraphs + more }
    let legend = [
      Notes.legend(summary, shown, columns: columns, hasNeeded: !narrow.steps.contains(.shortenVerdicts)),
      columns.contains(.headroom) ? "" : headroom(part), Self.leftOut(builder.omissions(from: whole, in: narrow)),
    ]
    return paragraphs + [Words.unbroken(legend.filter { !$0.isEmpty }.joined(separator: " "))] + more
  }

  /// Returns the distances of the best point and the baseline from the lower bound; empty without a bound.
  private func headroom(_ part: ReportPart) -> String {
    let points = [part.summary.leader ?? part.summary.best.first, part.summary.baseline].compactMap(\.self)
    let texts = points.enumerated().filter { $0 == 0 || !$1.isSame(as: points[0]) }.compactMap { _, point in
      part.headroom(point).isEmpty
        ? nil : "\(SafeText.markdown(point.isBaseline ? "the baseline" : part.name(point))) by \(part.headroom(point))"
    }
    return texts.isEmpty
      ? "" : "Above the lower bound, the fewest loaders of any schedule on the link without its latency: \(Words.list(texts)) per 1000."
  }

  private mutating func confirmation(_ part: ReportPart, title: String) -> [String] {
    let table = PointTable.confirmed(part, notes: &notes)
    return table.map { ["## \(SafeText.markdown(title))"] + fitted($0, PointTable.confirmedSteps) } ?? []
  }

  /// Returns a table that fits the page, and a sentence about what is left out.
  private func fitted(_ table: Table, _ steps: [Table.Step]) -> [String] {
    let narrow = table.narrowed(by: steps) { $0.pageWidth <= PageWidth.markdown }
    return [narrow.table.markdown, Self.leftOut(narrow.omitted)]
  }

  private static func leftOut(_ names: [String]) -> String {
    names.isEmpty ? "" : "Not shown for lack of width: \(SafeText.markdown(Words.list(names))); `report.html` has all."
  }

  private var axes: [String] {
    guard let axes = ExplainedTable.axes(summary, sweep: part.sweep) else { return [] }
    return ["## \(axes.title)", axes.table.markdown, Words.unbroken(SafeText.markdown(axes.legend))]
  }

  private var pivots: [String] {
    let pivots = PivotTables(summary, sweep: part.sweep)
    guard !pivots.legend.isEmpty else { return [] }
    return ["## Means by two axes", SafeText.markdown(pivots.legend)]
      + pivots.tables.flatMap { ["### \(SafeText.markdown($0.caption))", $0.table.markdown] }
  }

  // MARK: Strata

  private mutating func strata(_ strata: StrataSummary) -> [String] {
    let tables = StrataTables(part: part, strata: strata)
    let whole =
      switch strata.kind {
      case .population: "Population"
      case .worlds: "\(Words.capitalized(strata.wholeName)) together"
      case .axes, .models: "All strata together"
      }
    var parts: [String] = []
    if let worlds = WorldTable(part) {
      parts += ["## \(WorldTable.title)"] + fitted(worlds.table, [.omit([.lowerMean])]) + [SafeText.markdown(worlds.legend)]
      if let title = worlds.dependenceTitle { parts += ["## \(SafeText.markdown(title))", worlds.dependence.markdown] }
    } else {
      parts += ["## \(tables.title)"] + fitted(tables.winners, StrataTables.steps)
    }
    if strata.members.contains(where: { $0.summary.confirmation != nil }) {
      parts.append(
        "Baseline, best and verdict are those of the confirmation on new seeds; better and worse count the sweep's own verdicts.")
    }
    if !summary.points.isEmpty {
      if let scenario = strata.scenario, scenario.weight == 0 {
        let table = tables.scenarioAndPopulation(scenario.summary, shown: Self.shown(part))
        parts += ["## Scenario and population, best over the population first"]
        parts += fitted(table, [.omitIntervals(.percentInScenario), .omitIntervals(.percent)])
      }
      parts += confirmation(part, title: "Confirmation, \(strata.confirmedName)")
      parts += [
        "## \(whole), best first",
        "Each row is a setting's mean over the \(strata.membersName) by their weights, taken within each repetition, so that its interval takes into "
          + "account that the \(strata.membersName) share their seeds.",
      ]
      parts += points(part)
    }
    if strata.kind == .worlds { return parts + ["The points of each world are in `summary.csv`."] }
    guard strata.members.count <= StrataSummary.shownLimit else {
      let folders = zip(strata.drawn, charts.strata).map { Self.link($0.name, to: "\($1.folder)/") }
      return parts + [
        "The points of each of the \(strata.members.count) strata are in `summary.csv`.",
        "Charts of \(folders.count) of \(strata.members.count) strata: \(folders.joined(separator: ", ")); `report.html` has tables of these.",
      ]
    }
    let hasWhole = !summary.points.isEmpty
    for (index, member) in part.members.enumerated() {
      parts += ["## \(SafeText.markdown(member.scope)), best first", Words.unbroken(Headline(part: member, markup: .markdown).sentence)]
      if hasWhole { parts.append("<details>\n<summary>\(XMLText.line(member.scope)): points and charts</summary>\n") }
      parts += points(member, hasLegend: index == 0 && summary.points.isEmpty)
      if charts.strata.indices.contains(index), !charts.strata[index].drawings.isEmpty { parts.append(images(charts.strata[index])) }
      if hasWhole { parts.append("</details>") }
      parts += confirmation(member, title: "\(member.scope), confirmation")
    }
    return parts
  }

  /// Returns charts as images, whose paths are relative to the report.
  private func images(_ charts: ChartSet) -> String {
    charts.drawings.map { "!" + Self.link($0.title, to: charts.path(of: $0)) }.joined(separator: "\n")
  }

  private static func link(_ text: String, to path: String) -> String {
    // Brackets in a name would end the link.
    "[\(SafeText.markdown(text).replacing("[", with: "\\[").replacing("]", with: "\\]"))](\(path))"
  }

  private var reasons: [String] {
    let (stratum, principal) = summary.principal
    guard let leader = principal.winner ?? principal.best.first else { return [] }
    var columns = [leader]
    if let baseline = principal.baseline, !leader.isBaseline { columns.append(baseline) }
    let shown = Metric.reasons.filter { reason in columns.contains { ($0.share(of: reason) ?? 0) > 0 } }
    guard !shown.isEmpty else { return [] }
    let heads = columns.map { Table.Column.right($0.isBaseline ? "baseline" : principal.winner == nil ? "lowest mean" : "winner") }
    let table = Table(
      columns: ["reason"] + heads + ["meaning"],
      rows: shown.map { reason in
        [reason.rawValue] + columns.map { $0.share(of: reason).map(Words.share) ?? "no loaders" } + [reason.meaning]
      })
    return ["## Loaders by reason\(stratum.map { ", \(SafeText.markdown($0))" } ?? "")", table.markdown]
  }

  private var repeatCommands: [String] {
    let commands = RepeatCommand.all(part, .markdown).flatMap { [$0.sentence, Self.fenced($0.command)] }
    return commands.isEmpty ? [] : ["## Repeat a run"] + commands
  }

  /// Returns a code block whose fence is longer than any inside it (CommonMark 4.5).
  private static func fenced(_ text: String) -> String {
    let runs = text.split { $0 != "`" }.map(\.count).max() ?? 0
    let fence = String(repeating: "`", count: max(3, runs + 1))
    return "\(fence)sh\n\(text)\n\(fence)"
  }
}
