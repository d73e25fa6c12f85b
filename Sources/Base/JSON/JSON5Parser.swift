// A JSON5 parser that keeps the location of every value; Foundation's has no line numbers and accepts repeated keys.
// It continues after a mistake, so that the user sees all mistakes at once.

/// A recursive-descent parser of UTF-8 bytes. Grammar: spec.json5.org, version 1.0.0.
package struct JSON5Parser {
  /// The most bytes of a text.
  package static let sizeLimit = 64_000_000
  static let depthLimit = 100
  static let numberLimit = 100
  static let valueLimit = 10_000_000

  package let bytes: [UInt8]
  private let file: String
  private let sink: DiagnosticSink
  var position = 0
  /// A position with known line and column, from which later locations are counted.
  private var mark = (position: 0, line: 1, column: 1)
  private(set) var allowsHalfPairs = false
  /// True if a word without quotes is reported and then read as a string.
  private(set) var readsBareWords = false
  /// The keys and indices from the root to the parser's position, for messages.
  private var path: [(key: String?, index: Int, location: SourceLocation?)] = []
  /// The first object that seems to lack its bracket: a later key is indented no deeper than the object's own key.
  private var unclosed: (open: SourceLocation, key: String, line: Int)?
  private var valueCount = 0
  private var syntaxErrorCount = 0
  /// True if a missing comma or bracket follows from a mistake that was already reported.
  var isForgiving = false

  /// Parses one value and reports every mistake; returns nil after a syntax mistake. O(bytes).
  /// A repeated key is reported, but its first value is returned.
  package static func parse(_ text: String, file: String, into sink: DiagnosticSink) -> JSON5Value? {
    parse(Array(text.utf8), file: file, into: sink)
  }

  /// Parses bytes. With `allowsHalfPairs`, an escaped half of a surrogate pair, as truncated text has it, becomes U+FFFD.
  /// With `readsBareWords`, a word without quotes is reported and read as a string, so that the caller can report what its key expects.
  package static func parse(
    _ bytes: [UInt8], file: String, allowsHalfPairs: Bool = false, readsBareWords: Bool = false, into sink: DiagnosticSink
  ) -> JSON5Value? {
    var parser = JSON5Parser(bytes: bytes, file: file, sink: sink)
    (parser.allowsHalfPairs, parser.readsBareWords) = (allowsHalfPairs, readsBareWords)
    return parser.parseDocument()
  }

  private init(bytes: [UInt8], file: String, sink: DiagnosticSink) { (self.bytes, self.file, self.sink) = (bytes, file, sink) }

  /// Reports a syntax mistake at an offset.
  mutating func fail(at offset: Int, _ problem: String, remedy: @autoclosure () -> String) {
    fail(at: sink.keeps(problem) ? location(at: offset) : SourceLocation(file: file), problem, remedy: remedy())
  }

  private mutating func fail(at location: SourceLocation, _ problem: String, remedy: @autoclosure () -> String) {
    syntaxErrorCount += 1
    warn(at: location, problem, remedy: remedy())
  }

  /// Reports a mistake that does not end the parsing of its value.
  func warn(at location: SourceLocation, _ problem: String, remedy: @autoclosure () -> String) {
    sink.report(at: location, key: dottedPath, problem: problem, remedy: remedy())
  }

  /// Returns the location of a byte. O(bytes since the last location asked for), or from the start if it lies before that.
  mutating func location(at offset: Int) -> SourceLocation {
    if offset < mark.position { mark = (bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? min(3, offset) : 0, 1, 1) }
    var (index, line, column) = mark
    while index < offset {
      let byte = bytes[index]
      let isReturn = byte == UInt8(ascii: "\r") && !(index + 1 < bytes.count && bytes[index + 1] == UInt8(ascii: "\n"))
      if byte == UInt8(ascii: "\n") || isReturn {
        (line, column) = (line + 1, 1)
      } else if byte & 0xC0 != 0x80 {
        column += 1
      }
      index += 1
    }
    mark = (index, line, column)
    return SourceLocation(file: file, line: line, column: column)
  }

  private var dottedPath: String { path.map { $0.key ?? String($0.index) }.joined(separator: ".") }

  private mutating func parseDocument() -> JSON5Value? {
    guard bytes.count <= Self.sizeLimit else {
      fail(at: 0, "the file has \(bytes.count) bytes, more than \(Self.sizeLimit)", remedy: "split it")
      return nil
    }
    if let invalid = Self.firstInvalidUTF8(bytes) {
      fail(at: invalid, "this byte is not UTF-8", remedy: "save the file as UTF-8")
      return nil
    }
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      position = 3
      mark.position = 3
    }
    skipTrivia()
    guard !isAtEnd else {
      fail(at: position, "there is no value", remedy: "write { … }")
      return nil
    }
    if looksLikeYAML {
      fail(at: position, "this looks like YAML", remedy: "write JSON5: { key: value, … }, with names in quotes")
      return nil
    }
    let value = parseValue(depth: 0)
    skipTrivia()
    if !isAtEnd && syntaxErrorCount == 0 {
      fail(at: position, "there is more after the end: \(nextText)", remedy: "remove it, or a bracket before it")
    }
    return syntaxErrorCount == 0 ? value : nil
  }

  /// True if the text begins like YAML: with a key and a colon, a list or a document's start.
  private var looksLikeYAML: Bool {
    let rest = bytes[position...]
    if ["---", "- "].contains(where: { rest.starts(with: $0.utf8) }) { return true }
    let key = rest.prefix(while: Self.isPathByte)
    return !key.isEmpty && rest[key.endIndex...].first == UInt8(ascii: ":")
  }

  /// Parses a value at `position`, which is no white space. Returns nil after a report, with `position` at the next delimiter.
  private mutating func parseValue(depth: Int) -> JSON5Value? {
    let start = position
    let opening = location(at: start)
    valueCount += 1
    guard valueCount <= Self.valueLimit, depth < Self.depthLimit else {
      let problem =
        depth < Self.depthLimit ? "there are more than \(Self.valueLimit) values" : "brackets are nested deeper than \(Self.depthLimit)"
      fail(at: start, problem, remedy: "split the file, or nest less")
      position = bytes.count
      isForgiving = true
      return nil
    }
    switch current {
    case UInt8(ascii: "{"): return JSON5Value(kind: .object(parseMembers(from: opening, depth: depth)), location: opening)
    case UInt8(ascii: "["): return JSON5Value(kind: .array(parseElements(from: opening, depth: depth)), location: opening)
    case UInt8(ascii: "\""), UInt8(ascii: "'"): return JSON5Value(kind: .string(parseString()), location: opening)
    default:
      if let kind = parseWord() { return JSON5Value(kind: kind, location: opening) }
      recover()
      return nil
    }
  }

  private mutating func parseElements(from open: SourceLocation, depth: Int) -> [JSON5Value] {
    var elements: [JSON5Value] = []
    position += 1
    path.append((nil, 0, nil))
    defer { path.removeLast() }
    while !closes(open, with: UInt8(ascii: "]")) {
      path[path.count - 1].index = elements.count
      if current == UInt8(ascii: ",") {
        fail(at: position, "there is a comma without a value before it", remedy: "remove it")
        position += 1
        continue
      }
      if let value = parseValue(depth: depth + 1) { elements.append(value) }
      parseComma(closing: "]")
    }
    return elements
  }

  private mutating func parseMembers(from open: SourceLocation, depth: Int) -> [JSON5Member] {
    var members: [JSON5Member] = []
    var indices: [String: Int] = [:]
    position += 1
    while !closes(open, with: UInt8(ascii: "}")) {
      if current == UInt8(ascii: ",") {
        fail(at: position, "there is a comma without a key and a value before it", remedy: "remove it")
        position += 1
        continue
      }
      let keyLocation = location(at: position)
      guard let key = parseKey() else {
        failAtKey()
        recover()
        if current == UInt8(ascii: ",") { position += 1 }
        continue
      }
      if unclosed == nil, let owner = path.last?.location, owner.line == open.line, keyLocation.line > open.line,
        keyLocation.column <= owner.column
      {
        unclosed = (open, key, keyLocation.line)
      }
      path.append((key, 0, keyLocation))
      let value = parseColon() ? parseValue(depth: depth + 1) : nil
      let first = Self.index(of: key, in: members, indices: &indices)
      if let first {
        let line = members[first].keyLocation.line
        sink.report(
          at: keyLocation, key: dottedPath, problem: "is given twice, first in line \(line)", remedy: "remove one of the two",
          code: .duplicateKey)
      } else if let value {
        members.append(JSON5Member(key: key, keyLocation: keyLocation, value: value))
      }
      path.removeLast()
      parseComma(closing: "}")
    }
    return members
  }

  /// Reports that no key starts here, with remedies for common mistakes.
  private mutating func failAtKey() {
    if position > 1, Self.isDigit(current), bytes[position - 1] == UInt8(ascii: ","), Self.isDigit(bytes[position - 2]) {
      fail(at: position - 1, "a number has a comma in it", remedy: "write a decimal point")
    } else {
      fail(at: position, "a key cannot start with \(nextText)", remedy: "write key: value")
    }
  }

  /// Returns the index of the member with `key`; builds `indices` for large objects. O(1) on average.
  private static func index(of key: String, in members: [JSON5Member], indices: inout [String: Int]) -> Int? {
    if members.count < 16 { return members.firstIndex { $0.key == key } }
    for index in indices.count..<members.count { indices[members[index].key] = index }
    return indices[key]
  }

  /// Returns true if the list or object opened at `open` ends here: at its bracket, at a wrong bracket, or at the end of the text.
  private mutating func closes(_ open: SourceLocation, with bracket: UInt8) -> Bool {
    skipTrivia()
    let closing = Character(Unicode.Scalar(bracket))
    let opened = closing == "]" ? "[" : "{"
    if isAtEnd {
      if !isForgiving {
        if let unclosed {
          let before = "the key \(quoted(unclosed.key)) of line \(unclosed.line)"
          fail(at: unclosed.open, "{ is not closed before \(before)", remedy: "add } before it")
        } else {
          // Each step of the path stands in a list or an object that is open as well.
          let outer = (closing == "]" ? path.dropLast() : path[...]).reversed().map { $0.key == nil ? "]" : "}" }.joined()
          let remedy = outer.isEmpty ? "add \(closing)" : "the file seems to be cut off: restore its end, or add \(closing)\(outer)"
          fail(at: open, "\(opened) is never closed", remedy: remedy)
        }
      }
      isForgiving = true
      return true
    }
    let isBracket = "]}".utf8.contains(current)
    if isBracket, current != bracket, location(at: position).line > open.line {
      // A bracket on a later line most often closes an outer list or object.
      fail(at: open, "\(opened) is not closed before the \(nextText) of line \(location(at: position).line)", remedy: "add \(closing)")
      return true
    }
    if isBracket && current != bracket {
      fail(at: position, "\(nextText) closes the \(opened) of line \(open.line)", remedy: "write \(closing)")
    }
    if isBracket { position += 1 }
    return isBracket
  }

  /// Parses the colon after a key; returns false if no value follows.
  private mutating func parseColon() -> Bool {
    skipTrivia()
    if current == UInt8(ascii: ":") {
      position += 1
      skipTrivia()
      let isMissing = isAtEnd || ",}]".utf8.contains(current)
      if isMissing { fail(at: position, "has no value", remedy: "write one after the colon") }
      if isMissing && isAtEnd { isForgiving = true }
      return !isMissing
    }
    // The byte after which a value may follow nevertheless.
    var mark = UInt8(ascii: ":")
    if ".-".utf8.contains(current), let member = path.last, let key = member.key, let keyLocation = member.location {
      let rest = bytes[position...].prefix(while: Self.isPathByte)
      let whole = quoted(key + String(decoding: rest, as: UTF8.self))
      fail(at: keyLocation, "the key \(whole) has no quotes", remedy: "write \(whole): …")
      position = rest.endIndex
      skipTrivia()
    } else {
      fail(at: position, isAtEnd ? "ends after its key" : "has \(nextText) after its key", remedy: "write a colon and a value")
      mark = UInt8(ascii: "=")
    }
    isForgiving = true
    if current == mark {
      position += 1
      skipTrivia()
      if startsValue { return true }
    }
    recover()
    return false
  }

  /// Parses the comma after a value; it may be missing before a closing bracket and at the end.
  private mutating func parseComma(closing: Character) {
    skipTrivia()
    let wasForgiven = isForgiving
    if !isAtEnd { isForgiving = false }
    switch current {
    case UInt8(ascii: ","): position += 1
    case UInt8(ascii: "]"), UInt8(ascii: "}"): break
    default:
      if isAtEnd { return }
      if !wasForgiven { fail(at: position, "there is no comma before \(nextWord)", remedy: "add a comma, or \(closing)") }
      if !startsValue {
        recover()
        if current == UInt8(ascii: ",") { position += 1 }
      }
    }
  }

  /// Skips to the next comma or closing bracket of this nesting level.
  private mutating func recover() {
    var depth = 0
    while !isAtEnd {
      switch current {
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth == 0 { return }
        depth -= 1
      case UInt8(ascii: ",") where depth == 0: return
      case UInt8(ascii: "\""), UInt8(ascii: "'"):
        skipQuoted()
        continue
      case UInt8(ascii: "/"):
        let before = position
        skipTrivia()
        if position > before { continue }
      default: break
      }
      position += 1
    }
    isForgiving = true
  }
}
