// The main effect of each axis: the means of its values less the mean of all points.

import Analysis

/// The main effect of one axis: its values and their marginal means.
private struct EffectsPanel {
  /// The most columns of an upright name.
  static let uprightLimit = 28

  let name: String
  let bars: [(value: String, group: MarginalMeans.Group, interval: ConfidenceInterval?)]

  /// True if the values are numbers, which a line joins; names are never joined or left out.
  var isNumeric: Bool { bars.allSatisfy { $0.value.first.map { "0123456789-+.".contains($0) } ?? false } }

  func every(_ step: Double) -> Int { SVGDrawing.every(bars.map(\.value), limit: 12, step: step) }

  /// True if the names stand upright, because they would overlap otherwise.
  func isUpright(_ step: Double) -> Bool { !isNumeric && every(step) > 1 }

  func draw(_ scale: ChartScale, left: Double, right: Double, bottom: Double, isFirst: Bool, on chart: inout SVGDrawing) {
    chart.verticalAxis(scale, left: left, right: right, name: isFirst ? "effect" : nil)
    chart.line(left, scale.position(0), right, scale.position(0), "zero")
    let step = (right - left) / Double(bars.count)
    let positions = bars.enumerated().map { (x: left + (Double($0) + 0.5) * step, y: scale.position($1.group.effect.mean)) }
    if isNumeric { chart.path(positions, "front") }
    let labels = scale.position(scale.ticks[0]) + 18
    for (index, ((x, y), (value, group, interval))) in zip(positions, bars).enumerated() {
      if let interval, interval.halfWidth > 0 { chart.interval(interval, on: scale, at: x, isVertical: true) }
      let effect = Precision.signedWithEnds(group.effect.mean, interval, limit: Digits.difference)
      chart.circle(x, y, radius: 4, "on", tip: "\(name) \(value): \(effect), \(Words.count(group.count, "point"))")
      if isUpright(step) {
        chart.text(x + 4, labels - 8, value, "tick", anchor: .end, limit: Self.uprightLimit, isUpward: true)
      } else if index % every(step) == 0 {
        // Labels that would overlap are left out, at even distances.
        chart.text(x, labels, value, "tick", anchor: .middle, limit: max(12, Int(step / 7)))
      }
    }
    chart.text((left + right) / 2, bottom - 34, name, "axis", anchor: .middle, limit: 30)
  }
}

extension ReportPart {
  /// The main effects, one panel per axis; nil if no axis has two values with runs.
  var effectsChart: SVGDrawing? {
    let panels = effectsPanels
    guard !panels.isEmpty else { return nil }
    let columns = min(3, panels.count)
    let width = ([720, 360, 240] as [Double])[columns - 1]
    let rows = (panels.count + columns - 1) / columns
    let upright = panels.filter { $0.isUpright((width - 50) / Double($0.bars.count)) }
    let height = 230 + Double(upright.flatMap(\.bars).map { min(EffectsPanel.uprightLimit, DisplayWidth.of($0.value)) }.max() ?? 0) * 6.4
    let ranges = panels.map { panel -> String in
      let means = panel.bars.map(\.group.effect.mean)
      let spread = (means.max() ?? 0) - (means.min() ?? 0)
      return "\(panel.name) moves the mean by \(DecimalText.trimmed(spread, decimals: Digits.loaders))"
    }
    let intervals = panels.flatMap { $0.bars.compactMap(\.interval) }
    var chart = SVGDrawing(
      title: title("Effect of each axis on \(words.headline)"),
      description:
        "Mean over the points of each value less the mean of all points"
        + (intervals.isEmpty ? ". " : ", paired by repetition, with \(level) intervals. ") + ranges.joined(separator: "; ") + ".",
      width: 70 + Double(columns) * width, height: 60 + Double(rows) * height)
    chart.heading(
      note: "below zero is better" + (intervals.isEmpty ? "" : "; \(level) intervals for each value alone, paired by repetition"))
    let ends = panels.flatMap { $0.bars.map(\.group.effect.mean) } + intervals.flatMap { [$0.low, $0.high] }
    for (index, panel) in panels.enumerated() {
      let left = 70 + Double(index % columns) * width
      let top = 64 + Double(index / columns) * height
      let scale = ChartScale(ends, from: top + 160, to: top + 16, includesZero: true, marks: 4)
      panel.draw(scale, left: left, right: left + width - 50, bottom: top + height, isFirst: index % columns == 0, on: &chart)
    }
    return chart
  }

  private var effectsPanels: [EffectsPanel] {
    (summary.marginalMeans?.axes ?? []).enumerated().compactMap { index, axis in
      guard axis.valueCount <= MarginalMeans.valueLimit else { return nil }
      let bars = zip(axis.values, axis.groups).compactMap { value, group in
        group.map { (names.value(value, axis: index), $0, $0.effect.adjustedInterval(confidence: summary.confidence)) }
      }
      return bars.count > 1 ? EffectsPanel(name: axes[index], bars: bars) : nil
    }
  }
}
