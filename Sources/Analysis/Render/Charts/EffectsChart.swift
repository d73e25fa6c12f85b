// Each axis by itself: how far the points of each of its values are from the mean of all points.

/// The main effect of each axis, a panel an axis.
struct EffectsChart {
  private static let height = 230.0

  let data: ChartData

  /// The axes with more than one value, each with its groups.
  private var axes: [(name: String, values: [String], groups: [GroupMeans.Group])] {
    zip(data.names.axes, data.summary.groups?.axes ?? []).compactMap { name, axis in
      guard axis.valueCount <= GroupMeans.valueLimit else { return nil }
      let found = zip(axis.values, axis.groups).compactMap { pair in pair.1.map { (pair.0, $0) } }
      return found.count > 1 ? (name, found.map(\.0), found.map(\.1)) : nil
    }
  }

  /// The chart; nil where no axis has two values with runs.
  var drawing: SVGDrawing? {
    let axes = axes
    guard !axes.isEmpty else { return nil }
    let columns = min(3, axes.count)
    let width = ([720, 360, 240] as [Double])[columns - 1]
    let rows = (axes.count + columns - 1) / columns
    let level = ConfidenceText.percent(data.summary.confidence)
    let ranges = axes.map { axis -> String in
      let means = axis.groups.compactMap(\.effect.mean)
      let spread = (means.max() ?? 0) - (means.min() ?? 0)
      return "\(axis.name) moves the mean by \(DecimalText.trimmed(spread, decimals: Digits.loaders))"
    }
    var chart = SVGDrawing(
      name: "effects", title: data.title("Effect of each axis on \(data.words.headline)"),
      description:
        "Mean over the points of each value less the mean of all points\(data.summary.isDeterministic ? "" : ", paired by repetition, with \(level) intervals"). "
        + ranges.joined(separator: "; ") + ".",
      width: 70 + Double(columns) * width, height: 60 + Double(rows) * Self.height)
    chart.text(16, 22, chart.title, "head")
    chart.text(
      16, 40,
      "below zero is better\(data.summary.isDeterministic ? "" : "; intervals of each value by itself, \(level), paired by repetition")",
      "note")
    let ends = axes.flatMap { axis in
      axis.groups.flatMap { group -> [Double] in
        let interval = group.effect.interval(confidence: data.summary.confidence)
        return [group.effect.mean, interval?.low, interval?.high].compactMap { $0 }
      }
    }
    for (index, axis) in axes.enumerated() {
      let left = 70 + Double(index % columns) * width
      let top = 64 + Double(index / columns) * Self.height
      let scale = ChartScale(ends, from: top + Self.height - 70, to: top + 16, includesZero: true, marks: 4)
      draw(axis, scale, left: left, right: left + width - 50, top: top, isFirst: index % columns == 0, on: &chart)
    }
    return chart
  }

  private func draw(
    _ axis: (name: String, values: [String], groups: [GroupMeans.Group]), _ scale: ChartScale, left: Double, right: Double, top: Double,
    isFirst: Bool,
    on chart: inout SVGDrawing
  ) {
    chart.verticalAxis(scale, left: left, right: right, name: data.words.headline, isNameShown: isFirst)
    chart.line(left, scale.place(0), right, scale.place(0), "zero")
    let step = (right - left) / Double(axis.values.count)
    let places = axis.values.indices.map { left + (Double($0) + 0.5) * step }
    // Only numbers lie between each other; names are not joined.
    if axis.values.allSatisfy({ $0.first.map { "0123456789-+.".contains($0) } ?? false }) {
      chart.path(axis.groups.enumerated().map { (places[$0], scale.place($1.effect.mean ?? 0)) }, "front")
    }
    // Labels that would run into each other are left out, at even distances.
    let widest = axis.values.map { min(12, DisplayWidth.of($0)) }.max() ?? 1
    let every = max(1, Int((Double(widest) * 7 + 6) / step + 0.999))
    for (index, group) in axis.groups.enumerated() {
      let interval = group.effect.interval(confidence: data.summary.confidence)
      if let interval, interval.halfWidth > 0 {
        chart.interval(scale.place(interval.low), scale.place(interval.high), at: places[index], isVertical: true, "bar")
      }
      let mean = Precision.signed(group.effect.mean, interval, limit: Digits.difference)
      let tip =
        "\(axis.name) \(axis.values[index]): \(mean) \(Precision.signedEnds(interval, limit: Digits.difference)), \(group.count) points"
      chart.circle(places[index], scale.place(group.effect.mean ?? 0), radius: 4, "on", tip: tip)
      if index % every == 0 {
        chart.text(places[index], top + Self.height - 52, axis.values[index], "tick", anchor: .middle, limit: max(12, Int(step / 7)))
      }
    }
    chart.text((left + right) / 2, top + Self.height - 34, axis.name, "axis", anchor: .middle, limit: 30)
  }
}
