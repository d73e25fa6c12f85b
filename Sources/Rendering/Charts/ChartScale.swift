// What charts share: scales with marks at round numbers, axes, names of rows, colours of maps.

import Analysis

/// A straight scale that begins and ends at a mark.
package struct ChartScale {
  /// The round numbers between the ends, both included.
  package let ticks: [Double]
  private let decimals: Int
  private let places: (from: Double, to: Double)

  /// A scale that holds all values between two places; around one value, or none, it has some room.
  package init(_ values: [Double], from: Double, to: Double, includesZero: Bool = false, marks: Int = 5) {
    var low = values.min() ?? 0
    var high = values.max() ?? 0
    if includesZero { (low, high) = (min(low, 0), max(high, 0)) }
    if high - low <= 1e-9 * max(1, high.magnitude) {
      // A mean that never differs still deserves a mark in the middle.
      let room = max(1, high.magnitude * 0.1)
      (low, high) = (low >= 0 ? max(0, low - room) : low - room, high + room)
    }
    // The step is 1, 2 or 5 × 10^power.
    var unit = 1.0
    var power = 0
    let rough = (high - low) / Double(marks)
    while unit * 10 <= rough, power < 15 { (unit, power) = (unit * 10, power + 1) }
    while unit > rough, power > -9 { (unit, power) = (unit / 10, power - 1) }
    let step = ([1, 2, 5, 10] as [Double]).map { $0 * unit }.first { $0 >= rough } ?? unit * 10
    decimals = max(0, -power)
    let first = (low / step).rounded(.down)
    let last = (high / step).rounded(.up)
    let count = Int(min(1000, max(1, last - first)))
    ticks = (0...count).map { (first + Double($0)) * step }
    places = (from, to)
  }

  /// A number's place.
  package func place(_ value: Double) -> Double {
    let share = (value - ticks[0]) / (ticks[ticks.count - 1] - ticks[0])
    return places.from + share * (places.to - places.from)
  }

  /// A mark's number.
  package func label(_ tick: Double) -> String { DecimalText.trimmed(tick, decimals: decimals) }
}

extension SVGDrawing {
  /// Lines across at the marks of a scale that goes up, and its name.
  mutating func verticalAxis(_ scale: ChartScale, left: Double, right: Double, name: String, isNameShown: Bool = true) {
    for tick in scale.ticks {
      let y = scale.place(tick)
      line(left, y, right, y, "grid")
      text(left - 6, y + 4, scale.label(tick), "tick", anchor: .end)
    }
    guard isNameShown, let first = scale.ticks.first, let last = scale.ticks.last else { return }
    text(14, (scale.place(first) + scale.place(last)) / 2, name, "axis", anchor: .middle, isUpward: true)
  }

  /// Lines down at the marks of a scale that goes to the right, and its name.
  mutating func horizontalAxis(_ scale: ChartScale, top: Double, bottom: Double, name: String) {
    for tick in scale.ticks {
      let x = scale.place(tick)
      line(x, top, x, bottom, "grid")
      text(x, bottom + 16, scale.label(tick), "tick", anchor: .middle)
    }
    guard let first = scale.ticks.first, let last = scale.ticks.last else { return }
    text((scale.place(first) + scale.place(last)) / 2, bottom + 34, name, "axis", anchor: .middle)
  }

  /// A mean's interval from end to end, with short strokes across.
  mutating func interval(_ low: Double, _ high: Double, at place: Double, isVertical: Bool) {
    if isVertical {
      line(place, low, place, high, "bar")
      for end in [low, high] { line(place - 4, end, place + 4, end, "bar") }
    } else {
      line(low, place, high, place, "bar")
      for end in [low, high] { line(end, place - 4, end, place + 4, "bar") }
    }
  }

  /// Names before rows are cut beyond so many columns.
  private static let rowNameLimit = 48

  /// The room that names before rows take, in pixels.
  static func rowNameWidth(_ names: [String]) -> Double {
    40 + Double(min(rowNameLimit, names.map(DisplayWidth.of).max() ?? 0)) * 6.7
  }

  /// A name before a row that begins at `x`.
  mutating func rowName(_ x: Double, _ y: Double, _ name: String) { text(x, y, name, anchor: .end, limit: Self.rowNameLimit) }
}

/// The colours of maps of numbers: few steps, which the eye can tell apart and find again in a legend.
struct HeatColors {
  /// The classes `h0` to `h6`.
  static let count = 7

  let low: Double, high: Double

  /// Where a step begins. The shares are squares, so that the good end, where points lie close together, has more colours.
  func bound(_ bin: Int) -> Double {
    let share = Double(bin) / Double(Self.count)
    return low + (high - low) * share * share
  }

  /// Draws a cell in its colour, and its number where that has room.
  func draw(_ value: Double, _ text: String, in box: SVGDrawing.Box, tip: String, on chart: inout SVGDrawing) {
    let bin = (1..<Self.count).last { high > low && value >= bound($0) } ?? 0
    chart.rectangle(box.x, box.y, box.width, box.height, "h\(bin)", tip: tip)
    guard !text.isEmpty else { return }
    chart.text(box.x + box.width / 2, box.y + box.height / 2 + 4, text, bin < 4 ? "light" : "deep", anchor: .middle)
  }
}
