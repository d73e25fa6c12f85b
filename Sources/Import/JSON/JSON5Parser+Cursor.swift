// Walks over the bytes: places, white space, comments, scalars.

extension JSON5Parser {
  /// Whether there are no more bytes.
  package var isAtEnd: Bool { position >= bytes.count }
  /// The next byte; 0 at the end.
  package var current: UInt8 { position < bytes.count ? bytes[position] : 0 }
  /// The byte after the next one; 0 past the end.
  package var following: UInt8 { position + 1 < bytes.count ? bytes[position + 1] : 0 }

  /// Whether a value or key can start here.
  var startsValue: Bool {
    switch current {
    case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "+"), UInt8(ascii: "-"),
      UInt8(ascii: "."), UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: !isAtEnd && isIdentifierStart(scalar(at: position).scalar)
    }
  }

  /// The place of a byte. O(bytes since the last place asked for), or from the start if it lies before that.
  package mutating func location(at offset: Int) -> SourceLocation {
    if offset < mark.position { mark = (bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? min(3, offset) : 0, firstLine, 1) }
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

  /// The next character as a message shows it.
  var nextText: String { isAtEnd ? "the end of the file" : quoted(String(scalar(at: position).scalar)) }

  /// The scalar at an offset where one starts, and its length in bytes. The text is valid UTF-8.
  package func scalar(at offset: Int) -> (scalar: Unicode.Scalar, length: Int) {
    let first = bytes[offset]
    if first < 0x80 { return (Unicode.Scalar(first), 1) }
    let length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
    var value = UInt32(first) & (0x7F >> UInt32(length))
    // A text that is not UTF-8 never comes this far, but its first mistake is shown.
    for index in offset + 1..<min(offset + length, bytes.count) { value = value << 6 | UInt32(bytes[index] & 0x3F) }
    return (Unicode.Scalar(value) ?? "\u{FFFD}", min(length, bytes.count - offset))
  }

  /// Skips white space and comments.
  mutating func skipTrivia() {
    while !isAtEnd {
      switch current {
      case 0x20, 0x09...0x0D: position += 1
      case UInt8(ascii: "/") where following == UInt8(ascii: "/"):
        while !isAtEnd && lineBreakLength == 0 { position += 1 }
      case UInt8(ascii: "/") where following == UInt8(ascii: "*"): skipBlockComment()
      case 0x80...:
        let (scalar, length) = scalar(at: position)
        guard scalar == "\u{FEFF}" || scalar == "\u{2028}" || scalar == "\u{2029}" || scalar.properties.generalCategory == .spaceSeparator
        else { return }
        position += length
      default: return
      }
    }
  }

  private mutating func skipBlockComment() {
    let start = position
    position += 2
    while !isAtEnd && !(current == UInt8(ascii: "*") && following == UInt8(ascii: "/")) { position += 1 }
    guard isAtEnd else {
      position += 2
      return
    }
    fail(at: start, "/* is never closed", remedy: "add */")
    isForgiving = true
  }

  /// The bytes of the line break here: LF, CR, CR LF, U+2028 or U+2029; 0 if there is none.
  var lineBreakLength: Int {
    switch current {
    case UInt8(ascii: "\n"): isAtEnd ? 0 : 1
    case UInt8(ascii: "\r"): following == UInt8(ascii: "\n") ? 2 : 1
    case 0xE2 where position + 2 < bytes.count && bytes[position + 1] == 0x80 && bytes[position + 2] & 0xFE == 0xA8: 3
    default: 0
    }
  }

  /// Skips a quoted string without a word, to its end or the end of its line.
  mutating func skipQuoted() {
    let quote = current
    position += 1
    while !isAtEnd {
      if current == quote {
        position += 1
        return
      }
      if current == UInt8(ascii: "\n") || current == UInt8(ascii: "\r") { return }
      position += current == UInt8(ascii: "\\") ? 2 : 1
    }
    position = min(position, bytes.count)
  }

  /// Whether a bare key can start with the scalar (ECMAScript 5.1 §7.6); a backslash starts an escape.
  func isIdentifierStart(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", "$", "_", "\\": return true
    case _ where scalar.isASCII: return false
    default:
      switch scalar.properties.generalCategory {
      case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .letterNumber: return true
      default: return false
      }
    }
  }

  /// Whether a bare key can go on with the scalar.
  func isIdentifierPart(_ scalar: Unicode.Scalar) -> Bool {
    if isIdentifierStart(scalar) || ("0"..."9").contains(scalar) || scalar == "\u{200C}" || scalar == "\u{200D}" { return true }
    if scalar.isASCII { return false }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .spacingMark, .decimalNumber, .connectorPunctuation: return true
    default: return false
    }
  }

  /// The offset of the first byte that is not UTF-8 (RFC 3629: no overlong forms, no surrogates); nil if there is none.
  static func firstInvalidUTF8(_ bytes: [UInt8]) -> Int? {
    var index = 0
    while index < bytes.count {
      let first = bytes[index]
      if first < 0x80 {
        index += 1
        continue
      }
      let second = index + 1 < bytes.count ? bytes[index + 1] : 0
      let length: Int
      switch (first, second) {
      case (0xC2...0xDF, 0x80...0xBF): length = 2
      case (0xE0, 0xA0...0xBF), (0xE1...0xEC, 0x80...0xBF), (0xED, 0x80...0x9F), (0xEE...0xEF, 0x80...0xBF): length = 3
      case (0xF0, 0x90...0xBF), (0xF1...0xF3, 0x80...0xBF), (0xF4, 0x80...0x8F): length = 4
      default: return index
      }
      guard index + length <= bytes.count, bytes[index + 1..<index + length].allSatisfy({ $0 & 0xC0 == 0x80 }) else { return index }
      index += length
    }
    return nil
  }
}
