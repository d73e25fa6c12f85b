// How a parameter of the schema is read: a table of fields per object of the scenario, and one loop over it.

import Import
import Simulation

/// An object of a scenario, filled by a table of fields. A new part holds the defaults.
protocol ScenarioPart: Sendable {
  /// The fields in the order of canonical lines, which points' ids are made of.
  static var fields: [Field<Self>] { get }
  init()
  /// The part in a report's head.
  var text: String { get }
  /// False if a run lacks something, after a report.
  var isComplete: Bool { get }
  var ignored: [IgnoredSetting] { get }
}

extension ScenarioPart {
  var text: String { phrases.joined(separator: ", ") }
  var isComplete: Bool { true }
  var ignored: [IgnoredSetting] { [] }

  /// The phrases of the fields in their order.
  var phrases: [String] { Self.fields.compactMap { $0.phrase(self) } }

  /// The keys as lists show them.
  static var parameters: [Parameter] { fields.flatMap(\.parameters) }

  /// Reads all fields of an object into this part, and reports its unknown keys.
  mutating func read(_ reader: inout ObjectReader, _ surroundings: Surroundings) {
    for field in Self.fields { field.read(&reader, &self, surroundings) }
    reader.finish()
  }
}

/// What a part is read beside.
struct Surroundings {
  let files: InputFiles
  var prefetchers = PrefetcherCatalogue.standard
  /// How many items the feed has, so that nobody scrolls farther; nil where that is not known.
  var feedCount: Int?
  /// The feed's pages.
  var pages: PageSettings?
}

/// A parameter of a part: how it is read, and how it is said.
struct Field<Part>: Sendable {
  typealias Reading = @Sendable (_ reader: inout ObjectReader, _ part: inout Part, _ surroundings: Surroundings) -> Void
  typealias Target<Value> = any WritableKeyPath<Part, Value> & Sendable

  /// One; none for a step between two keys, several for an object under the key.
  let parameters: [Parameter]
  /// Reads the value into the part and records its canonical line.
  private(set) var read: Reading
  /// The value in a report's head; nil where it is not worth a word.
  private(set) var phrase: @Sendable (Part) -> String? = { _ in nil }
  /// True if the value is unlike what holds without it, so that a transport without the parameter ignores something.
  private(set) var isSet: @Sendable (_ part: Part, _ isGiven: Bool) -> Bool = { _, isGiven in isGiven }

  /// Parameters that need more than their declaration to be read; none for a step between two keys.
  init(_ parameters: Parameter..., read: @escaping Reading) {
    self.init(parameters, read: read)
  }

  init(_ parameters: [Parameter], read: @escaping Reading) { (self.parameters, self.read) = (parameters, read) }

  /// A parameter whose value goes to `target`, `standard` in a new part. Without `fallback` that is the default. Where the value is another,
  /// `words` say it.
  init<Value: ParameterValue>(
    _ parameter: Parameter, _ target: Target<Value>, standard: Value, saying words: (@Sendable (Value) -> String)? = nil,
    fallback: (@Sendable (Part) -> Value?)? = nil
  ) {
    let standard = standard.parameterValue
    var declared = parameter
    if case .required = parameter.fallback { declared.fallback = .value(standard) }
    self.init(declared) { reader, part, _ in
      part[keyPath: target] = Value(reader.read(parameter, default: fallback.map { $0(part)?.parameterValue } ?? standard))
    }
    // An amount that somebody wrote down is asked for, whatever it is; a nought or a name is not.
    isSet = { part, isGiven in part[keyPath: target].parameterValue != standard || isGiven && standard.isAmount }
    phrase = { part in
      part[keyPath: target].parameterValue == standard ? nil : words?(part[keyPath: target])
    }
  }

  /// A parameter that is read only where it stands: without it there is no canonical line, so that ids do not depend on it.
  init<Value: ParameterValue>(ifGiven parameter: Parameter, _ target: Target<Value>) {
    self.init(parameter) { reader, part, _ in
      if reader.has(parameter.key) { part[keyPath: target] = Value(reader.read(parameter, default: nil)) }
    }
  }

  init<Value: ParameterValue>(ifGiven parameter: Parameter, _ target: Target<Value?>) {
    self.init(parameter) { reader, part, _ in
      if reader.has(parameter.key) { part[keyPath: target] = Value(reader.read(parameter, default: nil)) }
    }
  }

  /// A moment or "none".
  init(orNone parameter: Parameter, _ target: Target<Interval?>) {
    self.init(parameter.optional("none")) { reader, part, _ in part[keyPath: target] = reader.readOrNone(parameter) }
  }

  /// The fields of an object under a key; of an empty one where it is absent.
  init<Inner>(object key: String, _ target: Target<Inner>, _ fields: [Field<Inner>]) {
    let parameters = fields.flatMap(\.parameters).map { parameter in
      var shown = parameter
      shown.key = "\(key).\(parameter.key)"
      return shown
    }
    self.init(parameters) { reader, part, surroundings in
      var object = reader.objectOrEmpty(key)
      for field in fields { field.read(&object, &part[keyPath: target], surroundings) }
      object.finish()
    }
  }

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

  /// The same field, which is read of some parts only.
  func when(_ isRead: @escaping @Sendable (Part) -> Bool) -> Field {
    var field = self
    field.read = { [read] reader, part, surroundings in if isRead(part) { read(&reader, &part, surroundings) } }
    return field
  }
}

extension Field where Part: ScenarioPart {
  /// A parameter whose value goes to `target`. Without `fallback` the default is what stands there in a new part.
  init<Value: ParameterValue>(
    _ parameter: Parameter, _ target: Target<Value>, saying words: (@Sendable (Value) -> String)? = nil,
    fallback: (@Sendable (Part) -> Value?)? = nil
  ) {
    self.init(parameter, target, standard: Part()[keyPath: target], saying: words, fallback: fallback)
  }
}

extension ObjectReader {
  /// The value of a parameter, or a stand-in after a report. Without a default the key is required.
  mutating func read(_ parameter: Parameter, default fallback: Parameter.Value?) -> Parameter.Value {
    let key = parameter.key
    switch parameter.kind {
    case .integer(let range): return .integer(Int64(integer(key, default: (fallback?.integer).map { Int($0) }, in: range)))
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
  mutating func readOrNone(_ parameter: Parameter) -> Interval? {
    if has(parameter.key), value(parameter.key)?.text != "none" { return Interval(read(parameter, default: nil)) }
    record(parameter.key, "none")
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

/// What a parameter's value becomes in the simulation. A declaration reads values of one kind, so that no other comes here.
protocol ParameterValue: SendableMetatype {
  init(_ value: Parameter.Value)
  var parameterValue: Parameter.Value { get }
}

extension Parameter.Value {
  var integer: Int64 { if case .integer(let value) = self { value } else { unexpected() } }
  var number: Double { if case .number(let value) = self { value } else { unexpected() } }
  var boolean: Bool { if case .boolean(let value) = self { value } else { unexpected() } }
  var text: String { if case .text(let value) = self { value } else { unexpected() } }
  var distribution: Distribution { if case .distribution(let value) = self { value } else { unexpected() } }
  /// True for an amount of something.
  var isAmount: Bool { if case .integer(let value) = self { value > 0 } else { false } }

  fileprivate func unexpected<Value>() -> Value { preconditionFailure("a parameter of another kind has the value \(self)") }
}

extension Int: ParameterValue {
  init(_ value: Parameter.Value) { self = Int(value.integer) }
  var parameterValue: Parameter.Value { .integer(Int64(self)) }
}

extension Int64: ParameterValue {
  init(_ value: Parameter.Value) { self = value.integer }
  var parameterValue: Parameter.Value { .integer(self) }
}

extension Interval: ParameterValue {
  init(_ value: Parameter.Value) { self.init(nanoseconds: value.integer) }
  var parameterValue: Parameter.Value { .integer(nanoseconds) }
}

extension Double: ParameterValue {
  init(_ value: Parameter.Value) { self = value.number }
  var parameterValue: Parameter.Value { .number(self) }
}

extension Bool: ParameterValue {
  init(_ value: Parameter.Value) { self = value.boolean }
  var parameterValue: Parameter.Value { .boolean(self) }
}

extension Distribution: ParameterValue {
  init(_ value: Parameter.Value) { self = value.distribution }
  var parameterValue: Parameter.Value { .distribution(self) }
}

extension ParameterValue where Self: RawRepresentable<String> & CaseIterable {
  init(_ value: Parameter.Value) { self = Self.allCases.first { $0.rawValue == value.text } ?? value.unexpected() }
  var parameterValue: Parameter.Value { .text(rawValue) }
}
