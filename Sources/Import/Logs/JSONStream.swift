// JSON (RFC 8259) byte by byte: what a file says is handed on as it comes, and nothing of it is kept.

/// What the scanner meets; values come with the path of keys that leads to them, as its receiver numbered them.
protocol JSONReceiver {
  /// The number of a key of the object at `path`; 0 for one that nobody wants, and for all below it.
  func number(of key: ArraySlice<UInt8>, in path: Int) -> Int
  /// An object begins in the list at `path`.
  /// - Throws: what the receiver refuses.
  mutating func beginElement(of path: Int, line: Int) throws
  /// An object in the list at `path` ends.
  /// - Throws: what the receiver refuses.
  mutating func endElement(of path: Int, line: Int) throws
  /// A string or a number, as it is written; strings are cut at `JSONStream.textLimit`.
  mutating func value(_ text: ArraySlice<UInt8>, at path: Int)
}

/// Scans pieces of a JSON text. Memory is the depth of the text and one short string.
struct JSONStream<Receiver: JSONReceiver> {
  /// The most bytes of a string that are kept.
  static var textLimit: Int { 4096 }
  /// How deep values may lie in each other.
  static var depthLimit: Int { 200 }

  private enum State { case value, firstKey, key, colon, afterValue, firstElement, string, escape, scalar, end }

  private struct Level {
    var isObject: Bool
    var path: Int
  }

  var receiver: Receiver
  /// The line being read, from 1.
  private(set) var line = 1
  private var state = State.value
  private var levels: [Level] = []
  /// The path of the value that comes next.
  private var path = 1
  private var isKey = false
  private var isKept = false
  private var text: [UInt8] = []

  init(_ receiver: Receiver) {
    self.receiver = receiver
    text.reserveCapacity(Self.textLimit)
  }

  /// Takes the next bytes.
  ///
  /// - Throws: `LineProblem` at the first byte that is not JSON, in `line`, and what the receiver throws.
  mutating func take(_ bytes: UnsafeRawBufferPointer) throws {
    var index = 0
    while index < bytes.count {
      if state == .string, !isKept {
        // Most of an archive is the text of bodies, which nobody wants.
        while index < bytes.count, bytes[index] != UInt8(ascii: "\""), bytes[index] != UInt8(ascii: "\\"), bytes[index] >= 0x20 {
          index += 1
        }
        if index == bytes.count { return }
      }
      let byte = bytes[index]
      index += 1
      switch state {
      case .string, .escape: try takeText(byte)
      case .scalar where !Self.endsScalar(byte): keep(byte)
      case .scalar:
        try endScalar()
        try takeStructure(byte)
      default: try takeStructure(byte)
      }
    }
  }

  /// Ends the text.
  /// - Throws: `LineProblem` if the text is not complete.
  mutating func finish() throws {
    if state == .scalar { try endScalar() }
    guard state == .end else { throw LineProblem("ends in the middle of the text", remedy: "save the file again") }
  }

  // MARK: Strings and numbers

  /// - Throws: `LineProblem` at a control character.
  private mutating func takeText(_ byte: UInt8) throws {
    if state == .escape {
      // Escapes are kept as they are: no name or type that is looked at needs one.
      keep(byte)
      state = .string
    } else if byte == UInt8(ascii: "\\") {
      keep(byte)
      state = .escape
    } else if byte == UInt8(ascii: "\"") {
      if isKey {
        path = (levels.last?.path ?? 0) == 0 ? 0 : receiver.number(of: text[...], in: levels[levels.count - 1].path)
        state = .colon
      } else {
        if isKept { receiver.value(text[...], at: path) }
        endValue()
      }
    } else if byte < 0x20 {
      throw LineProblem("has a control character in a string", remedy: "save the file again")
    } else {
      keep(byte)
    }
  }

  private mutating func keep(_ byte: UInt8) { if isKept, text.count < Self.textLimit { text.append(byte) } }

  private mutating func begin(_ state: State, isKey: Bool, isKept: Bool) {
    self.state = state
    self.isKey = isKey
    self.isKept = isKept
    text.removeAll(keepingCapacity: true)
  }

  private static func endsScalar(_ byte: UInt8) -> Bool {
    byte <= 0x20 || byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]")
  }

  /// - Throws: `LineProblem` if a literal or a number is malformed, and what the receiver throws.
  private mutating func endScalar() throws {
    let isWord = text.elementsEqual("true".utf8) || text.elementsEqual("false".utf8) || text.elementsEqual("null".utf8)
    if !isWord {
      let isNumber =
        text.contains { (0x30...0x39).contains($0) }
        && text.allSatisfy { (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0) }
      guard isNumber else {
        throw LineProblem(
          "has \(quoted(String(decoding: text.prefix(40), as: UTF8.self))), which is no value", remedy: "save the file again")
      }
      if path != 0 { receiver.value(text[...], at: path) }
    }
    endValue()
  }

  // MARK: Structure

  private mutating func endValue() { state = levels.isEmpty ? .end : .afterValue }

  /// - Throws: `LineProblem` at a byte that JSON has not there, and what the receiver throws.
  private mutating func takeStructure(_ byte: UInt8) throws {
    switch byte {
    case 0x0A: line += 1
    case 0x20, 0x09, 0x0D: break
    case UInt8(ascii: "\""):
      switch state {
      case .key, .firstKey: begin(.string, isKey: true, isKept: levels.last?.path != 0)
      case .value, .firstElement: begin(.string, isKey: false, isKept: path != 0)
      default: throw unexpected(byte)
      }
    case UInt8(ascii: "{"), UInt8(ascii: "["): try open(isObject: byte == UInt8(ascii: "{"))
    case UInt8(ascii: "}"), UInt8(ascii: "]"): try close(byte)
    case UInt8(ascii: ":") where state == .colon: state = .value
    case UInt8(ascii: ",") where state == .afterValue:
      let level = levels[levels.count - 1]
      state = level.isObject ? .key : .value
      path = level.path
    case 0xEF, 0xBB,
      0xBF where levels.isEmpty && state == .value:
      break
    default:
      guard state == .value || state == .firstElement else { throw unexpected(byte) }
      begin(.scalar, isKey: false, isKept: true)
      keep(byte)
    }
  }

  /// - Throws: `LineProblem` if no value may stand there or it lies too deep, and what the receiver throws.
  private mutating func open(isObject: Bool) throws {
    guard state == .value || state == .firstElement else { throw unexpected(isObject ? UInt8(ascii: "{") : UInt8(ascii: "[")) }
    guard levels.count < Self.depthLimit else { throw LineProblem("lies too deep", remedy: "save the file again") }
    if isObject, path != 0, let level = levels.last, !level.isObject { try receiver.beginElement(of: path, line: line) }
    levels.append(Level(isObject: isObject, path: path))
    state = isObject ? .firstKey : .firstElement
  }

  /// - Throws: `LineProblem` if nothing of its kind is open, and what the receiver throws.
  private mutating func close(_ byte: UInt8) throws {
    let isObject = byte == UInt8(ascii: "}")
    let isFirst = state == (isObject ? .firstKey : .firstElement)
    guard let level = levels.last, level.isObject == isObject, state == .afterValue || isFirst else { throw unexpected(byte) }
    levels.removeLast()
    if isObject, level.path != 0, let outer = levels.last, !outer.isObject { try receiver.endElement(of: outer.path, line: line) }
    endValue()
  }

  private func unexpected(_ byte: UInt8) -> LineProblem {
    LineProblem("has \(quoted(String(decoding: [byte], as: UTF8.self))) where JSON has something else", remedy: "save the file again")
  }
}
