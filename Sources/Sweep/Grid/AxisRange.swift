// Expands "1...10 by 3" into its values. Values are computed from their index, exactly, and never accumulated.

import Import

/// A range of an axis: `first...last`, with a step of 1 (of the unit that both bounds have), or `first...last by step`.
///
/// The last value is the last one that does not pass `last`. Bounds and step are plain numbers, or quantities of one
/// dimension: "100ms...500ms by 100ms". Values are spelt in the unit of the first bound, where it can spell all of
/// them; else in that of the last bound, of the step, or in base units.
package enum AxisRange {
  /// The most values of a range.
  package static let countLimit = 100_000

  /// A bound or a step.
  private struct Bound {
    var text: String
    var number: ExactDecimal
    var unit: QuantityUnit?

    /// The number in base units; nil where it does not fit.
    var baseValue: ExactDecimal? { number.multiplied(by: ExactDecimal(unit?.worth ?? 1)) }
  }

  /// Whether a text is meant as a range.
  static func isRange(_ text: String) -> Bool { text.contains("...") || text.contains("…") || text.contains("..<") }

  /// The values of a range that stands as a string in a file, all with its place. O(values).
  /// - Throws: `ValueProblem` if the range is malformed, or has too many values.
  static func expand(_ value: JSON5Value) throws(ValueProblem) -> [JSON5Value] {
    guard case .string(let text) = value.kind else {
      throw ValueProblem("is \(value.found), not a range or a list", remedy: "write a list [ … ] or a range such as \"1...10\"")
    }
    return try expand(text).map { JSON5Value(kind: $0, location: value.location) }
  }

  /// The values of a range, as `.number` or, with units, as `.string`. O(values).
  /// - Throws: `ValueProblem` if the range is malformed, or has too many values.
  static func expand(_ text: String) throws(ValueProblem) -> [JSON5Value.Kind] {
    let (first, last, step) = try bounds(text)
    guard let from = first.baseValue, let to = last.baseValue, let by = step.baseValue else {
      throw ValueProblem("\(quoted(text)) has a bound that is out of range", remedy: "write smaller numbers")
    }
    guard from <= to else {
      let suffix = text.contains(" by ") ? " by \(step.text)" : ""
      throw ValueProblem(
        "\(quoted(text)) descends", remedy: "write \(quoted("\(last.text)...\(first.text)\(suffix)")); order does not matter")
    }
    guard by > ExactDecimal(0) else {
      throw ValueProblem("\(quoted(text)) has the step \(step.text)", remedy: "write a step greater than 0")
    }
    let values = try values(from: from, to: to, by: by, text: text)
    guard let firstUnit = first.unit, let lastUnit = last.unit, let stepUnit = step.unit else {
      return values.map { .number($0.description) }
    }
    for unit in [firstUnit, lastUnit, stepUnit] {
      let numbers = values.compactMap { $0.divided(by: unit.worth) }
      if numbers.count == values.count { return numbers.map { .string(Quantity(number: $0, unit: unit).description) } }
    }
    return values.map { .string(Quantity(number: $0, unit: firstUnit.dimension.units[0]).description) }
  }

  /// - Throws: `ValueProblem` if the range has too many values.
  private static func values(
    from: ExactDecimal, to: ExactDecimal, by: ExactDecimal, text: String
  ) throws(ValueProblem) -> [ExactDecimal] {
    let scale = max(from.scale, to.scale, by.scale)
    let (start, end, step) = (from.widened(to: scale), to.widened(to: scale), by.widened(to: scale))
    let count = (end - start) / step + 1
    guard count <= Int128(countLimit) else {
      throw ValueProblem("\(quoted(text)) has \(count) values, more than \(countLimit)", remedy: "write a larger step: \"… by …\"")
    }
    var values: [ExactDecimal] = []
    for index in 0..<count {
      guard let value = ExactDecimal(coefficient: start + index * step, scale: scale) else {
        throw ValueProblem("\(quoted(text)) has a value with more than 18 digits", remedy: "write fewer digits")
      }
      values.append(value)
    }
    return values
  }

  /// The three parts, of one dimension.
  /// - Throws: `ValueProblem` if a part is missing, or of another dimension.
  private static func bounds(_ text: String) throws(ValueProblem) -> (first: Bound, last: Bound, step: Bound) {
    let example = "write \"first...last\" or \"first...last by step\", such as \"1...10 by 3\""
    guard let dots = firstRange(of: "...", in: text) else {
      throw ValueProblem("\(quoted(text)) is not a range", remedy: example)
    }
    let rest = String(text[dots.upperBound...])
    let by = firstRange(of: " by ", in: rest)
    let first = try bound(String(text[..<dots.lowerBound]), of: text)
    let last = try bound(String(rest[..<(by?.lowerBound ?? rest.endIndex)]), of: text)
    if first.unit == nil, let unit = last.unit {
      throw ValueProblem(
        "\(quoted(text)) has a first bound without a unit", remedy: "write \(quoted("\(first.text)\(unit.name)...\(last.text)"))")
    }
    if last.unit == nil, let unit = first.unit {
      throw ValueProblem(
        "\(quoted(text)) has a last bound without a unit", remedy: "write \(quoted("\(first.text)...\(last.text)\(unit.name)"))")
    }
    if let left = first.unit, let right = last.unit, left.dimension != right.dimension {
      throw ValueProblem(
        "\(quoted(text)) goes from \(left.dimension.described) to \(right.dimension.described)", remedy: "use units of one kind")
    }
    guard let by else {
      guard first.unit == last.unit else {
        throw ValueProblem("\(quoted(text)) has two units and no step", remedy: "say the step: \(quoted("\(text) by \(first.text)"))")
      }
      return (first, last, Bound(text: "1\(first.unit?.name ?? "")", number: ExactDecimal(1), unit: first.unit))
    }
    let step = try bound(String(rest[by.upperBound...]), of: text)
    guard step.unit?.dimension == first.unit?.dimension else {
      let unit = first.unit.map { "a unit of \($0.dimension.rawValue), such as \($0.name)" } ?? "no unit"
      throw ValueProblem(
        "\(quoted(text)) has the step \(quoted(step.text)), which does not fit its bounds", remedy: "write it with \(unit)")
    }
    return (first, last, step)
  }

  /// - Throws: `ValueProblem` if the part is neither a number nor a quantity.
  private static func bound(_ text: String, of range: String) throws(ValueProblem) -> Bound {
    let trimmed = trimmingSpaces(text)
    if trimmed.isEmpty {
      throw ValueProblem("\(quoted(range)) lacks a bound or a step", remedy: "write all of it, such as \"1...10 by 3\"")
    }
    if let number = try? ExactDecimal(json5: trimmed) { return Bound(text: trimmed, number: number) }
    if let number = Double(trimmed) {
      throw ValueProblem(
        "\(quoted(range)) has the bound \(quoted(trimmed)), which is out of range",
        remedy: number.magnitude < 1 ? "write fewer digits" : "write a smaller number")
    }
    do {
      let quantity = try Quantity(trimmed)
      return Bound(text: trimmed, number: quantity.number, unit: quantity.unit)
    } catch {
      throw ValueProblem("\(quoted(range)) is not a range: \(quoted(trimmed)) \(error.problem)", remedy: error.remedy)
    }
  }

  /// The first place of an ASCII pattern.
  private static func firstRange(of pattern: String, in text: String) -> Range<String.Index>? {
    var rest = text[...]
    while !rest.isEmpty {
      if rest.hasPrefix(pattern) { return rest.startIndex..<text.index(rest.startIndex, offsetBy: pattern.count) }
      rest = rest.dropFirst()
    }
    return nil
  }
}
