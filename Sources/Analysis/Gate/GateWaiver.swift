// An accepted regression of the gate.

/// A reviewed permission to exceed a guard in one stratum by a wider margin, until a day.
package struct GateWaiver: Hashable, Sendable {
  /// The guard of the check.
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
}
