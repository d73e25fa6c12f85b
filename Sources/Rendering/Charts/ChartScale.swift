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
    let (step, power) = Self.step((high - low) / Double(marks), leads: [1, 2, 5])
    decimals = max(0, -power)
    let first = (low / step).rounded(.down)
    let last = (high / step).rounded(.up)
    let count = Int(min(1000, max(1, last - first)))
    ticks = (0...count).map { (first + Double($0)) * step }
    places = (from, to)
  }

  /// The least of some leads × 10^power that is not below a number.
  package static func step(_ least: Double, leads: [Double]) -> (step: Double, power: Int) {
    var (unit, power) = (1.0, 0)
    while unit * 10 <= least, power < 15 { (unit, power) = (unit * 10, power + 1) }
    while unit > least, power > -9 { (unit, power) = (unit / 10, power - 1) }
    return (leads.map { $0 * unit }.first { $0 >= least } ?? unit * 10, power)
  }

  package func place(_ value: Double) -> Double {
    let share = (value - ticks[0]) / (ticks[ticks.count - 1] - ticks[0])
    return places.from + share * (places.to - places.from)
  }

  func label(_ tick: Double) -> String { DecimalText.trimmed(tick, decimals: decimals) }

  fileprivate var middle: Double { (place(ticks[0]) + place(ticks[ticks.count - 1])) / 2 }
}

extension SVGDrawing {
  /// Lines across at the marks of a scale that goes up, and its name, if it has one.
  package mutating func verticalAxis(_ scale: ChartScale, left: Double, right: Double, name: String? = nil) {
    for tick in scale.ticks {
      let y = scale.place(tick)
      line(left, y, right, y, "grid")
      text(left - 6, y + 4, scale.label(tick), "tick", anchor: .end)
    }
    if let name { text(14, scale.middle, name, "axis", anchor: .middle, isUpward: true) }
  }

  /// Lines down at the marks of a scale that goes to the right, with numbers `below` their ends, and its name, if it has one.
  package mutating func horizontalAxis(_ scale: ChartScale, top: Double, bottom: Double, below: Double = 16, name: String? = nil) {
    for tick in scale.ticks {
      let x = scale.place(tick)
      line(x, top, x, bottom, "grid")
      text(x, bottom + below, scale.label(tick), "tick", anchor: .middle)
    }
    if let name { text(scale.middle, bottom + 34, name, "axis", anchor: .middle) }
  }

  /// A mean's interval from end to end, with short strokes across.
  mutating func interval(_ interval: ConfidenceInterval, on scale: ChartScale, at place: Double, isVertical: Bool) {
    let ends = [scale.place(interval.low), scale.place(interval.high)]
    func stroke(_ from: (Double, Double), _ to: (Double, Double)) {
      if isVertical { line(from.1, from.0, to.1, to.0, "bar") } else { line(from.0, from.1, to.0, to.1, "bar") }
    }
    stroke((ends[0], place), (ends[1], place))
    for end in ends { stroke((end, place - 4), (end, place + 4)) }
  }

  /// Names before rows are cut beyond so many columns.
  private static let rowNameLimit = 48

  static func rowNameWidth(_ names: [String]) -> Double {
    40 + Double(min(rowNameLimit, names.map(DisplayWidth.of).max() ?? 0)) * 6.7
  }

  /// Every so many names have room in a row, `step` pixels apart.
  static func every(_ names: [String], limit: Int, step: Double) -> Int {
    let widest = names.map { min(limit, DisplayWidth.of($0)) }.max() ?? 1
    return max(1, Int((Double(widest) * 7 + 6) / step + 0.999))
  }

  mutating func rowName(_ x: Double, _ y: Double, _ name: String) { text(x, y, name, anchor: .end, limit: Self.rowNameLimit) }
}

/// The colours of maps of numbers: few steps, which the eye can tell apart and find again in a legend.
struct HeatColors {
  static let count = 7

  let low: Double, high: Double

  /// Where a step begins. The shares are squares, so that the good end, where points lie close together, has more colours.
  func bound(_ bin: Int) -> Double {
    let share = Double(bin) / Double(Self.count)
    return low + (high - low) * share * share
  }

  /// Draws a cell in its colour, with its number where `text` is not empty; one without a value says that it has no runs.
  func draw(_ value: Double?, _ text: String, in box: SVGDrawing.Box, name: String, tip: String, on chart: inout SVGDrawing) {
    guard let value else { return chart.rectangle(box, "none", tip: "\(name): no runs") }
    let bin = (1..<Self.count).last { high > low && value >= bound($0) } ?? 0
    chart.rectangle(box, "h\(bin)", tip: "\(name): \(tip)")
    guard !text.isEmpty else { return }
    chart.text(box.x + box.width / 2, box.y + box.height / 2 + 4, text, bin < 4 ? "light" : "deep", anchor: .middle)
  }
}
