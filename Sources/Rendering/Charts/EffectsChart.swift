// The main effect of each axis: the means of its values less the mean of all points.

import Analysis
import Base

private struct EffectsPanel {
  typealias Bar = (value: String, x: Double?, group: MarginalMeans.Group, interval: ConfidenceInterval?)

  let name: String
  let bars: [Bar]

  /// True if the values are numbers, which have a place on an axis.
  var isNumeric: Bool { bars.allSatisfy { $0.x != nil } }

  func text(_ bar: Bar) -> String { "\(ShownNumber.change(bar.group.effect.mean, bar.interval, decimals))" }

  private var decimals: Int { Precision.decimals(bars.map { ($0.group.effect.mean, $0.interval) }, limit: Digits.difference) }

  private func tip(_ bar: Bar) -> String { "\(name) \(bar.value): \(text(bar)), \(Words.count(bar.group.count, "point"))" }

  /// Draws numbers to scale from left to right, joined by a line.
  func drawNumbers(_ scale: ChartScale, left: Double, right: Double, bottom: Double, axis: String?, on chart: inout SVGDrawing) {
    chart.verticalAxis(scale, left: left, right: right, name: axis)
    chart.line(left, scale.position(0), right, scale.position(0), "zero")
    let bars = bars.sorted { ($0.x ?? 0) < ($1.x ?? 0) }
    let (low, high) = (bars.first?.x ?? 0, bars.last?.x ?? 0)
    let positions = bars.map { bar in
      (x: left + 14 + ((bar.x ?? 0) - low) / (high - low) * (right - left - 28), y: scale.position(bar.group.effect.mean))
    }
    chart.path(positions, "front")
    var taken: [ClosedRange<Double>] = []
    // The ends of an axis are always named.
    for index in [0, bars.count - 1] + (1..<(bars.count - 1)) {
      let (position, bar) = (positions[index], bars[index])
      if let interval = bar.interval, interval.halfWidth > 0 { chart.interval(interval, on: scale, at: position.x, isVertical: true) }
      chart.circle(position.x, position.y, radius: 4, "on", tip: tip(bar))
      // A label that would overlap another is left out.
      let half = Double(DisplayWidth.of(bar.value)) * 3.4 + 4
      let room = position.x - half...position.x + half
      guard !taken.contains(where: { $0.overlaps(room) }) else { continue }
      chart.text(position.x, bottom - 32, bar.value, "tick", anchor: .middle, limit: 16)
      taken.append(room)
    }
    chart.text((left + right) / 2, bottom - 12, name, "axis", anchor: .middle, limit: 40)
  }

  /// Draws names in rows, the best first, with their numbers.
  func drawNames(_ ends: [Double], top: Double, axis: String, on chart: inout SVGDrawing) {
    let scale = ChartScale(ends, from: 270, to: 460, includesZero: true, marks: 3)
    let bottom = top + 24 + Double(bars.count) * pitch
    chart.text(16, top + 14, name, "strong", limit: 40)
    chart.horizontalAxis(scale, top: top + 20, bottom: bottom, name: axis)
    chart.line(scale.position(0), top + 20, scale.position(0), bottom, "zero")
    let sorted = bars.sorted { $0.group.effect.mean < $1.group.effect.mean }
    for (index, bar) in sorted.enumerated() {
      let y = top + 14 + Double(index + 1) * pitch
      if let interval = bar.interval, interval.halfWidth > 0 { chart.interval(interval, on: scale, at: y, isVertical: false) }
      chart.circle(scale.position(bar.group.effect.mean), y, radius: 4, "on", tip: tip(bar))
      chart.text(16, isLong ? y - 14 : y + 4, bar.value, limit: isLong ? 84 : Self.nameLimit)
      chart.text(ChartRows.right, y + 4, text(bar), anchor: .end)
    }
  }

  /// True if names need a line of their own above their marks.
  private var isLong: Bool { bars.contains { DisplayWidth.of($0.value) > Self.nameLimit } }
  private static let nameLimit = 34
  private var pitch: Double { isLong ? 38 : 20 }
  var height: Double { isNumeric ? 220 : 78 + Double(bars.count) * pitch }
}

extension ReportPart {
  /// The main effects, one panel per axis; nil if no axis has two values with runs.
  var effectsChart: SVGDrawing? {
    let panels = effectsPanels
    guard let first = panels.first?.bars.first else { return nil }
    let numeric = panels.filter(\.isNumeric), named = panels.filter { !$0.isNumeric }
    let columns = max(1, min(3, numeric.count))
    let rows = (numeric.count + columns - 1) / columns
    let ranges = panels.map { panel -> String in
      let means = panel.bars.map(\.group.effect.mean)
      let spread = (means.max() ?? 0) - (means.min() ?? 0)
      return "\(panel.name) moves the mean by \(DecimalText.trimmed(spread, decimals: Digits.loaders))"
    }
    let intervals = panels.flatMap { $0.bars.compactMap(\.interval) }
    var chart = SVGDrawing(
      title: title("Effect of each axis on \(words.headline)"),
      description: "Mean over the points of each value less the mean of all points"
        + (intervals.isEmpty ? ". " : ", paired by repetition, with \(level) intervals. ") + ranges.joined(separator: "; ") + ".")
    let whole = DecimalText.trimmed(first.group.mean.mean - first.group.effect.mean, decimals: Digits.loaders)
    let better = named.isEmpty ? "below" : numeric.isEmpty ? "left" : "below or left"
    let start = chart.heading(
      note: "zero is the mean of all points, \(words.counted(whole)); \(better) is better",
      intervals.isEmpty ? "" : "\(level) intervals for each value alone, paired by repetition")
    let ends = panels.flatMap { $0.bars.map(\.group.effect.mean) } + intervals.flatMap { [$0.low, $0.high] }
    let axis = "± \(words.headline)"
    chart.height = start + 12 + Double(rows) * 220 + named.reduce(0) { $0 + $1.height }
    let width = (ChartRows.right - 64) / Double(columns)
    for (index, panel) in numeric.enumerated() {
      let (left, top) = (64 + Double(index % columns) * width, start + Double(index / columns) * 220)
      let scale = ChartScale(ends, from: top + 170, to: top + 16, includesZero: true, marks: 4)
      panel.drawNumbers(
        scale, left: left, right: left + width - (columns > 1 ? 44 : 0), bottom: top + 220, axis: index % columns == 0 ? axis : nil,
        on: &chart)
    }
    var top = start + Double(rows) * 220
    for panel in named {
      panel.drawNames(ends, top: top, axis: axis, on: &chart)
      top += panel.height
    }
    return chart
  }

  private var effectsPanels: [EffectsPanel] {
    (summary.marginalMeans?.axes ?? []).enumerated().compactMap { index, axis in
      guard axis.valueCount <= MarginalMeans.valueLimit else { return nil }
      let numbers = NumericAxis(axis.values)
      let bars = zip(axis.values, axis.groups).compactMap { value, group in
        group.map {
          (names.value(value, axis: index), numbers?.base(of: value), $0, $0.effect.adjustedInterval(confidence: summary.confidence))
        }
      }
      return bars.count > 1 ? EffectsPanel(name: axes[index], bars: bars) : nil
    }
  }
}
