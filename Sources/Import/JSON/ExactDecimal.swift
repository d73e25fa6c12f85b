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

  /// The most decimal places.
  static let scaleLimit = 18

  /// The digits without their point.
  package let coefficient: Int64
  /// The number of decimal places, 0 ... `scaleLimit`.
  package let scale: Int

  /// A whole number.
  package init(_ whole: Int64) {
    coefficient = whole
    scale = 0
  }

  /// coefficient × 10^−scale, brought to normal form; nil where it does not fit.
  package init?(coefficient: Int128, scale: Int) {
    var (digits, places) = (coefficient, scale)
    while places > 0 && digits % 10 == 0 { (digits, places) = (digits / 10, places - 1) }
    guard (0...Self.scaleLimit).contains(places), let small = Int64(exactly: digits) else { return nil }
    self.coefficient = small
    self.scale = places
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
