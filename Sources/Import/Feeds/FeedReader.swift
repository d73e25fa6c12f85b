// Reads a feed file: { items: [{ id?, kind, bytes, prefixBytes?, bitRateBps?, durationMs?, height? }] }.

import Simulation

/// Reads and checks the items of a feed file.
package struct FeedReader {
  private enum Key: String, CaseIterable { case id, kind, bytes, prefixBytes, bitRateBps, durationMs, height }

  /// The most items of a feed.
  package static let itemLimit = 1_000_000
  /// The most bytes of an item.
  static let bytesLimit: Int64 = 1_000_000_000
  /// The prefix of a video that names none, or all of it where it is smaller.
  private static let defaultPrefixBytes: Int64 = 200_000
  /// The highest bit rate of a video.
  private static let bitRateLimitBps: Int64 = 1_000_000_000_000
  /// The longest video, a week.
  private static let durationLimitMs: Int64 = 7 * 86_400_000
  /// The highest item, in points.
  private static let heightLimit: Int64 = 1_000_000

  private let sink: DiagnosticSink
  /// The lines of the names met so far.
  private var linesOfIDs: [String: Int] = [:]
  /// The item that is being read, its index and its values.
  private var element: JSON5Value
  private var index = 0
  private var values = [JSON5Value?](repeating: nil, count: Key.allCases.count)

  /// Reads a feed; nil after reports. O(size).
  package static func read(_ file: InputFile, into sink: DiagnosticSink) -> ContiguousArray<Item>? {
    let countBefore = sink.count
    guard let root = JSON5Parser.parse(file.bytes, file: file.name, into: sink) else { return nil }
    if case .array = root.kind {
      sink.report(at: root.location, problem: "the feed is a list, not an object", remedy: "write { items: [ … ] }")
      return nil
    }
    var object = ObjectReader(root, context: DecodingContext(sink: sink))
    let elements = object.array("items", required: true)
    object.finish()
    guard let elements else { return nil }
    guard (1...itemLimit).contains(elements.count) else {
      object.report("items", problem: "has \(elements.count) items", remedy: "give at least 1 and at most \(itemLimit)")
      return nil
    }
    var reader = FeedReader(sink: sink, element: root)
    var items: ContiguousArray<Item> = []
    items.reserveCapacity(elements.count)
    for (index, element) in elements.enumerated() {
      (reader.element, reader.index) = (element, index)
      if let item = reader.item() { items.append(item) }
    }
    return sink.count == countBefore ? items : nil
  }

  private init(sink: DiagnosticSink, element: JSON5Value) { (self.sink, self.element) = (sink, element) }

  /// The item; nil after a report. Not by an `ObjectReader`, whose canonical lines and paths would cost more than the file.
  private mutating func item() -> Item? {
    guard let members = element.members else {
      report(element, "", problem: "is \(element.found), not an object", remedy: "write { kind: \"image\", bytes: 60000 }")
      return nil
    }
    for place in values.indices { values[place] = nil }
    for member in members {
      if let place = Key.allCases.firstIndex(where: { $0.rawValue == member.key }) {
        values[place] = member.value.kind == .null ? nil : member.value
      } else {
        let remedy = NearestName.remedy(for: member.key, among: Key.allCases.map(\.rawValue), what: "known keys")
        sink.report(at: member.keyLocation, key: "items.\(index).\(member.key)", problem: "unknown key", remedy: remedy)
      }
    }
    checkID()
    let kind = kind()
    let bytes = required(.bytes, remedy: "add bytes: 60000") { value throws(ValueProblem) in
      try ScalarValue.size(value, in: 1...Self.bytesLimit)
    }
    let bitRate = whole(.bitRateBps, limit: Self.bitRateLimitBps)
    let duration = whole(.durationMs, limit: Self.durationLimitMs)
    let height = whole(.height, limit: Self.heightLimit)
    guard let kind, let bytes, let prefix = prefix(of: kind, bytes: bytes) else { return nil }
    // A video without a bit rate takes it from its length, or is never judged for stalls.
    let bitsPerSecond = bitRate ?? duration.map { max(1, bytes * 8000 / $0) } ?? 0
    var item =
      kind == .video
      ? Item(videoBytes: bytes, prefixBytes: prefix, bitsPerSecond: bitsPerSecond) : Item(kind: kind, bytes: bytes)
    item.height = Int32(height ?? 0)
    return item
  }

  /// Checks that the name, text or a whole number, is that of no item before.
  private mutating func checkID() {
    guard let value = self[.id] else { return }
    let text: String
    switch value.kind {
    case .string(let string) where !string.isEmpty: text = string
    case .number: text = value.canonicalText
    default:
      return report(
        value, "id", problem: "is \(value.found), not a name", remedy: "write a string of at least one letter, or leave it out")
    }
    if let line = linesOfIDs.updateValue(value.location.line, forKey: text) {
      report(value, "id", problem: "is \(quoted(text)), as in line \(line)", remedy: "give every item its own, or none")
    }
  }

  private func kind() -> ItemKind? {
    let names = ItemKind.allCases.map(\.name)
    return required(.kind, remedy: "add one of \(names.map(quoted).joined(separator: ", "))") { value throws(ValueProblem) in
      let name = try ScalarValue.choice(value, of: names)
      return ItemKind.allCases.first { $0.name == name }
    } ?? nil
  }

  /// The bytes that make an item ready.
  private func prefix(of kind: ItemKind, bytes: Int64) -> Int64? {
    guard let value = self[.prefixBytes] else { return kind == .video ? min(bytes, Self.defaultPrefixBytes) : bytes }
    guard kind == .video else {
      report(value, "prefixBytes", problem: "is given for \(quoted(kind.name))", remedy: "remove it; only a video has a prefix")
      return nil
    }
    let count = optional(.prefixBytes) { value throws(ValueProblem) in try ScalarValue.size(value, in: 1...Self.bytesLimit) }
    guard let count else { return nil }
    if count <= bytes { return count }
    report(value, "prefixBytes", problem: "is \(count), more than the item's \(bytes) bytes", remedy: "write at most \(bytes)")
    return nil
  }

  // MARK: Values

  private subscript(_ key: Key) -> JSON5Value? { Key.allCases.firstIndex(of: key).flatMap { values[$0] } }

  private func whole(_ key: Key, limit: Int64) -> Int64? {
    optional(key) { value throws(ValueProblem) in try ScalarValue.integer(value, in: 1...limit) }
  }

  private func required<Value>(_ key: Key, remedy: String, _ read: (JSON5Value) throws(ValueProblem) -> Value) -> Value? {
    if self[key] == nil { report(element, key.rawValue, problem: "is missing", remedy: remedy) }
    return optional(key, read)
  }

  /// A value; nil where there is none, and after a report.
  private func optional<Value>(_ key: Key, _ read: (JSON5Value) throws(ValueProblem) -> Value) -> Value? {
    guard let value = self[key] else { return nil }
    do { return try read(value) } catch {
      sink.report(error, at: value.location, key: "items.\(index).\(key.rawValue)")
      return nil
    }
  }

  private func report(_ value: JSON5Value, _ key: String, problem: String, remedy: String) {
    sink.report(at: value.location, key: key.isEmpty ? "items.\(index)" : "items.\(index).\(key)", problem: problem, remedy: remedy)
  }
}
