// Shared parts of charts: scales, axes, names of rows and the colours of maps.

import Analysis
import Base

/// A linear scale whose ends are ticks.
package struct ChartScale {
  /// The round numbers from one end to the other, both included.
  package let ticks: [Double]
  private let decimals: Int
  private let range: (from: Double, to: Double)

  /// Creates a scale that contains all values, between two pixel positions; a single value gets some room around it.
  package init(_ values: [Double], from: Double, to: Double, includesZero: Bool = false, marks: Int = 5) {
    var low = values.min() ?? 0
    var high = values.max() ?? 0
    if includesZero { (low, high) = (min(low, 0), max(high, 0)) }
    if high - low <= 1e-9 * max(1, high.magnitude) {
      // A constant mean is drawn in the middle.
      let room = max(1, high.magnitude * 0.1)
      (low, high) = (low >= 0 ? max(0, low - room) : low - room, high + room)
    }
    let (step, power) = Self.step((high - low) / Double(marks), leads: [1, 2, 5])
    decimals = max(0, -power)
    let first = (low / step).rounded(.down)
    let last = (high / step).rounded(.up)
    let count = Int(min(1000, max(1, last - first)))
    ticks = (0...count).map { (first + Double($0)) * step }
    range = (from, to)
  }

  /// Returns the smallest lead × 10^power that is at least `least`.
  package static func step(_ least: Double, leads: [Double]) -> (step: Double, power: Int) {
    var (unit, power) = (1.0, 0)
    while unit * 10 <= least, power < 15 { (unit, power) = (unit * 10, power + 1) }
    while unit > least, power > -9 { (unit, power) = (unit / 10, power - 1) }
    return (leads.map { $0 * unit }.first { $0 >= least } ?? unit * 10, power)
  }

  /// Returns the range of values without outliers: up to a tenth of them, or one, at an end where the gap before them exceeds 1.5
  /// times the range of the others.
  static func core(_ values: [Double]) -> ClosedRange<Double> {
    let sorted = values.filter(\.isFinite).sorted()
    var (low, high) = (0, sorted.count - 1)
    let most = max(1, sorted.count / 10)
    guard sorted.count > 3 else { return (sorted.first ?? 0)...(sorted.last ?? 0) }
    for count in 1...most
    where high - count - low > 1 && sorted[high - count + 1] - sorted[high - count] > 1.5 * (sorted[high - count] - sorted[low]) {
      high -= count
      break
    }
    for count in 1...most
    where high - low - count > 1 && sorted[low + count] - sorted[low + count - 1] > 1.5 * (sorted[high] - sorted[low + count]) {
      low += count
      break
    }
    return sorted[low]...sorted[high]
  }

  /// Returns the position of a value, or of the end beyond which it lies.
  func clamped(_ value: Double) -> Double { position(min(max(value, ticks[0]), ticks[ticks.count - 1])) }

  func isBeyond(_ value: Double) -> Bool { value < ticks[0] || value > ticks[ticks.count - 1] }

  package func position(_ value: Double) -> Double {
    let share = (value - ticks[0]) / (ticks[ticks.count - 1] - ticks[0])
    return range.from + share * (range.to - range.from)
  }

  func label(_ tick: Double) -> String { DecimalText.trimmed(tick, decimals: decimals) }

  fileprivate var middle: Double { (position(ticks[0]) + position(ticks[ticks.count - 1])) / 2 }
}

extension SVGDrawing {
  /// Draws horizontal grid lines at the ticks of an upward scale, and its name.
  package mutating func verticalAxis(_ scale: ChartScale, left: Double, right: Double, name: String? = nil) {
    for tick in scale.ticks {
      let y = scale.position(tick)
      line(left, y, right, y, "grid")
      text(left - 6, y + 4, scale.label(tick), "tick", anchor: .end)
    }
    if let name { text(left - 46, scale.middle, name, "axis", anchor: .middle, isUpward: true) }
  }

  /// Draws vertical grid lines at the ticks of a rightward scale, with numbers `below` their ends, and its name.
  package mutating func horizontalAxis(_ scale: ChartScale, top: Double, bottom: Double, below: Double = 16, name: String? = nil) {
    for tick in scale.ticks {
      let x = scale.position(tick)
      line(x, top, x, bottom, "grid")
      text(x, bottom + below, scale.label(tick), "tick", anchor: .middle)
    }
    if let name { text(scale.middle, bottom + 34, name, "axis", anchor: .middle) }
  }

  /// Draws an interval with short strokes at its ends.
  mutating func interval(_ interval: ConfidenceInterval, on scale: ChartScale, at across: Double, isVertical: Bool) {
    let ends = [scale.position(interval.low), scale.position(interval.high)]
    func stroke(_ from: (Double, Double), _ to: (Double, Double)) {
      if isVertical { line(from.1, from.0, to.1, to.0, "bar") } else { line(from.0, from.1, to.0, to.1, "bar") }
    }
    stroke((ends[0], across), (ends[1], across))
    for end in ends { stroke((end, across - 4), (end, across + 4)) }
  }

  /// Returns n such that every n-th name has room in a row, with names `step` pixels apart.
  static func every(_ names: [String], limit: Int, step: Double) -> Int {
    let widest = names.map { min(limit, DisplayWidth.of($0)) }.max() ?? 1
    return max(1, Int((Double(widest) * 7 + 6) / step + 0.999))
  }
}

/// The colours of heat maps: few steps that the eye can tell apart and find in a legend.
struct HeatColors {
  static let count = 7

  let low: Double, high: Double

  /// Returns the lower bound of a colour step. Steps grow quadratically: the low values lie close together and get more colours.
  func bound(_ bin: Int) -> Double {
    let share = Double(bin) / Double(Self.count)
    return low + (high - low) * share * share
  }

  /// Draws a cell in its colour with its text, which may be empty; a cell without a value is marked as without runs.
  func draw(_ value: Double?, _ text: String, in box: SVGDrawing.Box, name: String, tip: String, on chart: inout SVGDrawing) {
    guard let value else { return chart.rectangle(box, "none", tip: "\(name): no runs") }
    let bin = (1..<Self.count).last { high > low && value >= bound($0) } ?? 0
    chart.rectangle(box, "h\(bin)", tip: "\(name): \(tip)")
    guard !text.isEmpty else { return }
    chart.text(box.x + box.width / 2, box.y + box.height / 2 + 4, text, bin < 4 ? "light" : "deep", anchor: .middle)
  }
}
