// HTTP archives (HAR 1.2), as browsers and proxies save them: each response that a feed would show becomes an item.

/// Makes items of the entries of an archive as they pass.
struct HARReader: JSONReceiver {
  /// What is known of the entry that is being read.
  private struct Entry {
    var line = 0
    var method = ArraySlice<UInt8>()
    var address: UInt64 = 0
    var started = ArraySlice<UInt8>()
    var status: Int64 = -1
    var type = ArraySlice<UInt8>()
    var contentBytes: Int64 = -1
    var bodyBytes: Int64 = -1
    var transferBytes: Int64 = -1
    /// In microseconds, in the order of `timingNames`; −1 where the archive does not say.
    var timings = [Int64](repeating: -1, count: HARReader.timingNames.count)
  }

  /// An item that may go on: parts of one video follow each other.
  private struct Item {
    var address: UInt64
    var isPart: Bool
    var kind: FeedItemRecord.Kind
    var bytes: Int64
  }

  /// The keys that are looked at. A path is a number of its own for each place.
  private enum Path: Int, CaseIterable {
    case root = 1, log, entries, request, response, content, timings
    case started, method, address, status, type, contentBytes, bodyBytes, transferBytes
    case blocked, dns, connect, ssl, send, wait, receive
  }

  private static let timingNames = ["blocked", "dns", "connect", "ssl", "send", "wait", "receive"]
  private static let keys: [(parent: Path, name: StaticString, path: Path)] = [
    (.root, "log", .log), (.log, "entries", .entries), (.entries, "request", .request), (.entries, "response", .response),
    (.entries, "timings", .timings), (.entries, "startedDateTime", .started), (.request, "method", .method), (.request, "url", .address),
    (.response, "status", .status), (.response, "content", .content), (.response, "bodySize", .bodyBytes),
    (.response, "_transferSize", .transferBytes), (.content, "size", .contentBytes), (.content, "mimeType", .type),
    (.timings, "blocked", .blocked), (.timings, "dns", .dns), (.timings, "connect", .connect), (.timings, "ssl", .ssl),
    (.timings, "send", .send), (.timings, "wait", .wait), (.timings, "receive", .receive),
  ]

  private let feed: ImportOutput
  private let timings: ImportOutput?
  private let malformed: MalformedLines
  private var entry = Entry()
  private var item: Item?
  private var firstStart: Int64?
  /// Items written, and entries that are no items.
  private(set) var count = 0
  private(set) var ignored = 0
  /// Whether the archive has the list of entries that every archive has.
  private(set) var hasEntries = false

  package init(feed: ImportOutput, timings: ImportOutput?, malformed: MalformedLines) {
    self.feed = feed
    self.timings = timings
    self.malformed = malformed
    feed.literal("{ \"items\": [\n")
    timings?.append("item,startMs,\(Self.timingNames.map { "\($0)Ms" }.joined(separator: ",")),bytes\n")
  }

  /// Ends the feed.
  package mutating func finish() throws {
    try writeItem()
    feed.literal("\n] }\n")
  }

  // MARK: What the scanner meets

  package func number(of key: ArraySlice<UInt8>, in path: Int) -> Int {
    for known in Self.keys where known.parent.rawValue == path && known.name.utf8CodeUnitCount == key.count {
      var isEqual = true
      for (offset, byte) in key.enumerated() where known.name.utf8Start[offset] != byte { isEqual = false }
      if isEqual { return known.path.rawValue }
    }
    return 0
  }

  func wants(_ path: Int) -> Bool { path >= Path.started.rawValue }

  mutating func beginElement(of path: Int, line: Int) {
    guard path == Path.entries.rawValue else { return }
    hasEntries = true
    entry = Entry()
    entry.line = line
  }

  mutating func endElement(of path: Int, line: Int) throws {
    guard path == Path.entries.rawValue else { return }
    do { try take() } catch let problem as LineProblem { try malformed.note(problem, line: entry.line) }
  }

  package mutating func value(_ text: ArraySlice<UInt8>, isString: Bool, at path: Int) {
    guard let path = Path(rawValue: path) else { return }
    switch path {
    case .started where isString: entry.started = ArraySlice(Array(text))
    case .method where isString: entry.method = ArraySlice(Array(text))
    case .address where isString: entry.address = Self.hash(text)
    case .type where isString: entry.type = ArraySlice(Array(text))
    case .status: entry.status = Self.number(text, places: 0) ?? -1
    case .contentBytes: entry.contentBytes = Self.number(text, places: 0) ?? -1
    case .bodyBytes: entry.bodyBytes = Self.number(text, places: 0) ?? -1
    case .transferBytes: entry.transferBytes = Self.number(text, places: 0) ?? -1
    case .blocked, .dns, .connect, .ssl, .send, .wait, .receive:
      entry.timings[path.rawValue - Path.blocked.rawValue] = Self.number(text, places: 3) ?? -1
    default: break
    }
  }

  // MARK: Entries

  private mutating func take() throws {
    guard entry.status >= 0, !entry.method.isEmpty else {
      throw LineProblem("is an entry without a request's method or a response's status", remedy: "save the archive again")
    }
    guard let kind = kind(), entry.method.elementsEqual("GET".utf8), entry.status == 200 || entry.status == 206 else {
      ignored += 1
      return
    }
    // What crossed the network, else what came out of it.
    let bytes = entry.bodyBytes > 0 ? entry.bodyBytes : entry.transferBytes > 0 ? entry.transferBytes : entry.contentBytes
    guard bytes > 0 else {
      ignored += 1
      return
    }
    guard bytes <= FeedReader.bytesLimit else {
      throw LineProblem("is a response of \(bytes) bytes, more than \(FeedReader.bytesLimit)", remedy: "take the entry out")
    }
    let isPart = entry.status == 206
    if var last = item, isPart, last.isPart, last.address == entry.address, last.bytes + bytes <= FeedReader.bytesLimit {
      last.bytes += bytes
      item = last
    } else {
      try writeItem()
      item = Item(address: entry.address, isPart: isPart, kind: kind, bytes: bytes)
    }
    try writeTimings(bytes: bytes)
  }

  private func kind() -> FeedItemRecord.Kind? {
    func begins(_ text: StaticString) -> Bool {
      entry.type.count >= text.utf8CodeUnitCount
        && zip(entry.type, UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)).allSatisfy { $0 | 0x20 == $1 | 0x20 }
    }
    if begins("image/") { return .image }
    if begins("video/") { return .video }
    return begins("text/html") ? .webApp : nil
  }

  private mutating func writeItem() throws {
    guard let item else { return }
    feed.literal(count == 0 ? "    { \"kind\": \"" : ",\n    { \"kind\": \"")
    feed.append(item.kind.rawValue)
    feed.literal("\", \"bytes\": ")
    feed.append(item.bytes)
    feed.literal(" }")
    try feed.flushIfFull()
    count += 1
    self.item = nil
  }

  /// A line for each request; the item is the one that is open.
  private mutating func writeTimings(bytes: Int64) throws {
    guard let timings else { return }
    timings.append(Int64(count))
    timings.literal(",")
    if let start = Self.milliseconds(entry.started) {
      let first = firstStart ?? start
      firstStart = first
      if start >= first { timings.append(start - first) }
    }
    for time in entry.timings {
      timings.literal(",")
      if time >= 0 { timings.append(time, places: 3) }
    }
    timings.literal(",")
    timings.append(bytes)
    timings.literal("\n")
    try timings.flushIfFull()
  }

  // MARK: Values

  /// FNV-1a with 64 bits: tells one address from the next.
  private static func hash(_ text: ArraySlice<UInt8>) -> UInt64 {
    text.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }

  private static func number(_ text: ArraySlice<UInt8>, places: Int) -> Int64? {
    text.withUnsafeBytes { LineFields.number($0, 0..<$0.count, places: places) }
  }

  /// Milliseconds since 1970 of `2024-05-01T10:00:00.123Z` or `…+02:00`.
  private static func milliseconds(_ text: ArraySlice<UInt8>) -> Int64? {
    text.withUnsafeBytes { bytes in
      guard bytes.count >= 20 else { return nil }
      func number(_ place: Int, _ count: Int) -> Int64? {
        place + count <= bytes.count ? LineFields.number(bytes, place..<place + count) : nil
      }
      guard let year = number(0, 4), let month = number(5, 2), let day = number(8, 2), let hour = number(11, 2), let minute = number(14, 2),
        (1...12).contains(month)
      else { return nil }
      var end = 17
      while end < bytes.count, bytes[end] == UInt8(ascii: ".") || (0x30...0x39).contains(bytes[end]) { end += 1 }
      guard let second = LineFields.number(bytes, 17..<end, places: 3), end < bytes.count else { return nil }
      var offset: Int64 = 0
      if bytes[end] != UInt8(ascii: "Z") {
        guard let hours = number(end + 1, 2), let minutes = number(end + (end + 3 < bytes.count && bytes[end + 3] == 0x3A ? 4 : 3), 2)
        else {
          return nil
        }
        offset = (hours * 60 + minutes) * 60_000 * (bytes[end] == UInt8(ascii: "-") ? -1 : 1)
      }
      let days = CivilTime.days(year: year, month: month, day: day)
      return ((days * 24 + hour) * 60 + minute) * 60_000 + second - offset
    }
  }
}
