// report.html: the answer, the pictures and all points in one file that asks nobody for anything. The markup is XML too, so that any
// parser of XML reads it.

/// Writes `report.html`.
enum HTMLReport {
  /// The whole page, ended by a line feed.
  static func text(_ summary: SweepSummary, sweep: SweepDescription, charts: [SVGDrawing]) -> String {
    let names = PointNames(axes: summary.axes, sweep: sweep)
    var notes = Footnotes()
    let marks = MarkdownReport.generalNotes(summary, sweep: sweep).reduce(into: [Int]()) { marks, text in
      let number = notes.number(text)
      if !marks.contains(number) { marks.append(number) }
    }
    var parts = [answer(summary, names: names, marks: marks), scenario(summary, sweep: sweep)]
    parts += charts.map { "<figure>\n\($0.element)\n</figure>\n" }
    parts += tables(summary, names: names, sweep: sweep, notes: &notes)
    parts.append(reproduction(summary, names: names, sweep: sweep))
    parts.append(footnotes(notes))
    return head(sweep) + "<body>\n<a class=\"skip\" href=\"#points\">Skip to the points</a>\n" + title(sweep) + "<main>\n" + parts.joined()
      + "</main>\n" + foot(sweep) + "<script>\n\(PageScript.text)</script>\n</body>\n</html>\n"
  }

  // MARK: The frame

  private static func head(_ sweep: SweepDescription) -> String {
    // Nothing may be fetched, sent or framed; what is inline is our own.
    let policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
    return """
      <!DOCTYPE html>
      <html lang="en" xmlns="http://www.w3.org/1999/xhtml">
      <head>
      <meta charset="utf-8"/>
      <meta http-equiv="Content-Security-Policy" content="\(policy)"/>
      <meta name="viewport" content="width=device-width, initial-scale=1"/>
      <meta name="color-scheme" content="light dark"/>
      <title>\(XMLText.line(sweep.name))</title>
      <style>
      \(ChartStyle.palette)\(ChartStyle.shapes)\(PageStyle.text)</style>
      </head>

      """
  }

  private static func title(_ sweep: SweepDescription) -> String {
    "<header>\n<h1><bdi>\(XMLText.line(sweep.name))</bdi></h1>\n<p><bdi>\(XMLText.line(sweep.question))</bdi></p>\n</header>\n"
  }

  private static func foot(_ sweep: SweepDescription) -> String {
    "<footer>\n<p>\(XMLText.line(sweep.program.name)), model \(XMLText.line(sweep.program.modelVersion)), seed \(sweep.seed)</p>\n</footer>\n"
  }

  // MARK: The answer

  private static func answer(_ summary: SweepSummary, names: PointNames, marks: [Int]) -> String {
    let links = marks.map { "<sup><a href=\"#note-\($0)\">\($0)</a></sup>" }.joined(separator: " ")
    return "<p class=\"answer\">\(StrataHeadline(summary, names: names, markup: .page).text)\(links)</p>\n"
  }

  private static func scenario(_ summary: SweepSummary, sweep: SweepDescription) -> String {
    let lines = MarkdownReport.head(summary, sweep: sweep).rows.map { row in
      "<dt>\(XMLText.line(row[0].text))</dt><dd><bdi>\(XMLText.line(row[1].text))</bdi></dd>"
    }
    return "<details>\n<summary>Scenario and method</summary>\n<dl>\n\(lines.joined(separator: "\n"))\n</dl>\n</details>\n"
  }

  // MARK: Tables

  private static func tables(_ summary: SweepSummary, names: PointNames, sweep: SweepDescription, notes: inout Footnotes) -> [String] {
    var parts: [String] = []
    if let strata = summary.strata {
      let tables = StrataTables(summary: summary, strata: strata, names: names)
      parts += [heading("Who wins where"), tables.whoWinsWhere.html(caption: "The best point of each stratum")]
    }
    parts += fresh(summary, names: names, of: summary.strata?.wholeName)
    parts.append("<div id=\"points\">\n")
    if !summary.points.isEmpty {
      parts += points(summary, names: names, sweep: sweep, notes: &notes, of: summary.strata.map { "\($0.wholeName): " } ?? "")
    }
    for member in (summary.strata?.members ?? []).prefix(StrataSections.sectionLimit) {
      parts += points(member.summary, names: names, sweep: sweep, notes: &notes, of: "\(member.name): ")
      parts += fresh(member.summary, names: names, of: member.name)
    }
    return parts + ["</div>\n"]
  }

  /// All points, best first, up to a limit that browsers bear.
  private static func points(
    _ summary: SweepSummary, names: PointNames, sweep: SweepDescription, notes: inout Footnotes, of stratum: String
  ) -> [String] {
    let builder = PointTable(summary: summary, names: names)
    let shown = builder.shown(limit: ChartData.pointLimit, top: ChartData.pointLimit - 1)
    let marks = shown.map { index in MarkdownReport.rowNotes(summary.points[index]).map { notes.number($0) } }
    let parts = builder.usefulParts
    let table = builder.table(shown, parts: parts, marks: marks)
    let keys = SortKeys(data: ChartData(summary, names: names, sweep: sweep), shown: shown.map { summary.points[$0] }).keys(parts)
    var texts = [heading("\(stratum)Points, best first")]
    if shown.count < summary.points.count {
      texts.append("<p>The best \(shown.count) of \(summary.points.count) points and the baseline; all of them are in summary.csv.</p>\n")
    }
    texts.append(table.html(caption: "\(stratum)\(shown.count) points, best first", sortKeys: keys, isSortable: true))
    return texts + ["<p>\(XMLText.line(MarkdownReport.legend(summary, parts: parts)))</p>\n"]
  }

  private static func fresh(_ summary: SweepSummary, names: PointNames, of stratum: String?) -> [String] {
    guard let confirmation = summary.confirmation else { return [] }
    let title = stratum.map { "\($0): fresh seeds" } ?? "Fresh seeds"
    return [heading(title), FreshHeadline.table(summary, confirmation, names: names).html(caption: title)]
  }

  private static func heading(_ text: String) -> String { "<h2><bdi>\(XMLText.line(text))</bdi></h2>\n" }

  // MARK: The end

  private static func reproduction(_ summary: SweepSummary, names: PointNames, sweep: SweepDescription) -> String {
    guard let (point, command) = MarkdownReport.reproduction(summary, sweep: sweep) else { return "" }
    return heading("Run one row again")
      + "<p>Repetition \(point.firstRun.repetition) of <bdi>\(XMLText.line(names.name(of: point)))</bdi>:</p>\n"
      + "<pre tabindex=\"0\"><code>\(XMLText.content(command))</code></pre>\n"
  }

  private static func footnotes(_ notes: Footnotes) -> String {
    guard !notes.texts.isEmpty else { return "" }
    let items = notes.texts.enumerated().map { "<li id=\"note-\($0 + 1)\"><bdi>\(XMLText.line($1))</bdi></li>" }
    return heading("Notes") + "<ol>\n\(items.joined(separator: "\n"))\n</ol>\n"
  }
}
