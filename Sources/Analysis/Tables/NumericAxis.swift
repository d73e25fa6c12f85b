// Numeric axes: a winner at an end suggests that a better value lies beyond the tried ones.

import Base

/// The values of an axis as numbers of one unit dimension, ascending.
package struct NumericAxis {
  package enum End: Sendable { case lower, upper }

  /// The values as written, with their units and base-unit numbers, ascending.
  private let values: [(text: String, unit: String, base: Double)]

  package var texts: [String] { values.map(\.text) }

  private static let proposalLimit = 10

  /// Parses the values of an axis; nil unless there are two different numbers and all values are numbers of one dimension.
  package init?(_ texts: [String]) {
    let parsed = texts.compactMap(Self.number)
    guard parsed.count == texts.count, parsed.allSatisfy({ $0.dimension == parsed[0].dimension }) else { return nil }
    values = zip(texts, parsed).map { ($0, $1.unit, $1.base) }.sorted { $0.2 < $1.2 }
    if values.isEmpty || values[0].base == values[values.count - 1].base { return nil }
  }

  private static func number(_ text: String) -> (unit: String, base: Double, dimension: Dimension?)? {
    let digits = text.prefix { "0123456789.-+".contains($0) }
    let unit = String(text.dropFirst(digits.count).drop { $0 == " " })
    guard let value = DecimalText.number(ArraySlice(digits.utf8)), value.magnitude <= Metric.valueLimit else { return nil }
    if unit.isEmpty { return (unit, value, nil) }
    return QuantityUnit.named(unit).map { (unit, value * Double($0.worth), $0.dimension) }
  }

  /// Returns the end at which a value lies; nil for inner values and for texts that are no number.
  package func end(of text: String) -> End? {
    guard let base = base(of: text) else { return nil }
    if base == values[values.count - 1].base { return .upper }
    return base == values[0].base ? .lower : nil
  }

  package func base(of text: String) -> Double? { Self.number(text)?.base }

  package func values(of texts: [String], beyond end: End) -> [String] {
    texts.filter { base(of: $0).map { end == .upper ? $0 > values[values.count - 1].base : $0 < values[0].base } ?? false }
  }

  /// The smallest and the largest value as written, e.g. `1…10`.
  package var range: String { "\(values[0].text)…\(values[values.count - 1].text)" }

  /// Returns the values to try beyond an end, nearest first. Evenly spaced axes continue by as many steps as they have values; geometric
  /// ones by 3 steps of the same ratio; others by 3 steps of the size at that end.
  // If no step stays above zero, half and a quarter of the smallest value come before zero.
  // If no proposal is valid, the farthest valid fraction of a step is returned: 1/2, 1/4 and so on.
  package func proposals(beyond end: End, isValid: (_ value: String) -> Bool = { _ in true }) -> [String] {
    let bases = end == .upper ? values.map(\.base) : values.map(\.base).reversed()
    let (last, step) = (bases[bases.count - 1], bases[bases.count - 1] - bases[bases.count - 2])
    let steps = zip(bases, bases.dropFirst()).map { $1 - $0 }
    let isEven = steps.allSatisfy { ($0 - step).magnitude <= 1e-9 * step.magnitude }
    let ratio = last / bases[bases.count - 2]
    let isGeometric =
      bases.count > 2 && !isEven && !bases.contains { $0 <= 0 }
      && zip(bases, bases.dropFirst()).allSatisfy { ($1 / $0 - ratio).magnitude <= 1e-9 * ratio }
    let count = min(Self.proposalLimit, isEven ? bases.count : 3)
    var found = (1...count).map { number -> Double in
      isGeometric ? (0..<number).reduce(last) { value, _ in value * ratio } : last + Double(number) * step
    }.filter { $0 >= 0 && $0 <= Metric.valueLimit * 1e3 }
    let unit = end == .upper ? values[values.count - 1].unit : values[0].unit
    let worth = Self.worth(unit)
    if isWhole { found = found.map { ($0 / worth).rounded() * worth } }
    if end == .lower, !found.contains(where: { $0 > 0 }) {
      found = [last / 2, last / 4].map { isWhole ? ($0 / worth).rounded(.down) * worth : $0 }.filter { $0 > 0 } + found
    }
    var seen = Set([last])
    func text(_ value: Double) -> String? {
      value >= 0 && seen.insert(value).inserted ? DecimalText.trimmed(value / worth, decimals: 9) + unit : nil
    }
    let valid = found.compactMap(text).filter(isValid)
    if !valid.isEmpty { return valid }
    let parts = [0.5, 0.25, 0.125, 0.0625, 0.03125].map { last + $0 * step }.map { isWhole ? ($0 / worth).rounded() * worth : $0 }
    return (parts + (end == .lower ? [0] : [])).lazy.compactMap(text).first(where: isValid).map { [$0] } ?? []
  }

  private var isWhole: Bool { values.allSatisfy { $0.unit.isEmpty && $0.base.rounded() == $0.base } }

  private static func worth(_ unit: String) -> Double { QuantityUnit.named(unit).map { Double($0.worth) } ?? 1 }

  /// True if all values have one unit and a spacing of one, so that `first...last` describes them.
  package var isCountedByOne: Bool {
    Set(values.map(\.unit)).count == 1 && zip(values, values.dropFirst()).allSatisfy { $1.base - $0.base == Self.worth(values[0].unit) }
  }
}
