// The colours of maps of numbers: few steps, which the eye can tell apart and find again in a legend.

/// Steps of colour between a least and a largest number.
enum HeatBins {
  /// How many there are: the classes `h0` to `h6`.
  static let count = 7

  /// Where a step begins. The shares are squares, so that the good end, where points lie close together, has more colours.
  static func bound(_ bin: Int, _ low: Double, _ high: Double) -> Double {
    let share = Double(bin) / Double(count)
    return low + (high - low) * share * share
  }

  /// The step that a number belongs to.
  static func bin(_ value: Double, _ low: Double, _ high: Double) -> Int {
    (1..<count).last { high > low && value >= bound($0, low, high) } ?? 0
  }

  /// The class of a text on a step's colour.
  static func ink(_ bin: Int) -> String { bin < 4 ? "light" : "deep" }
}
