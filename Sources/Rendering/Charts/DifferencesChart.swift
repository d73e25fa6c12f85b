// What each repetition says: the paired differences to the baseline, which a mean alone would hide.

import Analysis

/// The best points' differences to the baseline, a dot a repetition.
struct DifferencesChart {
  private static let pointLimit = 12

  let data: ChartData

  /// The chart; nil where nothing was compared over two repetitions.
  var drawing: SVGDrawing? {
    guard !data.summary.isDeterministic else { return nil }
    let rows = data.best(Self.pointLimit + 1).compactMap { point -> (point: PointSummary, comparison: PointComparison)? in
      guard let comparison = point.comparison, comparison.pairs > 1 else { return nil }
      return (point, comparison)
    }
    guard !rows.isEmpty else { return nil }
    let level = ConfidenceText.percent(data.summary.confidence)
    let left = ChartData.labelWidth(rows.map { data.names.name(of: $0.point) })
    let bottom = 66 + Double(rows.count) * 30
    let below = rows.map { row in
      "\(data.names.name(of: row.point)) \(row.comparison.dots.belowCount) of \(row.comparison.dots.count)"
    }
    let intervals = rows.compactMap(\.comparison.differenceInterval)
    var chart = SVGDrawing(
      name: "differences", title: data.title("Differences to the baseline, repetition by repetition"),
      description:
        "Each dot is one repetition's \(data.words.headline) less the baseline's in the same repetition\(intervals.isEmpty ? "" : "; the bar is the mean's \(level) interval"). "
        + "Repetitions with fewer than the baseline: " + below.joined(separator: "; ") + ".",
      width: max(660, left + 490), height: bottom + 62)
    chart.text(16, 22, chart.title, "head")
    let thinned = rows.contains { $0.comparison.dots.count > DifferenceDots.limit }
    chart.text(
      16, 40,
      "left of zero is better\(intervals.isEmpty ? "" : "; bars are \(level) intervals")\(thinned ? "; not all repetitions are drawn" : "")",
      "note")
    let ends = rows.compactMap(\.comparison.dots.ends)
    let scale = ChartScale(
      ends.map(\.low) + ends.map(\.high) + intervals.map(\.low) + intervals.map(\.high), from: left, to: left + 465, includesZero: true,
      marks: 7)
    chart.horizontalAxis(scale, top: 56, bottom: bottom, name: "difference in \(data.words.headline)")
    chart.line(scale.place(0), 56, scale.place(0), bottom, "zero")
    for (index, row) in rows.enumerated() {
      let y = 66 + (Double(index) + 0.5) * 30
      chart.text(left - 12, y + 4, data.names.name(of: row.point), anchor: .end, limit: ChartData.labelLimit)
      for (place, value) in row.comparison.dots.drawn.enumerated() {
        // Equal values lie beside each other.
        chart.circle(scale.place(value), y - 4 + Double(place % 5) * 2, radius: 3, "dot")
      }
      guard let interval = row.comparison.differenceInterval, let mean = row.comparison.difference else { continue }
      chart.interval(scale.place(interval.low), scale.place(interval.high), at: y, isVertical: false, "bar")
      let text = Precision.signed(mean, interval, limit: Digits.difference)
      chart.diamond(
        scale.place(mean), y, radius: 5, "mean",
        tip: "\(data.names.name(of: row.point)): \(text) \(Precision.signedEnds(interval, limit: Digits.difference))")
    }
    return chart
  }
}
