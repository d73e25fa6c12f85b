// Reads an XML property list as a JSON5 value with locations. Source: the DTD PropertyList-1.0.

import Base

struct PropertyListReader {
  private struct Tag {
    var name: String
    var isEnd = false, isEmpty = false
    var location: SourceLocation
  }

  private static let depthLimit = 100

  private let bytes: [UInt8]
  private var position = 0
  private var location: SourceLocation

  init(_ file: InputFile) { (bytes, location) = (file.bytes, file.start) }

  /// - Throws: `InvalidInput` at the first mistake.
  mutating func read() throws(InvalidInput) -> JSON5Value {
    var tag = try next()
    if tag.name == "plist" { tag = try next() }
    return try value(tag, depth: 0)
  }

  private static func problem(_ location: SourceLocation, _ problem: String, _ remedy: String) -> InvalidInput {
    InvalidInput(at: location, key: "", problem: problem, remedy: remedy)
  }

  /// Advances to a byte, or to the end, and returns the text before it.
  private mutating func text(to stop: UInt8) -> String {
    let start = position
    while position < bytes.count, bytes[position] != stop {
      if bytes[position] == UInt8(ascii: "\n") {
        (location.line, location.column) = (location.line + 1, 1)
      } else if bytes[position] & 0xC0 != 0x80 {
        location.column += 1
      }
      position += 1
    }
    return String(decoding: bytes[start..<position], as: UTF8.self)
  }

  /// Returns the next tag after text, comments and declarations.
  /// - Throws: `InvalidInput` if there is none.
  private mutating func next() throws(InvalidInput) -> Tag {
    while true {
      _ = text(to: UInt8(ascii: "<"))
      let start = location
      guard position < bytes.count else { throw Self.problem(start, "the property list ends early", "restore its end") }
      if bytes[position...].starts(with: "<!--".utf8) {
        while position < bytes.count, !bytes[position...].starts(with: "-->".utf8) { step() }
        continue
      }
      var inside = text(to: UInt8(ascii: ">")).dropFirst()
      step()
      if inside.hasPrefix("?") || inside.hasPrefix("!") { continue }
      var tag = Tag(name: "", location: start)
      if inside.hasPrefix("/") { (tag.isEnd, inside) = (true, inside.dropFirst()) }
      if inside.hasSuffix("/") { (tag.isEmpty, inside) = (true, inside.dropLast()) }
      tag.name = String(inside.prefix { !" \t\r\n".contains($0) })
      return tag
    }
  }

  private mutating func step() {
    if position < bytes.count { (position, location.column) = (position + 1, location.column + 1) }
    _ = text(to: position < bytes.count ? bytes[position] : 0)
  }

  /// - Throws: `InvalidInput` if the value is malformed.
  private mutating func value(_ tag: Tag, depth: Int) throws(InvalidInput) -> JSON5Value {
    guard depth < Self.depthLimit else { throw Self.problem(tag.location, "lists are nested deeper than \(Self.depthLimit)", "nest less") }
    let kind: JSON5Value.Kind
    switch tag.name {
    case _ where tag.isEnd: throw Self.problem(tag.location, "</\(SafeText.excerpt(tag.name))> closes nothing", "remove it")
    case "true", "false":
      if !tag.isEmpty { _ = try content(tag) }
      kind = .boolean(tag.name == "true")
    case "dict": kind = .object(tag.isEmpty ? [] : try members(depth))
    case "array":
      var elements: [JSON5Value] = []
      while !tag.isEmpty, case let next = try next(), !(next.isEnd && next.name == "array") {
        elements.append(try value(next, depth: depth + 1))
      }
      kind = .array(elements)
    case "integer", "real": kind = .number(trimmingSpaces(try content(tag)))
    case "string", "date", "data": kind = .string(try content(tag))
    default:
      throw Self.problem(
        tag.location, "<\(SafeText.excerpt(tag.name))> is no value of a property list",
        "write dict, array, string, integer, real, true or false")
    }
    return JSON5Value(kind: kind, location: tag.location)
  }

  /// - Throws: `InvalidInput` if a member is malformed.
  private mutating func members(_ depth: Int) throws(InvalidInput) -> [JSON5Member] {
    var members: [JSON5Member] = []
    while case let tag = try next(), !(tag.isEnd && tag.name == "dict") {
      guard tag.name == "key", !tag.isEnd else {
        throw Self.problem(tag.location, "has a value without a key", "write <key>…</key> before it")
      }
      let key = try content(tag)
      members.append(JSON5Member(key: key, keyLocation: tag.location, value: try value(try next(), depth: depth + 1)))
    }
    return members
  }

  /// Returns the text up to a tag's end.
  /// - Throws: `InvalidInput` if another tag is inside.
  private mutating func content(_ tag: Tag) throws(InvalidInput) -> String {
    if tag.isEmpty { return "" }
    let text = text(to: UInt8(ascii: "<"))
    let end = try next()
    guard end.isEnd, end.name == tag.name else {
      throw Self.problem(end.location, "<\(SafeText.excerpt(tag.name))> is not closed", "write </\(SafeText.excerpt(tag.name))>")
    }
    return [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")].reduce(text) { $0.replacing($1.0, with: $1.1) }
  }
}
