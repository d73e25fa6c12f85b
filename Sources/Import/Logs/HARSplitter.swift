// Splits HTTP archives (HAR 1.2), as browsers and proxies save them, into their entries.

import Base

/// Splits an archive into its entries and the frame around them. Each complete entry is parsed and passed on; the frame is parsed last.
/// Memory holds one entry, without long strings and without the contents of its lists except headers, which are not needed.
struct HARSplitter {
  /// A part of the archive, and the file's line at the start of each of its lines.
  private struct Part {
    var bytes: [UInt8] = []
    var lines: [Int]

    /// Appends a byte; the file is then in `line`.
    mutating func append(_ byte: UInt8, line: Int) {
      // The parser counts a CR as a line break.
      bytes.append(byte == UInt8(ascii: "\r") ? 0x20 : byte)
      if byte == UInt8(ascii: "\n") { lines.append(line) }
    }

    /// Appends a byte after some that were left out.
    mutating func resume(with byte: UInt8, line: Int) {
      if lines.last != line { append(UInt8(ascii: "\n"), line: line) }
      append(byte, line: line)
    }

    /// True for the start of a call before a bracket: a name and "(".
    var isCall: Bool {
      let name = bytes.dropLast().filter { $0 > 0x20 }
      let isWord = name.dropLast().allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0 & 0xDF) || "$._".utf8.contains($0) }
      return name.last == UInt8(ascii: "(") && isWord
    }

    /// Returns true if the part ends with a key, its colon and a bracket.
    func ends(with key: StaticString, _ bracket: UInt8) -> Bool {
      let written = [UInt8(ascii: "\"")] + UnsafeBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount) + "\":".utf8 + [bracket]
      return bytes.reversed().lazy.filter { $0 > 0x20 }.prefix(written.count).elementsEqual(written.reversed())
    }
  }

  /// The longest string that is kept, because most of an archive is the text of bodies. A longer value becomes a number: its bytes,
  /// without "=" at its end, which pads base64. A longer key is emptied.
  private static let stringLimit = 1 << 14
  /// The depth of brackets inside the list of entries: the archive, its log, the list.
  private static let listDepth = 3
  private static let depthLimit = 200

  private let malformed: MalformedLines
  /// The part being read, an entry or the frame; and the frame while an entry is read.
  private var text = Part(lines: [1]), frame = Part(lines: [1])
  /// The open brackets, outermost first.
  private var brackets: [UInt8] = []
  private var isInLog = false, isInList = false, isAfterEntry = false
  /// True if the archive is the argument of a call (JSONP), whose end follows it.
  private var isInCall = false
  /// The depth of brackets inside the outermost list that is left out; nil outside of such lists.
  private var skippedDepth: Int?
  /// The last byte of a left-out list that is no white space: a quote for a string, 0 for another scalar.
  private var last: UInt8 = 0
  /// The length so far of the string being read; nil outside of strings.
  private var stringLength: Int?
  private var isEscaped = false
  /// The bytes of escapes in that string that stand for nothing of their own, and its last bytes that are "=".
  private var escapeLength = 0, paddingLength = 0
  private var line = 1, entryLine = 1

  init(_ malformed: MalformedLines) { self.malformed = malformed }

  /// Reads the next bytes and calls `body` with each entry that they complete.
  /// - Throws: `InvalidInput` for text that is no JSON and if malformed entries end the import; any error of `body`.
  mutating func read(_ bytes: UnsafeRawBufferPointer, _ body: (JSON5Value) throws -> Void) throws {
    for byte in bytes {
      if byte == UInt8(ascii: "\n") { line += 1 }
      if let length = stringLength {
        try readText(byte, length)
      } else if skippedDepth != nil {
        try readSkipped(byte, body)
      } else if isInList, brackets.count == Self.listDepth {
        try readBetweenEntries(byte)
      } else if isInCall, brackets.isEmpty, byte == UInt8(ascii: ")") || byte == UInt8(ascii: ";") {
        continue
      } else {
        text.append(byte, line: line)
        switch byte {
        case UInt8(ascii: "\""): stringLength = 0
        case UInt8(ascii: "["), UInt8(ascii: "{"): try open(byte)
        case UInt8(ascii: "]"), UInt8(ascii: "}"): try close(byte, body)
        default: break
        }
      }
    }
    if max(text.bytes.count, frame.bytes.count) > JSON5Parser.sizeLimit {
      throw refusal("has an entry of more than \(JSON5Parser.sizeLimit) bytes")
    }
  }

  /// Reads a byte of a string, or the quote at its end.
  /// - Throws: `InvalidInput` at a control character, such as the end of the line.
  private mutating func readText(_ byte: UInt8, _ length: Int) throws(InvalidInput) {
    if byte < 0x20 {
      if byte == UInt8(ascii: "\n") { line -= 1 }
      throw refusal("has a control character in a string")
    }
    let isEnd = byte == UInt8(ascii: "\"") && !isEscaped
    if length == 0 { (escapeLength, paddingLength) = (0, 0) }
    if !isEnd {
      // An escape of a character of ASCII has one byte; `\u` has six for one, two or three.
      escapeLength += isEscaped && byte == UInt8(ascii: "u") ? 4 : isEscaped ? 1 : 0
      paddingLength = byte == UInt8(ascii: "=") ? paddingLength + 1 : 0
    }
    isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
    stringLength = isEnd ? nil : length + 1
    if skippedDepth != nil { return }
    if length == Self.stringLimit { text.bytes.removeLast(length) }
    if isEnd, length >= Self.stringLimit, text.bytes.dropLast().last(where: { $0 > 0x20 }) == UInt8(ascii: ":") {
      text.bytes.removeLast()
      text.bytes += "\(length - escapeLength - paddingLength)".utf8
    } else if length < Self.stringLimit || isEnd {
      text.append(byte, line: line)
    }
  }

  /// Reads a byte of a left-out list. Its syntax is checked nevertheless, because a mistake in it could swallow the entries that follow.
  /// - Throws: `InvalidInput` for text that is no JSON, and any error of `body`.
  private mutating func readSkipped(_ byte: UInt8, _ body: (JSON5Value) throws -> Void) throws {
    if byte <= 0x20 {
      // White space ends a scalar.
      if last == 0 { last = UInt8(ascii: "]") }
      return
    }
    let before = last
    let isValueNext = "[{,:".utf8.contains(before)
    last = byte
    switch byte {
    case UInt8(ascii: "\"") where isValueNext: stringLength = 0
    case UInt8(ascii: "[") where isValueNext, UInt8(ascii: "{") where isValueNext: try open(byte)
    case UInt8(ascii: ":") where before == UInt8(ascii: "\"") && brackets.last == UInt8(ascii: "{"): break
    case UInt8(ascii: ",") where !isValueNext: break
    case UInt8(ascii: "]") where !",:".utf8.contains(before), UInt8(ascii: "}") where !",:".utf8.contains(before): try close(byte, body)
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
      guard isValueNext || before == 0 else { throw unexpected(byte) }
      last = 0
    default: throw unexpected(byte)
    }
  }

  /// Reads a byte between two entries. White space and the comma after an entry are not kept.
  /// - Throws: `InvalidInput` if there is no comma between two entries.
  private mutating func readBetweenEntries(_ byte: UInt8) throws(InvalidInput) {
    switch byte {
    case ...0x20: return
    case UInt8(ascii: ",") where isAfterEntry: isAfterEntry = false
    case UInt8(ascii: "["), UInt8(ascii: "{"):
      if isAfterEntry { throw refusal("has no comma between two entries") }
      (frame, text, entryLine) = (text, Part(bytes: [byte], lines: [line]), line)
      try open(byte)
    case UInt8(ascii: "]"):
      text.resume(with: byte, line: line)
      brackets.removeLast()
      (isInList, isAfterEntry) = (false, false)
    case UInt8(ascii: "}"): throw unexpected(byte)
    default:
      text.resume(with: byte, line: line)
      if byte == UInt8(ascii: "\"") { stringLength = 0 }
    }
  }

  /// - Throws: `InvalidInput` if it lies too deep.
  private mutating func open(_ byte: UInt8) throws(InvalidInput) {
    guard brackets.count < Self.depthLimit else { throw refusal("has brackets nested deeper than \(Self.depthLimit)") }
    if brackets.isEmpty, text.isCall { (text, isInCall) = (Part(bytes: [byte], lines: [line]), true) }
    brackets.append(byte)
    if skippedDepth != nil { return }
    if byte == UInt8(ascii: "{") {
      if brackets.count == Self.listDepth - 1 { isInLog = text.ends(with: "log", byte) }
    } else if !isInList, isInLog, brackets.count == Self.listDepth, text.ends(with: "entries", byte) {
      isInList = true
    } else if !text.ends(with: "headers", byte) {
      (skippedDepth, last) = (brackets.count, byte)
    }
  }

  /// Closes a list or an object, which may be an entry.
  /// - Throws: `InvalidInput` if another bracket is open, or if malformed entries end the import; any error of `body`.
  private mutating func close(_ byte: UInt8, _ body: (JSON5Value) throws -> Void) throws {
    // Text after the end is reported by `finish`.
    guard let open = brackets.last else { return }
    // In ASCII, "]" and "}" are two after "[" and "{".
    guard byte == open + 2 else { throw unexpected(byte) }
    if skippedDepth == brackets.count {
      skippedDepth = nil
      text.resume(with: byte, line: line)
    }
    brackets.removeLast()
    if isInList, brackets.count == Self.listDepth { try finishEntry(body) }
  }

  private func unexpected(_ byte: UInt8) -> InvalidInput {
    refusal("has \(quoted(String(decoding: [byte], as: UTF8.self))) where JSON has something else")
  }

  private func refusal(_ problem: String) -> InvalidInput { malformed.fatal(problem, remedy: "save the file again", line: line) }

  /// Returns the value of a part. A syntax mistake ends the import even if malformed entries are skipped.
  /// - Throws: `InvalidInput` with the first fault.
  private func parsed(_ part: Part) throws(InvalidInput) -> JSON5Value {
    let sink = DiagnosticSink()
    // Bodies saved by a proxy may not be UTF-8.
    let bytes = Array(String(decoding: part.bytes, as: UTF8.self).utf8)
    if let value = JSON5Parser.parse(bytes, file: malformed.file, allowsHalfPairs: true, into: sink) { return value }
    guard let first = sink.sorted.first(where: { $0.code != .duplicateKey }) else { throw refusal("is no JSON") }
    let index = min(first.location.line, part.lines.count) - 1
    throw malformed.fatal(first.problem, remedy: first.remedy, line: part.lines[index])
  }

  /// - Throws: `InvalidInput` for text that is no JSON and if malformed entries end the import; any error of `body`.
  private mutating func finishEntry(_ body: (JSON5Value) throws -> Void) throws {
    let entry = try parsed(text)
    (text, frame, isAfterEntry) = (frame, Part(lines: [1]), true)
    try malformed.noting(line: entryLine) { try body(entry) }
  }

  /// Ends the archive and returns its log without the entries.
  /// - Throws: `InvalidInput` if the frame is malformed or has no list of entries.
  func finish() throws(InvalidInput) -> JSON5Value {
    if stringLength != nil || !brackets.isEmpty { throw refusal("ends in the middle") }
    if let log = try parsed(text)["log"], log["entries"]?.elements != nil { return log }
    throw malformed.fatal("has no log.entries", remedy: "save it as an HTTP archive (HAR)")
  }
}
