// The chart of paired differences, one dot per repetition.

import Analysis

extension ReportPart {
  /// The most dots of a point; more differences are thinned out evenly.
  private static let dotLimit = 200

  /// The best points' differences from the baseline by repetition; nil if no comparison has two pairs.
  var differencesChart: SVGDrawing? {
    guard !summary.isDeterministic else { return nil }
    let rows = best(13).compactMap { point -> (name: String, comparison: PointComparison, differences: [Double])? in
      point.comparison.flatMap { $0.pairs > 1 ? (name(point), $0, summary.differences(of: point)) : nil }
    }
    guard !rows.isEmpty else { return nil }
    let left = SVGDrawing.rowNameWidth(rows.map(\.name))
    let bottom = 66 + Double(rows.count) * 30
    let below = rows.map { "\($0.name) \($0.differences.count { $0 < 0 }) of \($0.differences.count)" }
    let intervals = rows.compactMap(\.comparison.differenceInterval)
    var chart = SVGDrawing(
      title: title("Paired differences from the baseline, by repetition"),
      description:
        "Each dot is one repetition's \(words.headline) less the baseline's in the same repetition"
        + (intervals.isEmpty ? ". " : "; the bar is the mean's \(level) interval. ")
        + "Repetitions with fewer than the baseline: " + below.joined(separator: "; ") + ".",
      width: max(660, left + 490), height: bottom + 62)
    let isThinned = rows.contains { $0.differences.count > Self.dotLimit }
    chart.heading(
      note: "left of zero is better\(intervals.isEmpty ? "" : "; bars are \(level) intervals")"
        + (isThinned ? "; not all repetitions are drawn" : ""))
    let values =
      rows.compactMap { $0.differences.min() } + rows.compactMap { $0.differences.max() } + intervals.map(\.low) + intervals.map(\.high)
    let scale = ChartScale(values, from: left, to: left + 465, includesZero: true, marks: 7)
    chart.horizontalAxis(scale, top: 56, bottom: bottom, name: "difference in \(words.headline)")
    chart.line(scale.position(0), 56, scale.position(0), bottom, "zero")
    for (index, (name, comparison, differences)) in rows.enumerated() {
      let y = 66 + (Double(index) + 0.5) * 30
      chart.rowName(left - 12, y + 4, name)
      let every = (differences.count + Self.dotLimit - 1) / Self.dotLimit
      for (dot, value) in stride(from: 0, to: differences.count, by: every).map({ differences[$0] }).enumerated() {
        // Equal values are drawn beside each other.
        chart.circle(scale.position(value), y - 4 + Double(dot % 5) * 2, radius: 3, "dot")
      }
      guard let interval = comparison.differenceInterval, let mean = comparison.difference else { continue }
      chart.interval(interval, on: scale, at: y, isVertical: false)
      let text = Precision.signedWithEnds(mean, interval, limit: Digits.difference)
      chart.diamond(scale.position(mean), y, radius: 5, "mean", tip: "\(name): \(text)")
    }
    return chart
  }
}
