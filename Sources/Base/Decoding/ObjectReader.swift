// Reads an object key by key: checks types, units and ranges, fills in defaults, and reports unknown keys.
// A reader never throws. After a report it returns a valid stand-in, so that one pass finds all problems of a file; callers check the sink.

/// A scalar of a scenario: its path, and its value in canonical form.
package struct CanonicalSetting: Hashable, Sendable {
  package let path: String
  package let value: String

  package init(path: String, value: String) { (self.path, self.value) = (path, value) }

  /// The line `path=value` that ids hash.
  package var line: String { "\(path)=\(value)" }
}

/// The problems and the canonical settings of one decoding. A class, because the readers of all parts share it.
package final class DecodingContext {
  package let sink: DiagnosticSink
  /// Every scalar read so far, in reading order: defaults filled in, quantities in base units.
  package private(set) var settings: [CanonicalSetting] = []
  /// The lines that decide the runs. A line that only names other lines' content, such as a profile or a file path, is left out.
  package private(set) var identity: [String] = []

  /// The paths whose values only name content that other lines spell out.
  private let names: Set<String>
  private let keepsLines: Bool

  /// Creates a decoding that reports to `sink`. Values at the paths in `names` are not part of the identity.
  /// Without `keepsLines` no lines are kept.
  package init(sink: DiagnosticSink = DiagnosticSink(), names: Set<String> = [], keepsLines: Bool = true) {
    (self.sink, self.names, self.keepsLines) = (sink, names, keepsLines)
  }

  /// Adds a canonical line, such as the content hash of a named file. Escapes line breaks, so that one value is one line.
  package func record(_ path: @autoclosure () -> String, _ value: @autoclosure () -> String) {
    guard keepsLines else { return }
    let (path, value) = (path(), value())
    let isPlain = !value.utf8.contains { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\\") }
    let setting = CanonicalSetting(path: path, value: isPlain ? value : jsonString(value))
    settings.append(setting)
    if !names.contains(path) { identity.append(setting.line) }
  }
}

/// A typed view of an object. Each method reads one key; its dotted path appears in messages and canonical lines.
package struct ObjectReader {
  /// The dotted path of the object; empty for the root.
  package let path: String
  /// The location of the object's first byte.
  package let location: SourceLocation
  package let context: DecodingContext
  private let members: [JSON5Member]
  /// The index of each member by key; nil for a small object, which is searched.
  private let indices: [String: Int]?
  /// The keys asked for, in order, each once.
  private(set) var knownKeys: [String] = []

  /// Creates a reader of `value`. If `value` is no object, reports it, with `example` as the remedy, and acts as an empty object.
  package init(_ value: JSON5Value, path: String = "", example: String = "{ … }", context: DecodingContext) {
    self.path = path
    self.context = context
    location = value.location
    let members = value.members ?? []
    indices = members.count <= 16 ? nil : Dictionary(members.enumerated().map { ($1.key, $0) }, uniquingKeysWith: { first, _ in first })
    self.members = members
    knownKeys.reserveCapacity(members.count)
    if value.members == nil {
      isBroken = true
      context.sink.report(at: value.location, key: path, problem: "is \(value.found), not an object", remedy: "write \(example)")
    }
  }

  /// True if any key is allowed, so that none is unknown.
  private var knowsAll = false

  /// True if the value is no object. That was reported, so missing keys are not.
  package private(set) var isBroken = false

  package func path(of key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

  /// Returns the location of a key's value, or of the object if the key is absent.
  package func location(of key: String) -> SourceLocation { member(key)?.value.location ?? location }

  /// Returns the member with a key. O(1) on average.
  private func member(_ key: String) -> JSON5Member? {
    if let indices { return indices[key].map { members[$0] } }
    return members.first { $0.key == key }
  }

  package mutating func has(_ key: String) -> Bool { value(key) != nil }

  package func isKnown(_ key: String) -> Bool { knownKeys.contains(key) }

  /// The keys that are present, in file order.
  package var givenKeys: [String] { members.map(\.key) }

  /// Returns the value of a key; nil if the key is absent. Records nothing.
  package mutating func value(_ key: String) -> JSON5Value? {
    if !knownKeys.contains(key) { knownKeys.append(key) }
    return member(key)?.value
  }

  /// Returns a reader of the object under a key. Nil if the key is absent (reported if `required`) or no object (reported).
  package mutating func object(_ key: String, required: Bool = false) -> ObjectReader? {
    guard let value = value(key) else {
      if required { reportMissing(key, example: "{ … }") }
      return nil
    }
    let reader = ObjectReader(value, path: path(of: key), context: context)
    return reader.isBroken ? nil : reader
  }

  /// Returns a reader of the object under a key, or of an empty object if the key is absent, so that all defaults apply.
  package mutating func objectOrEmpty(_ key: String, example: String = "{ … }") -> ObjectReader {
    let empty = JSON5Value(kind: .object([]), location: location)
    return ObjectReader(value(key) ?? empty, path: path(of: key), example: example, context: context)
  }

  /// Returns the elements of the list under a key. Nil if the key is absent (reported if `required`) or no list (reported).
  package mutating func array(_ key: String, required: Bool = false) -> [JSON5Value]? {
    guard let value = value(key) else {
      if required { reportMissing(key, example: "[ … ]") }
      return nil
    }
    if case .array(let elements) = value.kind { return elements }
    report(key, problem: "is \(value.found), not a list", remedy: "write [ … ]")
    return nil
  }

  /// Returns what `read` makes of the elements of the list under a key. Those with a problem are reported by their index and left out.
  @discardableResult package mutating func elements<Element>(
    _ key: String, required: Bool = false, _ read: (_ element: JSON5Value, _ index: Int) throws(ValueProblem) -> Element
  ) -> [Element] {
    (array(key, required: required) ?? []).enumerated().compactMap { index, element in
      context.sink.value(at: element.location, key: path(of: "\(key).\(index)")) { () throws(ValueProblem) in try read(element, index) }
    }
  }

  /// Reads the scalars of a required list, up to a number; those with a problem are reported at its key and left out.
  package mutating func scalars<Value>(
    _ key: String, atMost limit: Int = .max, _ parse: (JSON5Value) throws(ValueProblem) -> Value
  ) -> [Value] {
    (array(key, required: true) ?? []).prefix(limit).compactMap { element in
      context.sink.value(at: element.location, key: path(of: key)) { () throws(ValueProblem) in try parse(element) }
    }
  }

  /// Returns the result of `body`; nil after its problem was reported at a key's value.
  package func result<Value>(of key: String, _ body: () throws(ValueProblem) -> Value) -> Value? {
    context.sink.value(at: location(of: key), key: path(of: key), body)
  }

  /// Returns all members in file order and marks their keys as known.
  package mutating func allMembers() -> [JSON5Member] {
    knowsAll = true
    return members
  }

  /// Reports a problem at the location of a key's value, unless it follows from a reported one: `others` are keys whose values it is
  /// compared with, where a stand-in may be. `condition` is the condition of `where` that excludes a contradiction of keys.
  package func report(
    _ key: String, beside others: [String] = [], problem: String, remedy: String, condition: String? = nil, code: Diagnostic.Code? = nil
  ) {
    if !others.isEmpty, ([key] + others).contains(where: { context.sink.hasProblem(at: path(of: $0)) }) { return }
    var diagnostic = Diagnostic(location: location(of: key), key: path(of: key), problem: problem, remedy: remedy, code: code)
    diagnostic.condition = condition
    context.sink.report(diagnostic)
  }

  package func record(_ key: String, _ value: @autoclosure () -> String) { context.record(path(of: key), value()) }

  package func reportMissing(_ key: String, example: String) {
    if isBroken { return }
    context.sink.report(
      at: location, key: path(of: key), problem: "is missing", remedy: "add \(key): \(example)", code: .missing(example: example))
  }

  /// Reports every key that is none of some keys, for an object whose kind is missing. Call it once, last. O(members).
  package mutating func finish(knowing keys: [String]) {
    for key in keys { _ = value(key) }
    finish()
  }

  /// Reports every key that was not asked for. `remedy` overrides the nearest name. Call it once, last. O(members).
  package func finish(remedy: (_ key: String) -> String? = { _ in nil }) {
    if knowsAll { return }
    for member in members where !knownKeys.contains(member.key) {
      context.sink.report(
        at: member.keyLocation, key: path(of: member.key), problem: "unknown key",
        remedy: remedy(member.key) ?? NearestName.remedy(for: member.key, among: knownKeys, what: "known keys"), code: .unknownKey)
    }
  }
}
