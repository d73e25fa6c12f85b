// HTTP archives (HAR 1.2), as browsers and proxies save them: each response that a feed would show becomes an item.

import Simulation

/// Splits an archive into its entries, each of which is parsed and handed on when it is whole, and the frame around them, which is parsed
/// at the end. Memory is the largest entry without its long strings.
struct HARSplitter {
  /// Longer strings are emptied: most of an archive is the text of bodies.
  private static let stringLimit = 1 << 14
  /// The depth of brackets in the list of entries: the archive, its log, the list.
  private static let listDepth = 3

  private let malformed: MalformedLines
  /// What is being read, an entry or the frame, and the frame while an entry is read.
  private var text: [UInt8] = [], frame: [UInt8] = []
  private var depth = 0
  private var isInList = false, isAfterEntry = false
  /// The length of the string that is being read; nil outside of strings.
  private var stringLength: Int?
  private var isEscaped = false
  private var line = 1, entryLine = 1
  /// The lines in which the list begins and ends.
  private var listStart = Int.max, listEnd: Int?

  init(_ malformed: MalformedLines) { self.malformed = malformed }

  /// Takes the next bytes.
  ///
  /// - Throws: `InvalidInput` where malformed entries end the import, and what `body` throws.
  mutating func take(_ bytes: UnsafeRawBufferPointer, _ body: (JSON5Value) throws -> Void) throws {
    for byte in bytes {
      if byte == UInt8(ascii: "\n") { line += 1 }
      if let length = stringLength {
        let isEnd = byte == UInt8(ascii: "\"") && !isEscaped
        isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
        stringLength = isEnd ? nil : length + 1
        if length == Self.stringLimit { text.removeLast(length) }
        if length < Self.stringLimit || isEnd { text.append(byte) }
      } else if isInList, depth == Self.listDepth {
        try takeBetweenEntries(byte)
      } else {
        text.append(byte)
        switch byte {
        case UInt8(ascii: "\""): stringLength = 0
        case UInt8(ascii: "["), UInt8(ascii: "{"):
          depth += 1
          if depth == Self.listDepth, text.reversed().lazy.filter({ $0 > 0x20 }).prefix(11).elementsEqual("[:\"seirtne\"".utf8) {
            (isInList, listStart) = (true, line)
            // What follows the list is in a later line of the frame than what comes before it.
            text.append(UInt8(ascii: "\n"))
          }
        case UInt8(ascii: "]"), UInt8(ascii: "}"):
          depth -= 1
          if isInList, depth == Self.listDepth { try handOnEntry(body) }
        default: break
        }
      }
    }
    if max(text.count, frame.count) > JSON5Parser.sizeLimit { throw refusal("has an entry of more than \(JSON5Parser.sizeLimit) bytes") }
  }

  /// Takes a byte of the list that is in no entry. White space and the comma after an entry are not kept.
  /// - Throws: `InvalidInput` if there is no comma between two entries.
  private mutating func takeBetweenEntries(_ byte: UInt8) throws(InvalidInput) {
    switch byte {
    case ...0x20: return
    case UInt8(ascii: ",") where isAfterEntry: isAfterEntry = false
    case UInt8(ascii: "["), UInt8(ascii: "{"):
      if isAfterEntry { throw refusal("has no comma between two entries") }
      (frame, text, entryLine) = (text, [byte], line)
      depth += 1
    case UInt8(ascii: "]"), UInt8(ascii: "}"):
      text.append(byte)
      depth -= 1
      (isInList, isAfterEntry, listEnd) = (false, false, line)
    default:
      text.append(byte)
      if byte == UInt8(ascii: "\"") { stringLength = 0 }
    }
  }

  private func refusal(_ problem: String) -> InvalidInput {
    malformed.fatal(ValueProblem(problem, remedy: "save the file again"), line: line)
  }

  /// - Throws: `InvalidInput` where malformed entries end the import, and what `body` throws.
  private mutating func handOnEntry(_ body: (JSON5Value) throws -> Void) throws {
    let sink = DiagnosticSink()
    // What a proxy saved of a body need not be UTF-8.
    let entry = JSON5Parser.parse(String(decoding: text, as: UTF8.self), file: malformed.file, line: entryLine, into: sink)
    (text, frame, isAfterEntry) = (frame, [], true)
    do {
      if let entry { try body(entry) } else if let first = sink.sorted.first { throw ValueProblem(first.problem, remedy: first.remedy) }
    } catch let problem as ValueProblem { try malformed.note(problem, line: entryLine) }
  }

  /// Ends the archive.
  /// - Throws: `InvalidInput` if what is around the entries is malformed, or has no list of entries.
  func finish() throws(InvalidInput) {
    let sink = DiagnosticSink()
    let root = JSON5Parser.parse(isInList && depth > Self.listDepth ? frame : text, file: malformed.file, into: sink)
    if root != nil, root?["log"]?["entries"]?.elements != nil { return }
    sink.report(at: SourceLocation(file: malformed.file), problem: "has no log.entries", remedy: "save it as an HTTP archive (HAR)")
    // After a fault of the syntax what follows cannot be judged, whatever was asked.
    throw InvalidInput(
      diagnostics: malformed.named
        + sink.sorted.map { problem in
          var problem = problem
          if problem.location.line > listStart { problem.location.line += (listEnd ?? line) - listStart - 1 }
          return problem
        })
  }
}

/// Makes items of the entries of an archive.
struct HARItems {
  /// An item that may go on: parts of one video follow each other.
  private struct Part {
    var address: String
    var isPart: Bool
    var kind: ItemKind
    var bytes: Int64
  }

  private static let timeNames = ["blocked", "dns", "connect", "ssl", "send", "wait", "receive"]

  private let feed: OutputFile
  private let timings: OutputFile?
  private var item: Part?
  private var firstStart: Int64?
  /// Items written, and entries that are no items.
  private(set) var count = 0
  private(set) var ignored = 0

  /// - Throws: `OutputProblem` if the disk refuses the rows.
  init(feed: OutputFile, timings: OutputFile?) throws(OutputProblem) {
    (self.feed, self.timings) = (feed, timings)
    try feed.append("{ \"items\": [\n".utf8)
    try timings?.append("item,startMs,\(Self.timeNames.map { "\($0)Ms" }.joined(separator: ",")),bytes\n".utf8)
  }

  /// Ends the feed.
  /// - Throws: `OutputProblem` if the disk refuses the rows.
  mutating func finish() throws(OutputProblem) {
    try writeItem()
    try feed.append("\n] }\n".utf8)
  }

  /// - Throws: `ValueProblem` if the entry is malformed, and `OutputProblem` if the disk refuses the rows.
  mutating func take(_ entry: JSON5Value) throws {
    let (request, response) = (entry["request"], entry["response"])
    guard let method = request?["method"]?.text, let status = Self.number(response?["status"]) else {
      throw ValueProblem("is an entry without a request's method or a response's status", remedy: "save the archive again")
    }
    // What crossed the network, else what came out of it.
    let bytes = [response?["bodySize"], response?["_transferSize"], response?["content"]?["size"]].compactMap { Self.number($0) }
      .first { $0 > 0 }
    let type = response?["content"]?["mimeType"]?.text?.lowercased() ?? ""
    let kinds: [(prefix: String, kind: ItemKind)] = [("image/", .image), ("video/", .video), ("text/html", .webApp)]
    guard let kind = kinds.first(where: { type.hasPrefix($0.prefix) })?.kind, method == "GET", status == 200 || status == 206, let bytes
    else {
      ignored += 1
      return
    }
    guard bytes <= FeedReader.bytesLimit else {
      throw ValueProblem("is a response of \(bytes) bytes, more than \(FeedReader.bytesLimit)", remedy: "take the entry out")
    }
    let address = request?["url"]?.text ?? ""
    if let last = item, status == 206, last.isPart, last.address == address, last.bytes + bytes <= FeedReader.bytesLimit {
      item?.bytes += bytes
    } else {
      try writeItem()
      item = Part(address: address, isPart: status == 206, kind: kind, bytes: bytes)
    }
    guard let timings else { return }
    // A line for each request; the item is the one that is open.
    let start = entry["startedDateTime"]?.text.flatMap(Self.milliseconds)
    firstStart = firstStart ?? start
    var offset = ""
    if let start, let firstStart, start >= firstStart { offset = "\(start - firstStart)" }
    let times = Self.timeNames.map { name in Self.number(entry["timings"]?[name], places: 3).map { ExactDecimal.text($0, places: 3) } ?? ""
    }
    try timings.append("\(count),\(offset),\(times.joined(separator: ",")),\(bytes)\n".utf8)
  }

  /// - Throws: `OutputProblem` if the disk refuses the row.
  private mutating func writeItem() throws(OutputProblem) {
    guard let item else { return }
    try feed.append("\(count == 0 ? "" : ",\n")    { \"kind\": \"\(item.kind.name)\", \"bytes\": \(item.bytes) }".utf8)
    count += 1
    self.item = nil
  }

  /// A number that is not negative, times 10^`places`; nil where the archive does not say.
  private static func number(_ value: JSON5Value?, places: Int = 0) -> Int64? {
    guard case .number(var text)? = value?.kind else { return nil }
    return text.withUTF8 { TextLine(number: 0, bytes: UnsafeRawBufferPointer($0)).number(0..<$0.count, places: places) }
  }

  /// Milliseconds since 1970 of an entry's start: `2024-05-01T10:00:00.123Z` or `…+02:00`.
  private static func milliseconds(_ text: String) -> Int64? {
    var text = text
    return text.withUTF8 { bytes in
      let line = TextLine(number: 0, bytes: UnsafeRawBufferPointer(bytes))
      let end = bytes.indices.dropFirst(17).first { bytes[$0] != UInt8(ascii: ".") && !(0x30...0x39).contains(bytes[$0]) }
      guard let end, let minutes = line.minutes(0..<bytes.count), let second = line.number(17..<end, places: 3) else { return nil }
      if bytes[end] == UInt8(ascii: "Z") { return minutes * 60_000 + second }
      func number(_ start: Int) -> Int64? { start + 2 <= bytes.count ? line.number(start..<start + 2) : nil }
      let hasColon = end + 3 < bytes.count && bytes[end + 3] == UInt8(ascii: ":")
      guard let hours = number(end + 1), let rest = number(end + (hasColon ? 4 : 3)) else { return nil }
      let offset = (hours * 60 + rest) * (bytes[end] == UInt8(ascii: "-") ? -1 : 1)
      return (minutes - offset) * 60_000 + second
    }
  }
}
