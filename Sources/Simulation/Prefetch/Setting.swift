// A setting of a prefetcher, declared as network keys are: a key of sweep files and the key path of the value that it sets.

/// A key of a sweep file and the value of a prefetcher that it sets. The prefetcher's own value is the default.
public struct Setting<Target: Prefetcher>: Sendable {
  /// The key path of a value.
  public typealias Path<Value> = any WritableKeyPath<Target, Value> & Sendable

  /// Returns the declaration, with the default that a prefetcher has.
  let parameter: @Sendable (Target) -> Parameter
  let set: @Sendable (inout Target, Parameter.Value) -> Void

  private init(_ parameter: @escaping @Sendable (Target) -> Parameter, set: @escaping @Sendable (inout Target, Parameter.Value) -> Void) {
    (self.parameter, self.set) = (parameter, set)
  }

  /// Creates a setting of the value at `path`, which is its default unless the parameter has one.
  init<Value: ParameterValue>(_ parameter: Parameter, _ path: Path<Value>) {
    self.init { target in
      var declared = parameter
      if case .required = parameter.fallback { declared.fallback = .value(target[keyPath: path].parameterValue) }
      return declared
    } set: {
      $0[keyPath: path] = Value($1)
    }
  }

  /// Creates a setting that is stored in another form than a value of its own; the parameter has the default.
  init<Value: ParameterValue>(_ parameter: Parameter, set: @escaping @Sendable (inout Target, Value) -> Void) {
    self.init({ _ in parameter }, set: { set(&$0, Value($1)) })
  }

  /// Returns a copy without a canonical line while it is absent, so that ids do not depend on it. `words` describe the default.
  func ifGiven(_ words: String? = nil) -> Setting {
    Setting(
      { target in
        let declared = parameter(target)
        guard case .value(let value) = declared.fallback else { return declared }
        return declared.optional(words ?? value.words)
      }, set: set)
  }

  /// Declares an integer.
  public static func integer(
    _ key: String, _ path: Path<Int>, in range: ClosedRange<Int> = 0...1_000_000, _ documentation: String
  ) -> Setting {
    Setting(.integer(key, in: range, documentation), path)
  }

  /// Declares an integer that may be absent, which `words` describe; the prefetcher's own value is nil.
  public static func optionalInteger(
    _ key: String, _ path: Path<Int?>, in range: ClosedRange<Int> = 0...1_000_000, or words: String, _ documentation: String
  ) -> Setting { Setting(.integer(key, in: range, documentation).optional(words), path) }

  /// Declares a number, by default from 0 to a million.
  public static func number(
    _ key: String, _ path: Path<Double>, in range: ClosedRange<Double> = 0...1e6, _ documentation: String
  ) -> Setting {
    Setting(.number(key, in: range, documentation), path)
  }

  /// Declares a share from 0 to 1, written as a number or as "70%".
  public static func share(_ key: String, _ path: Path<Double>, _ documentation: String) -> Setting {
    Setting(.share(key, documentation), path)
  }

  /// Declares a Boolean, written as `true` or `false`.
  public static func boolean(_ key: String, _ path: Path<Bool>, _ documentation: String) -> Setting {
    Setting(.boolean(key, documentation), path)
  }

  /// Declares a duration, written such as "50ms"; the range is in nanoseconds, by default up to a day.
  public static func duration(
    _ key: String, _ path: Path<Interval>, in range: ClosedRange<Int64>? = nil, _ documentation: String
  ) -> Setting {
    Setting(.duration(key, in: range, documentation), path)
  }

  /// Declares an amount of bytes, written such as "800KB"; by default up to 1 GB.
  public static func size(_ key: String, _ path: Path<Int64>, in range: ClosedRange<Int64>? = nil, _ documentation: String) -> Setting {
    Setting(.size(key, in: range, documentation), path)
  }

  /// Declares a choice among the cases of an enumeration, by their raw values.
  public static func choice<Choice: RawRepresentable<String> & CaseIterable & Sendable>(
    _ key: String, _ path: Path<Choice>, _ documentation: String
  ) -> Setting {
    Setting({ .choice(key, default: $0[keyPath: path], documentation) }) { target, value in
      if let choice = Choice(rawValue: value.text) { target[keyPath: path] = choice }
    }
  }

  /// Declares the number of items after the active one.
  static func ahead(_ path: Path<Int>) -> Setting {
    .integer("ahead", path, in: 0...100_000, "Items after the active one that are prefetched.")
  }
}

extension Parameter.Value {
  /// The value as a default in lists.
  fileprivate var words: String {
    switch self {
    case .integer(let value): "\(value)"
    case .number(let value): value == value.rounded() ? "\(Int(value))" : "\(value)"
    case .boolean(let value): "\(value)"
    case .text(let value): value
    case .distribution: "drawn"
    }
  }
}
