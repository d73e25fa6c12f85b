// Numbers as text, by integer arithmetic alone: equal characters on every machine, in every locale.

package enum DecimalText {
  /// Returns the shortest text that reads back as the same value: integers without decimals, never an exponent.
  package static func exact(_ value: Double) -> String {
    // The standard library's `description` is the shortest and closest text (SwiftDtoa), also for infinity and NaN.
    if value.rounded(.towardZero) == value, value.magnitude < 0x1p63 { return String(Int64(value)) }
    let text = value.description
    // Most texts have no exponent, and a search through bytes is much faster than through characters.
    guard text.utf8.contains(UInt8(ascii: "e")) else { return text }
    guard let mark = text.firstIndex(of: "e"), let power = Int(text[text.index(after: mark)...]) else { return text }
    let isNegative = text.hasPrefix("-")
    let mantissa = text[..<mark].drop { $0 == "-" }
    let whole = mantissa.prefix { $0 != "." }
    var digits = mantissa.filter { $0 != "." }
    var point = whole.count + power
    if digits.hasSuffix("0"), digits.count > whole.count { digits.removeLast() }
    if point <= 0 {
      digits = String(repeating: "0", count: 1 - point) + digits
      point = 1
    } else if point > digits.count {
      digits += String(repeating: "0", count: point - digits.count)
    }
    let left = digits.prefix(point)
    let right = digits.dropFirst(point)
    return (isNegative ? "-" : "") + left + (right.isEmpty ? "" : "." + right)
  }

  /// Returns the shortest text that reads back as the same value, without a decimal point if it is whole.
  package static func plain(_ value: Double) -> String {
    let text = "\(value)"
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  /// Appends the text of `exact`; for whole numbers, which most cells are, without making a string.
  package static func append(exact value: Double, to bytes: inout [UInt8]) {
    guard value >= 0, value < 0x1p63, value.rounded(.towardZero) == value else {
      bytes.append(contentsOf: exact(value).utf8)
      return
    }
    let start = bytes.count
    var rest = UInt64(value)
    repeat {
      bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
      rest /= 10
    } while rest > 0
    bytes[start...].reverse()
  }

  /// Returns the value rounded to `decimals` decimals, all of them written; below 0 it is rounded to tens, hundreds and so on. The exact
  /// binary value is rounded, ties to even, as by C's `printf`. `decimals` is clamped to −15 … 12.
  package static func fixed(_ value: Double, decimals: Int) -> String {
    let decimals = min(12, max(-15, decimals))
    // Above 2⁶⁰ a double is a whole number with more digits than anyone reads; infinity and NaN are written by name.
    guard value.magnitude < 0x1p60 else { return exact(value) }
    let scaled = roundedUnits(value.magnitude, decimals: decimals)
    let isNegative = value < 0 && scaled > 0
    var text = String(scaled)
    if decimals < 0 {
      if scaled > 0 { text += String(repeating: "0", count: -decimals) }
    } else if decimals > 0 {
      if text.count <= decimals { text = String(repeating: "0", count: decimals + 1 - text.count) + text }
      text.insert(".", at: text.index(text.endIndex, offsetBy: -decimals))
    }
    return (isNegative ? "-" : "") + text
  }

  /// Returns the text of `fixed` without trailing zeros of the decimals.
  package static func trimmed(_ value: Double, decimals: Int) -> String {
    var text = Substring(fixed(value, decimals: decimals))
    guard decimals > 0, text.contains(".") else { return String(text) }
    while text.hasSuffix("0") { text.removeLast() }
    if text.hasSuffix(".") { text.removeLast() }
    return text == "-0" ? "0" : String(text)
  }

  /// Returns the whole number nearest to value × 10^decimals, ties to even, from the bits of the value.
  private static func roundedUnits(_ value: Double, decimals: Int) -> UInt128 {
    guard value > 0 else { return 0 }
    let exponent = Int(value.exponent) - 52
    let bits = UInt128(value.isNormal ? value.significandBitPattern | 1 << 52 : value.significandBitPattern)
    let numerator = (bits * UInt128(ExactDecimal.power(of10: max(0, decimals)))) << UInt128(max(0, exponent))
    let divisor = UInt128(ExactDecimal.power(of10: max(0, -decimals)))
    guard exponent < 0 else { return roundedQuotient(numerator, divisor) }
    // numerator < 2⁹³ and divisor < 2⁵⁰: beyond 2⁷⁷ the quotient is below a half.
    guard exponent > -95 else { return 0 }
    if -exponent < 77 { return roundedQuotient(numerator, divisor << UInt128(-exponent)) }
    return divisor > 1 ? 0 : roundedQuotient(numerator, UInt128(1) << UInt128(-exponent))
  }

  private static func roundedQuotient(_ numerator: UInt128, _ divisor: UInt128) -> UInt128 {
    let (quotient, rest) = numerator.quotientAndRemainder(dividingBy: divisor)
    let missing = divisor - rest
    return rest > missing || (rest == missing && !quotient.isMultiple(of: 2)) ? quotient + 1 : quotient
  }

  /// Parses a decimal number; nil for everything else that `Double.init` accepts, such as `nan`, `inf` and hexadecimals.
  package static func number(_ bytes: ArraySlice<UInt8>) -> Double? {
    var whole: Int64 = 0
    var isWhole = bytes.count <= 15
    for byte in bytes {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): if isWhole { whole = whole * 10 + Int64(byte - UInt8(ascii: "0")) }
      case UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "e"), UInt8(ascii: "E"): isWhole = false
      default: return nil
      }
    }
    if isWhole { return bytes.isEmpty ? nil : Double(whole) }
    guard let value = Double(String(decoding: bytes, as: UTF8.self)), value.isFinite else { return nil }
    return value
  }
}
