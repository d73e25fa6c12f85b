// Decimal fractions without rounding, so that 0.1 added ten times is 1 and "1.5MB" is a whole number of bytes.

/// A decimal number, coefficient × 10^−scale, in its one normal form: no zero at the end of a fraction.
package struct ExactDecimal: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// Why a text is not such a number.
  package enum ParseError: Error, Hashable {
    case notANumber
    case notFinite
    /// More than 18 places, or more than an Int64 without its point.
    case outOfRange
  }

  static let scaleLimit = 18

  package let coefficient: Int64
  /// The number of decimal places, 0 ... `scaleLimit`.
  package let scale: Int

  /// A whole number.
  package init(_ whole: Int64) { (coefficient, scale) = (whole, 0) }

  /// coefficient × 10^−scale, brought to normal form; nil where it does not fit.
  package init?(coefficient: Int128, scale: Int) {
    var (digits, places) = (coefficient, scale)
    while places > 0 && digits % 10 == 0 { (digits, places) = (digits / 10, places - 1) }
    guard (0...Self.scaleLimit).contains(places), let small = Int64(exactly: digits) else { return nil }
    (self.coefficient, self.scale) = (small, places)
  }

  /// The number as a whole one; nil if it has a fraction.
  package var whole: Int64? { scale == 0 ? coefficient : nil }
  /// The nearest Double.
  package var double: Double { Double(description) ?? .nan }

  /// The product; nil where it does not fit.
  package func multiplied(by other: ExactDecimal) -> ExactDecimal? {
    ExactDecimal(coefficient: Int128(coefficient) * Int128(other.coefficient), scale: scale + other.scale)
  }

  /// The quotient by a positive number; nil where it has no end or does not fit.
  package func divided(by divisor: Int64) -> ExactDecimal? {
    var (remainder, places) = (Int128(coefficient), scale)
    while remainder % Int128(divisor) != 0 {
      places += 1
      guard places <= Self.scaleLimit else { return nil }
      remainder *= 10
    }
    return ExactDecimal(coefficient: remainder / Int128(divisor), scale: places)
  }

  /// The number × 10^places, for at least `scale` and at most `scaleLimit` places.
  package func widened(to places: Int) -> Int128 { Int128(coefficient) * Self.power(of10: places - scale) }

  /// The shortest plain spelling of `value` × 10^−`places`, for at most `scaleLimit` places.
  static func text(_ value: Int64, places: Int) -> String { ExactDecimal(coefficient: Int128(value), scale: places)?.description ?? "" }

  /// 10^exponent, for 0 ... 36.
  package static func power(of10 exponent: Int) -> Int128 {
    (0..<exponent).reduce(1) { power, _ in power * 10 }
  }

  package static func < (left: ExactDecimal, right: ExactDecimal) -> Bool {
    let places = max(left.scale, right.scale)
    return left.widened(to: places) < right.widened(to: places)
  }

  /// The shortest plain spelling: "2", "-0.5"; no exponent.
  package var description: String {
    guard scale > 0 else { return String(coefficient) }
    let digits = String(coefficient.magnitude)
    let padded = String(repeating: "0", count: max(0, scale + 1 - digits.count)) + digits
    return (coefficient < 0 ? "-" : "") + padded.dropLast(scale) + "." + padded.suffix(scale)
  }
}

// MARK: Parsing

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

  /// - Throws: `ParseError` if the text is no number, or one with too many digits.
  private init(utf8 text: ArraySlice<UInt8>, cutting: Bool) throws(ParseError) {
    var digits = text
    let isNegative = Self.takeSign(&digits)
    if digits.elementsEqual("Infinity".utf8) || digits.elementsEqual("NaN".utf8) { throw .notFinite }
    guard digits.starts(with: "0x".utf8) || digits.starts(with: "0X".utf8) else {
      try self.init(decimal: digits, isNegative: isNegative, cutting: cutting)
      return
    }
    digits.removeFirst(2)
    guard !digits.isEmpty, digits.allSatisfy({ hexadecimalDigit($0) != nil }) else { throw .notANumber }
    guard let magnitude = UInt64(String(decoding: digits, as: UTF8.self), radix: 16),
      let value = ExactDecimal(coefficient: isNegative ? -Int128(magnitude) : Int128(magnitude), scale: 0)
    else { throw .outOfRange }
    self = value
  }

  /// Removes a sign; true if it is a minus.
  private static func takeSign(_ digits: inout ArraySlice<UInt8>) -> Bool {
    let isNegative = digits.first == UInt8(ascii: "-")
    if isNegative || digits.first == UInt8(ascii: "+") { digits.removeFirst() }
    return isNegative
  }

  /// - Throws: `ParseError` if the text is no number, or one with too many digits.
  private init(decimal text: ArraySlice<UInt8>, isNegative: Bool, cutting: Bool) throws(ParseError) {
    // Thirty digits fit Int128 with room to spare; more than the kept ones are only counted.
    var (coefficient, places, significant, digitCount) = (Int128(0), 0, 0, 0)
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
          places += hasPoint ? 1 : 0
        } else if !hasPoint || (digit > 0 && !cutting) {
          isTooLong = true
        }
      default: break scan
      }
      index += 1
    }
    guard digitCount > 0 else { throw .notANumber }
    places -= try Self.exponent(text[index...])
    if isTooLong { throw .outOfRange }
    self = try Self.normal(isNegative ? -coefficient : coefficient, places: places, cutting: cutting)
  }

  /// The value of "e3", "E-2" or nothing, held within ±1000.
  /// - Throws: `ParseError` if there are no digits behind the e.
  private static func exponent(_ text: ArraySlice<UInt8>) throws(ParseError) -> Int {
    guard let mark = text.first else { return 0 }
    var digits = text.dropFirst()
    let isNegative = takeSign(&digits)
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
func hexadecimalDigit(_ byte: UInt8) -> UInt8? { Character(Unicode.Scalar(byte)).hexDigitValue.map(UInt8.init) }
