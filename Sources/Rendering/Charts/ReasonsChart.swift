// Why loaders were shown: each point's loaders, cut up by their reasons.

import Analysis

/// Reasons as stacked bars of the best points and the baseline.
struct ReasonsChart {
  private static let pointLimit = 12

  let data: ChartData

  /// The chart; nil where no point shown had a loader with a reason.
  var drawing: SVGDrawing? {
    let rows = data.best(Self.pointLimit).filter { point in point.headlineMean != nil }
    let reasons = Metric.reasons.filter { reason in rows.contains { ($0.share(of: reason) ?? 0) > 0 } }
    guard !reasons.isEmpty else { return nil }
    let left = ChartData.labelWidth(rows.map(data.label))
    let bottom = 84 + Double(rows.count) * 28
    var chart = SVGDrawing(
      name: "reasons", title: data.title("Why loaders were shown"),
      description: rows.map { row in "\(data.label(row)): \(shares(row, reasons))" }.joined(separator: ". ") + ".",
      width: max(660, left + 490),
      height: bottom + 54)
    chart.text(16, 22, chart.title, "head")
    var x = 16.0
    for reason in reasons {
      chart.rectangle(x, 38, 12, 12, "f\(Self.style(reason))")
      chart.text(x + 17, 48, reason.rawValue)
      x += 34 + Double(reason.rawValue.count) * 7.2
    }
    let scale = ChartScale(rows.compactMap(\.headlineMean), from: left, to: left + 465, includesZero: true, marks: 7)
    chart.horizontalAxis(scale, top: 72, bottom: bottom, name: data.words.headline)
    for (index, row) in rows.enumerated() {
      let y = 84 + Double(index) * 28
      chart.text(left - 12, y + 15, data.label(row), anchor: .end, limit: ChartData.labelLimit)
      var sum = 0.0
      for reason in reasons {
        let share = row.share(of: reason) ?? 0
        let part = share * (row.headlineMean ?? 0)
        guard part > 0 else { continue }
        let start = scale.place(sum)
        sum += part
        chart.rectangle(
          start, y, scale.place(sum) - start, 20, "f\(Self.style(reason))",
          tip: "\(data.label(row)), \(reason.rawValue): \(ShareText.percent(share))")
      }
    }
    return chart
  }

  /// A reason has the same colour in every chart.
  static func style(_ reason: Metric) -> Int { Metric.reasons.firstIndex(of: reason) ?? 0 }

  private func shares(_ row: PointSummary, _ reasons: [Metric]) -> String {
    let texts = reasons.compactMap { reason in
      row.share(of: reason).flatMap { $0 > 0 ? "\(reason.rawValue) \(ShareText.percent($0))" : nil }
    }
    return texts.isEmpty ? "no loaders" : texts.joined(separator: ", ")
  }
}
