// The sections of report.md that a sweep with strata has in place of one list: who wins where, the whole, and each by itself.

import Analysis

/// Writes the sections of strata.
enum StrataSections {
  /// What the head says of strata.
  static func rule(_ strata: StrataSummary) -> String {
    switch strata.kind {
    case .population: "lab: the scenario's own; field: \(StrataHeadline.shares(strata)); each with its own baseline, on the same seeds"
    case .models: "\(strata.members.count) models, each with its own baseline and table; nothing is ranked or averaged over them"
    case .axes: "\(strata.members.count), each with its own baseline; each counts the same in the whole"
    }
  }

  /// The sections, a text a paragraph; `charts` are those of `StrataSummary.drawn`.
  static func text(
    _ summary: SweepSummary, _ strata: StrataSummary, names: PointNames, charts: [ChartSet], notes: inout Footnotes
  ) -> [String] {
    let tables = StrataTables(summary: summary, strata: strata, names: names)
    var parts = ["## \(StrataTables.title(strata))", tables.whoWinsWhere.markdown]
    if strata.members.contains(where: { $0.summary.confirmation != nil }) {
      parts.append("Baseline, best and verdict on fresh seeds; better and worse count the sweep's own.")
    }
    if !summary.points.isEmpty {
      if let lab = strata.lab?.summary {
        let builder = PointTable(summary: summary, names: names)
        let shown = builder.shown(limit: PointTable.rowLimit, top: PointTable.topCount)
        parts += ["## Lab and field, best in the field first", tables.labAndField(lab, shown: shown).markdown]
      }
      parts += MarkdownReport.fresh(summary, names: names, of: "The field", notes: &notes)
      parts.append(strata.kind == .population ? "## The field, best first" : "## All strata together, best first")
      parts.append(
        "Each row is a setting's mean over the strata by their weights, taken within each repetition, so that its interval knows that the "
          + "strata share their seeds.")
      parts += MarkdownReport.points(summary, names: names, notes: &notes)
    }
    guard strata.members.count <= StrataSummary.shownLimit else {
      parts.append("The points of each of the \(strata.members.count) strata are in `summary.csv`.")
      let folders = zip(strata.drawn, charts).map { "[\(linked($0.name))](\($1.folder)/)" }
      return parts + ["Charts of the first \(folders.count): \(folders.joined(separator: ", "))."]
    }
    for (index, member) in strata.members.enumerated() {
      parts.append("## \(SafeText.markdown(member.name)), best first")
      let headline = Headline(member.summary, names: names, markup: .markdown).text
      parts.append(headline.hasSuffix(".") ? headline : headline + ".")
      parts += MarkdownReport.points(member.summary, names: names, notes: &notes, hasLegend: index == 0 && summary.points.isEmpty)
      if charts.indices.contains(index) { parts += links(charts[index]) }
      parts += MarkdownReport.fresh(member.summary, names: names, of: member.name, notes: &notes)
    }
    return parts
  }

  /// A line that leads to a stratum's charts.
  private static func links(_ charts: ChartSet) -> [String] {
    guard !charts.drawings.isEmpty else { return [] }
    let links = charts.drawings.map { "[\($0.name.replacing("-", with: " "))](\(charts.path(of: $0)))" }
    return ["Charts: \(links.joined(separator: ", "))."]
  }

  /// A name as the text of a link, which its own brackets would end.
  private static func linked(_ name: String) -> String {
    SafeText.markdown(name).replacing("[", with: "\\[").replacing("]", with: "\\]")
  }
}
