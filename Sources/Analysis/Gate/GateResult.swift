// The result of a gate, as its renderers show it; none of them sees the simulator.

/// The verdict on one guard, with the numbers it rests on.
package struct GateFinding: Hashable, Sendable {
  /// Worse if the metric moves to the bad side by more than the margin, and not worse if by less; better if it moves to the good side;
  /// identical if it is the same in every pair; inconclusive if there are too few pairs to tell.
  package enum Outcome: String, Hashable, Sendable {
    case worse
    case notWorse = "not worse"
    case better, identical, inconclusive
  }

  package internal(set) var guarded: GateGuard
  /// True if the numbers are held against the guard's floor, not against its margin.
  package internal(set) var isFloorDecisive = false
  package internal(set) var outcome: Outcome
  package let pairs: Int
  package let baselineMean: Double, candidateMean: Double
  /// The mean difference, candidate less baseline, in the metric's unit.
  package let difference: Double
  /// Its interval, which holds at all looks; nil where there is no spread to make one of.
  package let differenceInterval: ConfidenceInterval?
  /// The difference in per cent of the baseline's mean; nil where that is zero.
  package let percent: Double?
  /// Its interval (Fieller 1954); nil where it has no ends.
  package let percentInterval: ConfidenceInterval?
  /// For an inconclusive guard: about how many pairs would tell, if mean and spread stay as they are; nil above a million.
  package internal(set) var pairsNeeded: Int?
  /// What makes the interval doubtful, a sentence each.
  package let warnings: [String]

  /// True if no further pair is needed for the guard.
  package var isSettled: Bool { outcome != .inconclusive }
}

/// A candidate held against a baseline.
package struct GateResult: Sendable {
  /// Passed if every guard is kept, a regression if one is broken; failed if runs failed, so that nothing is said.
  package enum Outcome: String, Sendable {
    case passed, regression, inconclusive, failed

    package init(_ findings: [GateFinding]) {
      if findings.contains(where: { $0.outcome == .worse }) {
        self = .regression
      } else {
        self = findings.allSatisfy(\.isSettled) ? .passed : .inconclusive
      }
    }
  }

  /// One side of the comparison: where its settings come from, e.g. `Sweeps/settings/production.json5`, its prefetcher in words and the id
  /// of its scenario.
  package typealias Side = (source: String, settings: String, point: String)

  /// A setting that the sides do not share, by its path; nil where a side has no value.
  package struct Change: Hashable, Sendable {
    package var path: String
    package var baseline: String?, candidate: String?

    package init(path: String, baseline: String?, candidate: String?) {
      (self.path, self.baseline, self.candidate) = (path, baseline, candidate)
    }

    package var text: String { "\(baseline ?? "none") → \(candidate ?? "none")" }
  }

  /// One repetition of both sides, from 1, on one seed: the metrics in the order of `Metric.allCases`.
  package typealias Pair = (repetition: Int, seed: UInt64, baseline: [Double?], candidate: [Double?])

  /// One stratum, or the weighted whole of all.
  package struct Stratum: Sendable {
    /// Nil for a scenario without strata.
    package var name: String?
    package var weight: Double
    /// True for the weighted whole, which has no pairs of its own.
    package var isWhole: Bool
    /// The scenario's parts that it has of its own.
    package var head: [SweepDescription.HeadLine]
    /// The ids of the scenarios of both sides.
    package var baseline: String, candidate: String
    /// True if no run has any randomness, so that one pair is exact.
    package var isDeterministic: Bool
    /// The findings in the order of the guards; empty if it is not judged by itself.
    package var findings: [GateFinding]
    package var pairs: [Pair]

    package init(
      name: String? = nil, weight: Double = 1, isWhole: Bool = false, head: [SweepDescription.HeadLine] = [], baseline: String = "",
      candidate: String = "", isDeterministic: Bool = false, findings: [GateFinding], pairs: [Pair]
    ) {
      (self.name, self.weight, self.isWhole, self.head) = (name, weight, isWhole, head)
      (self.baseline, self.candidate, self.isDeterministic) = (baseline, candidate, isDeterministic)
      (self.findings, self.pairs) = (findings, pairs)
    }

    /// True if both sides are the same scenario here.
    package var isSame: Bool { !baseline.isEmpty && baseline == candidate }

    /// Its own outcome; nil if it is not judged by itself.
    package var outcome: Outcome? { findings.isEmpty ? nil : Outcome(findings) }
  }

  package var program: SweepDescription.Program
  /// The sweep whose scenario was run.
  package var sweep: String
  /// The scenario's parts that both sides share in all strata: network, user, feed and so on.
  package var head: [SweepDescription.HeadLine]
  package var baseline: Side, candidate: Side
  package var changes: [Change]
  package var seed: UInt64
  /// True if an inconclusive gate counts as failed.
  package var isStrict: Bool
  package var rule: GateRule
  /// The look at which it stopped, from 0.
  package var look: Int
  /// The whole, if it is judged, and the strata in the sweep's order; the scenario alone where the sweep has none.
  package var strata: [Stratum]
  /// Runs that failed, and what the reader must know, a sentence each.
  package var failures: [String], warnings: [String]

  package init(
    program: SweepDescription.Program, sweep: String, head: [SweepDescription.HeadLine], baseline: Side, candidate: Side, changes: [Change],
    seed: UInt64, isStrict: Bool, rule: GateRule, look: Int, strata: [Stratum], failures: [String] = [], warnings: [String] = []
  ) {
    (self.program, self.sweep, self.head, self.baseline, self.candidate) = (program, sweep, head, baseline, candidate)
    (self.changes, self.seed, self.isStrict, self.rule, self.look) = (changes, seed, isStrict, rule, look)
    (self.strata, self.failures, self.warnings) = (strata, failures, warnings)
  }

  /// All findings, stratum by stratum.
  package var findings: [GateFinding] { strata.flatMap(\.findings) }

  /// Pairs of runs in each stratum, but for those without randomness.
  package var pairCount: Int { strata.map(\.pairs.count).max() ?? 0 }

  /// True if no run has any randomness.
  package var isDeterministic: Bool { strata.allSatisfy(\.isDeterministic) }

  /// True if both sides are the same scenario in every stratum.
  package var isSame: Bool { strata.allSatisfy { $0.isWhole || $0.isSame } }

  package var outcome: Outcome { failures.isEmpty ? Outcome(findings) : .failed }

  /// The status that the program ends with (design §7).
  package var exitStatus: Int32 {
    switch outcome {
    case .passed: 0
    case .failed: 1
    case .regression: 3
    case .inconclusive: isStrict ? 4 : 0
    }
  }
}
