// What the pairs so far say of one guard.

/// The verdict on one guard, with the numbers it rests on.
package struct GateFinding: Hashable, Sendable {
  /// The word.
  package enum Outcome: String, Hashable, Sendable {
    /// The metric moves to the bad side by more than the margin.
    case worse
    /// It does not move there by more than the margin.
    case notWorse = "not worse"
    /// It moves to the good side.
    case better
    /// The same in every pair.
    case identical
    /// The pairs do not tell.
    case inconclusive
  }

  /// What was guarded.
  package internal(set) var guarded: GateGuard
  /// True if the numbers are held against the guard's floor, not against its margin.
  package internal(set) var isFloorDecisive = false
  /// The word.
  package internal(set) var outcome: Outcome
  /// Pairs that have the metric.
  package let pairs: Int
  /// The baseline's mean.
  package let baselineMean: Double
  /// The candidate's mean.
  package let candidateMean: Double
  /// The mean difference, candidate less baseline, in the metric's unit.
  package let difference: Double
  /// Its interval, which holds at all looks; nil where there is no spread to make one of.
  package let differenceInterval: ConfidenceInterval?
  /// The difference in per cent of the baseline's mean; nil where that is zero.
  package let percent: Double?
  /// Its interval (Fieller 1954); nil where it has no ends.
  package let percentInterval: ConfidenceInterval?
  /// Where the pairs do not tell: about how many would, if mean and spread stay as they are; nil above a million.
  package internal(set) var pairsNeeded: Int?
  /// What makes the interval doubtful.
  package let warnings: [SampleWarning]

  /// Whether the guard is settled: no further pair is needed for it.
  package var isSettled: Bool { outcome != .inconclusive }
}
