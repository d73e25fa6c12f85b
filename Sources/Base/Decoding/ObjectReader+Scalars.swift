// The scalars of an object. A key without a default is required; `optional` reads keys whose absence has a meaning.

extension ObjectReader {
  package mutating func integer(_ key: String, default fallback: Int? = nil, in limits: ClosedRange<Int> = 0...Int.max) -> Int {
    let limits = Int64(limits.lowerBound)...Int64(limits.upperBound)
    let value = read(key, fallback.map(Int64.init), limits.lowerBound, "1") { value throws(ValueProblem) in
      try ScalarValue.integer(value, in: limits)
    }
    return Int(value)
  }

  package mutating func number(_ key: String, default fallback: Double? = nil, in limits: ClosedRange<Double> = -1e300...1e300) -> Double {
    read(key, fallback, limits.lowerBound, "0.5", text: DecimalText.plain) { value throws(ValueProblem) in
      try ScalarValue.number(value, in: limits)
    }
  }

  /// Reads a duration and returns nanoseconds.
  package mutating func duration(_ key: String, default fallback: Int64? = nil, in limits: ClosedRange<Int64> = 0...Int64.max) -> Int64 {
    quantity(key, .duration, default: fallback, in: limits)
  }

  /// Reads a rate and returns bits a second.
  package mutating func rate(_ key: String, default fallback: Int64? = nil, in limits: ClosedRange<Int64> = 1...Int64.max) -> Int64 {
    quantity(key, .rate, default: fallback, in: limits)
  }

  /// Reads a size and returns bytes.
  package mutating func size(_ key: String, default fallback: Int64? = nil, in limits: ClosedRange<Int64> = 0...Int64.max) -> Int64 {
    quantity(key, .size, default: fallback, in: limits)
  }

  /// Reads a size of a data file: a number of bytes, or a size with a unit.
  package mutating func bytes(_ key: String, in limits: ClosedRange<Int64>) -> Int64 {
    read(key, nil, limits.lowerBound, "60000") { value throws(ValueProblem) in
      guard case .number(let text) = value.kind else { return try ScalarValue.quantity(value, .size, in: limits) }
      guard let exact = try? ExactDecimal(json5: text) else { return try ScalarValue.integer(value, in: limits) }
      let bytes = JSON5Value(kind: .string("\(exact)B"), location: value.location)
      return try ScalarValue.quantity(bytes, .size, in: limits)
    }
  }

  package mutating func quantity(
    _ key: String, _ dimension: Dimension, default fallback: Int64? = nil, in limits: ClosedRange<Int64>
  ) -> Int64 {
    read(key, fallback, limits.lowerBound, dimension.example) { value throws(ValueProblem) in
      try ScalarValue.quantity(value, dimension, in: limits)
    }
  }

  /// Reads a probability, 0 ..< 1, written as a number or a percentage.
  package mutating func probability(_ key: String, default fallback: Double? = nil) -> Double {
    read(key, fallback, 0, "0.01") { value throws(ValueProblem) in try ScalarValue.share(value, isProbability: true) }
  }

  /// Reads a share, 0 ... 1, written as a number or a percentage.
  package mutating func share(_ key: String, default fallback: Double? = nil) -> Double {
    read(key, fallback, 0, "0.01") { value throws(ValueProblem) in try ScalarValue.share(value) }
  }

  package mutating func boolean(_ key: String, default fallback: Bool? = nil) -> Bool {
    read(key, fallback, false, "true", ScalarValue.boolean)
  }

  package mutating func text(_ key: String, default fallback: String? = nil) -> String {
    read(key, fallback, "", "\"…\"", ScalarValue.text)
  }

  /// Reads one of `names`, of which there is at least one.
  package mutating func choice(_ key: String, of names: [String], default fallback: String? = nil) -> String {
    let example = quoted(names[0]) + (names.count > 1 ? "; choices: \(names.joined(separator: ", "))" : "")
    return read(key, fallback, names[0], example) { value throws(ValueProblem) in try ScalarValue.choice(value, of: names) }
  }

  /// Reads a case of an enumeration by its raw value; the enumeration has at least one case.
  package mutating func choice<Choice: RawRepresentable<String> & CaseIterable>(_ key: String, default fallback: Choice? = nil) -> Choice {
    let cases = Array(Choice.allCases)
    let name = choice(key, of: cases.map(\.rawValue), default: fallback?.rawValue)
    return cases.first { $0.rawValue == name } ?? cases[0]
  }

  /// Reads a string; nil if the key is absent or null.
  package mutating func optionalText(_ key: String) -> String? { optional(key) { $0.text(key) } }

  /// Returns the result of `read` for a key; nil if the key is absent or null.
  package mutating func optional<Value>(_ key: String, _ read: (inout ObjectReader) -> Value) -> Value? {
    value(key).map { $0.kind != .null } ?? false ? read(&self) : nil
  }

  /// Reads one scalar and records it. Returns the default if the key is absent, `standIn` after a report.
  private mutating func read<Value>(
    _ key: String, _ fallback: Value?, _ standIn: Value, _ example: @autoclosure () -> String, text: (Value) -> String = { "\($0)" },
    _ parse: (JSON5Value) throws(ValueProblem) -> Value
  ) -> Value {
    guard let value = value(key) else {
      if let fallback { record(key, text(fallback)) } else { reportMissing(key, example: example()) }
      return fallback ?? standIn
    }
    do {
      let result = try parse(value)
      record(key, text(result))
      return result
    } catch {
      context.sink.report(error, at: value.location, key: path(of: key))
      return fallback ?? standIn
    }
  }
}
