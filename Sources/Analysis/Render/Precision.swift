// No number with more digits than its interval supports.

/// How many digits a number deserves.
enum Precision {
  /// The decimals of a value known to ± `halfWidth`, at most `limit`; below 0 for tens and hundreds.
  ///
  /// The rule of the Particle Data Group (Review of Particle Physics, Introduction 5.3): two digits of the uncertainty where they
  /// are at most 35, one above. Without an interval, or with one of no width, it is `limit`.
  static func decimals(halfWidth: Double?, limit: Int) -> Int {
    guard let halfWidth, halfWidth > 0, halfWidth.isFinite else { return limit }
    // halfWidth = lead × 10^power with lead in [1, 10).
    var lead = halfWidth
    var power = 0
    while lead >= 10, power < 15 { (lead, power) = (lead / 10, power + 1) }
    while lead < 1, power > -15 { (lead, power) = (lead * 10, power - 1) }
    return max(-15, min(limit, (lead < 3.545 ? 1 : 0) - power))
  }

  /// A mean with the digits that its interval supports; empty where there is none. An exact value has no zeros at its end.
  static func text(_ mean: Double?, _ interval: ConfidenceInterval?, limit: Int) -> String {
    mean.map { number($0, interval, limit: limit) } ?? ""
  }

  /// A signed difference with the digits that its interval supports; empty where there is none.
  static func signed(_ difference: Double?, _ interval: ConfidenceInterval?, limit: Int) -> String {
    difference.map { withSign(number($0, interval, limit: limit)) } ?? ""
  }

  /// The interval's ends in brackets with the same digits; empty where there is none.
  static func signedEnds(_ interval: ConfidenceInterval?, limit: Int) -> String {
    guard let interval else { return "" }
    return "[\(signed(interval.low, interval, limit: limit)), \(signed(interval.high, interval, limit: limit))]"
  }

  private static func number(_ value: Double, _ interval: ConfidenceInterval?, limit: Int) -> String {
    guard let halfWidth = interval?.halfWidth, halfWidth > 0 else { return DecimalText.trimmed(value, decimals: limit) }
    return DecimalText.fixed(value, decimals: decimals(halfWidth: halfWidth, limit: limit))
  }

  /// A plus sign before what is above zero as it is written.
  private static func withSign(_ text: String) -> String {
    text.hasPrefix("-") || !text.contains { ("1"..."9").contains($0) } ? text : "+" + text
  }
}
