// Decimal fractions without rounding: 0.1 added ten times is 1, and "1.5MB" is a whole number of bytes.

/// A decimal number, coefficient × 10^−scale, in normal form: a fraction does not end with a zero.
package struct ExactDecimal: Hashable, Sendable, Comparable, CustomStringConvertible {
  package enum ParseError: Error, Hashable {
    case notANumber
    case notFinite
    /// More than 18 decimals, or more digits than an Int64 holds.
    case outOfRange
  }

  static let scaleLimit = 18

  package let coefficient: Int64
  /// The number of decimals, 0 ... `scaleLimit`.
  package let scale: Int

  package init(_ whole: Int64) { (coefficient, scale) = (whole, 0) }

  /// Creates coefficient × 10^−scale in normal form; nil if it does not fit.
  package init?(coefficient: Int128, scale: Int) {
    var (digits, decimals) = (coefficient, scale)
    while decimals > 0 && digits % 10 == 0 { (digits, decimals) = (digits / 10, decimals - 1) }
    guard (0...Self.scaleLimit).contains(decimals), let small = Int64(exactly: digits) else { return nil }
    (self.coefficient, self.scale) = (small, decimals)
  }

  /// The number as an integer; nil if it has a fraction.
  package var whole: Int64? { scale == 0 ? coefficient : nil }
  package var double: Double { Double(description) ?? .nan }

  /// Returns the product; nil if it does not fit.
  package func multiplied(by other: ExactDecimal) -> ExactDecimal? {
    ExactDecimal(coefficient: Int128(coefficient) * Int128(other.coefficient), scale: scale + other.scale)
  }

  /// Returns the quotient by a positive number; nil if it has no finite decimals or does not fit.
  package func divided(by divisor: Int64) -> ExactDecimal? {
    var (remainder, decimals) = (Int128(coefficient), scale)
    while remainder % Int128(divisor) != 0 {
      decimals += 1
      guard decimals <= Self.scaleLimit else { return nil }
      remainder *= 10
    }
    return ExactDecimal(coefficient: remainder / Int128(divisor), scale: decimals)
  }

  /// Returns the number × 10^decimals, for at least `scale` and at most `scaleLimit` decimals.
  package func scaled(to decimals: Int) -> Int128 { Int128(coefficient) * Self.power(of10: decimals - scale) }

  /// Returns the shortest plain spelling of `value` × 10^−`decimals`, for at most `scaleLimit` decimals.
  package static func text(_ value: Int64, decimals: Int) -> String {
    ExactDecimal(coefficient: Int128(value), scale: decimals)?.description ?? ""
  }

  /// Returns 10^exponent, for exponents 0 ... 36.
  package static func power(of10 exponent: Int) -> Int128 { (0..<exponent).reduce(1) { power, _ in power * 10 } }

  package static func < (left: ExactDecimal, right: ExactDecimal) -> Bool {
    let decimals = max(left.scale, right.scale)
    return left.scaled(to: decimals) < right.scaled(to: decimals)
  }

  /// The shortest plain spelling, without exponent: "2", "-0.5".
  package var description: String {
    guard scale > 0 else { return String(coefficient) }
    let digits = String(coefficient.magnitude)
    let padded = String(repeating: "0", count: max(0, scale + 1 - digits.count)) + digits
    return (coefficient < 0 ? "-" : "") + padded.dropLast(scale) + "." + padded.suffix(scale)
  }

  /// Reads a number in JSON5 syntax: sign, hexadecimal, leading or trailing point, exponent. O(length).
  /// With `truncating`, digits after 18 decimals or 18 significant digits are dropped instead of refused, for imported files.
  /// - Throws: `ParseError` if the text is no number, or one with too many digits.
  package init(json5 text: some StringProtocol, truncating: Bool = false) throws(ParseError) {
    // Nearly all numbers are short and whole.
    if text.utf8.count <= 18, let whole = Int64(text) {
      self.init(whole)
    } else {
      try self.init(utf8: Array(text.utf8)[...], truncating: truncating)
    }
  }

  /// - Throws: `ParseError` if the text is no number, or one with too many digits.
  private init(utf8 text: ArraySlice<UInt8>, truncating: Bool) throws(ParseError) {
    var digits = text
    let isNegative = Self.removeSign(&digits)
    if digits.elementsEqual("Infinity".utf8) || digits.elementsEqual("NaN".utf8) { throw .notFinite }
    guard digits.starts(with: "0x".utf8) || digits.starts(with: "0X".utf8) else {
      try self.init(decimal: digits, isNegative: isNegative, truncating: truncating)
      return
    }
    digits.removeFirst(2)
    guard !digits.isEmpty, digits.allSatisfy({ hexadecimalDigit($0) != nil }) else { throw .notANumber }
    guard let magnitude = UInt64(String(decoding: digits, as: UTF8.self), radix: 16),
      let value = ExactDecimal(coefficient: isNegative ? -Int128(magnitude) : Int128(magnitude), scale: 0)
    else { throw .outOfRange }
    self = value
  }

  private static func removeSign(_ digits: inout ArraySlice<UInt8>) -> Bool {
    let isNegative = digits.first == UInt8(ascii: "-")
    if isNegative || digits.first == UInt8(ascii: "+") { digits.removeFirst() }
    return isNegative
  }

  /// - Throws: `ParseError` if the text is no number, or one with too many digits.
  private init(decimal text: ArraySlice<UInt8>, isNegative: Bool, truncating: Bool) throws(ParseError) {
    // 30 digits fit an Int128. Further digits are only counted.
    var (coefficient, decimals, significant, digitCount) = (Int128(0), 0, 0, 0)
    var (hasPoint, isTooLong, index) = (false, false, text.startIndex)
    scan: while index < text.endIndex {
      switch text[index] {
      case UInt8(ascii: ".") where !hasPoint: hasPoint = true
      case UInt8(ascii: "0")...UInt8(ascii: "9"):
        let digit = Int128(text[index] - UInt8(ascii: "0"))
        digitCount += 1
        if significant > 0 || digit > 0 { significant += 1 }
        if significant <= 30 {
          coefficient = coefficient * 10 + digit
          decimals += hasPoint ? 1 : 0
        } else if !hasPoint || (digit > 0 && !truncating) {
          isTooLong = true
        }
      default: break scan
      }
      index += 1
    }
    guard digitCount > 0 else { throw .notANumber }
    decimals -= try Self.exponent(text[index...])
    if isTooLong { throw .outOfRange }
    self = try Self.normal(isNegative ? -coefficient : coefficient, decimals: decimals, truncating: truncating)
  }

  /// Returns the exponent of "e3" or "E-2", limited to ±1000; 0 for an empty text.
  /// - Throws: `ParseError` if there are no digits behind the e.
  private static func exponent(_ text: ArraySlice<UInt8>) throws(ParseError) -> Int {
    guard let mark = text.first else { return 0 }
    var digits = text.dropFirst()
    let isNegative = removeSign(&digits)
    guard mark == UInt8(ascii: "e") || mark == UInt8(ascii: "E"), !digits.isEmpty else { throw .notANumber }
    var value = 0
    for byte in digits {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { throw .notANumber }
      value = min(1000, value * 10 + Int(byte - UInt8(ascii: "0")))
    }
    return isNegative ? -value : value
  }

  /// - Throws: `ParseError` if the number has more than 18 digits.
  private static func normal(_ coefficient: Int128, decimals: Int, truncating: Bool) throws(ParseError) -> ExactDecimal {
    if coefficient == 0 { return ExactDecimal(0) }
    var (digits, decimals) = (coefficient, decimals)
    if decimals < 0 {
      guard decimals >= -18, digits.magnitude < 1_000_000_000_000_000_000 else { throw .outOfRange }
      (digits, decimals) = (digits * power(of10: -decimals), 0)
    }
    if truncating {
      while decimals > 0 && (decimals > scaleLimit || digits.magnitude >= 1_000_000_000_000_000_000) {
        (digits, decimals) = (digits / 10, decimals - 1)
      }
    }
    guard let value = ExactDecimal(coefficient: digits, scale: decimals) else { throw .outOfRange }
    return value
  }
}

func hexadecimalDigit(_ byte: UInt8) -> UInt8? { Character(Unicode.Scalar(byte)).hexDigitValue.map(UInt8.init) }
