// One key of a sweep file, declared once. Decoding, canonical lines, point ids, help and lists are loops over such declarations, and a
// prefetcher of another package declares its settings the same way. Nothing here parses.

/// A key of a sweep file: its kind, unit, range and default, and what it means.
public struct Parameter: Sendable {
  /// The type of the value, its unit and its range.
  package enum Kind: Hashable, Sendable {
    case integer(ClosedRange<Int>)
    case number(ClosedRange<Double>)
    /// 0 ..< 1, a number or a percentage.
    case probability
    /// 0 ... 1, a number or a percentage.
    case share
    case boolean
    case text
    case choice([String])
    /// One of some names that look like numbers: "1.1" and 1.1 are the same.
    case version([String])
    /// Nanoseconds.
    case duration(ClosedRange<Int64>)
    /// Bits a second.
    case rate(ClosedRange<Int64>)
    /// Bytes.
    case size(ClosedRange<Int64>)
    /// Nanoseconds, constant or drawn.
    case durations(ClosedRange<Int64>)
    /// Bytes, constant or drawn.
    case sizes(ClosedRange<Int64>)
    /// Anything else; the text says how it is written.
    case other(String)
  }

  /// A value in base units.
  package enum Value: Hashable, Sendable {
    case integer(Int64)
    case number(Double)
    case boolean(Bool)
    case text(String)
    case distribution(Distribution)
  }

  /// The value where the key is absent.
  package enum Default: Hashable, Sendable {
    /// There is none: the key is required.
    case required
    case value(Value)
    /// Another key, or the absence itself, decides; in words.
    case words(String)
  }

  /// The key under its object, as `jitter` of `network`.
  package var key: String
  package var kind: Kind
  package var fallback: Default
  /// One sentence.
  package var documentation: String
  /// True if it only names what other keys spell out or a file contains, so that it does not decide runs and is no part of a point's id.
  package var isName = false
  /// The transports that use it.
  package var transports = NetworkConfiguration.TransportKind.allCases

  /// A parameter without a default, used by all transports.
  package init(_ key: String, _ kind: Kind, _ documentation: String) {
    self.key = key
    self.kind = kind
    self.documentation = documentation
    fallback = .required
  }

  private init(_ key: String, _ kind: Kind, _ value: Value?, _ documentation: String) {
    self.init(key, kind, documentation)
    if let value { fallback = .value(value) }
  }
}

extension Parameter {
  /// The longest duration, a day, in nanoseconds.
  package static let day: Int64 = 86_400_000_000_000

  /// Declares a whole number; like all kinds it is required if there is no default.
  public static func integer(
    _ key: String, default value: Int? = nil, in range: ClosedRange<Int> = 0...1_000_000, _ documentation: String
  ) -> Parameter {
    Parameter(key, .integer(range), value.map { .integer(Int64($0)) }, documentation)
  }

  /// Declares a number.
  public static func number(
    _ key: String, default value: Double? = nil, in range: ClosedRange<Double> = 0...1e6, _ documentation: String
  ) -> Parameter {
    Parameter(key, .number(range), value.map(Value.number), documentation)
  }

  /// Declares a share from 0 to 1, written as a number or as "70%".
  public static func share(_ key: String, default value: Double? = nil, _ documentation: String) -> Parameter {
    Parameter(key, .share, value.map(Value.number), documentation)
  }

  /// Declares a probability less than 1, written as a number or as "1%".
  public static func probability(_ key: String, default value: Double? = nil, _ documentation: String) -> Parameter {
    Parameter(key, .probability, value.map(Value.number), documentation)
  }

  /// Declares a Boolean.
  public static func boolean(_ key: String, default value: Bool? = nil, _ documentation: String) -> Parameter {
    Parameter(key, .boolean, value.map(Value.boolean), documentation)
  }

  /// Declares a duration, written such as "50ms"; the range is in nanoseconds, by default up to a day.
  public static func duration(
    _ key: String, default value: Interval? = nil, in range: ClosedRange<Int64>? = nil, _ documentation: String
  ) -> Parameter {
    Parameter(key, .duration(range ?? 0...day), value.map { .integer($0.nanoseconds) }, documentation)
  }

  /// Declares an amount of bytes, written such as "800KB"; by default up to 1 GB.
  public static func size(
    _ key: String, default value: Int64? = nil, in range: ClosedRange<Int64>? = nil, _ documentation: String
  ) -> Parameter {
    Parameter(key, .size(range ?? 0...Volume.limitBytes), value.map(Value.integer), documentation)
  }

  /// Declares a choice among the cases of an enumeration, by their raw values.
  public static func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ key: String, default value: Choice, _ documentation: String
  ) -> Parameter {
    Parameter(key, .choice(Choice.allCases.map(\.rawValue)), .text(value.rawValue), documentation)
  }

  /// Returns this parameter as one that may be left out; `words` say what that means.
  public func optional(_ words: String) -> Parameter {
    var parameter = self
    parameter.fallback = .words(words)
    return parameter
  }

  /// The same parameter, which is a name only.
  package func naming() -> Parameter {
    var parameter = self
    parameter.isName = true
    return parameter
  }

  /// The same parameter, which only some transports use.
  package func used(by transports: [NetworkConfiguration.TransportKind]) -> Parameter {
    var parameter = self
    parameter.transports = transports
    return parameter
  }
}
