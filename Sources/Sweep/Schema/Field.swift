// Reads parameters of the schema: a table of fields per object of the scenario, and one loop over it.

import Base
import Simulation

/// An object of a scenario, read by a table of fields. A new part holds the defaults.
protocol ScenarioPart: Sendable {
  /// The fields in the order of canonical lines, which point ids hash.
  static var fields: [Field<Self>] { get }
  init()
  /// The part's text in a report's head.
  var text: String { get }
  /// False if a required value is missing, after a report.
  var isComplete: Bool { get }
  var ignored: [IgnoredSetting] { get }
}

extension ScenarioPart {
  var text: String { phrases.joined(separator: ", ") }
  var isComplete: Bool { true }
  var ignored: [IgnoredSetting] { [] }

  var phrases: [String] { Self.fields.compactMap { $0.phrase(self) } }

  static var parameters: [Parameter] { fields.flatMap(\.parameters) }

  /// Reads all fields of an object into this part and reports unknown keys.
  mutating func read(_ reader: inout ObjectReader, _ surroundings: Surroundings) {
    for field in Self.fields { field.read(&reader, &self, surroundings) }
    reader.finish()
  }
}

/// The context of a part: files, prefetchers and facts about the feed.
struct Surroundings {
  let files: InputFiles
  var prefetchers = PrefetcherCatalogue.standard
  /// The number of items in the feed, which limits scrolling; nil if unknown.
  var feedCount: Int?
  /// The feed's pages; nil if it is one list.
  var pages: PageSettings?
  /// The duration of a segment of its videos; nil without renditions.
  var segment: Interval?
}

/// A parameter of a part: how to read it and how to describe it.
struct Field<Part>: Sendable {
  typealias Reading = @Sendable (_ reader: inout ObjectReader, _ part: inout Part, _ surroundings: Surroundings) -> Void
  typealias Target<Value> = any WritableKeyPath<Part, Value> & Sendable

  /// The parameters: none for a step between two keys, several for an object.
  private(set) var parameters: [Parameter]
  /// Reads the value into the part and records its canonical line.
  var read: Reading
  /// Returns the value's phrase in a report's head; nil to omit it.
  private(set) var phrase: @Sendable (Part) -> String? = { _ in nil }
  /// True if the value differs from the default; a transport without the parameter then reports it as ignored.
  private(set) var isSet: @Sendable (_ part: Part, _ isGiven: Bool) -> Bool = { _, isGiven in isGiven }

  /// Creates a field with its own reading; without parameters it is a step between two keys.
  init(_ parameters: Parameter..., read: @escaping Reading) { self.init(parameters, read: read) }

  init(_ parameters: [Parameter], read: @escaping Reading) { (self.parameters, self.read) = (parameters, read) }

  /// Creates a parameter stored at `target`; `standard` is a new part's value, the default without `fallback`; `words` describe others.
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
    // An explicit positive amount counts as set even if it is the default.
    isSet = { part, isGiven in part[keyPath: target].parameterValue != standard || isGiven && standard.isAmount }
    phrase = { $0[keyPath: target].parameterValue == standard ? nil : words?($0[keyPath: target]) }
  }

  /// Creates a parameter without a canonical line while it is absent, so that ids do not depend on it.
  init<Value: ParameterValue>(
    ifGiven parameter: Parameter, _ target: Target<Value>, saying words: @escaping @Sendable (Value) -> String? = { _ in nil }
  ) {
    self.init(parameter) { reader, part, _ in
      if reader.has(parameter.key) { part[keyPath: target] = Value(reader.read(parameter, default: nil)) }
    }
    phrase = { words($0[keyPath: target]) }
  }

  init(orNone parameter: Parameter, _ target: Target<Interval?>) {
    self.init(parameter.optional("none")) { reader, part, _ in part[keyPath: target] = reader.readOrNone(parameter) }
  }

  /// Creates the fields of an object under a key; an absent object is empty.
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

  private func with(_ change: (inout Field) -> Void) -> Field {
    var field = self
    change(&field)
    return field
  }

  func saying(_ phrase: @escaping @Sendable (Part) -> String?) -> Field { with { $0.phrase = phrase } }

  func declaring(_ change: (Parameter) -> Parameter) -> Field { with { $0.parameters = parameters.map(change) } }

  func set(where isSet: @escaping @Sendable (_ part: Part, _ isGiven: Bool) -> Bool) -> Field { with { $0.isSet = isSet } }

  /// Returns this field with another reading, which may call its own.
  private func reading(_ body: @escaping @Sendable (_ own: Reading, inout ObjectReader, inout Part, Surroundings) -> Void) -> Field {
    with { $0.read = { [read] reader, part, surroundings in body(read, &reader, &part, surroundings) } }
  }

  /// Returns this field with a message of its own for a value that existed once.
  func refusing(_ text: String, problem: String, remedy: String) -> Field {
    reading { [key = parameters[0].key] read, reader, part, surroundings in
      guard reader.value(key)?.text == text else { return read(&reader, &part, surroundings) }
      reader.report(key, problem: problem, remedy: remedy)
    }
  }

  func when(_ isRead: @escaping @Sendable (Part) -> Bool) -> Field {
    reading { read, reader, part, surroundings in if isRead(part) { read(&reader, &part, surroundings) } }
  }

  func then(_ step: @escaping Reading) -> Field {
    reading { read, reader, part, surroundings in
      read(&reader, &part, surroundings)
      step(&reader, &part, surroundings)
    }
  }
}

extension Field where Part: ScenarioPart {
  /// Creates a parameter that is stored at `target`; without `fallback` a new part's value is the default.
  init<Value: ParameterValue>(
    _ parameter: Parameter, _ target: Target<Value>, saying words: (@Sendable (Value) -> String)? = nil,
    fallback: (@Sendable (Part) -> Value?)? = nil
  ) { self.init(parameter, target, standard: Part()[keyPath: target], saying: words, fallback: fallback) }
}

extension ObjectReader {
  /// Reads a parameter's value; a stand-in after a report. Without a default the key is required.
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

  /// Reads a name that may be written as a number: "1.1" or 1.1.
  private mutating func version(_ key: String, of names: [String], default fallback: String?) -> String {
    guard case .number(let text)? = value(key)?.kind else { return choice(key, of: names, default: fallback) }
    if names.contains(text) {
      record(key, text)
      return text
    }
    report(key, problem: "is unknown: \(text)", remedy: "write one of \(names.map(quoted).joined(separator: ", "))")
    return fallback ?? names[0]
  }

  mutating func readOrNone(_ parameter: Parameter) -> Interval? {
    if has(parameter.key), value(parameter.key)?.text != "none" { return Interval(read(parameter, default: nil)) }
    record(parameter.key, "none")
    return nil
  }

  /// Reads times in order without overlap: `[{ at: "10s", for: "2s" }]` or "none". The first begins after `last`.
  /// `overlap` returns the message for one that begins too early.
  mutating func spans(
    _ key: String, after last: Interval = .zero, tooMany remedy: String, overlap: (_ end: String) -> (problem: String, remedy: String)
  ) -> [TimeSpan] {
    let limit = 10_000
    let elements = value(key)?.text == "none" ? [] : array(key) ?? []
    if elements.isEmpty { record(key, "none") }
    guard elements.count <= limit else {
      report(key, problem: "has \(elements.count) \(key), more than \(limit)", remedy: remedy)
      return []
    }
    var spans: [TimeSpan] = []
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
      spans.append(TimeSpan(start: start, duration: duration))
      last = start + duration
    }
    return spans
  }
}

extension Parameter.Value {
  var canonicalText: String {
    switch self {
    case .integer(let value): "\(value)"
    case .number(let value): DecimalText.plain(value)
    case .boolean(let value): "\(value)"
    case .text(let value): value
    case .distribution(let value): value.canonical
    }
  }
}

extension Interval {
  /// The duration in its shortest spelling, such as "1.5s".
  var described: String { Quantity.described(nanoseconds, .duration) }
}

// MARK: Values of the network

extension NetworkConfiguration.TransportKind: ParameterValue {}
extension NetworkConfiguration.Congestion: ParameterValue {}
extension HTTPConfiguration.Server: ParameterValue {}
extension HTTPConfiguration.Version: ParameterValue {}
extension HTTPConfiguration.Security: ParameterValue {}
