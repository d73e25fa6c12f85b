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

  private mutating func main() -> String {
    let links = notes.numbers(Notes.general(part)).map(Footnotes.link).joined(separator: " ")
    let head = ReportHead(part: part).lines.map { "<dt>\(XMLText.line($0.label))</dt><dd>\(XMLText.isolated($0.text))</dd>" }
    let tables = tables()
    return "<p class=\"answer\">\(Headline(part: part, markup: .page).text)\(links)</p>\n" + nextSteps
      + "<details>\n<summary>Scenario and method</summary>\n<dl>\n\(head.joined(separator: "\n"))\n</dl>\n</details>\n"
      + figures(charts.whole) + tables + pivots + reproduction
      + (notes.html.isEmpty ? "" : PageFrame.heading("Notes") + notes.html)
  }

  private var nextSteps: String {
    let steps = NextSteps(part: part, markup: .page).sentences.map { "<li>\($0)</li>\n" }
    return steps.isEmpty ? "" : PageFrame.heading(NextSteps.title) + "<ul>\n\(steps.joined())</ul>\n"
  }

  private func figures(_ charts: ChartSet) -> String { charts.drawings.map { PageFrame.figure($0, prefix: charts.prefix) }.joined() }

  // MARK: Tables

  private mutating func tables() -> String {
    var text = ""
    if let strata = summary.strata {
      let tables = StrataTables(part: part, strata: strata)
      text += PageFrame.heading(tables.title) + tables.winners.html(caption: "The best point of each \(strata.memberName)")
    }
    text += confirmation(part, title: (summary.strata.map { "\($0.wholeName): confirmation" } ?? "Confirmation"))
    text += "<div id=\"points\">\n"
    if !summary.points.isEmpty { text += points(part, of: summary.strata.map { "\($0.wholeName): " } ?? "") }
    guard summary.strata != nil else { return text + "</div>\n" }
    var room = Self.strataChartsLimit
    for (index, member) in part.members.prefix(StrataSummary.shownLimit).enumerated() {
      let own = charts.strata.indices.contains(index) ? folded(charts.strata[index], of: member.scope, room: &room) : ""
      text += points(member, of: "\(member.scope): ", charts: own) + confirmation(member, title: "\(member.scope): confirmation")
    }
    return text + "</div>\n"
  }

  /// Returns a stratum's charts, folded so that they do not hide the tables.
  private func folded(_ charts: ChartSet, of stratum: String, room: inout Int) -> String {
    guard !charts.drawings.isEmpty else { return "" }
    let figures = figures(charts)
    guard figures.utf8.count <= room else { return "<p>Its charts are in \(charts.folder).</p>\n" }
    room -= figures.utf8.count
    return "<details>\n<summary>\(XMLText.isolated(stratum)): charts</summary>\n\(figures)</details>\n"
  }

  private mutating func points(_ part: ReportPart, of stratum: String, charts: String = "") -> String {
    let (builder, summary, limit) = (PointTable(part: part), part.summary, ReportPart.pointLimit)
    let shown = part.shown(limit: limit, top: limit - 1)
    let parts = builder.usefulParts
    let table = builder.table(shown, parts: parts) { notes.numbers(Notes.row($0, confidence: summary.confidence)) }
    let keys = builder.sortKeys(shown.map { summary.points[$0] }, parts)
    var text = PageFrame.heading("\(stratum)Points, best first") + charts
    if shown.count < summary.points.count {
      text += "<p>The best \(limit - 1) of \(summary.points.count) points and the baseline; all of them are in summary.csv.</p>\n"
    }
    text += table.html(caption: "\(stratum)\(Words.count(shown.count, "point")), best first", sortKeys: keys, isSortable: true)
    return text + "<p>\(XMLText.line(Notes.legend(summary, shown, parts: parts)))</p>\n"
  }

  private mutating func confirmation(_ part: ReportPart, title: String) -> String {
    PointTable(part: part).confirmed(notes: &notes).map { PageFrame.heading(title) + $0.html(caption: title) } ?? ""
  }

  /// The pivot tables, if there are more points than the list shows.
  private var pivots: String {
    let pivots = PivotTables(summary, sweep: sweep)
    guard !pivots.legend.isEmpty else { return "" }
    return PageFrame.heading("Means by two axes") + "<p>\(XMLText.line(pivots.legend))</p>\n"
      + pivots.tables.map { $0.table.html(caption: $0.caption) }.joined()
  }

  // MARK: Repeating a run

  private var reproduction: String {
    let commands = ReproduceCommand.all(part, .page).map {
      "<p>\($0.sentence)</p>\n<pre tabindex=\"0\"><code>\(XMLText.content($0.command))</code></pre>\n"
    }
    return commands.isEmpty ? "" : PageFrame.heading("Repeat a run") + commands.joined()
  }
}
