// The digits of numbers in reports: one rule, so that numbers side by side have equally many and none loses its sign.

import Analysis
import Base

/// The most decimals of numbers, unless a sign or an interval needs more.
enum Digits { static let loaders = 1, difference = 2, percent = 1, megabytes = 2, headroom = 1 }

enum Precision {
  typealias Number = (value: Double?, interval: ConfidenceInterval?)

  /// Returns the decimals of numbers that are shown together: those that half of their intervals support, at most `limit`, and more until
  /// no number and, if they are printed, no end of an interval reads like another one of `references`, and no interval like one value.
  static func decimals(_ numbers: [Number], limit: Int, printsEnds: Bool = true, references: [Double] = [0]) -> Int {
    let supported = numbers.compactMap { number in number.interval.flatMap { decimals(halfWidth: $0.halfWidth, limit: limit) } }.sorted()
    var count =
      supported.isEmpty
      ? numbers.compactMap(\.value).map { exactDecimals($0, limit: limit) }.max() ?? 0 : max(0, supported[supported.count / 2])
    func isSound(_ number: Number, _ decimals: Int) -> Bool {
      let ends = printsEnds ? [number.interval?.low, number.interval?.high].compactMap(\.self) : []
      let shown = ends + [number.value].compactMap(\.self)
      let size = shown.reduce(0) { max($0, $1.magnitude) }
      let unit = (0..<decimals).reduce(1.0) { unit, _ in unit / 10 }
      func isSame(_ one: Double, _ other: Double) -> Bool { (one - other).magnitude <= 1e-9 * max(size, other.magnitude) }
      func text(_ value: Double) -> String { DecimalText.fixed(value, decimals: decimals) }
      // Numbers more than a unit of the last place apart never read alike; texts of all would take too long.
      func isFar(_ one: Double, _ other: Double) -> Bool { (one - other).magnitude > 1.5 * unit }
      return shown.allSatisfy { value in references.allSatisfy { isFar(value, $0) || isSame(value, $0) || text(value) != text($0) } }
        && (ends.isEmpty || isSame(ends[0], ends[1]) || text(ends[0]) != text(ends[1]))
    }
    // More decimals can make two ends equal that fewer tell apart: 0.0246 and 0.0254.
    while count < 12, !numbers.allSatisfy({ isSound($0, count) }) { count += 1 }
    return count
  }

  /// Returns the decimals of a value known to ± `halfWidth`, at most `limit`; nil for an exact one. The uncertainty has two digits up to
  /// 35, else one (Particle Data Group, Review of Particle Physics, Introduction 5.3).
  static func decimals(halfWidth: Double, limit: Int) -> Int? {
    guard halfWidth > 0, halfWidth.isFinite else { return nil }
    // The half width as lead × 10^power, with lead in [1, 10).
    var (lead, power) = (halfWidth, 0)
    while lead >= 10, power < 15 { (lead, power) = (lead / 10, power + 1) }
    while lead < 1, power > -15 { (lead, power) = (lead * 10, power - 1) }
    return min(limit, (lead < 3.545 ? 1 : 0) - power)
  }

  /// Returns the decimals of an exact value without trailing zeros, at most `limit`.
  private static func exactDecimals(_ value: Double, limit: Int) -> Int {
    let text = DecimalText.trimmed(value, decimals: limit)
    return text.firstIndex(of: ".").map { text.distance(from: $0, to: text.endIndex) - 1 } ?? 0
  }

  /// Returns a mean that stands alone, with the digits that its interval supports.
  static func text(_ mean: Double, _ interval: ConfidenceInterval?, limit: Int) -> String {
    fixed(mean, decimals([(mean, interval)], limit: limit, printsEnds: false))
  }

  /// Returns a number; empty if it is nil.
  static func fixed(_ value: Double?, _ decimals: Int) -> String { value.map { DecimalText.fixed($0, decimals: decimals) } ?? "" }

  /// Returns a number with its sign; empty if it is nil.
  static func signed(_ value: Double?, _ decimals: Int) -> String {
    let text = fixed(value, decimals)
    return text.hasPrefix("-") || !text.contains { ("1"..."9").contains($0) } ? text : "+" + text
  }
}
