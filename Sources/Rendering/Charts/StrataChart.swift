// The chart of strata: settings down, strata across. A mean over strata hides that a setting wins on one network and loses on another.

import Analysis

extension ReportPart {
  /// Returns the chart of each setting's headline in each stratum; nil with one stratum.
  func strataChart(_ strata: StrataSummary, name: String) -> SVGDrawing? {
    let members = Array(strata.members.prefix(StrataSummary.shownLimit))
    let rows = settings(members)
    guard members.count > 1, !rows.isEmpty, strata.kind != .worlds else { return nil }
    let names = ChartNames(rows, of: self)
    let columns = members.map { StrataColumn($0, rows: rows, part: ReportPart($0.summary, sweep: sweep)) }
    let heads = members.map { Self.lines($0.name) }
    // Names have lines of their own, so that the first columns are on the screen of a phone.
    let (left, height) = (ChartRows.left, 46.0)
    let width = max(64, min(130, Double(heads.joined().map(DisplayWidth.of).max() ?? 0) * 6.6 + 15))
    let lineCount = heads.map(\.count).max() ?? 1
    var chart = SVGDrawing(
      name: name, title: "\(Words.capitalized(words.headline)) of each setting in each \(strata.memberName)",
      description: members.map { lowest($0, names) }.joined(separator: "; ") + ".",
      width: max(SVGDrawing.usualWidth, left + width * Double(members.count) + 24))
    let count = members.map(\.summary.points.count).max() ?? 0
    let notes =
      (rows.count < count ? ["\(rows.count) of \(count) settings"] : [])
      + (members.count < strata.members.count ? ["\(members.count) of \(strata.members.count) strata"] : [])
    let hasReference = rows.contains(where: \.isOracle)
    let marks = [
      "same colours in all columns",
      columns.contains { !$0.lowest.isEmpty } ? "dashed: the lowest of a column\(hasReference ? ", the reference aside" : "")" : "",
      columns.contains { !$0.winning.isEmpty } ? "framed: its winner and points with the same mean" : "",
    ]
    let top =
      chart.heading(
        note: marks.filter { !$0.isEmpty }.joined(separator: "; "),
        notes.isEmpty ? "" : "\(notes.joined(separator: " and ")); all are in summary.csv", names.note) + 12 + 16 * Double(lineCount)
    chart.height = top + Double(rows.count) * height + 20
    for (row, setting) in rows.enumerated() {
      let y = top + Double(row) * height + 10
      if setting.isBaseline { chart.diamond(12, y, radius: 6, "base") }
      if setting.isSame(as: summary.confirmedWinner) { chart.circle(12, y, radius: 5.5, "best") }
      chart.text(left, y + 4, names.label(setting), limit: 84)
    }
    let means = columns.flatMap(\.points).compactMap { $0?.headlineMean }
    let colors = HeatColors(low: means.min() ?? 0, high: means.max() ?? 0)
    for (index, column) in columns.enumerated() {
      let x = left + Double(index) * width
      for (line, text) in heads[index].reversed().enumerated() {
        chart.text(x + width / 2, top - 10 - 16 * Double(line), text, "tick", anchor: .middle, limit: Int((width - 8) / 6.6))
      }
      func box(_ row: Int) -> SVGDrawing.Box { (x, top + Double(row) * height + 18, width, 26) }
      for (row, point) in column.points.enumerated() {
        let text = point.map { "\(column.part.mean($0))" } ?? ""
        let tip = words.counted(text) + (point?.comparison.map { ", \($0.verdict.description)" } ?? "")
        colors.draw(
          point?.headlineMean, text, in: box(row), name: "\(members[index].name), \(names.label(rows[row]))", tip: tip, on: &chart)
      }
      for row in column.lowest { chart.frame(box(row), inset: 5, "mark") }
      for row in column.winning { chart.frame(box(row), inset: 2, "won") }
    }
    return chart
  }

  /// Returns a stratum's name in at most 4 lines, a setting each.
  private static func lines(_ name: String) -> [String] {
    let parts = name.split(separator: ", ").map(String.init)
    return parts.prefix(3) + (parts.count > 3 ? [parts.dropFirst(3).joined(separator: ", ")] : [])
  }

  /// Returns the best settings over all strata, each stratum's best, and the baseline; at most 14.
  private func settings(_ members: [StrataSummary.Member]) -> [PointSummary] {
    // Without a weighted whole, the first stratum's best points come first.
    let all =
      best(10) + members.compactMap { $0.summary.confirmedWinner ?? $0.summary.best.first }
      + members.prefix(1).compactMap(\.summary.baseline)
    var seen = Set<[String]>()
    return Array(all.filter { seen.insert($0.isBaseline ? ["baseline"] : ["point"] + $0.axisValues).inserted }.prefix(14))
  }

  /// Returns the best point of a stratum, and the number of points with the same mean, in words.
  private func lowest(_ member: StrataSummary.Member, _ names: ChartNames) -> String {
    guard let best = member.summary.best.first, best.headlineMean != nil else { return "\(member.name): no runs" }
    let level = member.summary.points.count { $0.hasSameMean(as: best) && !$0.isDropped && $0.axisValues != best.axisValues }
    let others = level == 0 ? "" : " and " + Words.count(level, "other")
    return "\(member.name): lowest with \(names.label(best))\(others), \(ReportPart(member.summary, sweep: sweep).mean(best))"
  }
}

/// The points of a stratum in the rows of the chart, and the rows that are marked.
private struct StrataColumn {
  let part: ReportPart
  let points: [PointSummary?]
  /// The rows with the lowest mean; none if all are equal.
  let lowest: [Int]
  /// The rows of the winner and of points with the same mean.
  let winning: [Int]

  init(_ member: StrataSummary.Member, rows: [PointSummary], part: ReportPart) {
    let points = rows.map { member.summary.points.first(like: $0) }
    let known = points.indices.filter { points[$0]?.headlineMean != nil && points[$0]?.isOracle == false }
    func mean(_ row: Int) -> Double { points[row]?.headlineMean ?? .infinity }
    let low = known.map(mean).min() ?? 0
    let least = known.filter { mean($0) - low <= 1e-9 * max(1, low.magnitude) }
    lowest = least.count == known.count ? [] : least
    let winner = member.summary.confirmedWinner
    winning = known.filter { row in winner.flatMap { points[row]?.hasSameMean(as: $0) } == true && points[row]?.isDropped == false }
    (self.part, self.points) = (part, points)
  }
}
