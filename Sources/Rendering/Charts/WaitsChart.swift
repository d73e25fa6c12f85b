// The chart of waits by quantile: a mean hides the few long waits.

import Analysis

extension ReportPart {
  /// The quantiles of waits of the best points and the baseline; nil if no point has waits.
  var waitsChart: SVGDrawing? {
    let metrics: [(metric: Metric, label: String)] = [
      (.waitMsP50, "50 %"), (.waitMsP90, "90 %"), (.waitMsP99, "99 %"), (.waitMsMax, "all"),
    ]
    let rows = best(6).compactMap { point -> (label: String, waits: [Double])? in
      let waits = metrics.compactMap { point.mean($0.metric) }
      return waits.count == metrics.count ? (label(point), waits) : nil
    }
    guard !rows.isEmpty else { return nil }
    func text(_ wait: Double) -> String { DecimalText.fixed(wait, decimals: 0) }
    let described = rows.map { row in
      "\(row.label): " + zip(metrics, row.waits).map { "\($0.label) \(text($1))" }.joined(separator: ", ")
    }
    var chart = SVGDrawing(
      title: title("Wait for an active item to be ready"),
      description: "Percentiles of the wait in ms, mean over repetitions. \(described.joined(separator: ". ")).",
      width: 760, height: 350 + Double(rows.count) * 20)
    chart.heading()
    let scale = ChartScale(rows.flatMap(\.waits), from: 280, to: 50, includesZero: true)
    chart.verticalAxis(scale, left: 70, right: 735, name: "wait, ms")
    let positions = metrics.indices.map { 110 + Double($0) * 195 }
    for (x, item) in zip(positions, metrics) { chart.text(x, 298, item.label, "tick", anchor: .middle) }
    chart.text(402, 318, "percentile of the wait", "axis", anchor: .middle)
    for (index, row) in rows.enumerated().reversed() {
      chart.path(zip(positions, row.waits.map(scale.position)).map { ($0, $1) }, "s\(index)")
      for (x, (item, wait)) in zip(positions, zip(metrics, row.waits)) {
        chart.mark(index, x, scale.position(wait), tip: "\(row.label), \(item.label): \(text(wait)) ms")
      }
      let y = 345 + Double(index) * 20
      chart.line(70, y, 106, y, "s\(index)")
      chart.mark(index, 88, y)
      chart.text(116, y + 4, row.label, limit: 80)
    }
    return chart
  }
}

extension SVGDrawing {
  /// Draws a point whose shape identifies its line without colour.
  fileprivate mutating func mark(_ index: Int, _ x: Double, _ y: Double, tip: String = "") {
    switch index % 3 {
    case 0: circle(x, y, radius: 4.5, "f\(index)", tip: tip)
    case 1: diamond(x, y, radius: 5.5, "f\(index)", tip: tip)
    default: rectangle(x - 4, y - 4, 8, 8, "f\(index)", tip: tip)
    }
  }
}
