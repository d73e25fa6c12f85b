// Reads an object key by key: types, units, ranges and defaults are checked, and what nobody asked for is reported.
// A reader never throws: after a report it returns a stand-in within the limits, so that the whole file is read and all its
// problems are found; the caller looks at the sink before using the result.

/// The problems and the canonical lines of one decoding. A class, because the readers of the parts share it.
package final class DecodingContext {
  package let sink: DiagnosticSink
  /// Every scalar that was read, as `path=canonical value` in reading order, defaults filled in and quantities in base units.
  package private(set) var lines: [String] = []
  /// Those of them that decide the runs. What only names what other lines spell out does not: a profile its numbers, a file its contents.
  package private(set) var identity: [String] = []

  /// The paths that only name something.
  private let names: Set<String>
  private let keepsLines: Bool

  /// A decoding that reports to `sink`; what stands at a path of `names` is no part of the identity. Without `keepsLines` it has no lines.
  package init(sink: DiagnosticSink = DiagnosticSink(), names: Set<String> = [], keepsLines: Bool = true) {
    (self.sink, self.names, self.keepsLines) = (sink, names, keepsLines)
  }

  /// Adds a canonical line, such as the content hash of a file that a path names. Line breaks are escaped, so that no
  /// text can pass for two lines.
  package func record(_ path: @autoclosure () -> String, _ value: @autoclosure () -> String) {
    guard keepsLines else { return }
    let (path, value) = (path(), value())
    let isPlain = !value.utf8.contains { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\\") }
    let line = "\(path)=\(isPlain ? value : jsonString(value))"
    lines.append(line)
    if !names.contains(path) { identity.append(line) }
  }
}

/// A typed view of an object. Each method reads one key, whose dotted path stands in messages and canonical lines.
package struct ObjectReader {
  /// The dotted path of the object; empty for the root.
  package let path: String
  /// Where the object starts.
  package let location: SourceLocation
  package let context: DecodingContext
  private let members: [JSON5Member]
  /// The places of an object's members by their keys; nil for a small object, which is searched.
  private let places: [String: Int]?
  /// The keys asked for, in order and once each.
  private(set) var knownKeys: [String] = []

  /// A reader of `value`; if that is no object, this is reported and the reader acts as if it were empty.
  package init(_ value: JSON5Value, path: String = "", example: String = "{ … }", context: DecodingContext) {
    self.path = path
    self.context = context
    location = value.location
    let members = value.members ?? []
    places = members.count <= 16 ? nil : Dictionary(members.enumerated().map { ($1.key, $0) }, uniquingKeysWith: { first, _ in first })
    self.members = members
    if value.members == nil {
      isBroken = true
      context.sink.report(at: value.location, key: path, problem: "is \(value.found), not an object", remedy: "write \(example)")
    }
  }

  /// True if the keys are not fixed, so that none is unknown.
  private var knowsAll = false

  /// Whether the value was no object; missing keys are not reported then, because that was.
  package private(set) var isBroken = false

  /// The dotted path of a key.
  package func path(of key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

  /// Where the value of a key stands; the object's place if it is absent.
  package func location(of key: String) -> SourceLocation { member(key)?.value.location ?? location }

  /// The member with a key. O(1) on average.
  private func member(_ key: String) -> JSON5Member? {
    if let places { return places[key].map { members[$0] } }
    return members.first { $0.key == key }
  }

  /// Whether the key is present.
  package mutating func has(_ key: String) -> Bool { value(key) != nil }

  /// The keys that are present, in the order of the file.
  package var givenKeys: [String] { members.map(\.key) }

  /// The raw value of a key; nil if it is absent. Nothing is recorded.
  package mutating func value(_ key: String) -> JSON5Value? {
    if !knownKeys.contains(key) { knownKeys.append(key) }
    return member(key)?.value
  }

  /// A reader of the object under a key; nil if it is absent (reported if `required`) or no object (reported).
  package mutating func object(_ key: String, required: Bool = false) -> ObjectReader? {
    guard let value = value(key) else {
      if required { reportMissing(key, example: "{ … }") }
      return nil
    }
    let reader = ObjectReader(value, path: path(of: key), context: context)
    return reader.isBroken ? nil : reader
  }

  /// A reader of the object under a key; of an empty one if it is absent, so that all defaults hold.
  package mutating func objectOrEmpty(_ key: String, example: String = "{ … }") -> ObjectReader {
    let empty = JSON5Value(kind: .object([]), location: location)
    return ObjectReader(value(key) ?? empty, path: path(of: key), example: example, context: context)
  }

  /// The elements of the list under a key; nil if it is absent (reported if `required`) or no list (reported).
  package mutating func array(_ key: String, required: Bool = false) -> [JSON5Value]? {
    guard let value = value(key) else {
      if required { reportMissing(key, example: "[ … ]") }
      return nil
    }
    if case .array(let elements) = value.kind { return elements }
    report(key, problem: "is \(value.found), not a list", remedy: "write [ … ]")
    return nil
  }

  /// All keys that are present, with their values, in the order of the file; they count as known.
  package mutating func allMembers() -> [JSON5Member] {
    knowsAll = true
    return members
  }

  /// Reports a problem with a key at its value's place.
  package func report(_ key: String, problem: String, remedy: String) {
    context.sink.report(at: location(of: key), key: path(of: key), problem: problem, remedy: remedy)
  }

  /// Adds a canonical line for a key.
  package func record(_ key: String, _ value: @autoclosure () -> String) { context.record(path(of: key), value()) }

  /// Reports that a required key is absent.
  package func reportMissing(_ key: String, example: String) {
    if isBroken { return }
    context.sink.report(at: location, key: path(of: key), problem: "is missing", remedy: "add \(key): \(example)")
  }

  /// Reports every key that was not read. `remedy` may know better than the nearest name. Call it last, once. O(members).
  package func finish(remedy: (_ key: String) -> String? = { _ in nil }) {
    if knowsAll { return }
    for member in members where !knownKeys.contains(member.key) {
      context.sink.report(
        at: member.keyLocation, key: path(of: member.key), problem: "unknown key",
        remedy: remedy(member.key) ?? NearestName.remedy(for: member.key, among: knownKeys, what: "known keys"))
    }
  }
}
