// The scalars of an object, each with a default (nil: required); some are optional too, where absence has a meaning.

extension ObjectReader {
  /// A whole number.
  package mutating func integer(_ key: String, default fallback: Int? = nil, in limits: ClosedRange<Int> = 0...Int.max) -> Int {
    let limits = Int64(limits.lowerBound)...Int64(limits.upperBound)
    let value = read(key, fallback.map(Int64.init), limits.lowerBound, "1", text: { "\($0)" }) { value throws(ValueProblem) in
      try ScalarValue.integer(value, in: limits)
    }
    return Int(value)
  }

  /// A finite number.
  package mutating func number(
    _ key: String, default fallback: Double? = nil, in limits: ClosedRange<Double> = -1e300...1e300
  ) -> Double {
    read(key, fallback, limits.lowerBound, "0.5", text: ScalarValue.plain) { value throws(ValueProblem) in
      try ScalarValue.number(value, in: limits)
    }
  }

  /// Nanoseconds.
  package mutating func duration(_ key: String, default fallback: Int64? = nil, in limits: ClosedRange<Int64> = 0...Int64.max) -> Int64 {
    read(key, fallback, limits.lowerBound, Dimension.duration.example, text: { "\($0)" }) { value throws(ValueProblem) in
      try ScalarValue.duration(value, in: limits)
    }
  }

  /// Bits a second.
  package mutating func rate(_ key: String, default fallback: Int64? = nil, in limits: ClosedRange<Int64> = 1...Int64.max) -> Int64 {
    read(key, fallback, limits.lowerBound, Dimension.rate.example, text: { "\($0)" }) { value throws(ValueProblem) in
      try ScalarValue.rate(value, in: limits)
    }
  }

  /// Bytes; a bare whole number counts bytes.
  package mutating func size(_ key: String, default fallback: Int64? = nil, in limits: ClosedRange<Int64> = 0...Int64.max) -> Int64 {
    read(key, fallback, limits.lowerBound, Dimension.size.example, text: { "\($0)" }) { value throws(ValueProblem) in
      try ScalarValue.size(value, in: limits)
    }
  }

  /// A probability, 0 ..< 1, as a number or a percentage.
  package mutating func probability(_ key: String, default fallback: Double? = nil) -> Double {
    read(key, fallback, 0, "0.01", text: { "\($0)" }) { value throws(ValueProblem) in try ScalarValue.probability(value) }
  }

  /// A share, 0 ... 1, as a number or a percentage.
  package mutating func share(_ key: String, default fallback: Double? = nil) -> Double {
    read(key, fallback, 0, "0.01", text: { "\($0)" }) { value throws(ValueProblem) in try ScalarValue.share(value) }
  }

  /// true or false.
  package mutating func boolean(_ key: String, default fallback: Bool? = nil) -> Bool {
    read(key, fallback, false, "true", text: { "\($0)" }) { value throws(ValueProblem) in try ScalarValue.boolean(value) }
  }

  /// A string.
  package mutating func text(_ key: String, default fallback: String? = nil) -> String {
    read(key, fallback, "", "\"…\"", text: { $0 }) { value throws(ValueProblem) in try ScalarValue.text(value) }
  }

  /// One of some names, at least one.
  package mutating func choice(_ key: String, of names: [String], default fallback: String? = nil) -> String {
    read(key, fallback, names[0], quoted(names[0]), text: { $0 }) { value throws(ValueProblem) in
      try ScalarValue.choice(value, of: names)
    }
  }

  /// One of the cases of an enumeration with at least one, by raw value.
  package mutating func choice<Choice: RawRepresentable<String> & CaseIterable>(_ key: String, default fallback: Choice? = nil) -> Choice {
    let cases = Array(Choice.allCases)
    let name = choice(key, of: cases.map(\.rawValue), default: fallback?.rawValue)
    return cases.first { $0.rawValue == name } ?? cases[0]
  }

  /// A whole number; nil if it is absent or null.
  package mutating func optionalInteger(_ key: String, in limits: ClosedRange<Int> = 0...Int.max) -> Int? {
    isGiven(key) ? integer(key, in: limits) : nil
  }

  /// Nanoseconds; nil if the key is absent or null.
  package mutating func optionalDuration(_ key: String, in limits: ClosedRange<Int64> = 0...Int64.max) -> Int64? {
    isGiven(key) ? duration(key, in: limits) : nil
  }

  /// Bytes; nil if the key is absent or null.
  package mutating func optionalSize(_ key: String, in limits: ClosedRange<Int64> = 0...Int64.max) -> Int64? {
    isGiven(key) ? size(key, in: limits) : nil
  }

  /// A string; nil if it is absent or null.
  package mutating func optionalText(_ key: String) -> String? {
    isGiven(key) ? text(key) : nil
  }

  /// One of some names; nil if it is absent or null.
  package mutating func optionalChoice(_ key: String, of names: [String]) -> String? {
    isGiven(key) ? choice(key, of: names) : nil
  }

  /// Whether a key is present and not null.
  private mutating func isGiven(_ key: String) -> Bool {
    value(key).map { $0.kind != .null } ?? false
  }

  /// Reads one scalar and records it; the default if it is absent; `standIn` after a report.
  private mutating func read<Value>(
    _ key: String, _ fallback: Value?, _ standIn: Value, _ example: String, text: (Value) -> String,
    _ parse: (JSON5Value) throws(ValueProblem) -> Value
  ) -> Value {
    guard let value = value(key) else {
      if let fallback {
        record(key, text(fallback))
        return fallback
      }
      reportMissing(key, example: example)
      return standIn
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
