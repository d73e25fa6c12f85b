// The Swift types of parameter values.

/// A type that parameter values convert to. A declaration has one kind, so other kinds never occur.
package protocol ParameterValue: SendableMetatype {
  init(_ value: Parameter.Value)
  var parameterValue: Parameter.Value { get }
}

extension Parameter.Value {
  package var integer: Int64 { if case .integer(let value) = self { value } else { unexpected() } }
  package var number: Double { if case .number(let value) = self { value } else { unexpected() } }
  package var boolean: Bool { if case .boolean(let value) = self { value } else { unexpected() } }
  package var text: String { if case .text(let value) = self { value } else { unexpected() } }
  package var distribution: Distribution { if case .distribution(let value) = self { value } else { unexpected() } }
  /// True for a positive whole amount.
  package var isAmount: Bool { if case .integer(let value) = self { value > 0 } else { false } }

  fileprivate func unexpected<Value>() -> Value { preconditionFailure("a parameter of another kind has the value \(self)") }
}

extension ParameterValue where Self: FixedWidthInteger {
  package init(_ value: Parameter.Value) { self = Self(value.integer) }
  package var parameterValue: Parameter.Value { .integer(Int64(self)) }
}

extension Int: ParameterValue {}
extension Int64: ParameterValue {}

extension Interval: ParameterValue {
  package init(_ value: Parameter.Value) { self.init(nanoseconds: value.integer) }
  package var parameterValue: Parameter.Value { .integer(nanoseconds) }
}

extension Double: ParameterValue {
  package init(_ value: Parameter.Value) { self = value.number }
  package var parameterValue: Parameter.Value { .number(self) }
}

extension Bool: ParameterValue {
  package init(_ value: Parameter.Value) { self = value.boolean }
  package var parameterValue: Parameter.Value { .boolean(self) }
}

extension Distribution: ParameterValue {
  package init(_ value: Parameter.Value) { self = value.distribution }
  package var parameterValue: Parameter.Value { .distribution(self) }
}

extension ParameterValue where Self: RawRepresentable<String> & CaseIterable {
  package init(_ value: Parameter.Value) { self = Self.allCases.first { $0.rawValue == value.text } ?? value.unexpected() }
  package var parameterValue: Parameter.Value { .text(rawValue) }
}

/// An absent value has no parameter value: what declares one has a default in words.
extension Optional: ParameterValue where Wrapped: ParameterValue {
  package init(_ value: Parameter.Value) { self = Wrapped(value) }
  package var parameterValue: Parameter.Value {
    guard let value = self else { preconditionFailure("an absent value has no default") }
    return value.parameterValue
  }
}

extension PageLatch: ParameterValue {}
