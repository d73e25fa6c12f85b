// Who wins where, at a glance: settings down, strata across. A mean over strata hides that a setting wins on one network and loses on another.

import Analysis

/// What each setting shows in each stratum.
struct StrataChart {
  private static let settingLimit = 14
  private static let cellHeight = 28.0

  /// The whole over all strata.
  let data: ChartData
  let strata: StrataSummary

  private var members: [StrataSummary.Member] { Array(strata.members.prefix(StrataSummary.shownLimit)) }

  /// The chart; nil with one stratum.
  var drawing: SVGDrawing? {
    let (rows, members) = (settings, members)
    guard members.count > 1, !rows.isEmpty else { return nil }
    let left = ChartData.labelWidth(rows.map(data.label))
    let width = max(64, min(130, Double(members.map { DisplayWidth.of($0.name) }.max() ?? 0) * 6.6 + 12))
    let bottom = 90 + Double(rows.count) * Self.cellHeight
    let leftOut = strata.members.count - members.count
    var chart = SVGDrawing(
      name: "strata",
      title: "\(data.words.headline.prefix(1).uppercased())\(data.words.headline.dropFirst()) of each setting in each \(strata.memberName)",
      description: members.map(fewest).joined(separator: "; ") + ".",
      width: max(660, left + width * Double(members.count) + 24), height: bottom + 20)
    chart.text(16, 22, chart.title, "head")
    chart.text(16, 40, "the same colours in all columns; dashed: a column's fewest", "note")
    let count = members.map(\.summary.points.count).max() ?? 0
    let notes =
      (rows.count < count ? ["\(rows.count) of \(count) settings"] : [])
      + (leftOut > 0 ? ["\(members.count) of \(strata.members.count) strata"] : [])
    if !notes.isEmpty { chart.text(16, 56, "\(notes.joined(separator: " and ")); all are in summary.csv", "note") }
    for (row, setting) in rows.enumerated() {
      chart.text(left - 10, 90 + (Double(row) + 0.5) * Self.cellHeight + 4, data.label(setting), anchor: .end, limit: ChartData.labelLimit)
    }
    let means = members.flatMap { member in points(of: rows, in: member).compactMap { $0?.headlineMean } }
    let range = (low: means.min() ?? 0, high: means.max() ?? 0)
    for (column, member) in members.enumerated() {
      let x = left + Double(column) * width
      chart.text(x + width / 2, 80, member.name, "tick", anchor: .middle, limit: Int(width / 6.2))
      draw(member, rows, range, x: x, width: width, on: &chart)
    }
    return chart
  }

  private func points(of rows: [PointSummary], in member: StrataSummary.Member) -> [PointSummary?] {
    rows.map { StrataHeadline.point(like: $0, in: member.summary) }
  }

  private func draw(
    _ member: StrataSummary.Member, _ rows: [PointSummary], _ range: (low: Double, high: Double), x: Double, width: Double,
    on chart: inout SVGDrawing
  ) {
    let points = points(of: rows, in: member)
    for (row, point) in points.enumerated() {
      let y = 90 + Double(row) * Self.cellHeight
      let name = "\(member.name), \(data.label(rows[row]))"
      guard let point, let mean = point.headlineMean else {
        chart.rectangle(x, y, width, Self.cellHeight, "none", tip: "\(name): no runs")
        continue
      }
      let bin = HeatBins.bin(mean, range.low, range.high)
      let text = HeadlineText.mean(point, confidence: member.summary.confidence)
      let verdict = point.comparison.map { ", \($0.verdict.description)" } ?? ""
      chart.rectangle(x, y, width, Self.cellHeight, "h\(bin)", tip: "\(name): \(data.words.counted(text))\(verdict)")
      chart.text(x + width / 2, y + Self.cellHeight / 2 + 4, text, HeatBins.ink(bin), anchor: .middle)
    }
    // Where all are the same, none of them has the fewest.
    let means = points.compactMap { $0?.headlineMean }
    guard let low = member.summary.best.first?.headlineMean, low != means.max() else { return }
    for (row, point) in points.enumerated() where point?.headlineMean == low {
      chart.rectangle(x + 3, 90 + Double(row) * Self.cellHeight + 3, width - 6, Self.cellHeight - 6, "mark")
    }
  }

  /// The best settings over all strata, each stratum's own best one, and the baseline.
  private var settings: [PointSummary] {
    // Without a whole, the charts' data is one stratum's, and as good a beginning as any.
    let all = data.best(10) + members.compactMap { $0.summary.best.first } + members.prefix(1).compactMap(\.summary.baseline)
    var seen = Set<[String]>()
    return Array(all.filter { seen.insert($0.isBaseline ? ["baseline"] : ["point"] + $0.axisValues).inserted }.prefix(Self.settingLimit))
  }

  /// The best point of all in a stratum, as its table has it, and how many share its mean.
  private func fewest(_ member: StrataSummary.Member) -> String {
    guard let best = member.summary.best.first, best.headlineMean != nil else { return "\(member.name): no runs" }
    let level = member.summary.points.count { $0.hasSameMean(as: best) && !$0.isDropped && $0.axisValues != best.axisValues }
    let others = level == 0 ? "" : " and \(level) \(level == 1 ? "other" : "others")"
    return "\(member.name): fewest with \(data.label(best))\(others), \(HeadlineText.mean(best, confidence: member.summary.confidence))"
  }
}
