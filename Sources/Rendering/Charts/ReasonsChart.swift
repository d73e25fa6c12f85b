// The chart of loaders by reason, as stacked bars.

import Analysis

extension ReportPart {
  /// The reasons as stacked bars of the best points and the baseline; nil if no point shown has a loader with a reason.
  var reasonsChart: SVGDrawing? {
    let points = best(12).filter { $0.headlineMean != nil }
    let reasons = Metric.reasons.filter { reason in points.contains { ($0.share(of: reason) ?? 0) > 0 } }
    guard !reasons.isEmpty else { return nil }
    let names = ChartNames(points, of: self)
    func shares(_ point: PointSummary) -> String {
      let texts = reasons.compactMap { reason in point.share(of: reason).flatMap { $0 > 0 ? "\(reason.rawValue) \(Words.share($0))" : nil }
      }
      return texts.isEmpty ? "no loaders" : texts.joined(separator: ", ")
    }
    var chart = SVGDrawing(
      title: title("Loaders by reason"), description: points.map { "\(names.label($0)): \(shares($0))" }.joined(separator: ". ") + ".")
    let top = chart.heading(note: names.note)
    let layout = ChartRows(points.map { ($0, names.label($0), numbers($0)) }, top: top + 36, marks: 16)
    chart.height = layout.bottom + 48
    var x = 16.0
    for reason in reasons {
      chart.reason(reason, x, top + 6, width: 24)
      chart.text(x + 30, top + 19, reason.rawValue)
      x += 42 + Double(reason.rawValue.count) * 6.9
    }
    let scale = ChartScale(points.compactMap(\.headlineMean), from: ChartRows.left, to: ChartRows.right, includesZero: true, marks: 7)
    chart.horizontalAxis(scale, top: top + 32, bottom: layout.bottom, name: words.headline)
    layout.drawTexts(winner: summary.confirmedWinner, on: &chart)
    for row in layout.rows {
      var sum = 0.0
      for reason in reasons {
        let share = row.point.share(of: reason) ?? 0
        let part = share * (row.point.headlineMean ?? 0)
        guard part > 0 else { continue }
        let start = scale.position(sum)
        sum += part
        chart.reason(
          reason, start, row.y - 8, width: scale.position(sum) - start, tip: "\(row.name), \(reason.rawValue): \(Words.share(share))")
      }
    }
    return chart
  }

  /// Returns a point's headline and cost as its table row has them.
  func numbers(_ point: PointSummary) -> String {
    let cost = cost(point)
    return words.counted(mean(point)) + (cost.isEmpty ? "" : ", \(cost) \(words.costShort)")
  }
}
