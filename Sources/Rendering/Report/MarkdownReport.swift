// report.md: the question, the answer, the table of points, the reasons for loaders, and the command that repeats a run.

import Analysis

struct MarkdownReport {
  let part: ReportPart
  let charts: Charts
  private var notes = Footnotes()

  init(part: ReportPart, charts: Charts) { (self.part, self.charts) = (part, charts) }

  private var summary: SweepSummary { part.summary }

  var text: String {
    var report = self
    return report.paragraphs().map { $0.hasSuffix("\n") ? $0 : $0 + "\n" }.filter { $0 != "\n" }.joined(separator: "\n")
  }

  private mutating func paragraphs() -> [String] {
    let marks = notes.numbers(Notes.general(part))
    let head = Table(columns: ["Scenario", ""], rows: ReportHead(part: part).lines.map { [$0.label, $0.text] })
    var paragraphs = [
      "# \(SafeText.markdown(part.sweep.name))", SafeText.markdown(part.sweep.question, opensBlock: true),
      Headline(part: part, markup: .markdown).text + marks.map(Footnotes.mark).joined(), nextSteps, head.markdown,
    ]
    if let strata = summary.strata {
      paragraphs += self.strata(strata)
    } else {
      paragraphs += confirmation(part, title: "Confirmation") + ["## Points, best first"] + points(part)
    }
    let drawings = images(charts.whole)
    return paragraphs + (drawings.isEmpty ? [] : ["## Charts", drawings]) + pivots + reasons + reproduction + [notes.markdown]
  }

  private var nextSteps: String {
    let steps = NextSteps(part: part, markup: .markdown).sentences
    return steps.isEmpty ? "" : "\(NextSteps.title):\n\n" + steps.map { "- \($0)\n" }.joined()
  }

  // MARK: Points

  private mutating func points(_ part: ReportPart, hasLegend: Bool = true) -> [String] {
    let (builder, summary) = (PointTable(part: part), part.summary)
    let shown = part.shown(limit: PointTable.rowLimit, top: PointTable.topCount)
    let parts = builder.usefulParts
    let table = builder.table(shown, parts: parts) { notes.numbers(Notes.row($0, confidence: summary.confidence)) }
    var paragraphs = [table.markdown]
    if shown.count < summary.points.count {
      let best = min(PointTable.topCount, shown.count)
      paragraphs.append("The best \(best) of \(summary.points.count) points and the baseline; all of them are in `summary.csv`.")
    }
    return hasLegend ? paragraphs + [Notes.legend(summary, shown, parts: parts)] : paragraphs
  }

  private mutating func confirmation(_ part: ReportPart, title: String) -> [String] {
    PointTable(part: part).confirmed(notes: &notes).map { ["## \(SafeText.markdown(title))", $0.markdown] } ?? []
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
    let isPopulation = strata.kind == .population
    var parts = ["## \(tables.title)", tables.winners.markdown]
    if strata.members.contains(where: { $0.summary.confirmation != nil }) {
      parts.append("Baseline, best and verdict are those of the confirmation; better and worse count the sweep's own verdicts.")
    }
    if !summary.points.isEmpty {
      if let lab = strata.lab?.summary {
        let shown = part.shown(limit: PointTable.rowLimit, top: PointTable.topCount)
        parts += ["## Lab and population, best over the population first", tables.labAndPopulation(lab, shown: shown).markdown]
      }
      parts += confirmation(part, title: "Confirmation, \(isPopulation ? "population" : "all strata")")
      parts += [
        isPopulation ? "## Population, best first" : "## All strata together, best first",
        "Each row is a setting's mean over the strata by their weights, taken within each repetition, so that its interval takes into account that "
          + "the strata share their seeds.",
      ]
      parts += points(part)
    }
    guard strata.members.count <= StrataSummary.shownLimit else {
      // Brackets in a name would end the link.
      let folders = zip(strata.drawn, charts.strata).map { member, charts in
        let name = SafeText.markdown(member.name).replacing("[", with: "\\[").replacing("]", with: "\\]")
        return "[\(name)](\(charts.folder)/)"
      }
      return parts + [
        "The points of each of the \(strata.members.count) strata are in `summary.csv`.",
        "Charts of the first \(folders.count): \(folders.joined(separator: ", ")).",
      ]
    }
    let hasWhole = !summary.points.isEmpty
    for (index, member) in part.members.enumerated() {
      parts += ["## \(SafeText.markdown(member.scope)), best first", Headline(part: member, markup: .markdown).sentence]
      if hasWhole { parts.append("<details>\n<summary>\(XMLText.line(member.scope)): points and charts</summary>\n") }
      parts += points(member, hasLegend: index == 0 && summary.points.isEmpty)
      if charts.strata.indices.contains(index), !charts.strata[index].drawings.isEmpty {
        parts.append(images(charts.strata[index]))
      }
      if hasWhole { parts.append("</details>") }
      parts += confirmation(member, title: "\(member.scope), confirmation")
    }
    return parts
  }

  /// Returns charts as images, whose paths are relative to the report.
  private func images(_ charts: ChartSet) -> String {
    charts.drawings.map { drawing in
      let title = SafeText.markdown(drawing.title).replacing("[", with: "\\[").replacing("]", with: "\\]")
      return "![\(title)](\(charts.path(of: drawing)))"
    }.joined(separator: "\n")
  }

  // MARK: Reasons

  private var reasons: [String] {
    let (stratum, principal) = summary.principal
    guard let leader = principal.winner ?? principal.best.first else { return [] }
    var columns = [leader]
    if let baseline = principal.baseline, !leader.isBaseline { columns.append(baseline) }
    let shown = Metric.reasons.filter { reason in columns.contains { ($0.share(of: reason) ?? 0) > 0 } }
    guard !shown.isEmpty else { return [] }
    let heads = columns.map { Table.Column.right($0.isBaseline ? "baseline" : part.name($0)) }
    let table = Table(
      columns: ["reason"] + heads + ["meaning"],
      rows: shown.map { reason in
        [reason.rawValue] + columns.map { $0.share(of: reason).map(Words.share) ?? "no loaders" } + [reason.meaning]
      })
    return ["## Loaders by reason\(stratum.map { ", \(SafeText.markdown($0))" } ?? "")", table.markdown]
  }

  // MARK: Repeating a run

  private var reproduction: [String] {
    let commands = ReproduceCommand.all(part, .markdown).flatMap { [$0.sentence, Self.fenced($0.command)] }
    return commands.isEmpty ? [] : ["## Repeat a run"] + commands
  }

  /// Returns a code block whose fence is longer than any inside it (CommonMark 4.5).
  private static func fenced(_ text: String) -> String {
    let runs = text.split { $0 != "`" }.map(\.count).max() ?? 0
    let fence = String(repeating: "`", count: max(3, runs + 1))
    return "\(fence)sh\n\(text)\n\(fence)"
  }
}
