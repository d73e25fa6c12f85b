// The chart of each point's loaders by reason.

import Analysis

extension ReportPart {
  /// The reasons as stacked bars of the best points and the baseline; nil if no point shown has a loader with a reason.
  var reasonsChart: SVGDrawing? {
    let rows = best(12).filter { $0.headlineMean != nil }
    let reasons = Metric.reasons.filter { reason in rows.contains { ($0.share(of: reason) ?? 0) > 0 } }
    guard !reasons.isEmpty else { return nil }
    func shares(_ row: PointSummary) -> String {
      let texts = reasons.compactMap { reason in
        row.share(of: reason).flatMap { $0 > 0 ? "\(reason.rawValue) \(Words.share($0))" : nil }
      }
      return texts.isEmpty ? "no loaders" : texts.joined(separator: ", ")
    }
    let left = SVGDrawing.rowNameWidth(rows.map(label))
    let bottom = 84 + Double(rows.count) * 28
    var chart = SVGDrawing(
      title: title("Loaders by reason"),
      description: rows.map { "\(label($0)): \(shares($0))" }.joined(separator: ". ") + ".", width: max(660, left + 490),
      height: bottom + 54)
    chart.heading()
    var x = 16.0
    for reason in reasons {
      chart.rectangle(x, 38, 12, 12, "f\(ChartStyle.index(of: reason))")
      chart.text(x + 17, 48, reason.rawValue)
      x += 34 + Double(reason.rawValue.count) * 7.2
    }
    let scale = ChartScale(rows.compactMap(\.headlineMean), from: left, to: left + 465, includesZero: true, marks: 7)
    chart.horizontalAxis(scale, top: 72, bottom: bottom, name: words.headline)
    for (index, row) in rows.enumerated() {
      let y = 84 + Double(index) * 28
      chart.rowName(left - 12, y + 15, label(row))
      var sum = 0.0
      for reason in reasons {
        let share = row.share(of: reason) ?? 0
        let part = share * (row.headlineMean ?? 0)
        guard part > 0 else { continue }
        let start = scale.position(sum)
        sum += part
        chart.rectangle(
          start, y, scale.position(sum) - start, 20, "f\(ChartStyle.index(of: reason))",
          tip: "\(label(row)), \(reason.rawValue): \(Words.share(share))")
      }
    }
    return chart
  }
}
