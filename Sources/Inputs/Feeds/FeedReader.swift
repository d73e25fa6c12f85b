// Reads a feed file: { items: [{ id?, kind, bytes, prefixBytes?, bitRateBps?, durationMs?, height? }] }.

import Base
import Simulation

package struct FeedReader {
  package static let itemLimit = 1_000_000
  /// The most bytes of an item.
  package static let bytesLimit: Int64 = 1_000_000_000
  /// The prefix of a video that states none; a smaller video is its own prefix.
  private static let defaultPrefixBytes: Int64 = 200_000
  private static let bitRateLimitBps = 1_000_000_000_000
  /// The longest video in milliseconds: a week.
  private static let durationLimitMs = 7 * 86_400_000
  /// The largest height of an item, in points.
  private static let heightLimit = 1_000_000
  private static let kindNames = ItemKind.allCases.map(\.name)

  private let context: DecodingContext
  /// The line of each id read so far.
  private var linesOfIDs: [String: Int] = [:]

  /// Reads a feed; nil after reports. O(size).
  package static func read(_ file: InputFile, into sink: DiagnosticSink) -> ContiguousArray<Item>? {
    let countBefore = sink.count
    guard let root = JSON5Parser.parse(file.bytes, file: file.name, into: sink) else { return nil }
    if case .array = root.kind {
      sink.report(at: root.location, problem: "the feed is a list, not an object", remedy: "write { items: [ … ] }")
      return nil
    }
    var reader = FeedReader(context: DecodingContext(sink: sink, keepsLines: false))
    var object = ObjectReader(root, context: reader.context)
    let elements = object.array("items", required: true)
    object.finish()
    guard let elements else { return nil }
    guard (1...itemLimit).contains(elements.count) else {
      object.report("items", problem: "has \(elements.count) items", remedy: "give at least 1 and at most \(itemLimit)")
      return nil
    }
    let items = ContiguousArray(elements.enumerated().lazy.compactMap { reader.item($1, path: "items.\($0)") })
    return sink.count == countBefore ? items : nil
  }

  private mutating func item(_ element: JSON5Value, path: String) -> Item? {
    guard element.members != nil else {
      let remedy = "write { kind: \"image\", bytes: 60000 }"
      context.sink.report(at: element.location, key: path, problem: "is \(element.found), not an object", remedy: remedy)
      return nil
    }
    var reader = ObjectReader(element, path: path, context: context)
    func required<Value>(_ key: String, _ remedy: @autoclosure () -> String, _ read: (inout ObjectReader) -> Value) -> Value? {
      let value = reader.optional(key, read)
      if value == nil { reader.report(key, problem: "is missing", remedy: remedy()) }
      return value
    }
    checkID(&reader)
    let countBefore = context.sink.count
    let name = required("kind", "add one of \(Self.kindNames.map(quoted).joined(separator: ", "))") {
      $0.choice("kind", of: Self.kindNames)
    }
    let bytes = required("bytes", "add bytes: 60000") { $0.bytes("bytes", in: 1...Self.bytesLimit) }
    let prefix = reader.optional("prefixBytes") { $0.bytes("prefixBytes", in: 1...Self.bytesLimit) }
    // After a report, kind and bytes may be stand-ins.
    let isSizeKnown = context.sink.count == countBefore
    let bitRate = reader.optional("bitRateBps") { $0.integer("bitRateBps", in: 1...Self.bitRateLimitBps) }
    let duration = reader.optional("durationMs") { $0.integer("durationMs", in: 1...Self.durationLimitMs) }
    let height = reader.optional("height") { $0.integer("height", in: 1...Self.heightLimit) }
    reader.finish()
    guard isSizeKnown, let bytes, let kind = ItemKind.allCases.first(where: { $0.name == name }) else { return nil }
    if kind != .video, prefix != nil {
      reader.report("prefixBytes", problem: "is given for \(quoted(kind.name))", remedy: "remove it; only a video has a prefix")
    } else if let prefix, prefix > bytes {
      reader.report("prefixBytes", problem: "is \(prefix), more than the item's \(bytes) bytes", remedy: "write at most \(bytes)")
    }
    // A video without a bit rate gets it from size and duration. Without a duration too, no stalls are counted for it.
    let bitsPerSecond = bitRate.map(Int64.init) ?? duration.map { max(1, bytes * 8000 / Int64($0)) } ?? 0
    var item = Item(kind: kind, bytes: bytes)
    if kind == .video {
      item = Item(videoBytes: bytes, prefixBytes: min(bytes, prefix ?? Self.defaultPrefixBytes), bitsPerSecond: bitsPerSecond)
    }
    item.height = Int32(height ?? 0)
    return item
  }

  /// Checks that an id, a text or a whole number, is unique in the feed.
  private mutating func checkID(_ reader: inout ObjectReader) {
    guard let value = reader.value("id"), value.kind != .null else { return }
    var text = value.text ?? ""
    if case .number = value.kind { text = value.canonicalText }
    if text.isEmpty {
      reader.report("id", problem: "is \(value.found), not a name", remedy: "write a string of at least one letter, or leave it out")
    } else if let line = linesOfIDs.updateValue(value.location.line, forKey: text) {
      reader.report("id", problem: "is \(quoted(text)), as in line \(line)", remedy: "give every item its own, or none")
    }
  }
}
