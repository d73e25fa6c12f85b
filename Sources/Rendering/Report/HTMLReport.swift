// report.html: the answer, the charts and all points in one self-contained file.

import Analysis

struct HTMLReport {
  /// The most bytes of strata's charts in the page; beyond, it names their folder.
  private static let strataChartsLimit = 1_000_000

  let part: ReportPart
  let charts: Charts
  private var notes = Footnotes()

  init(part: ReportPart, charts: Charts) { (self.part, self.charts) = (part, charts) }

  private var summary: SweepSummary { part.summary }
  private var sweep: SweepDescription { part.sweep }

  var text: String {
    var report = self
    let program = XMLText.line(sweep.program.description)
    return PageFrame.text(
      title: sweep.name, skip: ("points", "Skip to the points"),
      header: "<h1>\(XMLText.isolated(sweep.name))</h1>\n<p>\(XMLText.isolated(sweep.question))</p>\n", main: report.main(),
      footer: "<p>\(program), seed \(sweep.seed)</p>\n")
  }

  private typealias Section = (id: String, title: String, markup: String)

  private mutating func main() -> String {
    let links = notes.numbers(Notes.general(part)).map(Footnotes.link).joined(separator: " ")
    let head = ReportHead(part: part).lines.map {
      "<dt>\(XMLText.line($0.label))</dt><dd>\(XMLText.isolated(Words.unbroken($0.text)))</dd>"
    }
    let (tables, axes) = (tables(), ExplainedTable.axes(summary, sweep: sweep))
    let sections: [Section] =
      tables.first + [("charts", "Charts", figures(charts.whole))] + tables.strata
      + [("axes", axes?.title ?? "", axes?.html() ?? "")]
      + [("means", "Means by two axes", pivots), ("repeat", "Repeat a run", repeatCommands), ("notes", "Notes", notes.html)]
    let shown = sections.filter { !$0.markup.isEmpty }
    let selection = summary.strata?.selection ?? ""
    return "<p class=\"answer\">\(Words.unbroken(Headline(part: part, markup: .page).text))\(links)</p>\n"
      + contents(shown.map { ($0.id, $0.title) }) + (selection.isEmpty ? "" : "<p>\(selection)</p>\n") + nextSteps
      + "<details>\n<summary>Scenario and method</summary>\n<dl>\n\(head.joined(separator: "\n"))\n</dl>\n</details>\n"
      + shown.map { PageFrame.heading($0.title, id: $0.id) + $0.markup }.joined()
  }

  /// Returns the links to the sections, and to the other files of the results.
  private func contents(_ sections: [(id: String, title: String)]) -> String {
    let files = ["report.md", SummaryTable.fileName, "runs.csv"] + (part.sweep.confirm == nil ? [] : ["confirmation.csv"])
    func list(_ links: [(target: String, text: String)]) -> String {
      let items = links.map { XMLText.element("li", [], XMLText.element("a", [("href", $0.target)], XMLText.line($0.text))) }
      return "<ul>\(items.joined(separator: " "))</ul>"
    }
    return "<nav aria-label=\"Contents and files\">\(list(sections.map { ("#\($0.id)", $0.title) })) Files: "
      + "\(list(files.map { ($0, $0) }))</nav>\n"
  }

  private func figures(_ charts: ChartSet) -> String {
    let figures = charts.drawings.map { PageFrame.figure($0, prefix: charts.prefix, path: charts.path(of: $0)) }.joined()
    return figures.isEmpty ? "" : "<div class=\"charts\">\n\(figures)</div>\n"
  }

  private var nextSteps: String {
    let steps = NextSteps(part: part, markup: .page).steps.map { step in
      "<li>\(Words.unbroken(step.text))\(step.command.isEmpty ? "" : "<br/>\n\(Markup.page.code(step.command))")</li>\n"
    }
    return steps.isEmpty ? "" : PageFrame.heading(NextSteps.title) + "<ul>\n\(steps.joined())</ul>\n"
  }

  /// Returns the tables that come before the charts, and those of strata, which follow them; each stratum is folded beside a whole.
  private mutating func tables() -> (first: [Section], strata: [Section]) {
    var first: [Section] = []
    let whole = summary.strata.map { "\($0.wholeName): " } ?? ""
    if let strata = summary.strata {
      let tables = StrataTables(part: part, strata: strata)
      if let worlds = WorldTable(part) {
        let legend = "<p>\(XMLText.line(worlds.legend))</p>\n"
        let caption = "The share of worlds in which each setting is better"
        first.append(("worlds", WorldTable.title, worlds.table.html(caption: caption) + legend))
        if let title = worlds.dependenceTitle {
          first.append(("unknowns", title, worlds.dependence.html(caption: "The influence of each unknown on the verdict")))
        }
      } else {
        first.append(("winners", tables.title, tables.winners.html(caption: "The best point of each \(strata.memberName)")))
      }
    }
    let hasWhole = !summary.points.isEmpty
    first.append(("confirmation", whole.isEmpty ? "Confirmation" : "\(whole)confirmation", confirmation(part)))
    if hasWhole { first.append(("points", "\(whole)Points, best first", points(part, of: whole))) }
    guard let kind = summary.strata?.kind, kind != .worlds else { return (first, []) }
    var room = Self.strataChartsLimit
    var strata: [Section] = []
    for (index, member) in part.members.prefix(StrataSummary.shownLimit).enumerated() {
      let own = charts.strata.indices.contains(index) ? folded(charts.strata[index], of: member.scope, room: &room) : ""
      let confirmed = confirmation(member)
      let markup =
        points(member, of: "\(member.scope): ") + own
        + (confirmed.isEmpty ? "" : XMLText.element("h3", [], XMLText.isolated("\(member.scope): confirmation")) + "\n" + confirmed)
      let title = "\(member.scope): Points, best first"
      strata.append(
        (
          hasWhole || index > 0 ? "stratum-\(index + 1)" : "points", hasWhole ? member.scope : title,
          hasWhole ? "<details>\n<summary>\(XMLText.isolated(title))</summary>\n\(markup)</details>\n" : markup
        ))
    }
    return hasWhole ? (first, strata) : (first + strata, [])
  }

  /// Returns a stratum's charts, folded so that they do not hide the tables.
  private func folded(_ charts: ChartSet, of stratum: String, room: inout Int) -> String {
    guard !charts.drawings.isEmpty else { return "" }
    let figures = figures(charts)
    guard figures.utf8.count <= room else { return "<p>Its charts are in \(charts.folder).</p>\n" }
    room -= figures.utf8.count
    return "<details>\n<summary>\(XMLText.isolated(stratum)): charts</summary>\n\(figures)</details>\n"
  }

  private mutating func points(_ part: ReportPart, of stratum: String) -> String {
    let (summary, limit) = (part.summary, ReportPart.pointLimit)
    let shown = part.shown(limit: limit, top: limit - 1)
    let table = PointTable(part: part, shown: shown).table { notes.numbers(Notes.row($0, confidence: summary.confidence)) }
    var text = ""
    if shown.count < summary.points.count {
      text += "<p>The best \(limit - 1) of \(summary.points.count) points and the baseline; all of them are in summary.csv.</p>\n"
    }
    text += table.html(caption: "\(stratum)\(Words.count(shown.count, "point")), best first", isSortable: true)
    let more = part.furtherTables.map { $0.html(of: stratum) }
    return text + "<p>\(XMLText.line(Notes.legend(summary, shown, columns: table.ids)))</p>\n" + more.joined()
  }

  private mutating func confirmation(_ part: ReportPart) -> String {
    let title = part.scope.isEmpty ? "Confirmation" : "\(part.scope): confirmation"
    return PointTable.confirmed(part, notes: &notes).map { $0.html(caption: title) } ?? ""
  }

  /// The pivot tables, if there are more points than the list shows.
  private var pivots: String {
    let pivots = PivotTables(summary, sweep: sweep)
    guard !pivots.legend.isEmpty else { return "" }
    return "<p>\(XMLText.line(pivots.legend))</p>\n" + pivots.tables.map { $0.table.html(caption: $0.caption) }.joined()
  }

  private var repeatCommands: String {
    RepeatCommand.all(part, .page).map {
      "<p>\($0.sentence)</p>\n<pre tabindex=\"0\"><code>\(XMLText.content($0.command))</code></pre>\n"
    }.joined()
  }
}
