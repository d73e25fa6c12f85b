// The sections of report.md that a sweep with strata has in place of one list: who wins where, the whole, and each by itself.

/// Writes the sections of strata.
enum StrataSections {
  /// Up to so many strata have a section of their own; of more, the rows are in summary.csv.
  static let sectionLimit = 12

  /// What the head says of strata.
  static func rule(_ strata: StrataSummary) -> String {
    switch strata.kind {
    case .population: "lab: the scenario's own; field: \(StrataHeadline.shares(strata)); each with its own baseline, on the same seeds"
    case .axes: "\(strata.members.count), each with its own baseline; each counts the same in the whole"
    }
  }

  /// The sections, a text a paragraph.
  static func text(_ summary: SweepSummary, _ strata: StrataSummary, names: PointNames, notes: inout Footnotes) -> [String] {
    let tables = StrataTables(summary: summary, strata: strata, names: names)
    var parts = ["## Who wins where", tables.whoWinsWhere.markdown]
    if strata.members.contains(where: { $0.summary.confirmation != nil }) {
      parts.append("Baseline, best and verdict on fresh seeds; better and worse count the sweep's own.")
    }
    if !summary.points.isEmpty {
      if let lab = strata.lab?.summary {
        let builder = PointTable(summary: summary, names: names)
        let shown = builder.shown(limit: PointTable.rowLimit, top: PointTable.topCount)
        parts += ["## Lab and field, best in the field first", tables.labAndField(lab, shown: shown).markdown]
      }
      parts += MarkdownReport.fresh(summary, names: names, of: "The field")
      parts.append(strata.kind == .population ? "## The field, best first" : "## All strata together, best first")
      parts.append(
        "Each row is a setting's mean over the strata by their weights, taken within each repetition, so that its interval knows that the "
          + "strata share their seeds.")
      parts += MarkdownReport.points(summary, names: names, notes: &notes)
    }
    guard strata.members.count <= sectionLimit else {
      return parts + ["The points of each of the \(strata.members.count) strata are in `summary.csv`."]
    }
    for member in strata.members {
      parts.append("## \(SafeText.markdown(member.name)), best first")
      let headline = Headline(member.summary, names: names, markup: .markdown).text
      parts.append(headline.hasSuffix(".") ? headline : headline + ".")
      parts += MarkdownReport.points(member.summary, names: names, notes: &notes, hasLegend: false)
      parts += MarkdownReport.fresh(member.summary, names: names, of: member.name)
    }
    return parts
  }
}
