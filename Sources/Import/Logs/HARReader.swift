// HTTP archives (HAR 1.2), as browsers and proxies save them: each response that a feed would show becomes an item.

import Simulation

/// Makes items of the entries of an archive as they pass.
struct HARReader: JSONReceiver {
  /// An item that may go on: parts of one video follow each other.
  private struct Part {
    var address: UInt64
    var isPart: Bool
    var kind: ItemKind
    var bytes: Int64
  }

  /// The keys that are looked at. A path is a number of its own for each place.
  private enum Path: Int, CaseIterable {
    case root = 1, log, entries, request, response, content, times
    case started, method, type, address
    case status, contentBytes, bodyBytes, transferBytes
    case blocked, dns, connect, ssl, send, wait, receive
  }

  private static let timeNames = ["blocked", "dns", "connect", "ssl", "send", "wait", "receive"]
  private static let keys: [(parent: Path, name: StaticString, path: Path)] = [
    (.root, "log", .log), (.log, "entries", .entries), (.entries, "request", .request), (.entries, "response", .response),
    (.entries, "timings", .times), (.entries, "startedDateTime", .started), (.request, "method", .method), (.request, "url", .address),
    (.response, "status", .status), (.response, "content", .content), (.response, "bodySize", .bodyBytes),
    (.response, "_transferSize", .transferBytes), (.content, "size", .contentBytes), (.content, "mimeType", .type),
    (.times, "blocked", .blocked), (.times, "dns", .dns), (.times, "connect", .connect), (.times, "ssl", .ssl),
    (.times, "send", .send), (.times, "wait", .wait), (.times, "receive", .receive),
  ]

  private let feed: ImportOutput
  private let timings: ImportOutput?
  private let malformed: MalformedLines
  /// Of the entry that is being read: the line that it begins in, and by path its texts and numbers, times in microseconds; -1 where the
  /// archive does not say.
  private var line = 0
  private var texts = [[UInt8]](repeating: [], count: Path.address.rawValue)
  private var numbers = [Int64](repeating: -1, count: Path.receive.rawValue + 1)
  private var address: UInt64 = 0
  private var item: Part?
  private var firstStart: Int64?
  /// Items written, and entries that are no items.
  private(set) var count = 0
  private(set) var ignored = 0
  /// True if the archive has the list of entries that every archive has.
  private(set) var hasEntries = false

  init(feed: ImportOutput, timings: ImportOutput?, malformed: MalformedLines) {
    self.feed = feed
    self.timings = timings
    self.malformed = malformed
    feed.literal("{ \"items\": [\n")
    timings?.append("item,startMs,\(Self.timeNames.map { "\($0)Ms" }.joined(separator: ",")),bytes\n")
  }

  /// Ends the feed.
  /// - Throws: `OutputProblem` if the disk refuses the rows.
  mutating func finish() throws {
    try writeItem()
    feed.literal("\n] }\n")
  }

  // MARK: What the scanner meets

  func number(of key: ArraySlice<UInt8>, in path: Int) -> Int {
    for known in Self.keys where known.parent.rawValue == path {
      if key.elementsEqual(UnsafeBufferPointer(start: known.name.utf8Start, count: known.name.utf8CodeUnitCount)) {
        return known.path.rawValue
      }
    }
    return 0
  }

  mutating func beginElement(of path: Int, line: Int) {
    guard path == Path.entries.rawValue else { return }
    hasEntries = true
    self.line = line
    for index in texts.indices { texts[index].removeAll(keepingCapacity: true) }
    for index in numbers.indices { numbers[index] = -1 }
    address = 0
  }

  /// - Throws: `LineProblem` if the entry is malformed and none may be, and what writing throws.
  mutating func endElement(of path: Int, line: Int) throws {
    guard path == Path.entries.rawValue else { return }
    do { try take() } catch let problem as LineProblem { try malformed.note(problem, line: self.line) }
  }

  mutating func value(_ text: ArraySlice<UInt8>, at path: Int) {
    switch path {
    case Path.started.rawValue...Path.type.rawValue: texts[path] = Array(text)
    // FNV-1a with 64 bits: tells one address from the next.
    case Path.address.rawValue: address = text.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    case Path.status.rawValue...:
      let places = path >= Path.blocked.rawValue ? 3 : 0
      numbers[path] = text.withUnsafeBytes { TextLine(number: 0, bytes: $0).number(0..<$0.count, places: places) } ?? -1
    default: break
    }
  }

  // MARK: Entries

  /// - Throws: `LineProblem` if the entry is malformed, and what writing throws.
  private mutating func take() throws {
    let (method, status) = (texts[Path.method.rawValue], numbers[Path.status.rawValue])
    guard status >= 0, !method.isEmpty else {
      throw LineProblem("is an entry without a request's method or a response's status", remedy: "save the archive again")
    }
    // What crossed the network, else what came out of it.
    let bytes = [Path.bodyBytes, .transferBytes, .contentBytes].map { numbers[$0.rawValue] }.first { $0 > 0 }
    guard let kind = kind, method.elementsEqual("GET".utf8), status == 200 || status == 206, let bytes else {
      ignored += 1
      return
    }
    guard bytes <= FeedReader.bytesLimit else {
      throw LineProblem("is a response of \(bytes) bytes, more than \(FeedReader.bytesLimit)", remedy: "take the entry out")
    }
    if let last = item, status == 206, last.isPart, last.address == address, last.bytes + bytes <= FeedReader.bytesLimit {
      item?.bytes += bytes
    } else {
      try writeItem()
      item = Part(address: address, isPart: status == 206, kind: kind, bytes: bytes)
    }
    try writeTimings(bytes: bytes)
  }

  private var kind: ItemKind? {
    let type = String(decoding: texts[Path.type.rawValue], as: UTF8.self).lowercased()
    if type.hasPrefix("image/") { return .image }
    if type.hasPrefix("video/") { return .video }
    return type.hasPrefix("text/html") ? .webApp : nil
  }

  /// - Throws: `OutputProblem` if the disk refuses the row.
  private mutating func writeItem() throws {
    guard let item else { return }
    feed.literal(count == 0 ? "    { \"kind\": \"" : ",\n    { \"kind\": \"")
    feed.append(item.kind.name)
    feed.literal("\", \"bytes\": ")
    feed.append(item.bytes)
    feed.literal(" }")
    try feed.flushIfFull()
    count += 1
    self.item = nil
  }

  /// A line for each request; the item is the one that is open.
  /// - Throws: `OutputProblem` if the disk refuses the rows.
  private mutating func writeTimings(bytes: Int64) throws {
    guard let timings else { return }
    timings.append(Int64(count))
    timings.literal(",")
    if let start = milliseconds {
      let first = firstStart ?? start
      firstStart = first
      if start >= first { timings.append(start - first) }
    }
    for time in numbers[Path.blocked.rawValue...] {
      timings.literal(",")
      if time >= 0 { timings.append(time, places: 3) }
    }
    timings.literal(",")
    timings.append(bytes)
    timings.literal("\n")
    try timings.flushIfFull()
  }

  /// Milliseconds since 1970 of the entry's start: `2024-05-01T10:00:00.123Z` or `…+02:00`.
  private var milliseconds: Int64? {
    texts[Path.started.rawValue].withUnsafeBytes { bytes in
      let line = TextLine(number: 0, bytes: bytes)
      var end = 17
      while end < bytes.count, bytes[end] == UInt8(ascii: ".") || (0x30...0x39).contains(bytes[end]) { end += 1 }
      guard end < bytes.count, let minutes = line.minutes(0..<bytes.count), let second = line.number(17..<end, places: 3) else {
        return nil
      }
      if bytes[end] == UInt8(ascii: "Z") { return minutes * 60_000 + second }
      func number(_ start: Int) -> Int64? { start + 2 <= bytes.count ? line.number(start..<start + 2) : nil }
      guard let hours = number(end + 1), let rest = number(end + (end + 3 < bytes.count && bytes[end + 3] == 0x3A ? 4 : 3)) else {
        return nil
      }
      let offset = (hours * 60 + rest) * (bytes[end] == UInt8(ascii: "-") ? -1 : 1)
      return (minutes - offset) * 60_000 + second
    }
  }
}
