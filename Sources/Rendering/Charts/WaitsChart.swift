// The chart of waits: a mean hides the few long ones. Quantiles are marks, because nothing is known between them.

import Analysis
import Base

extension ReportPart {
  /// The quantiles of waits of the best points and the baseline; nil if no point has waits.
  var waitsChart: SVGDrawing? {
    let quantiles: [(metric: Metric, label: String)] = [
      (.waitMsP50, "50 %"), (.waitMsP90, "90 %"), (.waitMsP99, "99 %"), (.waitMsMax, "longest"),
    ]
    func text(_ wait: Double) -> String { DecimalText.fixed(wait, decimals: 0) }
    let known = best(8).compactMap { point -> (point: PointSummary, waits: [Double])? in
      let waits = quantiles.compactMap { point.mean($0.metric) }
      return waits.count == quantiles.count ? (point, waits) : nil
    }
    guard !known.isEmpty else { return nil }
    let names = ChartNames(known.map(\.point), of: self)
    let described = known.map { known in
      "\(names.label(known.point)): " + zip(quantiles, known.waits).map { "\($0.label) \(text($1))" }.joined(separator: ", ")
    }
    var chart = SVGDrawing(
      title: title("Wait for an active item to be ready"),
      description: "Waits in ms that 50, 90 and 99 % of items do not exceed, and the longest; means over repetitions. "
        + described.joined(separator: ". ") + ".")
    let top = chart.heading(note: "not longer for 50, 90 and 99 % of items, and the longest; means over repetitions", names.note)
    let layout = ChartRows(
      known.map { ($0.point, names.label($0.point), $0.waits.map(text).joined(separator: " · ") + " ms") }, top: top + 32, marks: 14)
    chart.height = layout.bottom + 48
    for (index, quantile) in quantiles.enumerated() {
      chart.quantile(index, 28 + Double(index) * 100, top + 10)
      chart.text(40 + Double(index) * 100, top + 14, quantile.label)
    }
    let scale = ChartScale(known.flatMap(\.waits), from: ChartRows.left, to: ChartRows.right, includesZero: true, marks: 7)
    chart.horizontalAxis(scale, top: top + 28, bottom: layout.bottom, name: "wait, ms")
    layout.drawTexts(winner: summary.confirmedWinner, on: &chart)
    for (row, (_, waits)) in zip(layout.rows, known) {
      for (index, wait) in waits.enumerated().reversed() {
        chart.quantile(index, scale.position(wait), row.y, tip: "\(row.name), \(quantiles[index].label): \(text(wait)) ms")
      }
    }
    return chart
  }
}

extension SVGDrawing {
  /// Draws the mark of a quantile, which its shape tells without colour; two with equal values are both visible.
  fileprivate mutating func quantile(_ index: Int, _ x: Double, _ y: Double, tip: String = "") {
    switch index {
    case 0: circle(x, y, radius: 7, "ring", tip: tip)
    case 1: circle(x, y, radius: 4, "mean", tip: tip)
    case 2: diamond(x, y, radius: 6, "on", tip: tip)
    default: rectangle(x - 2, y - 7, 4, 14, "mean", tip: tip)
    }
  }
}
