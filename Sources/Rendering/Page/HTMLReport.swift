// report.html: the answer, the pictures and all points in one file that asks nobody for anything.

import Analysis

/// Writes `report.html`.
enum HTMLReport {
  /// The charts of strata are in the page up to so many bytes; beyond, it says where their files are.
  private static let strataChartsLimit = 1_000_000

  /// The whole page, ended by a line feed.
  static func text(_ summary: SweepSummary, sweep: SweepDescription, charts: Charts) -> String {
    let names = PointNames(axes: summary.axes, sweep: sweep)
    var notes = Footnotes()
    let marks = MarkdownReport.generalNotes(summary, sweep: sweep).reduce(into: [Int]()) { marks, text in
      let number = notes.number(text)
      if !marks.contains(number) { marks.append(number) }
    }
    var parts = [answer(summary, names: names, sweep: sweep, marks: marks), scenario(summary, sweep: sweep)]
    parts += charts.whole.figures
    parts += tables(summary, names: names, sweep: sweep, charts: charts.strata, notes: &notes)
    parts += pivots(summary, names: names, sweep: sweep)
    parts.append(reproduction(summary, names: names, sweep: sweep))
    parts.append(footnotes(notes))
    return PageFrame.text(
      title: sweep.name, skip: ("points", "Skip to the points"),
      header: "<h1><bdi>\(XMLText.line(sweep.name))</bdi></h1>\n<p><bdi>\(XMLText.line(sweep.question))</bdi></p>\n", main: parts.joined(),
      footer: "<p>\(XMLText.line(sweep.program.name)), model \(XMLText.line(sweep.program.modelVersion)), seed \(sweep.seed)</p>\n")
  }

  // MARK: The answer

  private static func answer(_ summary: SweepSummary, names: PointNames, sweep: SweepDescription, marks: [Int]) -> String {
    let links = marks.map { "<sup><a href=\"#note-\($0)\">\($0)</a></sup>" }.joined(separator: " ")
    return "<p class=\"answer\">\(StrataHeadline(summary, names: names, sweep: sweep, markup: .page).text)\(links)</p>\n"
  }

  private static func scenario(_ summary: SweepSummary, sweep: SweepDescription) -> String {
    let lines = MarkdownReport.head(summary, sweep: sweep).rows.map { row in
      "<dt>\(XMLText.line(row[0].text))</dt><dd><bdi>\(XMLText.line(row[1].text))</bdi></dd>"
    }
    return "<details>\n<summary>Scenario and method</summary>\n<dl>\n\(lines.joined(separator: "\n"))\n</dl>\n</details>\n"
  }

  // MARK: Tables

  private static func tables(
    _ summary: SweepSummary, names: PointNames, sweep: SweepDescription, charts: [ChartSet], notes: inout Footnotes
  ) -> [String] {
    var parts: [String] = []
    if let strata = summary.strata {
      let tables = StrataTables(summary: summary, strata: strata, names: names)
      parts += [
        PageFrame.heading(StrataTables.title(strata)), tables.whoWinsWhere.html(caption: "The best point of each \(strata.memberName)"),
      ]
    }
    parts += fresh(summary, names: names, of: summary.strata?.wholeName, notes: &notes)
    parts.append("<div id=\"points\">\n")
    if !summary.points.isEmpty {
      parts += points(summary, names: names, sweep: sweep, notes: &notes, of: summary.strata.map { "\($0.wholeName): " } ?? "")
    }
    var room = strataChartsLimit
    for (index, member) in (summary.strata?.members ?? []).prefix(StrataSummary.shownLimit).enumerated() {
      let own = charts.indices.contains(index) ? folded(charts[index], of: member.name, room: &room) : ""
      parts += points(member.summary, names: names, sweep: sweep, notes: &notes, of: "\(member.name): ", charts: own)
      parts += fresh(member.summary, names: names, of: member.name, notes: &notes)
    }
    return parts + ["</div>\n"]
  }

  /// A stratum's charts, which are seen when they are asked for: all strata's together would bury the tables.
  private static func folded(_ charts: ChartSet, of stratum: String, room: inout Int) -> String {
    guard !charts.drawings.isEmpty else { return "" }
    let figures = charts.figures.joined()
    guard figures.utf8.count <= room else { return "<p>Its charts are in \(charts.folder).</p>\n" }
    room -= figures.utf8.count
    return "<details>\n<summary><bdi>\(XMLText.line(stratum))</bdi>: charts</summary>\n\(figures)</details>\n"
  }

  /// All points, best first, up to a limit that browsers bear.
  private static func points(
    _ summary: SweepSummary, names: PointNames, sweep: SweepDescription, notes: inout Footnotes, of stratum: String, charts: String = ""
  ) -> [String] {
    let builder = PointTable(summary: summary, names: names)
    let shown = builder.shown(limit: ChartData.pointLimit, top: ChartData.pointLimit - 1)
    let marks = shown.map { index in MarkdownReport.rowNotes(summary.points[index], confidence: summary.confidence).map { notes.number($0) }
    }
    let parts = builder.usefulParts
    let table = builder.table(shown, parts: parts, marks: marks)
    let keys = SortKeys(data: ChartData(summary, names: names, sweep: sweep), shown: shown.map { summary.points[$0] }).keys(parts)
    var texts = [PageFrame.heading("\(stratum)Points, best first"), charts]
    if shown.count < summary.points.count {
      texts.append(
        "<p>The best \(ChartData.pointLimit - 1) of \(summary.points.count) points and the baseline; all of them are in summary.csv.</p>\n")
    }
    texts.append(table.html(caption: "\(stratum)\(CountText.text(shown.count, "point")), best first", sortKeys: keys, isSortable: true))
    return texts + ["<p>\(XMLText.line(MarkdownReport.legend(summary, shown, parts: parts)))</p>\n"]
  }

  private static func fresh(_ summary: SweepSummary, names: PointNames, of stratum: String?, notes: inout Footnotes) -> [String] {
    guard let confirmation = summary.confirmation else { return [] }
    let title = stratum.map { "\($0): fresh seeds" } ?? "Fresh seeds"
    return [PageFrame.heading(title), FreshHeadline.table(summary, confirmation, names: names, notes: &notes).html(caption: title)]
  }

  /// Two axes at a time, where there are more points than anybody reads one by one.
  private static func pivots(_ summary: SweepSummary, names: PointNames, sweep: SweepDescription) -> [String] {
    let pivots = PivotTables(summary, names: names, sweep: sweep)
    guard !pivots.legend.isEmpty else { return [] }
    return [PageFrame.heading("Two axes at a time"), "<p>\(XMLText.line(pivots.legend))</p>\n"]
      + pivots.tables.map { $0.table.html(caption: $0.caption) }
  }

  // MARK: The end

  private static func reproduction(_ summary: SweepSummary, names: PointNames, sweep: SweepDescription) -> String {
    guard let (point, command) = MarkdownReport.reproduction(summary, sweep: sweep) else { return "" }
    let name = "<bdi>\(XMLText.line(names.name(of: point)))</bdi>"
    let place = MarkdownReport.reproducedStratum(summary).map { ", <bdi>\(XMLText.line($0))</bdi>" } ?? ""
    var text =
      PageFrame.heading("Run one row again") + "<p>Repetition \(point.firstRun.repetition) of \(name)\(place):</p>\n" + code(command)
    if let (point, command) = MarkdownReport.picture(summary, sweep: sweep) {
      text +=
        "<p>A picture of <bdi>\(XMLText.line(names.name(of: point)))</bdi> beside the baseline, on the same seed:</p>\n" + code(command)
    }
    return text
  }

  private static func code(_ command: String) -> String { "<pre tabindex=\"0\"><code>\(XMLText.content(command))</code></pre>\n" }

  private static func footnotes(_ notes: Footnotes) -> String {
    guard !notes.texts.isEmpty else { return "" }
    let items = notes.texts.enumerated().map { "<li id=\"note-\($0 + 1)\"><bdi>\(XMLText.line($1))</bdi></li>" }
    return PageFrame.heading("Notes") + "<ol>\n\(items.joined(separator: "\n"))\n</ol>\n"
  }
}
