// An accepted regression of the gate.

/// A reviewed permission to exceed a guard in one stratum by a wider margin, until a day.
package struct GateWaiver: Hashable, Sendable {
  package let guarded: GateGuard
  /// The guard with the wider margin, which decides instead.
  package let wider: GateGuard
  /// The stratum, or the weighted whole by its name; nil for a scenario without strata.
  package let stratum: String?
  package let reason: String
  /// The last day on which the waiver holds: `YYYY-MM-DD` in UTC.
  package let until: String
  /// True if the waiver ended before the day of the check. It has no effect then.
  package let isExpired: Bool

  package init(guarded: GateGuard, wider: GateGuard, stratum: String?, reason: String, until: String, isExpired: Bool) {
    (self.guarded, self.wider, self.stratum) = (guarded, wider, stratum)
    (self.reason, self.until, self.isExpired) = (reason, until, isExpired)
  }

  /// True if the text is a day of the calendar as `YYYY-MM-DD`.
  package static func isDay(_ text: String) -> Bool {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { part in part.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(part) : nil }
    guard parts.map(\.utf8.count) == [4, 2, 2], numbers.count == 3, (1...12).contains(numbers[1]) else { return false }
    let isLeap = numbers[0].isMultiple(of: 4) && (!numbers[0].isMultiple(of: 100) || numbers[0].isMultiple(of: 400))
    return (1...[31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][numbers[1] - 1]).contains(numbers[2])
  }
}
