// Each axis by itself: how far the points of each of its values are from the mean of all points.

import Analysis

/// The main effect of each axis, a panel an axis.
struct EffectsChart {
  private static let height = 230.0
  /// Names that stand upright have up to so many columns.
  private static let uprightLimit = 28

  let data: ChartData

  /// One axis: its values, and what the points of each show together.
  private struct Axis {
    let name: String
    let values: [String]
    let groups: [GroupMeans.Group]

    /// Only numbers lie between each other; names are not joined, and none of them may be left out.
    var isNumeric: Bool { values.allSatisfy { $0.first.map { "0123456789-+.".contains($0) } ?? false } }

    /// The widest label, in columns.
    func widest(_ limit: Int) -> Int { values.map { min(limit, DisplayWidth.of($0)) }.max() ?? 1 }

    /// Every so many values have room for a label in a row.
    func every(_ step: Double) -> Int { max(1, Int((Double(widest(12)) * 7 + 6) / step + 0.999)) }

    /// Whether the names stand upright, because they would run into each other.
    func isUpright(_ step: Double) -> Bool { !isNumeric && every(step) > 1 }
  }

  /// The axes with more than one value.
  private var axes: [Axis] {
    zip(data.names.axes, data.summary.groups?.axes ?? []).compactMap { name, axis in
      guard axis.valueCount <= GroupMeans.valueLimit else { return nil }
      let found = zip(axis.values, axis.groups).compactMap { pair in pair.1.map { (pair.0, $0) } }
      return found.count > 1 ? Axis(name: name, values: found.map(\.0), groups: found.map(\.1)) : nil
    }
  }

  /// The chart; nil where no axis has two values with runs.
  var drawing: SVGDrawing? {
    let axes = axes
    guard !axes.isEmpty else { return nil }
    let columns = min(3, axes.count)
    let width = ([720, 360, 240] as [Double])[columns - 1]
    let rows = (axes.count + columns - 1) / columns
    let room =
      axes.map { axis in
        axis.isUpright((width - 50) / Double(axis.values.count)) ? Double(axis.widest(Self.uprightLimit)) * 6.4 : 0
      }.max() ?? 0
    let height = Self.height + room
    let level = ConfidenceText.percent(data.summary.confidence)
    let ranges = axes.map { axis -> String in
      let means = axis.groups.compactMap(\.effect.mean)
      let spread = (means.max() ?? 0) - (means.min() ?? 0)
      return "\(axis.name) moves the mean by \(DecimalText.trimmed(spread, decimals: Digits.loaders))"
    }
    let hasIntervals = axes.contains { $0.groups.contains { $0.effect.interval(confidence: data.summary.confidence) != nil } }
    var chart = SVGDrawing(
      name: "effects", title: data.title("Effect of each axis on \(data.words.headline)"),
      description:
        "Mean over the points of each value less the mean of all points\(hasIntervals ? ", paired by repetition, with \(level) intervals" : ""). "
        + ranges.joined(separator: "; ") + ".",
      width: 70 + Double(columns) * width, height: 60 + Double(rows) * height)
    chart.text(16, 22, chart.title, "head")
    chart.text(
      16, 40,
      "below zero is better\(hasIntervals ? "; intervals of each value by itself, \(level), paired by repetition" : "")",
      "note")
    let ends = axes.flatMap { axis in
      axis.groups.flatMap { group -> [Double] in
        let interval = group.effect.interval(confidence: data.summary.confidence)
        return [group.effect.mean, interval?.low, interval?.high].compactMap { $0 }
      }
    }
    for (index, axis) in axes.enumerated() {
      let left = 70 + Double(index % columns) * width
      let top = 64 + Double(index / columns) * height
      let scale = ChartScale(ends, from: top + Self.height - 70, to: top + 16, includesZero: true, marks: 4)
      draw(axis, scale, left: left, right: left + width - 50, bottom: top + height, isFirst: index % columns == 0, on: &chart)
    }
    return chart
  }

  private func draw(
    _ axis: Axis, _ scale: ChartScale, left: Double, right: Double, bottom: Double, isFirst: Bool, on chart: inout SVGDrawing
  ) {
    chart.verticalAxis(scale, left: left, right: right, name: "effect", isNameShown: isFirst)
    chart.line(left, scale.place(0), right, scale.place(0), "zero")
    let step = (right - left) / Double(axis.values.count)
    let places = axis.values.indices.map { left + (Double($0) + 0.5) * step }
    if axis.isNumeric { chart.path(axis.groups.enumerated().map { (places[$0], scale.place($1.effect.mean ?? 0)) }, "front") }
    let labels = (scale.ticks.first.map(scale.place) ?? 0) + 18
    for (index, group) in axis.groups.enumerated() {
      let interval = group.effect.interval(confidence: data.summary.confidence)
      if let interval, interval.halfWidth > 0 {
        chart.interval(scale.place(interval.low), scale.place(interval.high), at: places[index], isVertical: true, "bar")
      }
      let mean = Precision.signed(group.effect.mean, interval, limit: Digits.difference)
      let tip =
        "\(axis.name) \(axis.values[index]): \(mean)\(interval == nil ? "" : " ")\(Precision.signedEnds(interval, limit: Digits.difference)), \(CountText.text(group.count, "point"))"
      chart.circle(places[index], scale.place(group.effect.mean ?? 0), radius: 4, "on", tip: tip)
      if axis.isUpright(step) {
        chart.text(
          places[index] + 4, labels - 8, axis.values[index], "tick", anchor: .end, limit: Self.uprightLimit, isUpward: true)
      } else if index % axis.every(step) == 0 {
        // Labels that would run into each other are left out, at even distances.
        chart.text(places[index], labels, axis.values[index], "tick", anchor: .middle, limit: max(12, Int(step / 7)))
      }
    }
    chart.text((left + right) / 2, bottom - 34, axis.name, "axis", anchor: .middle, limit: 30)
  }
}
