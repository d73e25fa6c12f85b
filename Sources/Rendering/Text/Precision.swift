// The digits of numbers in reports: never more than the number's interval supports.

import Analysis

/// The most decimals of numbers, if their intervals support more.
enum Digits {
  static let loaders = 1, difference = 2, percent = 1, megabytes = 2, headroom = 1
}

enum Precision {
  /// Returns the decimals of a value known to ± `halfWidth`, at most `limit`; below 0 for tens and hundreds. The uncertainty has two
  /// digits up to 35, else one (Particle Data Group, Review of Particle Physics, Introduction 5.3).
  static func decimals(halfWidth: Double?, limit: Int) -> Int {
    guard let halfWidth, halfWidth > 0, halfWidth.isFinite else { return limit }
    let (lead, power) = scientific(halfWidth)
    return max(-15, min(limit, (lead < 3.545 ? 1 : 0) - power))
  }

  /// Returns a positive value as lead × 10^power with lead in [1, 10), within 10^±15.
  private static func scientific(_ value: Double) -> (lead: Double, power: Int) {
    var lead = value
    var power = 0
    while lead >= 10, power < 15 { (lead, power) = (lead / 10, power + 1) }
    while lead < 1, power > -15 { (lead, power) = (lead * 10, power - 1) }
    return (lead, power)
  }

  /// Returns the power of ten of a value's first digit; 0 for 0.
  private static func power(of value: Double) -> Int { value == 0 ? 0 : scientific(value.magnitude).power }

  /// Returns a mean with the digits that its interval supports, at least 2 significant digits and `least` decimals; empty if it is nil.
  /// An exact value has no trailing zeros.
  static func text(_ mean: Double?, _ interval: ConfidenceInterval?, limit: Int, atLeast least: Int = -15) -> String {
    guard let mean else { return "" }
    guard let halfWidth = interval?.halfWidth, halfWidth > 0 else { return DecimalText.trimmed(mean, decimals: max(limit, least)) }
    let own = max(decimals(halfWidth: halfWidth, limit: limit), min(limit, 1 - power(of: mean)))
    return DecimalText.fixed(mean, decimals: max(own, least))
  }

  /// Returns a signed value without interval, with at most 3 significant digits.
  static func signedEstimate(_ value: Double, limit: Int) -> String {
    withSign(DecimalText.trimmed(value, decimals: min(limit, 2 - power(of: value))))
  }

  /// Returns a signed difference with the digits that its interval supports; empty if it is nil.
  static func signed(_ difference: Double?, _ interval: ConfidenceInterval?, limit: Int) -> String {
    difference.map { withSign(number($0, interval, limit: limit)) } ?? ""
  }

  /// Returns the interval's ends in brackets with the digits of the value; empty if it is nil.
  static func signedEnds(_ interval: ConfidenceInterval?, limit: Int) -> String {
    guard let interval else { return "" }
    return "[\(signed(interval.low, interval, limit: limit)), \(signed(interval.high, interval, limit: limit))]"
  }

  /// Returns a signed value and its interval's ends, e.g. `-2.1 [-2.9, -1.3]`.
  static func signedWithEnds(_ value: Double?, _ interval: ConfidenceInterval?, limit: Int) -> String {
    [signed(value, interval, limit: limit), signedEnds(interval, limit: limit)].filter { !$0.isEmpty }.joined(separator: " ")
  }

  private static func number(_ value: Double, _ interval: ConfidenceInterval?, limit: Int) -> String {
    guard let halfWidth = interval?.halfWidth, halfWidth > 0 else { return DecimalText.trimmed(value, decimals: limit) }
    return DecimalText.fixed(value, decimals: decimals(halfWidth: halfWidth, limit: limit))
  }

  private static func withSign(_ text: String) -> String {
    text.hasPrefix("-") || !text.contains { ("1"..."9").contains($0) } ? text : "+" + text
  }
}
