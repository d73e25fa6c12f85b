// How a parameter of the schema is read: a table of fields per object of the scenario, and one loop over it.

import Import
import Simulation

/// An object of a scenario, filled by a table of fields. A new part holds the defaults.
protocol ScenarioPart: SendableMetatype {
  /// The fields in the order of canonical lines, which points' ids are made of.
  static var fields: [Field<Self>] { get }
  init()
}

extension ScenarioPart {
  /// Reads all fields of an object into this part, and reports its unknown keys.
  mutating func read(_ reader: inout ObjectReader, _ files: InputFiles) {
    for field in Self.fields { field.read(&reader, &self, files) }
    reader.finish()
  }

  /// The keys as lists show them.
  static var parameters: [Parameter] { fields.compactMap(\.parameter) }

  /// The phrases of a report's head, in the order of the fields.
  var phrases: [String] { Self.fields.compactMap { $0.phrase(self) } }
}

/// A parameter of a part: how it is read, and how it is said.
struct Field<Part>: Sendable {
  typealias Reading = @Sendable (_ reader: inout ObjectReader, _ part: inout Part, _ files: InputFiles) -> Void

  /// Nil for a step between two keys.
  let parameter: Parameter?
  /// Reads the value into the part and records its canonical line.
  let read: Reading
  /// The value in a report's head; nil where it is not worth a word.
  var phrase: @Sendable (Part) -> String? = { _ in nil }
  /// True if the value is unlike what holds without it, so that a transport without the parameter ignores something.
  var isSet: @Sendable (_ part: Part, _ isGiven: Bool) -> Bool = { _, isGiven in isGiven }

  /// A parameter that needs more than its declaration to be read.
  init(_ parameter: Parameter, read: @escaping Reading) {
    self.parameter = parameter
    self.read = read
  }

  /// A step between two keys.
  init(step: @escaping Reading) {
    parameter = nil
    read = step
  }

  /// The same field with a phrase.
  func saying(_ phrase: @escaping @Sendable (Part) -> String?) -> Field {
    var field = self
    field.phrase = phrase
    return field
  }

  /// The same field with another test of whether it is set.
  func set(where isSet: @escaping @Sendable (_ part: Part, _ isGiven: Bool) -> Bool) -> Field {
    var field = self
    field.isSet = isSet
    return field
  }
}

extension Field where Part: ScenarioPart {
  typealias Target<Value> = any WritableKeyPath<Part, Value> & Sendable

  /// A parameter whose value goes to `target`. Without `fallback` the default is what stands there in a new part.
  init<Value: ParameterValue>(
    _ parameter: Parameter, _ target: Target<Value>, fallback: (@Sendable (Part) -> Value?)? = nil
  ) {
    let standard = Part()[keyPath: target].parameterValue
    var declared = parameter
    if case .required = parameter.fallback { declared.fallback = .value(standard) }
    let shown = declared
    self.init(declared) { reader, part, _ in
      let value = reader.read(shown, default: fallback.map { $0(part)?.parameterValue } ?? standard)
      if let value = Value(value) { part[keyPath: target] = value }
    }
    // An amount that somebody wrote down is asked for, whatever it is; a nought or a name is not.
    isSet = { part, isGiven in part[keyPath: target].parameterValue != standard || isGiven && standard.isAmount }
  }

  /// A moment or "none".
  init(orNone parameter: Parameter, _ target: Target<Interval?>) {
    self.init(parameter.optional("none")) { reader, part, _ in
      guard case .duration(let range) = parameter.kind else { preconditionFailure("a moment is a duration") }
      part[keyPath: target] = reader.durationOrNone(parameter.key, in: range)
    }
  }
}

extension ObjectReader {
  /// The value of a parameter, or a stand-in after a report. Without a default the key is required.
  mutating func read(_ parameter: Parameter, default fallback: Parameter.Value?) -> Parameter.Value {
    let key = parameter.key
    switch parameter.kind {
    case .integer(let range): return .integer(Int64(integer(key, default: fallback?.integer.map { Int($0) }, in: range)))
    case .number(let range): return .number(number(key, default: fallback?.number, in: range))
    case .probability: return .number(probability(key, default: fallback?.number))
    case .share: return .number(share(key, default: fallback?.number))
    case .boolean: return .boolean(boolean(key, default: fallback?.boolean))
    case .text: return .text(text(key, default: fallback?.text))
    case .choice(let names): return .text(choice(key, of: names, default: fallback?.text))
    case .version(let names): return .text(version(key, of: names, default: fallback?.text))
    case .duration(let range): return .integer(duration(key, default: fallback?.integer, in: range))
    case .rate(let range): return .integer(rate(key, default: fallback?.integer, in: range))
    case .size(let range): return .integer(size(key, default: fallback?.integer, in: range))
    case .durations(let range): return .distribution(distribution(key, .duration, default: fallback?.distribution, in: range))
    case .sizes(let range): return .distribution(distribution(key, .size, default: fallback?.distribution, in: range))
    case .other: preconditionFailure("\(key) has no kind that is read by its declaration alone")
    }
  }

  /// One of some names that look like numbers: "1.1" and 1.1 are the same.
  private mutating func version(_ key: String, of names: [String], default fallback: String?) -> String {
    guard case .number(let text)? = value(key)?.kind else { return choice(key, of: names, default: fallback) }
    if names.contains(text) {
      record(key, text)
      return text
    }
    report(key, problem: "is unknown: \(text)", remedy: "write one of \(names.map(quoted).joined(separator: ", "))")
    return fallback ?? names[0]
  }

  /// A duration; nil where it is absent or "none", which are the same.
  mutating func durationOrNone(_ key: String, in range: ClosedRange<Int64>) -> Interval? {
    if has(key), value(key)?.text != "none" { return Interval(nanoseconds: duration(key, in: range)) }
    record(key, "none")
    return nil
  }

  /// Times in order and apart: `[{ at: "10s", for: "2s" }]` or "none". The first begins after `last`; `overlap` says what is wrong else.
  mutating func spans(
    _ key: String, after last: Interval = .zero, tooMany remedy: String, overlap: (_ end: String) -> (problem: String, remedy: String)
  ) -> [(start: Interval, duration: Interval)] {
    let limit = 10_000
    let elements = value(key)?.text == "none" ? [] : array(key) ?? []
    if elements.isEmpty { record(key, "none") }
    guard elements.count <= limit else {
      report(key, problem: "has \(elements.count) \(key), more than \(limit)", remedy: remedy)
      return []
    }
    var spans: [(start: Interval, duration: Interval)] = []
    var last = last
    for (index, element) in elements.enumerated() {
      let problems = context.sink.count
      var reader = ObjectReader(element, path: "\(path(of: key)).\(index)", context: context)
      let start = Interval(nanoseconds: reader.duration("at", in: 0...Parameter.day))
      let duration = Interval(nanoseconds: reader.duration("for", in: 1...Parameter.day))
      reader.finish()
      guard context.sink.count == problems else { continue }
      if start < last {
        let (problem, remedy) = overlap(last.described)
        reader.report("at", problem: problem, remedy: remedy)
      }
      spans.append((start, duration))
      last = start + duration
    }
    return spans
  }
}

extension Interval {
  /// The duration in its shortest spelling, such as "1.5s".
  var described: String { Quantity.described(nanoseconds, .duration) }
}

/// What a parameter's value becomes in the simulation.
protocol ParameterValue: SendableMetatype {
  /// Nil for a value of another kind.
  init?(_ value: Parameter.Value)
  var parameterValue: Parameter.Value { get }
}

extension Parameter.Value {
  var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
  var number: Double? { if case .number(let value) = self { value } else { nil } }
  var boolean: Bool? { if case .boolean(let value) = self { value } else { nil } }
  var text: String? { if case .text(let value) = self { value } else { nil } }
  var distribution: Distribution? { if case .distribution(let value) = self { value } else { nil } }
  /// True for an amount of something.
  var isAmount: Bool { (integer ?? 0) > 0 }
}

extension Int: ParameterValue {
  init?(_ value: Parameter.Value) {
    guard let value = value.integer else { return nil }
    self.init(value)
  }
  var parameterValue: Parameter.Value { .integer(Int64(self)) }
}

extension Int64: ParameterValue {
  init?(_ value: Parameter.Value) {
    guard let value = value.integer else { return nil }
    self = value
  }
  var parameterValue: Parameter.Value { .integer(self) }
}

extension Interval: ParameterValue {
  init?(_ value: Parameter.Value) {
    guard let value = value.integer else { return nil }
    self.init(nanoseconds: value)
  }
  var parameterValue: Parameter.Value { .integer(nanoseconds) }
}

extension Double: ParameterValue {
  init?(_ value: Parameter.Value) {
    guard let value = value.number else { return nil }
    self = value
  }
  var parameterValue: Parameter.Value { .number(self) }
}

extension Bool: ParameterValue {
  init?(_ value: Parameter.Value) {
    guard let value = value.boolean else { return nil }
    self = value
  }
  var parameterValue: Parameter.Value { .boolean(self) }
}

extension Distribution: ParameterValue {
  init?(_ value: Parameter.Value) {
    guard let value = value.distribution else { return nil }
    self = value
  }
  var parameterValue: Parameter.Value { .distribution(self) }
}

extension ParameterValue where Self: RawRepresentable<String> {
  init?(_ value: Parameter.Value) { self.init(rawValue: value.text ?? "") }
  var parameterValue: Parameter.Value { .text(rawValue) }
}
