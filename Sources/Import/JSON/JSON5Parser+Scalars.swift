// Reads keys, strings, numbers and words.

extension JSON5Parser {
  /// Reads a key, quoted or bare; nil, without a report, if there is none here.
  mutating func parseKey() -> String? {
    if current == UInt8(ascii: "\"") || current == UInt8(ascii: "'") { return parseString() }
    let start = position
    while !isAtEnd, Self.isPlainWordByte(current) || (("0"..."9").contains(Unicode.Scalar(current)) && position > start) { position += 1 }
    var key = String(decoding: bytes[start..<position], as: UTF8.self)
    // Anything but plain ASCII goes the slow way.
    while !isAtEnd,
      current >= 0x80 || current == UInt8(ascii: "\\") || (position > start && Self.isPlainWordByte(current))
        || (position > start && ("0"..."9").contains(Unicode.Scalar(current)))
    {
      var (next, length) = scalar(at: position)
      if next == "\\" {
        guard following == UInt8(ascii: "u"), let escaped = hexadecimal(at: position + 2, count: 4).flatMap(Unicode.Scalar.init) else {
          fail(at: position, "a key cannot have this escape", remedy: "put the key in quotes")
          while current == UInt8(ascii: "\\") { position += 1 }
          continue
        }
        (next, length) = (escaped, 6)
      }
      guard next != "\\", key.isEmpty ? isIdentifierStart(next) : isIdentifierPart(next) else { break }
      key.unicodeScalars.append(next)
      position += length
    }
    return position > start ? key : nil
  }

  private static func isPlainWordByte(_ byte: UInt8) -> Bool {
    (byte | 0x20) >= UInt8(ascii: "a") && (byte | 0x20) <= UInt8(ascii: "z") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$")
  }

  /// Reads a string at its quote. An unfinished one is reported and ends with its line.
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

  /// Reads one escape at its backslash.
  private mutating func appendEscape(to text: inout [UInt8]) {
    let start = position
    position += 1
    if lineBreakLength > 0 {
      position += lineBreakLength
      return
    }
    // At the end of the text, the string is not closed, which will be said.
    if isAtEnd { return }
    let (escaped, length) = scalar(at: position)
    position += length
    let isBeforeDigit = ("0"..."9").contains(Unicode.Scalar(current))
    switch escaped {
    case "b": text.append(0x08)
    case "f": text.append(0x0C)
    case "n": text.append(0x0A)
    case "r": text.append(0x0D)
    case "t": text.append(0x09)
    case "v": text.append(0x0B)
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
    } else {
      fail(at: start, "this \\u is half of a surrogate pair", remedy: "write both halves, or the character itself")
    }
  }

  /// The value of `count` hexadecimal digits at an offset; nil if they are not all there.
  private func hexadecimal(at offset: Int, count: Int) -> UInt32? {
    guard offset + count <= bytes.count else { return nil }
    var value: UInt32 = 0
    for byte in bytes[offset..<offset + count] {
      guard let digit = hexadecimalDigit(byte) else { return nil }
      value = value << 4 | UInt32(digit)
    }
    return value
  }

  /// Reads a number, true, false or null; nil after a report if it is none of them.
  mutating func parseWord() -> JSON5Value.Kind? {
    let start = position
    skipWord()
    guard position > start else {
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
    if Self.isNumber(bytes[start..<position]) {
      if position - start <= Self.numberLimit { return .number(word) }
      fail(at: start, "\(shown) is a number of \(position - start) characters", remedy: "write at most 18 digits")
      return nil
    }
    let startsLikeNumber = "+-.0123456789".utf8.contains(bytes[start])
    let unpadded = word.drop { $0 == "0" }
    if startsLikeNumber, word.hasPrefix("0"), Self.isNumber(Array(unpadded.utf8)[...]) {
      fail(at: start, "\(shown) is a number with a zero in front", remedy: "write \(shortened(String(unpadded), to: 40))")
    } else if startsLikeNumber {
      fail(at: start, "\(shown) is not a number", remedy: "write a number, or put it in quotes: \(quoted(shown))")
    } else if let near = ["true", "false", "null", "Infinity", "NaN"].first(where: { $0.lowercased() == word.lowercased() }) {
      fail(at: start, "\(shown) is not a value", remedy: "write \(near)")
    } else {
      fail(at: start, "\(shown) is not a value", remedy: "put it in quotes: \(quoted(shown))")
    }
    return nil
  }

  /// Goes over everything that could be meant as one number or word, units and ranges included.
  private mutating func skipWord() {
    let start = position
    while !isAtEnd {
      let byte = current
      let isSign = byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
      if isSign {
        guard position == start || bytes[position - 1] | 0x20 == UInt8(ascii: "e") else { return }
        position += 1
      } else if Self.isPlainWordByte(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "%")
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      {
        position += 1
      } else if byte >= 0x80, case let (next, length) = scalar(at: position), isIdentifierPart(next) {
        position += length
      } else {
        return
      }
    }
  }

  /// Whether the bytes are a JSON5 number.
  private static func isNumber(_ text: ArraySlice<UInt8>) -> Bool {
    let isDigit = { (byte: UInt8) in (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
    // Nearly all numbers are whole.
    if text.first != UInt8(ascii: "0"), text.allSatisfy(isDigit) { return !text.isEmpty }
    var digits = text
    if digits.first == UInt8(ascii: "+") || digits.first == UInt8(ascii: "-") { digits.removeFirst() }
    if digits.elementsEqual("Infinity".utf8) || digits.elementsEqual("NaN".utf8) { return true }
    if digits.count > 2, digits.starts(with: "0x".utf8) || digits.starts(with: "0X".utf8) {
      return digits.dropFirst(2).allSatisfy { hexadecimalDigit($0) != nil }
    }
    let whole = digits.prefix(while: isDigit)
    if whole.count > 1 && whole.first == UInt8(ascii: "0") { return false }
    digits = digits[whole.endIndex...]
    var count = whole.count
    if digits.first == UInt8(ascii: ".") {
      let fraction = digits.dropFirst().prefix(while: isDigit)
      count += fraction.count
      digits = digits[fraction.endIndex...]
    }
    guard count > 0 else { return false }
    guard let mark = digits.first else { return true }
    guard mark | 0x20 == UInt8(ascii: "e") else { return false }
    digits.removeFirst()
    if digits.first == UInt8(ascii: "+") || digits.first == UInt8(ascii: "-") { digits.removeFirst() }
    return !digits.isEmpty && digits.allSatisfy(isDigit)
  }
}
