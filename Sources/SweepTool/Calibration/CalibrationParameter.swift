// What calibration may change: a setting of the scenario between two bounds.

import Import
import Simulation

/// A setting that is fitted, by its path, and the range that it is looked for in.
struct CalibrationParameter: Sendable {
  /// What its values are.
  private enum Kind: Sendable {
    /// Whole numbers, such as packets in a queue.
    case whole
    /// Any numbers.
    case number
    /// Base units of a dimension, such as nanoseconds.
    case quantity(Dimension)
  }

  /// The unknowns that a UI test on a real phone has in any case: what the test itself adds to each stay, what the server thinks, and
  /// the queue before the link.
  static let usual = ["user.overhead=0s...500ms", "network.serverTime=0s...300ms", "network.queue=10...200"]
  /// More would need more points than a device's team has.
  static let limit = 6
  /// A value is one of about so many steps of its range, or more.
  private static let steps = 2000.0

  /// The path in the scenario.
  let path: String
  private let lower: Double
  private let upper: Double
  private let kind: Kind
  /// The distance between two values, a power of ten of base units.
  private let quantum: Double
  /// Whether equal shares are equal factors and not equal differences.
  private let isLogarithmic: Bool
  /// From this factor between the bounds on: from 10 to 20 packets changes more than from 190 to 200.
  private static let logarithmicFrom = 10.0

  /// Reads `user.overhead=0...500ms`.
  /// - Throws: `ValueProblem` if the text is no path with a range.
  init(_ text: String) throws(ValueProblem) {
    let remedy = "write PATH=LOWEST...HIGHEST, such as \(Self.usual[0])"
    let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
    guard parts.count == 2 else { throw ValueProblem("is \(quoted(text)), which names no range", remedy: remedy) }
    path = trimmingSpaces(parts[0])
    let bounds = parts[1].replacing("…", with: "...").split(separator: "...", omittingEmptySubsequences: false).map(trimmingSpaces)
    guard bounds.count == 2, !path.isEmpty else { throw ValueProblem("is \(quoted(text)), which names no range", remedy: remedy) }
    if let low = try? ExactDecimal(json5: bounds[0]), let high = try? ExactDecimal(json5: bounds[1]) {
      kind = low.whole != nil && high.whole != nil ? .whole : .number
      (lower, upper) = (Double(low.description) ?? 0, Double(high.description) ?? 0)
    } else {
      let high = try Quantity(bounds[1])
      // A bare 0 is 0 of any unit.
      let low = bounds[0] == "0" ? Quantity(number: ExactDecimal(0), unit: high.unit) : try Quantity(bounds[0], dimension: high.dimension)
      guard high.dimension != .percent else {
        throw ValueProblem("is \(quoted(text)), in per cent", remedy: "write shares as numbers, such as network.lossDown=0.0...0.05")
      }
      kind = .quantity(high.dimension)
      (lower, upper) = (Double(try low.baseValue()), Double(try high.baseValue()))
    }
    guard lower < upper else { throw ValueProblem("is \(quoted(text)), which does not ascend", remedy: remedy) }
    isLogarithmic = lower > 0 && upper / lower >= Self.logarithmicFrom
    let isWhole = if case .number = kind { false } else { true }
    quantum = Self.quantum(upper - lower, isWhole: isWhole)
  }

  /// The largest power of ten that leaves enough steps; whole units at least where there is nothing between them.
  private static func quantum(_ range: Double, isWhole: Bool) -> Double {
    var quantum = 1.0
    while quantum * 10 <= range / steps { quantum *= 10 }
    while !isWhole, quantum > range / steps, quantum > 1e-9 { quantum /= 10 }
    return quantum
  }

  /// The range as text.
  var rangeText: String { "\(text(0)) … \(text(1))" }

  /// The value at a share of the range, in base units.
  private func value(_ share: Double) -> Double {
    let exact =
      isLogarithmic ? lower * StableMath.exp(share * StableMath.log(upper / lower)) : lower + share * (upper - lower)
    let steps = (exact / quantum).rounded()
    let value = quantum < 1 ? steps / (1 / quantum).rounded() : steps * quantum
    return min(upper, max(lower, value))
  }

  /// The value at a share of the range, as a sweep file has it.
  func text(_ share: Double) -> String {
    let value = value(share)
    return switch kind {
    case .whole: "\(Int64(value))"
    case .number: "\(value)"
    case .quantity(.duration) where value == 0: "0ms"
    case .quantity(let dimension): Quantity.described(Int64(value), dimension)
    }
  }

  /// The same as a value of the scenario.
  func json(_ share: Double) -> JSON5Value {
    let location = SourceLocation(file: "--fit")
    return switch kind {
    case .whole, .number: JSON5Value(kind: .number(text(share)), location: location)
    case .quantity: JSON5Value(kind: .string(text(share)), location: location)
    }
  }

  /// The same as it stands in a file.
  func source(_ share: Double) -> String {
    if case .quantity = kind { jsonString(text(share)) } else { text(share) }
  }

  /// The share of the range at which what is written for a share lies.
  func writtenShare(_ share: Double) -> Double {
    let value = value(share)
    guard isLogarithmic else { return (value - lower) / (upper - lower) }
    return min(1, max(0, StableMath.log(value / lower) / StableMath.log(upper / lower)))
  }
}
