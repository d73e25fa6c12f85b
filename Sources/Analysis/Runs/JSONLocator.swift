// Where a value stands in a JSON text: Foundation's decoder names the key, but neither the line nor the column.

/// Walks through a JSON text (RFC 8259) without building anything of it.
package struct JSONLocator {
  /// One step into a value.
  package enum Step: Equatable {
    case key(String)
    case index(Int)
  }

  /// A place in a text, both from 1; columns in characters.
  package struct Place: Equatable {
    package let line: Int
    package let column: Int
  }

  /// The place of the value at `path`, or of the innermost value around it that exists. O(size).
  package static func position(of path: [Step], in bytes: [UInt8]) -> Place {
    var locator = JSONLocator(bytes: bytes, path: path)
    _ = locator.value(depth: 0, matched: 0)
    return locator.place(locator.found)
  }

  /// The text and the place of the number at `path`; nil where there is another value or none. O(size).
  package static func number(at path: [Step], in bytes: [UInt8]) -> (text: String, place: Place)? {
    var locator = JSONLocator(bytes: bytes, path: path)
    _ = locator.value(depth: 0, matched: 0)
    let text = bytes[locator.found...].prefix { "+-.eE0123456789".utf8.contains($0) }
    return text.isEmpty ? nil : (String(decoding: text, as: UTF8.self), locator.place(locator.found))
  }

  /// The place of the first error of syntax; nil where the text is JSON.
  static func syntaxFault(in bytes: [UInt8]) -> Place? {
    var locator = JSONLocator(bytes: bytes, path: [])
    guard locator.value(depth: 0, matched: nil) else { return locator.place(locator.index) }
    locator.skipSpace()
    return locator.index < bytes.count ? locator.place(locator.index) : nil
  }

  /// How deep values may lie in each other.
  private static let depthLimit = 100

  private let bytes: [UInt8]
  private let path: [Step]
  private var index = 0
  private var found = 0

  private init(bytes: [UInt8], path: [Step]) {
    self.bytes = bytes
    self.path = path
  }

  private func place(_ offset: Int) -> Place {
    var line = 1
    var column = 1
    for byte in bytes.prefix(offset) {
      if byte == UInt8(ascii: "\n") {
        line += 1
        column = 1
      } else if byte & 0xC0 != 0x80 {
        column += 1
      }
    }
    return Place(line: line, column: column)
  }

  private mutating func skipSpace() {
    while index < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[index]) { index += 1 }
  }

  /// Passes one value; false where it is none, with `index` at the fault. `matched` counts the path's steps that led here.
  private mutating func value(depth: Int, matched: Int?) -> Bool {
    skipSpace()
    guard index < bytes.count, depth < JSONLocator.depthLimit else { return false }
    if matched != nil { found = index }
    switch bytes[index] {
    case UInt8(ascii: "{"): return object(depth: depth, matched: matched)
    case UInt8(ascii: "["): return array(depth: depth, matched: matched)
    case UInt8(ascii: "\""): return string() != nil
    default: return scalar()
    }
  }

  private mutating func object(depth: Int, matched: Int?) -> Bool {
    index += 1
    skipSpace()
    if take("}") { return true }
    while true {
      skipSpace()
      guard let key = string() else { return false }
      skipSpace()
      guard take(":") else { return false }
      guard value(depth: depth + 1, matched: next(matched, .key(key))) else { return false }
      skipSpace()
      if take("}") { return true }
      guard take(",") else { return false }
    }
  }

  private mutating func array(depth: Int, matched: Int?) -> Bool {
    index += 1
    skipSpace()
    if take("]") { return true }
    var position = 0
    while true {
      guard value(depth: depth + 1, matched: next(matched, .index(position))) else { return false }
      position += 1
      skipSpace()
      if take("]") { return true }
      guard take(",") else { return false }
    }
  }

  private func next(_ matched: Int?, _ step: Step) -> Int? {
    guard let matched, matched < path.count, path[matched] == step else { return nil }
    return matched + 1
  }

  /// Passes a string and returns it, escapes left as they are; nil where there is none.
  private mutating func string() -> String? {
    guard take("\"") else { return nil }
    let start = index
    while index < bytes.count, bytes[index] >= 0x20 {
      if bytes[index] == UInt8(ascii: "\"") {
        index += 1
        return String(decoding: bytes[start..<(index - 1)], as: UTF8.self)
      }
      index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    index = min(index, bytes.count)
    return nil
  }

  private mutating func scalar() -> Bool {
    let start = index
    while index < bytes.count, ![0x20, 0x09, 0x0A, 0x0D, 0x2C, 0x5D, 0x7D].contains(bytes[index]) { index += 1 }
    let text = bytes[start..<index]
    if [Array("true".utf8), Array("false".utf8), Array("null".utf8)].contains(Array(text)) { return true }
    let isNumber = text.first.map { $0 == UInt8(ascii: "-") || (0x30...0x39).contains($0) } ?? false
    if isNumber, RunReader.number(text) != nil { return true }
    index = start
    return false
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard index < bytes.count, bytes[index] == UInt8(ascii: character) else { return false }
    index += 1
    return true
  }
}
