// Reads a feed file: { items: [{ id?, kind, bytes, prefixBytes?, bitRateBps?, durationMs?, height? }] }.

/// Reads and checks the items of a feed file.
package struct FeedReader {
  /// The most items of a feed.
  package static let itemLimit = 1_000_000
  /// The most bytes of an item.
  static let bytesLimit: Int64 = 1_000_000_000
  /// The prefix of a video that names none, or all of it where it is smaller.
  static let defaultPrefixBytes: Int64 = 200_000
  /// The highest bit rate of a video.
  static let bitRateLimitBps: Int64 = 1_000_000_000_000
  /// The longest video, a week.
  static let durationLimitMs: Int64 = 7 * 86_400_000

  /// The highest item, in points.
  static let heightLimit: Int64 = 1_000_000

  private static let knownKeys = ["id", "kind", "bytes", "prefixBytes", "bitRateBps", "durationMs", "height"]
  private static let kinds = FeedItemRecord.Kind.allCases.map(\.rawValue)

  private let sink: DiagnosticSink
  /// The lines of the names met so far.
  private var linesOfIDs: [String: Int] = [:]

  /// Reads a feed; nil after reports. O(size).
  package static func read(_ file: InputFile, into sink: DiagnosticSink) -> [FeedItemRecord]? {
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
    var reader = FeedReader(sink: sink)
    var items: [FeedItemRecord] = []
    items.reserveCapacity(elements.count)
    for (index, element) in elements.enumerated() {
      if let item = reader.item(element, index: index) { items.append(item) }
    }
    return sink.count == countBefore ? items : nil
  }

  private init(sink: DiagnosticSink) { self.sink = sink }

  /// One item; nil after a report. Not by an `ObjectReader`, whose canonical lines and paths would cost more than the file.
  private mutating func item(_ element: JSON5Value, index: Int) -> FeedItemRecord? {
    guard let members = element.members else {
      report(element, index, "", problem: "is \(element.found), not an object", remedy: "write { kind: \"image\", bytes: 60000 }")
      return nil
    }
    var (id, kind) = (JSON5Value?.none, JSON5Value?.none)
    var (bytes, prefix, bitRate, duration) = (JSON5Value?.none, JSON5Value?.none, JSON5Value?.none, JSON5Value?.none)
    var height = JSON5Value?.none
    for member in members {
      let value = member.value.kind == .null ? nil : member.value
      switch member.key {
      case "id": id = value
      case "kind": kind = value
      case "bytes": bytes = value
      case "prefixBytes": prefix = value
      case "bitRateBps": bitRate = value
      case "durationMs": duration = value
      case "height": height = value
      default:
        let remedy = NearestName.remedy(for: member.key, among: Self.knownKeys, what: "known keys")
        sink.report(at: member.keyLocation, key: "items.\(index).\(member.key)", problem: "unknown key", remedy: remedy)
      }
    }
    let name = id.flatMap { self.id($0, index) }
    let itemKind = self.kind(kind, element, index)
    let count = size(bytes, "bytes", element, index, limit: Self.bytesLimit)
    let rate = bitRate.flatMap { whole($0, "bitRateBps", index, limit: Self.bitRateLimitBps) }
    let length = duration.flatMap { whole($0, "durationMs", index, limit: Self.durationLimitMs) }
    let points = height.flatMap { whole($0, "height", index, limit: Self.heightLimit) }
    guard let itemKind, let count else { return nil }
    let ready = self.prefix(prefix, of: itemKind, bytes: count, element, index)
    guard let ready else { return nil }
    return FeedItemRecord(
      id: name, kind: itemKind, bytes: count, prefixBytes: ready, bitRateBps: rate, durationMs: length, height: points)
  }

  /// A name, text or a whole number, that no item before has.
  private mutating func id(_ value: JSON5Value, _ index: Int) -> String? {
    let text: String
    switch value.kind {
    case .string(let string) where !string.isEmpty: text = string
    case .number: text = value.canonicalText
    default:
      report(value, index, "id", problem: "is \(value.found), not a name", remedy: "write a string of at least one letter, or leave it out")
      return nil
    }
    if let line = linesOfIDs.updateValue(value.location.line, forKey: text) {
      report(value, index, "id", problem: "is \(quoted(text)), as in line \(line)", remedy: "give every item its own, or none")
    }
    return text
  }

  private func kind(_ value: JSON5Value?, _ element: JSON5Value, _ index: Int) -> FeedItemRecord.Kind? {
    guard let value else {
      report(element, index, "kind", problem: "is missing", remedy: "add one of \(Self.kinds.map(quoted).joined(separator: ", "))")
      return nil
    }
    if case .string(let name) = value.kind, let kind = FeedItemRecord.Kind(rawValue: name) { return kind }
    do { _ = try ScalarValue.choice(value, of: Self.kinds) } catch { sink.report(error, at: value.location, key: "items.\(index).kind") }
    return nil
  }

  /// The bytes that make an item ready.
  private func prefix(
    _ value: JSON5Value?, of kind: FeedItemRecord.Kind, bytes: Int64, _ element: JSON5Value, _ index: Int
  ) -> Int64? {
    guard let value else { return kind == .video ? min(bytes, Self.defaultPrefixBytes) : bytes }
    guard kind == .video else {
      report(value, index, "prefixBytes", problem: "is given for \(quoted(kind.rawValue))", remedy: "remove it; only a video has a prefix")
      return nil
    }
    guard let count = size(value, "prefixBytes", element, index, limit: Self.bytesLimit) else { return nil }
    if count <= bytes { return count }
    report(value, index, "prefixBytes", problem: "is \(count), more than the item's \(bytes) bytes", remedy: "write at most \(bytes)")
    return nil
  }

  private func size(_ value: JSON5Value?, _ key: String, _ element: JSON5Value, _ index: Int, limit: Int64) -> Int64? {
    guard let value else {
      report(element, index, key, problem: "is missing", remedy: "add \(key): 60000")
      return nil
    }
    do { return try ScalarValue.size(value, in: 1...limit) } catch {
      sink.report(error, at: value.location, key: "items.\(index).\(key)")
      return nil
    }
  }

  private func whole(_ value: JSON5Value, _ key: String, _ index: Int, limit: Int64) -> Int64? {
    do { return try ScalarValue.integer(value, in: 1...limit) } catch {
      sink.report(error, at: value.location, key: "items.\(index).\(key)")
      return nil
    }
  }

  private func report(_ value: JSON5Value, _ index: Int, _ key: String, problem: String, remedy: String) {
    sink.report(at: value.location, key: key.isEmpty ? "items.\(index)" : "items.\(index).\(key)", problem: problem, remedy: remedy)
  }
}
