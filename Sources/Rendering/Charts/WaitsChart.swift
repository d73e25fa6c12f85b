// How long items are waited for: a mean hides the few that are waited for long.

import Analysis

/// The waits that so many items in a hundred do not exceed, for the best points and the baseline.
struct WaitsChart {
  private static let pointLimit = 6
  private static let metrics: [(metric: Metric, label: String)] = [
    (.waitMsP50, "50 %"), (.waitMsP90, "90 %"), (.waitMsP99, "99 %"), (.waitMsMax, "all"),
  ]

  let data: ChartData

  /// The chart; nil where no point has waits.
  var drawing: SVGDrawing? {
    let rows = data.best(Self.pointLimit).compactMap { point -> (point: PointSummary, waits: [Double])? in
      let waits = Self.metrics.compactMap { point.mean($0.metric) }
      return waits.count == Self.metrics.count ? (point, waits) : nil
    }
    guard !rows.isEmpty else { return nil }
    var chart = SVGDrawing(
      name: "waits", title: data.title("How long items are waited for"),
      description: "The wait in ms that so many items do not exceed, mean over repetitions. "
        + rows.map { row in
          "\(data.label(row.point)): "
            + zip(Self.metrics, row.waits).map { "\($0.label) \(DecimalText.fixed($1, decimals: 0))" }.joined(separator: ", ")
        }.joined(separator: ". ") + ".",
      width: 760, height: 350 + Double(rows.count) * 20)
    chart.text(16, 22, chart.title, "head")
    let scale = ChartScale(rows.flatMap(\.waits), from: 280, to: 50, includesZero: true)
    chart.verticalAxis(scale, left: 70, right: 735, name: "wait, ms")
    let places = Self.metrics.indices.map { 110 + Double($0) * 195 }
    for (place, item) in zip(places, Self.metrics) { chart.text(place, 298, item.label, "tick", anchor: .middle) }
    chart.text(402, 318, "share of items that wait no longer", "axis", anchor: .middle)
    for (index, row) in rows.enumerated().reversed() {
      chart.path(row.waits.enumerated().map { (places[$0], scale.place($1)) }, "s\(index)")
      for (place, wait) in zip(places.indices, row.waits) {
        let tip = "\(data.label(row.point)), \(Self.metrics[place].label): \(DecimalText.fixed(wait, decimals: 0)) ms"
        mark(index, places[place], scale.place(wait), tip: tip, on: &chart)
      }
      let y = 345 + Double(index) * 20
      chart.line(70, y, 106, y, "s\(index)")
      mark(index, 88, y, tip: "", on: &chart)
      chart.text(116, y + 4, data.label(row.point), limit: 80)
    }
    return chart
  }

  /// Lines are told apart by shape and dashes, not by colour alone.
  private func mark(_ index: Int, _ x: Double, _ y: Double, tip: String, on chart: inout SVGDrawing) {
    switch index % 3 {
    case 0: chart.circle(x, y, radius: 4.5, "f\(index)", tip: tip)
    case 1: chart.diamond(x, y, radius: 5.5, "f\(index)", tip: tip)
    default: chart.rectangle(x - 4, y - 4, 8, 8, "f\(index)", tip: tip)
    }
  }
}
