// Parses keys, strings, numbers and words, and skips white space and comments.

extension JSON5Parser {
  /// Parses a key, quoted or bare; returns nil, without a report, if there is none here.
  mutating func parseKey() -> String? {
    if current == UInt8(ascii: "\"") || current == UInt8(ascii: "'") { return parseString() }
    let start = position
    while Self.isWordByte(current), position > start || !Self.isDigit(current) { position += 1 }
    var key = String(decoding: bytes[start..<position], as: UTF8.self)
    // Keys with other characters than ASCII letters and digits take this slower path.
    while !isAtEnd {
      var (next, length) = scalar(at: position)
      if next == "\\" {
        guard following == UInt8(ascii: "u"), let escaped = hexadecimal(at: position + 2, count: 4).flatMap(Unicode.Scalar.init) else {
          fail(at: position, "a key cannot have this escape", remedy: "put the key in quotes")
          while current == UInt8(ascii: "\\") { position += 1 }
          continue
        }
        (next, length) = (escaped, 6)
      }
      guard key.isEmpty ? isIdentifierStart(next) : isIdentifierPart(next) else { break }
      key.unicodeScalars.append(next)
      position += length
    }
    return position > start ? key : nil
  }

  static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  /// True for the bytes of a path such as `prefetcher.maxCost`.
  static func isPathByte(_ byte: UInt8) -> Bool { isWordByte(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-") }

  private static func isWordByte(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || isDigit(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$")
  }

  /// Parses a string at its quote. An unfinished string is reported and ends with its line.
  mutating func parseString() -> String {
    let open = position
    let quote = current
    position += 1
    var runStart = position
    var text: [UInt8] = []
    while !isAtEnd, current != quote, current != UInt8(ascii: "\n"), current != UInt8(ascii: "\r") {
      if current != UInt8(ascii: "\\") {
        position += 1
        continue
      }
      text.append(contentsOf: bytes[runStart..<position])
      appendEscape(to: &text)
      runStart = position
    }
    text.append(contentsOf: bytes[runStart..<position])
    if !isAtEnd && current == quote {
      position += 1
    } else {
      fail(at: open, "the string is not closed in its line", remedy: "add \(Character(Unicode.Scalar(quote))) at its end")
      isForgiving = true
    }
    return String(decoding: text, as: UTF8.self)
  }

  private static let escapes: [Unicode.Scalar: UInt8] = ["b": 0x08, "f": 0x0C, "n": 0x0A, "r": 0x0D, "t": 0x09, "v": 0x0B]

  /// Parses one escape at its backslash.
  private mutating func appendEscape(to text: inout [UInt8]) {
    let start = position
    position += 1
    if lineBreakLength > 0 {
      position += lineBreakLength
      return
    }
    // The caller reports the unclosed string.
    if isAtEnd { return }
    let (escaped, length) = scalar(at: position)
    position += length
    let isBeforeDigit = Self.isDigit(current)
    if let byte = Self.escapes[escaped] { return text.append(byte) }
    switch escaped {
    case "0" where !isBeforeDigit: text.append(0x00)
    case "0"..."9": fail(at: start, "\\\(escaped) is not an escape", remedy: "write \\x and two digits, or the character itself")
    case "x":
      guard let value = hexadecimal(at: position, count: 2), let scalar = Unicode.Scalar(value) else {
        return fail(at: start, "\\x needs two hexadecimal digits", remedy: "write them, or \\\\x for a backslash and an x")
      }
      text.append(contentsOf: String(scalar).utf8)
      position += 2
    case "u": appendUnicodeEscape(at: start, to: &text)
    default: text.append(contentsOf: String(escaped).utf8)
    }
  }

  private mutating func appendUnicodeEscape(at start: Int, to text: inout [UInt8]) {
    guard let value = hexadecimal(at: position, count: 4) else {
      return fail(at: start, "\\u needs four hexadecimal digits", remedy: "write them, or \\\\u for a backslash and a u")
    }
    position += 4
    if let scalar = Unicode.Scalar(value) {
      text.append(contentsOf: String(scalar).utf8)
    } else if value < 0xDC00, current == UInt8(ascii: "\\"), following == UInt8(ascii: "u"),
      let low = hexadecimal(at: position + 2, count: 4), (0xDC00...0xDFFF).contains(low),
      let scalar = Unicode.Scalar(0x10000 + (value - 0xD800) << 10 + (low - 0xDC00))
    {
      text.append(contentsOf: String(scalar).utf8)
      position += 6
    } else if allowsHalfPairs {
      text.append(contentsOf: "\u{FFFD}".utf8)
    } else {
      fail(at: start, "this \\u is half of a surrogate pair", remedy: "write both halves, or the character itself")
    }
  }

  /// Returns the value of `count` hexadecimal digits at an offset; nil if there are fewer.
  private func hexadecimal(at offset: Int, count: Int) -> UInt32? {
    guard offset + count <= bytes.count else { return nil }
    var value: UInt32 = 0
    for byte in bytes[offset..<offset + count] {
      guard let digit = hexadecimalDigit(byte) else { return nil }
      value = value << 4 | UInt32(digit)
    }
    return value
  }

  /// Parses a number, true, false or null; returns nil after a report for anything else.
  mutating func parseWord() -> JSON5Value.Kind? {
    let start = position
    skipWord()
    guard position > start else {
      if "“”„‘’".unicodeScalars.contains(isAtEnd ? " " : scalar(at: start).scalar) {
        fail(at: start, "\(nextText) is a typographic quote", remedy: "write straight quotes: \"…\"")
        position += scalar(at: start).length
        return nil
      }
      fail(
        at: start, "a value cannot start with \(nextText)", remedy: "write a number, a string in quotes, true, false, null, [ … ] or { … }")
      if !isAtEnd && !",]}".utf8.contains(current) { position += scalar(at: start).length }
      return nil
    }
    let word = String(decoding: bytes[start..<position], as: UTF8.self)
    switch word {
    case "true": return .boolean(true)
    case "false": return .boolean(false)
    case "null": return .null
    default: break
    }
    let shown = shortened(word, to: 40)
    let digits = word.drop { $0 == "+" || $0 == "-" }.utf8
    let isPadded = digits.first == UInt8(ascii: "0") && digits.dropFirst().first.map(Self.isDigit) ?? false
    if !isPadded, Self.isNumber(word) {
      if position - start <= Self.numberLimit { return .number(word) }
      fail(at: start, "\(shown) is a number of \(position - start) characters", remedy: "write at most 18 digits")
      return nil
    }
    let startsLikeNumber = "+-.0123456789".utf8.contains(bytes[start])
    let unpadded = String(word.drop { $0 == "0" })
    if isPadded, word.hasPrefix("0"), Self.isNumber(unpadded) {
      fail(at: start, "\(shown) is a number with a zero in front", remedy: "write \(shortened(unpadded, to: 40))")
    } else if startsLikeNumber {
      return bareWord(word, at: start, "\(shown) is not a number", remedy: "write a number, or put it in quotes: \(quoted(shown))")
    } else if let near = ["true", "false", "null", "Infinity", "NaN"].first(where: { $0.lowercased() == word.lowercased() }) {
      fail(at: start, "\(shown) is not a value", remedy: "write \(near)")
    } else if ["None", "nil", "undefined"].contains(word) {
      fail(at: start, "\(shown) is not a value", remedy: "write null")
    } else {
      return bareWord(word, at: start, "\(shown) is not a value", remedy: "put it in quotes: \(quoted(shown))")
    }
    return nil
  }

  /// Reports a word without quotes; returns it as a string where such words are read.
  private mutating func bareWord(_ word: String, at start: Int, _ problem: String, remedy: String) -> JSON5Value.Kind? {
    guard readsBareWords else {
      fail(at: start, problem, remedy: remedy)
      return nil
    }
    warn(at: location(at: start), problem, remedy: remedy)
    return .string(word)
  }

  /// Goes over everything that could be meant as one number or word, units and ranges included.
  private mutating func skipWord() {
    let start = position
    while !isAtEnd {
      let byte = current
      if byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") {
        guard position == start || bytes[position - 1] | 0x20 == UInt8(ascii: "e") else { return }
        position += 1
      } else if Self.isWordByte(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "%") {
        position += 1
      } else if byte >= 0x80, case let (next, length) = scalar(at: position), isIdentifierPart(next) {
        position += length
      } else {
        return
      }
    }
  }

  /// Returns true if a text is a number, even if it is not finite or has too many digits.
  private static func isNumber(_ text: String) -> Bool {
    do {
      _ = try ExactDecimal(json5: text)
      return true
    } catch { return error != .notANumber }
  }

  // MARK: Bytes

  var isAtEnd: Bool { position >= bytes.count }
  /// The next byte; 0 at the end.
  var current: UInt8 { position < bytes.count ? bytes[position] : 0 }
  /// The byte after the next one; 0 past the end.
  var following: UInt8 { position + 1 < bytes.count ? bytes[position + 1] : 0 }

  /// True if a value or key can start here.
  var startsValue: Bool { !isAtEnd && ("{[\"'+-.\\0123456789".utf8.contains(current) || isIdentifierStart(scalar(at: position).scalar)) }

  var nextText: String { isAtEnd ? "the end of the file" : quoted(String(scalar(at: position).scalar)) }

  /// The next word, or the text of the next string, for messages.
  var nextWord: String {
    let quote = current
    let isString = quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'")
    let word = bytes[min(position + (isString ? 1 : 0), bytes.count)...].prefix {
      isString ? $0 != quote && $0 != UInt8(ascii: "\n") : Self.isPathByte($0)
    }
    return word.isEmpty ? nextText : quoted(String(decoding: word, as: UTF8.self))
  }

  /// Returns the scalar at an offset, and its length in bytes. The text is valid UTF-8.
  func scalar(at offset: Int) -> (scalar: Unicode.Scalar, length: Int) {
    let first = bytes[offset]
    if first < 0x80 { return (Unicode.Scalar(first), 1) }
    let length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
    var value = UInt32(first) & (0x7F >> UInt32(length))
    // Invalid UTF-8 is refused before parsing, but its first bad byte is shown in a message.
    for index in offset + 1..<min(offset + length, bytes.count) { value = value << 6 | UInt32(bytes[index] & 0x3F) }
    return (Unicode.Scalar(value) ?? "\u{FFFD}", min(length, bytes.count - offset))
  }

  mutating func skipTrivia() {
    while !isAtEnd {
      switch current {
      case 0x20, 0x09...0x0D: position += 1
      case UInt8(ascii: "/") where following == UInt8(ascii: "/"):
        while !isAtEnd && lineBreakLength == 0 { position += 1 }
      case UInt8(ascii: "/") where following == UInt8(ascii: "*"): skipBlockComment()
      case UInt8(ascii: "#"):
        fail(at: position, "a comment cannot start with \"#\"", remedy: "write //")
        while !isAtEnd && lineBreakLength == 0 { position += 1 }
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
    if isAtEnd {
      fail(at: start, "/* is never closed", remedy: "add */")
      isForgiving = true
    }
    position = min(position + 2, bytes.count)
  }

  /// The length of the line break here (LF, CR, CR LF, U+2028 or U+2029) in bytes; 0 if there is none.
  var lineBreakLength: Int {
    switch current {
    case UInt8(ascii: "\n"): isAtEnd ? 0 : 1
    case UInt8(ascii: "\r"): following == UInt8(ascii: "\n") ? 2 : 1
    case 0xE2 where position + 2 < bytes.count && bytes[position + 1] == 0x80 && bytes[position + 2] & 0xFE == 0xA8: 3
    default: 0
    }
  }

  /// Skips a quoted string without reports, to its end or the end of its line.
  mutating func skipQuoted() {
    let quote = current
    position += 1
    while !isAtEnd, current != quote, current != UInt8(ascii: "\n"), current != UInt8(ascii: "\r") {
      position += current == UInt8(ascii: "\\") ? 2 : 1
    }
    position = min(position + (current == quote ? 1 : 0), bytes.count)
  }

  func isIdentifierStart(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isIDStart || scalar == "$" || scalar == "_" }

  /// Returns true if a bare key can continue with the scalar.
  func isIdentifierPart(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isIDContinue || scalar == "$" || scalar == "\u{200C}" || scalar == "\u{200D}"
  }

  /// Returns the offset of the first byte that is not UTF-8; nil if all are.
  /// Source: RFC 3629 (no overlong forms, no surrogates).
  static func firstInvalidUTF8(_ bytes: [UInt8]) -> Int? {
    if String(validating: bytes, as: UTF8.self) != nil { return nil }
    var (decoder, rest, offset) = (Unicode.UTF8.ForwardParser(), bytes.makeIterator(), 0)
    while case .valid(let scalar) = decoder.parseScalar(from: &rest) { offset += scalar.count }
    return offset
  }
}
