// The heat map of the headline over two axes.

import Base

extension ReportPart {
  /// The headline over the two axes with the largest effects; nil without two axes of at least two values.
  var heatMap: SVGDrawing? {
    guard let marginal = summary.marginalMeans, let map = marginal.maps.first,
      let pair = AxisPair(map, across: map.across, marginal: marginal, part: self)
    else { return nil }
    let (columns, rows) = (pair.columns, pair.rows)
    let means = pair.cells.compactMap { $0?.mean.mean }
    guard let low = means.min(), let high = means.max() else { return nil }
    let colors = HeatColors(low: low, high: high)
    let size = (width: max(30, min(72, 540 / Double(columns.count))), height: rows.count > 16 ? 22.0 : 34.0)
    let left = 40 + Double(min(18, rows.map(DisplayWidth.of).max() ?? 1)) * 7.5
    let (across, down) = (axes[pair.across], axes[pair.down])
    func name(_ cell: Int) -> String { "\(across) \(columns[cell % columns.count]), \(down) \(rows[cell / columns.count])" }
    func names(_ cells: [Int]) -> String { Words.first(3, of: cells.map(name), others: " cells") }
    var chart = SVGDrawing(
      title: title("\(Words.capitalized(words.headline)) by \(across) and \(down)"),
      description: "From \(DecimalText.trimmed(low, decimals: 1)) at \(names(pair.best)) to \(DecimalText.trimmed(high, decimals: 1))"
        + (pair.winner.map { "; the winner is in \(name($0))" } ?? "") + (pair.meaning.isEmpty ? "." : "; \(pair.meaning)."),
      width: max(SVGDrawing.usualWidth, left + Double(columns.count) * size.width + 24))
    let top = chart.heading(note: pair.meaning) + 8
    let bottom = top + Double(rows.count) * size.height
    chart.height = bottom + 112
    for (row, value) in rows.enumerated() {
      chart.text(left - 8, top + (Double(row) + 0.5) * size.height + 4, value, "tick", anchor: .end, limit: 18)
    }
    chart.text(14, (top + bottom) / 2, down, "axis", anchor: .middle, isUpward: true)
    let every = SVGDrawing.every(columns, limit: 16, step: size.width)
    for (index, value) in columns.enumerated() where index % every == 0 {
      chart.text(left + (Double(index) + 0.5) * size.width, bottom + 16, value, "tick", anchor: .middle, limit: 16)
    }
    chart.text(left + Double(columns.count) * size.width / 2, bottom + 36, across, "axis", anchor: .middle)
    func box(_ cell: Int) -> SVGDrawing.Box {
      let (row, column) = cell.quotientAndRemainder(dividingBy: columns.count)
      return (left + Double(column) * size.width, top + Double(row) * size.height, size.width, size.height)
    }
    for ((index, cell), text) in zip(pair.cells.enumerated(), self.means(pair.cells).map(\.description)) {
      let hasRoom = Double(text.count) * 7 + 4 <= size.width
      colors.draw(cell?.mean.mean, hasRoom ? text : "", in: box(index), name: name(index), tip: words.counted(text), on: &chart)
    }
    let frames: [(cells: [Int], style: String, inset: Double, text: String)] = [
      (pair.best, "mark", 6, pair.best.count > 1 ? "lowest, tied" : "lowest"),
      (pair.winner.map { [$0] } ?? [], "won", 2.5, "holds the winner"),
      (pair.baseline.map { [$0] } ?? [], "outline", 2.5, "baseline"),
    ].filter { !$0.0.isEmpty }
    for frame in frames {
      for cell in frame.cells { chart.frame(box(cell), inset: frame.inset, frame.style) }
    }
    chart.heatLegend(colors, left: left, y: bottom + 56, frames: frames.map { ($0.style, $0.text) })
    return chart
  }
}

extension SVGDrawing {
  /// Draws a frame that is visible on light and dark cells.
  mutating func frame(_ box: Box, inset: Double, _ style: String) {
    rectangle(box, inset: inset, "halo")
    rectangle(box, inset: inset, style)
  }

  fileprivate mutating func heatLegend(_ colors: HeatColors, left: Double, y: Double, frames: [(style: String, text: String)]) {
    let range = colors.high - colors.low
    for bin in 0..<HeatColors.count where range > 0 || bin == 0 {
      let x = left + Double(bin) * 60
      rectangle(x, y, 58, 12, "h\(bin)")
      text(x, y + 26, DecimalText.trimmed(colors.bound(bin), decimals: range > 50 ? 0 : 1), "tick")
    }
    var x = left
    for frame in frames {
      rectangle(x + 2, y + 38, 12, 10, frame.style)
      text(x + 20, y + 48, frame.text)
      x += 36 + Double(frame.text.count) * 7.2
    }
  }
}
