// Each axis by itself: how far the points of each of its values are from the mean of all points.

import Analysis

/// The main effect of one axis: its values, and what the points of each show together.
private struct EffectsPanel {
  /// Names that stand upright have up to so many columns.
  static let uprightLimit = 28

  let name: String
  let values: [String]
  let groups: [GroupMeans.Group]
  let intervals: [ConfidenceInterval?]

  /// Only numbers lie between each other; names are not joined, and none of them may be left out.
  var isNumeric: Bool { values.allSatisfy { $0.first.map { "0123456789-+.".contains($0) } ?? false } }

  /// The widest label, in columns.
  func widest(_ limit: Int) -> Int { values.map { min(limit, DisplayWidth.of($0)) }.max() ?? 1 }

  /// Every so many values have room for a label in a row.
  func every(_ step: Double) -> Int { max(1, Int((Double(widest(12)) * 7 + 6) / step + 0.999)) }

  /// True if the names stand upright, because they would run into each other.
  func isUpright(_ step: Double) -> Bool { !isNumeric && every(step) > 1 }

  func draw(_ scale: ChartScale, left: Double, right: Double, bottom: Double, isFirst: Bool, on chart: inout SVGDrawing) {
    chart.verticalAxis(scale, left: left, right: right, name: isFirst ? "effect" : nil)
    chart.line(left, scale.place(0), right, scale.place(0), "zero")
    let step = (right - left) / Double(values.count)
    let places = values.indices.map { left + (Double($0) + 0.5) * step }
    let means = groups.map { scale.place($0.effect.mean) }
    if isNumeric { chart.path(zip(places, means).map { ($0, $1) }, "front") }
    let labels = (scale.ticks.first.map(scale.place) ?? 0) + 18
    for (index, x) in places.enumerated() {
      let interval = intervals[index]
      if let interval, interval.halfWidth > 0 { chart.interval(interval, on: scale, at: x, isVertical: true) }
      let numbers = [
        Precision.signed(groups[index].effect.mean, interval, limit: Digits.difference),
        Precision.signedEnds(interval, limit: Digits.difference),
      ]
      let tip =
        "\(name) \(values[index]): \(numbers.filter { !$0.isEmpty }.joined(separator: " ")), \(Words.count(groups[index].count, "point"))"
      chart.circle(x, means[index], radius: 4, "on", tip: tip)
      if isUpright(step) {
        chart.text(x + 4, labels - 8, values[index], "tick", anchor: .end, limit: Self.uprightLimit, isUpward: true)
      } else if index % every(step) == 0 {
        // Labels that would run into each other are left out, at even distances.
        chart.text(x, labels, values[index], "tick", anchor: .middle, limit: max(12, Int(step / 7)))
      }
    }
    chart.text((left + right) / 2, bottom - 34, name, "axis", anchor: .middle, limit: 30)
  }
}

extension ReportPart {
  /// The main effect of each axis, a panel an axis; nil where no axis has two values with runs.
  var effectsChart: SVGDrawing? {
    let panels = effectsPanels
    guard !panels.isEmpty else { return nil }
    let columns = min(3, panels.count)
    let width = ([720, 360, 240] as [Double])[columns - 1]
    let rows = (panels.count + columns - 1) / columns
    let upright = panels.filter { $0.isUpright((width - 50) / Double($0.values.count)) }
    let height = 230 + Double(upright.map { $0.widest(EffectsPanel.uprightLimit) }.max() ?? 0) * 6.4
    let ranges = panels.map { panel -> String in
      let means = panel.groups.map(\.effect.mean)
      let spread = (means.max() ?? 0) - (means.min() ?? 0)
      return "\(panel.name) moves the mean by \(DecimalText.trimmed(spread, decimals: Digits.loaders))"
    }
    let intervals = panels.flatMap { $0.intervals.compactMap { $0 } }
    var chart = SVGDrawing(
      title: title("Effect of each axis on \(words.headline)"),
      description:
        "Mean over the points of each value less the mean of all points"
        + (intervals.isEmpty ? ". " : ", paired by repetition, with \(level) intervals. ") + ranges.joined(separator: "; ") + ".",
      width: 70 + Double(columns) * width, height: 60 + Double(rows) * height)
    chart.heading(
      note: "below zero is better" + (intervals.isEmpty ? "" : "; intervals of each value by itself, \(level), paired by repetition"))
    let ends = panels.flatMap { $0.groups.map(\.effect.mean) } + intervals.flatMap { [$0.low, $0.high] }
    for (index, panel) in panels.enumerated() {
      let left = 70 + Double(index % columns) * width
      let top = 64 + Double(index / columns) * height
      let scale = ChartScale(ends, from: top + 160, to: top + 16, includesZero: true, marks: 4)
      panel.draw(scale, left: left, right: left + width - 50, bottom: top + height, isFirst: index % columns == 0, on: &chart)
    }
    return chart
  }

  /// The axes with more than one value.
  private var effectsPanels: [EffectsPanel] {
    zip(axes, summary.groups?.axes ?? []).compactMap { name, axis in
      guard axis.valueCount <= GroupMeans.valueLimit else { return nil }
      let found = zip(axis.values, axis.groups).compactMap { value, group in group.map { (value, $0) } }
      guard found.count > 1 else { return nil }
      let intervals = found.map { $0.1.effect.adjustedInterval(confidence: summary.confidence) }
      return EffectsPanel(name: name, values: found.map(\.0), groups: found.map(\.1), intervals: intervals)
    }
  }
}
