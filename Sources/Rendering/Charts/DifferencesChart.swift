// The chart of paired differences, one dot per repetition.

import Analysis

extension ReportPart {
  /// The most dots of a point; more differences are thinned out evenly.
  private static let dotLimit = 200

  /// The best points' differences from the baseline by repetition; nil if no comparison has two pairs.
  var differencesChart: SVGDrawing? {
    guard !summary.isDeterministic else { return nil }
    let compared = best(13).compactMap { point -> (point: PointSummary, comparison: PointComparison, differences: [Double])? in
      point.comparison.flatMap { $0.pairs > 1 ? (point, $0, summary.differences(of: point)) : nil }
    }
    guard !compared.isEmpty else { return nil }
    let (names, listed) = (ChartNames(compared.map(\.point), of: self), listing(shown(limit: 13, top: 12)))
    let below = compared.map { "\(names.label($0.point)) \($0.differences.count { $0 < 0 }) of \($0.differences.count)" }
    let intervals = compared.compactMap(\.comparison.differenceInterval)
    var chart = SVGDrawing(
      title: title("Paired differences from the baseline"),
      description:
        "Each dot is one repetition's \(words.headline) less the baseline's in the same repetition"
        + (intervals.isEmpty ? ". " : "; the bar is the mean's \(level) interval. ")
        + "Repetitions with fewer than the baseline: " + below.joined(separator: "; ") + ".")
    let isThinned = compared.contains { $0.differences.count > Self.dotLimit }
    let notes = [
      "a dot is a repetition; left of zero is better", intervals.isEmpty ? "" : "bars are \(level) intervals",
      isThinned ? "not all repetitions are drawn" : "",
    ]
    let top = chart.heading(note: notes.filter { !$0.isEmpty }.joined(separator: "; "), names.note)
    let layout = ChartRows(
      compared.map { point, comparison, _ in
        let verdict = point.withConstraints(point.verdictText, isShort: true)
        return (point, names.label(point), "\(listed.explainedDifference(comparison)), \(verdict)")
      }, top: top, marks: 16)
    chart.height = layout.bottom + 48
    let values =
      compared.compactMap { $0.differences.min() } + compared.compactMap { $0.differences.max() } + intervals.flatMap { [$0.low, $0.high] }
    let scale = ChartScale(values, from: ChartRows.left, to: ChartRows.right, includesZero: true, marks: 7)
    chart.horizontalAxis(scale, top: top, bottom: layout.bottom, name: "difference in \(words.headline)")
    chart.line(scale.position(0), top, scale.position(0), layout.bottom, "zero")
    layout.drawTexts(winner: summary.confirmedWinner, on: &chart)
    for (row, (_, comparison, differences)) in zip(layout.rows, compared) {
      let every = (differences.count + Self.dotLimit - 1) / Self.dotLimit
      for (dot, value) in stride(from: 0, to: differences.count, by: every).map({ differences[$0] }).enumerated() {
        // Equal values are drawn beside each other.
        chart.circle(scale.position(value), row.y - 4 + Double(dot % 5) * 2, radius: 3, "dot")
      }
      guard let interval = comparison.differenceInterval, let mean = comparison.difference else { continue }
      chart.interval(interval, on: scale, at: row.y, isVertical: false)
      chart.diamond(scale.position(mean), row.y, radius: 5, "mean", tip: "\(row.name): \(row.numbers)")
    }
    return chart
  }
}
