// From a number to a place in a chart, with marks at round numbers.

import Analysis

/// A straight scale that begins and ends at a mark.
struct ChartScale {
  /// The round numbers between the ends, both included.
  let ticks: [Double]
  private let decimals: Int
  private let places: (from: Double, to: Double)

  /// A scale that holds all values between two places; around one value, or none, it has some room.
  init(_ values: [Double], from: Double, to: Double, includesZero: Bool = false, marks: Int = 5) {
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
  func place(_ value: Double) -> Double {
    let share = (value - ticks[0]) / (ticks[ticks.count - 1] - ticks[0])
    return places.from + share * (places.to - places.from)
  }

  /// A mark's number.
  func label(_ tick: Double) -> String { DecimalText.trimmed(tick, decimals: decimals) }
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
  mutating func interval(_ low: Double, _ high: Double, at place: Double, isVertical: Bool, _ style: String) {
    if isVertical {
      line(place, low, place, high, style)
      for end in [low, high] { line(place - 4, end, place + 4, end, style) }
    } else {
      line(low, place, high, place, style)
      for end in [low, high] { line(end, place - 4, end, place + 4, style) }
    }
  }
}
