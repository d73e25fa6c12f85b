// Expands the values of an axis: a range such as "1...10 by 3", or { files: "traces/*.json" }.

import Base

/// A range `first...last by step`; the step defaults to 1 in the unit of both bounds. Values are exact and never exceed `last`.
/// Bounds may be quantities of one dimension. Values keep the first bound's unit if it spells all of them, else another's.
enum AxisRange {
  static let countLimit = 100_000

  private struct Bound {
    var text: String
    var number: ExactDecimal
    var unit: QuantityUnit?

    /// The number in base units; nil on overflow.
    var baseValue: ExactDecimal? { number.multiplied(by: ExactDecimal(unit?.worth ?? 1)) }
  }

  static func isRange(_ text: String) -> Bool { text.contains("...") || text.contains("..<") || meant(by: text) != nil }

  /// Returns the range that a text in another notation means, such as "1..10", "1-10" or "1...10 step 3"; nil if it means none.
  private static func meant(by text: String) -> String? {
    let dots = ["...", "…", "..", " to ", "–", "-"].first { text.dropFirst().contains($0) } ?? "..."
    guard let separator = text.dropFirst().firstRange(of: dots) else { return nil }
    var last = String(text[separator.upperBound...])
    for step in [" by ", " step ", " by", ",", ":"] where last.contains(step) {
      last = last.replacing(step, with: " by ", maxReplacements: 1).replacing("  ", with: " ")
      break
    }
    let range = trimmingSpaces(text[..<separator.lowerBound]) + "..." + trimmingSpaces(last)
    return (try? bounds(text)) == nil ? ascending(range) : nil
  }

  /// Returns the range with the same values in increasing order, with a step above 0; nil if there is none.
  private static func ascending(_ range: String) -> String? {
    guard var (first, last, step) = try? bounds(range), let from = first.baseValue, let to = last.baseValue else { return nil }
    if from > to { (first, last) = (last, first) }
    if step.number <= ExactDecimal(0) { step.text = step.text.hasPrefix("-") ? String(step.text.dropFirst()) : "" }
    let text = "\(first.text)...\(last.text)" + (range.contains(" by ") && !step.text.isEmpty ? " by \(step.text)" : "")
    return (try? expand(text)) == nil ? nil : text
  }

  /// Expands a range that is a string in a file; the values keep its location. O(values).
  /// - Throws: `ValueProblem` if the range is malformed, or has too many values.
  static func expand(_ value: JSON5Value) throws(ValueProblem) -> [JSON5Value] {
    guard let text = value.text else {
      throw ValueProblem("is \(value.found), not a range or a list", remedy: "write a list [ … ] or a range such as \"1...10\"")
    }
    return try expand(text).map { JSON5Value(kind: $0, location: value.location) }
  }

  /// Expands a range into numbers or, with units, strings. O(values).
  /// - Throws: `ValueProblem` if the range is malformed, or has too many values.
  static func expand(_ text: String) throws(ValueProblem) -> [JSON5Value.Kind] {
    if let meant = meant(by: text) { throw ValueProblem("\(quoted(text)) is not a range", remedy: "write \(quoted(meant))") }
    let (first, last, step) = try bounds(text)
    guard let from = first.baseValue, let to = last.baseValue, let by = step.baseValue else {
      throw ValueProblem("\(quoted(text)) has a bound that is out of range", remedy: "write smaller numbers")
    }
    guard from <= to else {
      let remedy = ascending(text).map { "write \(quoted($0)); order does not matter" }
      throw ValueProblem("\(quoted(text)) descends", remedy: remedy ?? "write the smaller bound first, and a step greater than 0")
    }
    guard by > ExactDecimal(0) else {
      throw ValueProblem("\(quoted(text)) has the step \(step.text)", remedy: "write a step greater than 0")
    }
    let scale = max(from.scale, to.scale, by.scale)
    let (start, distance) = (from.scaled(to: scale), by.scaled(to: scale))
    let count = (to.scaled(to: scale) - start) / distance + 1
    guard count <= Int128(countLimit) else {
      throw ValueProblem("\(quoted(text)) has \(count) values, more than \(countLimit)", remedy: "write a larger step: \"… by …\"")
    }
    let values = (0..<count).compactMap { ExactDecimal(coefficient: start + $0 * distance, scale: scale) }
    if values.count < Int(count) {
      throw ValueProblem("\(quoted(text)) has a value with more than 18 digits", remedy: "write fewer digits")
    }
    guard let unit = first.unit else { return values.map { .number($0.description) } }
    for unit in [first, last, step].compactMap(\.unit) {
      let numbers = values.compactMap { $0.divided(by: unit.worth) }
      if numbers.count == values.count { return numbers.map { .string(Quantity(number: $0, unit: unit).description) } }
    }
    return values.map { .string(Quantity(number: $0, unit: unit.dimension.units[0]).description) }
  }

  /// Parses the bounds and the step, which have one dimension.
  /// - Throws: `ValueProblem` if a part is missing, or of another dimension.
  private static func bounds(_ text: String) throws(ValueProblem) -> (first: Bound, last: Bound, step: Bound) {
    func fail(_ problem: String, remedy: String) -> ValueProblem { ValueProblem("\(quoted(text)) \(problem)", remedy: remedy) }
    guard let dots = text.firstRange(of: "...") else {
      throw fail("is not a range", remedy: "write \"first...last\" or \"first...last by step\", such as \"1...10 by 3\"")
    }
    let rest = text[dots.upperBound...]
    let by = rest.firstRange(of: " by ")
    let first = try bound(text[..<dots.lowerBound], of: text)
    let last = try bound(rest[..<(by?.lowerBound ?? rest.endIndex)], of: text)
    let suffix = by.map { rest[$0.lowerBound...] } ?? ""
    func proposal(_ range: String) -> String { ascending(range).map { "write \(quoted($0))" } ?? "write a unit behind both bounds" }
    switch (first.unit, last.unit) {
    case (nil, let unit?):
      throw fail("has a first bound without a unit", remedy: proposal("\(first.text)\(unit.name)...\(last.text)\(suffix)"))
    case (let unit?, nil):
      throw fail("has a last bound without a unit", remedy: proposal("\(first.text)...\(last.text)\(unit.name)\(suffix)"))
    case (let left?, let right?) where left.dimension != right.dimension:
      throw fail("goes from \(left.dimension.described) to \(right.dimension.described)", remedy: "use units of one kind")
    case (let left, let right):
      if let by { return (first, last, try step(rest[by.upperBound...], of: text, beside: left)) }
      if left != right {
        let remedy = ascending("\(text) by \(first.text)") ?? ascending("\(text) by \(last.text)")
        throw fail("has two units and no step", remedy: remedy.map { "write the step: \(quoted($0))" } ?? "write the step: \"… by …\"")
      }
      return (first, last, Bound(text: "1\(left?.name ?? "")", number: ExactDecimal(1), unit: left))
    }
  }

  /// - Throws: `ValueProblem` if the step is malformed, or its unit is of another dimension than the bounds'.
  private static func step(_ text: Substring, of range: String, beside unit: QuantityUnit?) throws(ValueProblem) -> Bound {
    let step = try bound(text, of: range)
    if step.unit?.dimension == unit?.dimension { return step }
    let expected = unit.map { "a unit of \($0.dimension.rawValue), such as \($0.name)" } ?? "no unit"
    throw ValueProblem(
      "\(quoted(range)) has the step \(quoted(step.text)), which does not fit its bounds", remedy: "write it with \(expected)")
  }

  /// - Throws: `ValueProblem` if the part is neither a number nor a quantity.
  private static func bound(_ text: Substring, of range: String) throws(ValueProblem) -> Bound {
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
}

/// A pattern of files: a path whose last part contains one asterisk.
enum FilePattern {
  /// Returns the matching paths as strings, sorted by UTF-8.
  /// - Throws: `ValueProblem` if nothing matches, or the folder cannot be read.
  static func matches(_ value: JSON5Value, in files: InputFiles) throws(ValueProblem) -> [JSON5Value] {
    let pattern = try ScalarValue.text(value)
    let parts = pattern.split(separator: "/", omittingEmptySubsequences: false)
    let folder = parts.dropLast().joined(separator: "/")
    let ends = (parts.last ?? "").split(separator: "*", omittingEmptySubsequences: false).map(String.init)
    guard ends.count == 2, !folder.contains("*") else {
      throw ValueProblem(
        "is \(quoted(pattern, limit: 160)), not a pattern", remedy: "write one asterisk in the last part, such as \"traces/*.json\"")
    }
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: files.resolved(folder.isEmpty ? "." : folder)) else {
      throw ValueProblem(
        "names the folder \(quoted(folder, limit: 160)), which cannot be read",
        remedy: InputFile.remedy(for: files.resolved(folder), named: folder, otherwise: InputFile.usualRemedy))
    }
    let least = ends[0].utf8.count + ends[1].utf8.count
    let matching = names.filter { $0.utf8.count >= least && $0.hasPrefix(ends[0]) && $0.hasSuffix(ends[1]) && !$0.hasPrefix(".") }
    if matching.isEmpty { throw ValueProblem("matches no file", remedy: "check the pattern \(quoted(pattern, limit: 160))") }
    return matching.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.map {
      JSON5Value(kind: .string(folder.isEmpty ? $0 : "\(folder)/\($0)"), location: value.location)
    }
  }
}
