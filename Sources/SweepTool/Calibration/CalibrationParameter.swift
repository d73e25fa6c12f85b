// The parameters of a calibration: settings of the scenario, each between two bounds.

import Base

/// A setting to fit, by its path, and its range.
struct CalibrationParameter: Sendable {
  /// The usual unknowns of a UI test on a phone: the test's overhead for each visit, the server's time, and the queue before the link.
  static let usual = ["user.overhead=0s...500ms", "network.serverTime=0s...300ms", "network.queue=10...200"]
  /// The most parameters; more would need more points than a device has.
  static let limit = 6
  /// The minimum number of steps in a range.
  private static let steps = 2000.0
  /// The ratio of the bounds from which the scale is logarithmic: 10 to 20 packets changes more than 190 to 200.
  private static let logarithmicFrom = 10.0

  let path: String
  /// The bounds in base units, such as nanoseconds, and the step between values, a power of ten.
  private let lower: Double, upper: Double, quantum: Double
  /// The dimension; nil for numbers without a unit.
  private let dimension: Dimension?
  private let isWhole: Bool

  /// Reads a text like `user.overhead=0...500ms`.
  /// - Throws: `ValueProblem` if the text is no path with a range.
  init(_ text: String) throws(ValueProblem) {
    let remedy = "write PATH=LOWEST...HIGHEST, such as \(Self.usual[0])"
    let parts = text.split(separator: "=", maxSplits: 1).map(trimmingSpaces)
    let bounds = (parts.last ?? "").replacing("…", with: "...").split(separator: "...", omittingEmptySubsequences: false)
      .map(trimmingSpaces)
    guard parts.count == 2, bounds.count == 2, !parts[0].isEmpty else {
      throw ValueProblem("is \(quoted(text)), which names no range", remedy: remedy)
    }
    path = parts[0]
    if let low = try? ExactDecimal(json5: bounds[0]), let high = try? ExactDecimal(json5: bounds[1]) {
      (dimension, isWhole) = (nil, low.whole != nil && high.whole != nil)
      (lower, upper) = (Double(low.description) ?? 0, Double(high.description) ?? 0)
    } else {
      let high = try Quantity(bounds[1])
      // A 0 without a unit fits any unit.
      let low = bounds[0] == "0" ? Quantity(number: ExactDecimal(0), unit: high.unit) : try Quantity(bounds[0], dimension: high.dimension)
      guard high.dimension != .percent else {
        throw ValueProblem("is \(quoted(text)), in per cent", remedy: "write shares as numbers, such as network.lossDown=0.0...0.05")
      }
      (dimension, isWhole) = (high.dimension, true)
      (lower, upper) = (Double(try low.baseValue()), Double(try high.baseValue()))
    }
    guard lower < upper else { throw ValueProblem("is \(quoted(text)), which does not ascend", remedy: remedy) }
    let step = (upper - lower) / Self.steps
    var quantum = 1.0
    while quantum * 10 <= step { quantum *= 10 }
    while !isWhole, quantum > step, quantum > 1e-9 { quantum /= 10 }
    self.quantum = quantum
  }

  private var isLogarithmic: Bool { lower > 0 && upper / lower >= Self.logarithmicFrom }

  var rangeText: String { "\(text(0)) … \(text(1))" }

  /// Returns the value at a share of the range, in base units.
  private func value(_ share: Double) -> Double {
    let exact = isLogarithmic ? lower * StableMath.exp(share * StableMath.log(upper / lower)) : lower + share * (upper - lower)
    let steps = (exact / quantum).rounded()
    let value = quantum < 1 ? steps / (1 / quantum).rounded() : steps * quantum
    return min(upper, max(lower, value))
  }

  /// Returns the value at a share of the range, as text of a sweep file.
  func text(_ share: Double) -> String {
    let value = value(share)
    guard let dimension else { return isWhole ? "\(Int64(value))" : "\(value)" }
    return dimension == .duration && value == 0 ? "0ms" : Quantity.described(Int64(value), dimension)
  }

  func json(_ share: Double) -> JSON5Value {
    JSON5Value(kind: dimension == nil ? .number(text(share)) : .string(text(share)), location: SourceLocation(file: "--fit"))
  }

  func source(_ share: Double) -> String { dimension == nil ? text(share) : jsonString(text(share)) }

  /// Returns the share of the range of the rounded value at `share`.
  func writtenShare(_ share: Double) -> Double {
    let value = value(share)
    guard isLogarithmic else { return (value - lower) / (upper - lower) }
    return min(1, max(0, StableMath.log(value / lower) / StableMath.log(upper / lower)))
  }
}
