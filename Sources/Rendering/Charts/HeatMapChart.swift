// Two axes against each other: where in the grid the good settings lie.

import Analysis

/// The headline over two axes.
struct HeatMapChart {
  let data: ChartData

  /// The chart; nil without two axes of two values or more.
  var drawing: SVGDrawing? {
    guard let groups = data.summary.groups, let map = groups.maps.first,
      let pair = AxisPair(map, across: map.across, groups: groups, summary: data.summary)
    else { return nil }
    let (columns, rows, cells) = (pair.columns, pair.rows, pair.cells)
    let means = cells.compactMap { $0?.mean.mean }
    guard let low = means.min(), let high = means.max() else { return nil }
    let size = (width: max(26, min(72, 620 / Double(columns.count))), height: rows.count > 16 ? 22.0 : 34.0)
    let left = 40 + Double(min(18, rows.map(DisplayWidth.of).max() ?? 1)) * 7.5
    let bottom = 66 + Double(rows.count) * size.height
    let (name, other) = (data.names.axes[pair.across], data.names.axes[pair.down])
    let note = pair.meaning
    var chart = SVGDrawing(
      name: "heat-map", title: data.title("\(data.words.headline) by \(name) and \(other)"),
      description:
        "From \(DecimalText.trimmed(low, decimals: 1)) at \(places(pair.best, pair, name, other)) to \(DecimalText.trimmed(high, decimals: 1))"
        + "\(pair.winner.map { "; the winner is in \(places([$0], pair, name, other))" } ?? "")\(note.isEmpty ? "" : "; " + note).",
      width: max(620, left + Double(columns.count) * size.width + 24), height: bottom + 112)
    chart.text(16, 22, chart.title, "head")
    chart.text(16, 40, note, "note")
    for (row, value) in rows.enumerated() {
      chart.text(left - 8, 66 + (Double(row) + 0.5) * size.height + 4, value, "tick", anchor: .end, limit: 18)
    }
    chart.text(14, (66 + bottom) / 2, other, "axis", anchor: .middle, isUpward: true)
    labels(columns, left: left, width: size.width, y: bottom + 16, on: &chart)
    chart.text(left + Double(columns.count) * size.width / 2, bottom + 36, name, "axis", anchor: .middle)
    for (index, cell) in cells.enumerated() {
      let (row, column) = (index / columns.count, index % columns.count)
      let corner = (x: left + Double(column) * size.width, y: 66 + Double(row) * size.height)
      draw(cell, "\(name) \(columns[column]), \(other) \(rows[row])", corner, size, low, high, on: &chart)
    }
    func outline(_ index: Int, _ style: String, inset: Double) {
      let (row, column) = (Double(index / columns.count), Double(index % columns.count))
      chart.rectangle(
        left + column * size.width + inset, 66 + row * size.height + inset, size.width - 2 * inset, size.height - 2 * inset, style)
    }
    for cell in pair.best { outline(cell, "mark", inset: 3) }
    if let winner = pair.winner { outline(winner, "won", inset: 6) }
    if let baseline = pair.baseline { outline(baseline, "outline", inset: 1.5) }
    let frames =
      [("mark", "fewest")] + (pair.winner == nil ? [] : [("won", "holds the winner")])
      + (pair.baseline == nil ? [] : [("outline", "baseline")])
    legend(low, high, left: left, y: bottom + 56, frames: frames, on: &chart)
    return chart
  }

  /// The names of some cells, at most three of them.
  private func places(_ cells: [Int], _ pair: AxisPair, _ name: String, _ other: String) -> String {
    let names = cells.prefix(3).map { "\(name) \(pair.columns[$0 % pair.columns.count]), \(other) \(pair.rows[$0 / pair.columns.count])" }
    return names.joined(separator: "; ") + (cells.count > 3 ? "; and \(cells.count - 3) more cells" : "")
  }

  private func draw(
    _ cell: GroupMeans.Group?, _ name: String, _ corner: (x: Double, y: Double), _ size: (width: Double, height: Double), _ low: Double,
    _ high: Double, on chart: inout SVGDrawing
  ) {
    guard let cell, let mean = cell.mean.mean else {
      return chart.rectangle(corner.x, corner.y, size.width, size.height, "none", tip: "\(name): no runs")
    }
    let bin = HeatBins.bin(mean, low, high)
    let interval = cell.mean.interval(confidence: data.summary.confidence, range: 0...data.summary.schema.headline.limit)
    let text = Precision.text(mean, interval, limit: Digits.loaders)
    chart.rectangle(corner.x, corner.y, size.width, size.height, "h\(bin)", tip: "\(name): \(data.words.counted(text))")
    guard Double(text.count) * 7 + 4 <= size.width else { return }
    chart.text(
      corner.x + size.width / 2, corner.y + size.height / 2 + 4, text, HeatBins.ink(bin), anchor: .middle)
  }

  private func labels(_ columns: [String], left: Double, width: Double, y: Double, on chart: inout SVGDrawing) {
    let widest = columns.map { min(16, DisplayWidth.of($0)) }.max() ?? 1
    let every = max(1, Int((Double(widest) * 7 + 6) / width + 0.999))
    for (index, value) in columns.enumerated() where index % every == 0 {
      chart.text(left + (Double(index) + 0.5) * width, y, value, "tick", anchor: .middle, limit: 16)
    }
  }

  private func legend(
    _ low: Double, _ high: Double, left: Double, y: Double, frames: [(style: String, text: String)], on chart: inout SVGDrawing
  ) {
    for bin in 0..<HeatBins.count where high > low || bin == 0 {
      let x = left + Double(bin) * 60
      chart.rectangle(x, y, 58, 12, "h\(bin)")
      chart.text(x, y + 26, DecimalText.trimmed(HeatBins.bound(bin, low, high), decimals: high - low > 50 ? 0 : 1), "tick")
    }
    var x = left
    for frame in frames {
      chart.rectangle(x + 2, y + 38, 12, 10, frame.style)
      chart.text(x + 20, y + 48, frame.text)
      x += 36 + Double(frame.text.count) * 7.2
    }
  }
}
