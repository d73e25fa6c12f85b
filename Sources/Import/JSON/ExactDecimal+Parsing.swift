// Reads decimal numbers in every spelling that JSON5 knows.

extension ExactDecimal {
  /// A number as JSON5 writes it: sign, hexadecimal, leading or trailing point, exponent. O(length).
  ///
  /// With `cutting`, digits past the eighteenth place or the eighteenth significant digit are cut instead of refused; that
  /// is for imported files, whose programs print more digits than they know.
  /// - Throws: `ParseError` if the text is no number, or one with too many digits.
  package init(json5 text: some StringProtocol, cutting: Bool = false) throws(ParseError) {
    // Nearly all numbers are short and whole.
    if text.utf8.count <= 18, let whole = Int64(text) {
      self.init(whole)
    } else {
      try self.init(utf8: Array(text.utf8)[...], cutting: cutting)
    }
  }

  /// The same from bytes.
  /// - Throws: `ParseError` if the text is no number, or one with too many digits.
  package init(utf8 text: ArraySlice<UInt8>, cutting: Bool = false) throws(ParseError) {
    var digits = text
    let isNegative = digits.first == UInt8(ascii: "-")
    if isNegative || digits.first == UInt8(ascii: "+") { digits.removeFirst() }
    guard let first = digits.first else { throw .notANumber }
    if first == UInt8(ascii: "I") || first == UInt8(ascii: "N") {
      let isNumber = digits.elementsEqual("Infinity".utf8) || digits.elementsEqual("NaN".utf8)
      throw isNumber ? .notFinite : .notANumber
    }
    let second = digits.dropFirst().first
    if first == UInt8(ascii: "0") && (second == UInt8(ascii: "x") || second == UInt8(ascii: "X")) {
      try self.init(hexadecimal: digits.dropFirst(2), isNegative: isNegative)
    } else {
      try self.init(decimal: digits, isNegative: isNegative, cutting: cutting)
    }
  }

  /// - Throws: `ParseError` if the text is no number, or one with too many digits.
  private init(hexadecimal digits: ArraySlice<UInt8>, isNegative: Bool) throws(ParseError) {
    guard !digits.isEmpty, digits.allSatisfy({ hexadecimalDigit($0) != nil }) else { throw .notANumber }
    guard let magnitude = UInt64(String(decoding: digits, as: UTF8.self), radix: 16),
      let value = ExactDecimal(coefficient: isNegative ? -Int128(magnitude) : Int128(magnitude), scale: 0)
    else { throw .outOfRange }
    self = value
  }

  /// - Throws: `ParseError` if the text is no number, or one with too many digits.
  private init(decimal text: ArraySlice<UInt8>, isNegative: Bool, cutting: Bool) throws(ParseError) {
    // Thirty digits fit Int128 with room to spare; more than the kept ones are only counted.
    var (coefficient, places, significant, digitCount) = (Int128(0), 0, 0, 0)
    var (hasPoint, index) = (false, text.startIndex)
    scan: while index < text.endIndex {
      switch text[index] {
      case UInt8(ascii: ".") where !hasPoint: hasPoint = true
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        let digit = Int128(text[index] - UInt8(ascii: "0"))
        digitCount += 1
        if significant > 0 || digit > 0 { significant += 1 }
        if significant <= 30 {
          coefficient = coefficient * 10 + digit
          places += hasPoint ? 1 : 0
        } else if !hasPoint || (digit > 0 && !cutting) {
          throw .outOfRange
        }
      default: break scan
      }
      index += 1
    }
    guard digitCount > 0 else { throw .notANumber }
    places -= try Self.exponent(text[index...])
    if isNegative { coefficient = -coefficient }
    self = try Self.normal(coefficient, places: places, cutting: cutting)
  }

  /// The value of "e3", "E-2" or nothing, held within ±1000.
  /// - Throws: `ParseError` if there are no digits behind the e.
  private static func exponent(_ text: ArraySlice<UInt8>) throws(ParseError) -> Int {
    guard let mark = text.first else { return 0 }
    var digits = text.dropFirst()
    let isNegative = digits.first == UInt8(ascii: "-")
    if isNegative || digits.first == UInt8(ascii: "+") { digits.removeFirst() }
    guard mark == UInt8(ascii: "e") || mark == UInt8(ascii: "E"), !digits.isEmpty else { throw .notANumber }
    var value = 0
    for byte in digits {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { throw .notANumber }
      value = min(1000, value * 10 + Int(byte - UInt8(ascii: "0")))
    }
    return isNegative ? -value : value
  }

  /// - Throws: `ParseError` if the number has more than 18 digits.
  private static func normal(_ coefficient: Int128, places: Int, cutting: Bool) throws(ParseError) -> ExactDecimal {
    if coefficient == 0 { return ExactDecimal(0) }
    var (digits, places) = (coefficient, places)
    if places < 0 {
      guard places >= -18, digits.magnitude < 1_000_000_000_000_000_000 else { throw .outOfRange }
      (digits, places) = (digits * power(of10: -places), 0)
    }
    while places > 0 && digits % 10 == 0 { (digits, places) = (digits / 10, places - 1) }
    if cutting {
      while places > 0 && (places > scaleLimit || digits.magnitude >= 1_000_000_000_000_000_000) {
        (digits, places) = (digits / 10, places - 1)
      }
    }
    guard let value = ExactDecimal(coefficient: digits, scale: places) else { throw .outOfRange }
    return value
  }
}

/// The value of a hexadecimal digit; nil if it is none.
func hexadecimalDigit(_ byte: UInt8) -> UInt8? {
  switch byte {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
  case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
  case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
  default: nil
  }
}
