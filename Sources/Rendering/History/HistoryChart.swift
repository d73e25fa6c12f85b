// The chart of a history: the best point, the baseline and production in a stratum, run by run, with the changes marked.

import Analysis

extension HistorySeries {
  /// The charts of the first strata of the last entry.
  var charts: [SVGDrawing] {
    (entries.last?.strata ?? []).prefix(StrataSummary.shownLimit).enumerated().map { chart(of: $1.name, index: $0) }
  }

  private func chart(of stratum: String, index: Int) -> SVGDrawing {
    let unit = entries.last?.headline ?? "", baseline = baselineName(in: stratum)
    // Means of other metrics are on no common scale.
    let parts = entries.map { entry in entry.headline == unit ? entry.strata.first { $0.name == stratum } : nil }
    let base = parts.map { $0?.baseline }, best = parts.map { $0?.best ?? $0?.points.first }
    let production = zip(production, parts).map { $1 == nil ? nil : $0[stratum] }
    let hasProduction = production.contains { $0?.isBaseline == false }
    var chart = SVGDrawing(
      name: "history-\(index + 1)", title: Words.capitalized(unit) + (stratum.isEmpty ? "" : " (\(stratum))"),
      description: "\(Words.count(entries.count, "run")); "
        + (parts.last.flatMap { $0?.baseline }.map { "\(baseline) \($0.meanText)" } ?? "")
        + (hasProduction ? production.last?.map { ", production \($0.meanText)" } ?? "" : "") + ".", height: 320)
    let top =
      chart.heading(
        note: "circles: the best point; diamonds: the \(baseline); \(hasProduction ? "squares: production; " : "")"
          + "dashed: a premise or a mean changed; crosses: unexplained") + 12
    let (left, right, bottom) = (72.0, SVGDrawing.usualWidth - 24, 270.0)
    let scale = ChartScale((base + best + production).compactMap { $0?.mean }, from: bottom, to: top)
    chart.verticalAxis(scale, left: left, right: right, name: unit)
    let step = (right - left - 32) / Double(max(1, entries.count - 1))
    func x(_ index: Int) -> Double { left + 16 + Double(index) * step }
    let labels = entries.map { String($0.date.prefix(10)) }
    let every = SVGDrawing.every(labels, limit: 10, step: step)
    for index in entries.indices where index % every == 0 { chart.text(x(index), bottom + 20, labels[index], "tick", anchor: .middle) }
    for (index, change) in steps.enumerated() where !change.premises.isEmpty {
      chart.line(x(index) + step / 2, top, x(index) + step / 2, bottom, "mark")
    }
    for change in changes where change.stratum == stratum && !change.isOutlier {
      chart.line(x(change.index) - step / 2, top, x(change.index) - step / 2, bottom, "mark")
    }
    for (points, style) in [(base, "outline"), (hasProduction ? production : [], "front"), (best, "won")] {
      chart.path(points.enumerated().compactMap { index, point in point.map { (x(index), scale.position($0.mean)) } }, style)
    }
    for index in entries.indices {
      let day = entries[index].day
      if let point = base[index] {
        chart.diamond(x(index), scale.position(point.mean), radius: 5, "base", tip: "\(day): \(baseline), \(point.meanText)")
      }
      if hasProduction, let point = production[index] {
        chart.rectangle(
          x(index) - 4, scale.position(point.mean) - 4, 8, 8, "on", tip: "\(day): production (\(point.name)), \(point.meanText)")
      }
      if let point = best[index] {
        chart.circle(
          x(index), scale.position(point.mean), radius: 4.5, "best", tip: "\(day): \(point.name), \(point.meanText), \(point.verdict)")
      }
      if index > 0, steps[index - 1].unexplained.contains(where: { $0.stratum == stratum }) {
        // The red crosses of cancelled requests.
        chart.crosses([(x(index), top + 8)], radius: 6, "cancelled")
      }
    }
    return chart
  }
}
