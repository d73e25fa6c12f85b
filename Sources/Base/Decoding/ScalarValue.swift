// Reads single values by type. `ObjectReader` adds key, location and default.

/// Typed views of a JSON5 value. Each error says what the value is and what to write instead.
package enum ScalarValue {
  /// - Throws: `ValueProblem` if the value is no whole number, or out of range.
  package static func integer(_ value: JSON5Value, in limits: ClosedRange<Int64>) throws(ValueProblem) -> Int64 {
    let exact = try decimal(
      value, expected: "a whole number", example: "\(limits.lowerBound > 0 ? limits.lowerBound : max(1, limits.lowerBound))")
    guard let whole = exact.whole else {
      throw ValueProblem("is \(exact), not a whole number", remedy: "write a whole number \(described(limits) { "\($0)" })")
    }
    return try within(whole, limits) { "\($0)" }
  }

  /// Reads a finite number within `limits`: the Double nearest to the text.
  /// - Throws: `ValueProblem` if the value is no number, or out of range.
  package static func number(_ value: JSON5Value, in limits: ClosedRange<Double>) throws(ValueProblem) -> Double {
    let text = try numberText(value, expected: "a number", example: "0.5")
    let number = (try? ExactDecimal(json5: text))?.double ?? Double(text.hasPrefix("+") ? String(text.dropFirst()) : text) ?? .nan
    guard number.isFinite else { throw ValueProblem("is \(text), which is not finite", remedy: "write a finite number") }
    return try within(number == 0 ? 0 : number, limits, described: DecimalText.plain)
  }

  /// Reads a share, 0 ... 1, or a probability, 0 ..< 1: a number or a percentage.
  /// - Throws: `ValueProblem` if the value is no number in these limits.
  package static func share(_ value: JSON5Value, isProbability: Bool = false) throws(ValueProblem) -> Double {
    let kind = isProbability ? "a probability" : "a share"
    let fraction: ExactDecimal
    if case .string(let text) = value.kind {
      fraction = try Quantity(text, dimension: .percent).fraction()
    } else {
      fraction = try decimal(value, expected: kind, example: "0.01 or \"1%\"")
    }
    if fraction >= ExactDecimal(0), fraction < ExactDecimal(1) || !isProbability && fraction == ExactDecimal(1) { return fraction.double }
    if fraction == ExactDecimal(1) {
      throw ValueProblem("is \(value.canonicalText), and must be less than 1", remedy: "write 0 or more and less than 1, such as 0.01")
    }
    if case .number(let text) = value.kind, fraction > ExactDecimal(1), fraction < ExactDecimal(100) {
      throw ValueProblem("is \(value.canonicalText), which is not \(kind)", remedy: "write \(quoted(text + "%")) for per cent")
    }
    let range = isProbability ? "0 or more and less than 1" : "from 0 to 1"
    throw ValueProblem("is \(value.canonicalText), which is not \(kind)", remedy: "write \(range), such as 0.01 or \"1%\"")
  }

  /// - Throws: `ValueProblem` if the value is neither true nor false.
  package static func boolean(_ value: JSON5Value) throws(ValueProblem) -> Bool {
    if case .boolean(let flag) = value.kind { return flag }
    let isQuoted = value.text == "true" || value.text == "false"
    throw ValueProblem("is \(value.found), not true or false", remedy: isQuoted ? "remove the quotes" : "write true or false")
  }

  /// - Throws: `ValueProblem` if the value is no string.
  package static func text(_ value: JSON5Value) throws(ValueProblem) -> String {
    if case .string(let text) = value.kind { return text }
    if case .number(let text) = value.kind {
      throw ValueProblem("is \(value.found), not a string", remedy: "put it in quotes: \(quoted(text))")
    }
    throw ValueProblem("is \(value.found), not a string", remedy: "write a string in quotes")
  }

  /// - Throws: `ValueProblem` if the value is no string, or none of the names.
  package static func choice(_ value: JSON5Value, of names: [String]) throws(ValueProblem) -> String {
    guard case .string(let text) = value.kind else {
      throw ValueProblem("is \(value.found), not a name", remedy: "write one of \(names.map(quoted).joined(separator: ", "))")
    }
    if names.contains(text) { return text }
    throw ValueProblem(
      "is unknown: \(quoted(text))", remedy: NearestName.remedy(for: text, among: names, what: "choices"),
      code: NearestName.suggestion(for: text, among: names) == nil ? .unquoted : nil)
  }

  /// Reads a quantity within `limits` and returns base units: nanoseconds, bits a second or bytes.
  /// - Throws: `ValueProblem` if the value is no quantity of the dimension, or out of range.
  package static func quantity(_ value: JSON5Value, _ dimension: Dimension, in limits: ClosedRange<Int64>) throws(ValueProblem) -> Int64 {
    let base: Int64
    switch value.kind {
    case .string(let text): base = try Quantity(text, dimension: dimension).baseValue()
    case .number:
      let text = value.canonicalText
      let number = Double(text) ?? 0
      let units =
        switch dimension {
        case .duration: number < 10 ? ["s"] : ["s", "ms"]
        case .size: (1..<10_000).contains(number) ? ["KB", "B"] : ["B"]
        default: number < 10_000 ? ["Mbps", "kbps"] : ["bps"]
        }
      let spellings = units.map { quoted(text + $0) }
      if number < 0 { throw ValueProblem("is negative, not \(dimension.described)", remedy: "write one such as \(dimension.example)") }
      throw ValueProblem("is the number \(text), which has no unit", remedy: "write \(spellings.joined(separator: " or "))")
    default: throw ValueProblem("is \(value.found), not \(dimension.described)", remedy: "write one such as \(dimension.example)")
    }
    return try within(base, limits, code: .unquoted) { Quantity.described($0, dimension) }
  }

  /// - Throws: `ValueProblem` if the value is no number, or one with too many digits.
  private static func decimal(
    _ value: JSON5Value, expected: String, example: @autoclosure () -> String
  ) throws(ValueProblem) -> ExactDecimal {
    let text = try numberText(value, expected: expected, example: example())
    do { return try ExactDecimal(json5: text) } catch {
      throw error == .outOfRange
        ? ValueProblem("is \(text), which has too many digits", remedy: "write at most 18 digits")
        : ValueProblem("is \(text), which is not finite", remedy: "write a finite number")
    }
  }

  /// - Throws: `ValueProblem` if the value is no number.
  private static func numberText(_ value: JSON5Value, expected: String, example: @autoclosure () -> String) throws(ValueProblem) -> String {
    if case .number(let text) = value.kind { return text }
    if case .string(let text) = value.kind, (try? ExactDecimal(json5: text)) != nil {
      throw ValueProblem("is \(value.found), not \(expected)", remedy: "write \(Int64(text).map(String.init) ?? text) without quotes")
    }
    if let text = value.text, expected == "a number", let fraction = try? Quantity(text, dimension: .percent).fraction() {
      throw ValueProblem("is \(value.found), not \(expected)", remedy: "write \(fraction)")
    }
    throw ValueProblem("is \(value.found), not \(expected)", remedy: "write \(expected) such as \(example())")
  }

  /// - Throws: `ValueProblem` if the value is out of range.
  private static func within<Value: Comparable>(
    _ value: Value, _ limits: ClosedRange<Value>, code: Diagnostic.Code? = nil, described text: (Value) -> String
  ) throws(ValueProblem) -> Value {
    if limits.contains(value) { return value }
    let bound = value < limits.lowerBound ? "less than \(text(limits.lowerBound))" : "more than \(text(limits.upperBound))"
    throw ValueProblem("is \(text(value)), \(bound)", remedy: "write a value \(described(limits, text))", code: code)
  }

  /// Returns "from 1 to 10", or "from 1" if the upper limit stands for no limit.
  private static func described<Value: Comparable>(_ limits: ClosedRange<Value>, _ text: (Value) -> String) -> String {
    let isOpen = limits.upperBound is Int64 && limits.upperBound as? Int64 == .max
    let isOpenNumber = (limits.upperBound as? Double).map { $0 >= 1e300 } ?? false
    return isOpen || isOpenNumber ? "from \(text(limits.lowerBound))" : "from \(text(limits.lowerBound)) to \(text(limits.upperBound))"
  }
}
