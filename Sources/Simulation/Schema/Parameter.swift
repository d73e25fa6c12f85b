// The declaration of a key of a sweep file. Decoding, canonical lines, point ids, help and lists loop over these declarations.

package struct Parameter: Sendable {
  /// The type of a value, with its unit and range.
  package enum Kind: Hashable, Sendable {
    case integer(ClosedRange<Int>)
    case number(ClosedRange<Double>)
    /// A share in 0 ..< 1, written as a number or a percentage.
    case probability
    /// A share in 0 ... 1, written as a number or a percentage.
    case share
    case boolean
    case text
    case choice([String])
    /// One of several names that look like numbers; "1.1" and 1.1 are equal.
    case version([String])
    /// A duration in nanoseconds.
    case duration(ClosedRange<Int64>)
    /// A rate in bits a second.
    case rate(ClosedRange<Int64>)
    /// An amount of bytes.
    case size(ClosedRange<Int64>)
    /// A duration in nanoseconds, constant or drawn.
    case durations(ClosedRange<Int64>)
    /// An amount of bytes, constant or drawn.
    case sizes(ClosedRange<Int64>)
    /// Another type; the text describes its syntax.
    case other(String)
  }

  package enum Value: Hashable, Sendable {
    case integer(Int64)
    case number(Double)
    case boolean(Bool)
    case text(String)
    case distribution(Distribution)
  }

  /// The default of a key that is absent.
  package enum Default: Hashable, Sendable {
    /// No default: the key is required.
    case required
    case value(Value)
    /// A default that another key determines, in words.
    case words(String)
  }

  /// The key within its object, such as `jitter` of `network`.
  package var key: String
  package var kind: Kind
  package var fallback: Default
  package var documentation: String
  /// True if it only names values that other keys or a file give. It then does not change runs and is not part of a point's id.
  package var isName = false
  /// True if a team ships the key with its app or server; users or the model decide the others of its part.
  package var isShipped = false
  package var transports = NetworkConfiguration.TransportKind.allCases

  /// Creates a parameter that all transports use; required without a default.
  package init(_ key: String, _ kind: Kind, default value: Value? = nil, _ documentation: String) {
    (self.key, self.kind, self.documentation) = (key, kind, documentation)
    fallback = value.map { .value($0) } ?? .required
  }

  /// The longest duration, one day, in nanoseconds.
  package static let day: Int64 = 86_400_000_000_000

  /// Declares an integer. Without a default it is required, as for all kinds.
  package static func integer(
    _ key: String, default value: Int? = nil, in range: ClosedRange<Int> = 0...1_000_000, _ documentation: String
  ) -> Parameter {
    Parameter(key, .integer(range), default: value.map { .integer(Int64($0)) }, documentation)
  }

  /// Declares a number, by default from 0 to a million.
  package static func number(
    _ key: String, default value: Double? = nil, in range: ClosedRange<Double> = 0...1e6, _ documentation: String
  ) -> Parameter {
    Parameter(key, .number(range), default: value.map(Value.number), documentation)
  }

  /// Declares a share from 0 to 1, written as a number or as "70%".
  package static func share(_ key: String, default value: Double? = nil, _ documentation: String) -> Parameter {
    Parameter(key, .share, default: value.map(Value.number), documentation)
  }

  /// Declares a probability less than 1, written as a number or as "1%".
  package static func probability(_ key: String, default value: Double? = nil, _ documentation: String) -> Parameter {
    Parameter(key, .probability, default: value.map(Value.number), documentation)
  }

  /// Declares a Boolean, written as `true` or `false`.
  package static func boolean(_ key: String, default value: Bool? = nil, _ documentation: String) -> Parameter {
    Parameter(key, .boolean, default: value.map(Value.boolean), documentation)
  }

  /// Declares a duration, written such as "50ms"; the range is in nanoseconds, by default up to a day.
  package static func duration(
    _ key: String, default value: Interval? = nil, in range: ClosedRange<Int64>? = nil, _ documentation: String
  ) -> Parameter {
    Parameter(key, .duration(range ?? 0...day), default: value.map { .integer($0.nanoseconds) }, documentation)
  }

  /// Declares an amount of bytes, written such as "800KB"; by default up to 1 GB.
  package static func size(
    _ key: String, default value: Int64? = nil, in range: ClosedRange<Int64>? = nil, _ documentation: String
  ) -> Parameter {
    Parameter(key, .size(range ?? 0...Volume.limitBytes), default: value.map(Value.integer), documentation)
  }

  /// Declares a choice among the cases of an enumeration, by their raw values.
  package static func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ key: String, default value: Choice, _ documentation: String
  ) -> Parameter {
    Parameter(key, .choice(Choice.allCases.map(\.rawValue)), default: .text(value.rawValue), documentation)
  }

  /// Returns an optional copy of this parameter; `words` describe its absence.
  package func optional(_ words: String) -> Parameter { with(\.fallback, .words(words)) }

  /// Returns a copy of this parameter that is a name only.
  package func naming() -> Parameter { with(\.isName, true) }

  /// Returns a copy of this parameter that a team ships with its app or server.
  package func shipped() -> Parameter { with(\.isShipped, true) }

  /// Returns a copy of this parameter that only some transports use.
  package func used(by transports: [NetworkConfiguration.TransportKind]) -> Parameter { with(\.transports, transports) }

  private func with<Property>(_ path: WritableKeyPath<Parameter, Property>, _ value: Property) -> Parameter {
    var parameter = self
    parameter[keyPath: path] = value
    return parameter
  }
}
