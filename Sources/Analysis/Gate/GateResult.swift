// The result of a gate, as reports show it.

/// The verdict on one guard, with its numbers.
package struct GateFinding: Hashable, Sendable {
  /// `worse`, `not worse`: the metric moves in the bad direction by more or less than the margin. `better`: in the good direction.
  /// `identical`: it is equal in every pair. `inconclusive`: more pairs are needed. `exempt`: the baseline breaks a bound, and the margin is
  /// an objective's. `unfit`: a test of the instrument fails, so that runs of devices support no verdict.
  package enum Outcome: String, Hashable, Sendable {
    case worse
    case notWorse = "not worse"
    case better, identical, inconclusive, exempt, unfit
  }

  package internal(set) var guarded: GateGuard
  /// True if the verdict comes from the guard's floor and not from its margin.
  package internal(set) var isFloorDecisive = false
  /// The smallest amount that the margin stands for, in the metric's unit; 0 for no floor.
  package internal(set) var floor = 0.0
  /// The allowed change in the metric's unit: the margin or its floor, whichever is larger.
  package var limit: Double { max(marginAmount, floor) }
  /// The margin in the metric's unit, without its floor.
  package var marginAmount: Double { guarded.margin.amount(ofMean: baselineMean ?? 0) }
  package internal(set) var outcome: Outcome
  package let pairs: Int
  /// The baseline's mean; nil if a run has no value, which a bound does not need.
  package internal(set) var baselineMean: Double?
  package let candidateMean: Double
  /// The mean difference, candidate less baseline or bound, in the metric's unit.
  package let difference: Double
  /// The interval of the difference, valid at all looks; nil without spread.
  package internal(set) var differenceInterval: ConfidenceInterval?
  /// The difference in per cent of the baseline's mean; nil if that mean is zero.
  package internal(set) var percent: Double?
  /// The interval of `percent` (Fieller 1954); nil if it is unbounded.
  package internal(set) var percentInterval: ConfidenceInterval?
  /// The approximate number of pairs that would settle an inconclusive guard if mean and spread stay as they are; nil above a million.
  package internal(set) var pairsNeeded: Int?
  /// Reasons to doubt the interval, one sentence each.
  package internal(set) var warnings: [String] = []
  /// The waiver whose margin decided, and the verdict without it; nil without a waiver.
  package internal(set) var waiver: GateWaiver?
  package internal(set) var outcomeWithoutWaiver: Outcome?
  /// The bound that the baseline breaks, so that the guard is exempt, or may break, so that it is inconclusive; nil for other reasons.
  package internal(set) var baselineBound: GateGuard?
  /// The flaw of the instrument and its remedy, as a phrase; nil if it is fit, and for the emulator.
  package internal(set) var fault: String?
  /// The emulator's prediction of a device's change; nil without one.
  package internal(set) var prediction: Change?

  /// A change with its interval, in the metric's unit and in per cent of the baseline's mean.
  package struct Change: Hashable, Sendable {
    package let difference: Double
    package let differenceInterval: ConfidenceInterval?
    package let percent: Double?
    package let percentInterval: ConfidenceInterval?
  }

  package var change: Change {
    Change(difference: difference, differenceInterval: differenceInterval, percent: percent, percentInterval: percentInterval)
  }

  /// True if the prediction and the device's change exclude each other: their intervals do not meet.
  package var contradictsPrediction: Bool {
    guard outcome != .unfit, let prediction, let own = differenceInterval else { return false }
    // Levels differ between emulator and device, so that changes in per cent are compared where both have one.
    func isApart(_ value: Double, _ interval: ConfidenceInterval?, _ own: ConfidenceInterval) -> Bool {
      interval?.low ?? value > own.high || interval?.high ?? value < own.low
    }
    if let percent = prediction.percent, let own = percentInterval { return isApart(percent, prediction.percentInterval, own) }
    return isApart(prediction.difference, prediction.differenceInterval, own)
  }

  /// True if the guard passes by its waiver alone.
  package var isWaived: Bool { outcomeWithoutWaiver == .worse && ![.worse, .inconclusive, .unfit].contains(outcome) }

  /// True if the guard needs no further pair.
  package var isSettled: Bool { outcome != .inconclusive }
}

/// The comparison of a candidate with a baseline.
package struct GateResult: Sendable {
  /// `passed`: every guard is kept. `regression`: one is broken. `unfit`: devices give no verdict. `failed`: runs failed, so that there is none.
  package enum Outcome: String, Sendable {
    case passed, regression, inconclusive, failed, unfit

    package init(_ findings: [GateFinding]) {
      func has(_ outcome: GateFinding.Outcome) -> Bool { findings.contains { $0.outcome == outcome } }
      self = has(.unfit) ? .unfit : has(.worse) ? .regression : has(.inconclusive) ? .inconclusive : .passed
    }
  }

  /// One side: the source of its settings, e.g. `Sweeps/settings/production.json5`, its prefetcher in words, and its scenario's id.
  package typealias Side = (source: String, settings: String, point: String)

  /// A setting in which the sides differ; nil if a side has no value.
  package struct Change: Hashable, Sendable {
    package var path: String
    package var baseline: String?, candidate: String?

    package init(path: String, baseline: String?, candidate: String?) {
      (self.path, self.baseline, self.candidate) = (path, baseline, candidate)
    }

    package var text: String { "\(baseline ?? "none") → \(candidate ?? "none")" }
  }

  /// One repetition of both sides with its seed.
  package typealias Pair = (repetition: Int, seed: UInt64, baseline: RunMetrics, candidate: RunMetrics)

  /// One stratum, or the weighted whole of all strata.
  package struct Stratum: Sendable {
    /// Nil if the scenario has no strata.
    package var name: String?
    package var weight: Double
    /// True for the weighted whole, which has no pairs of its own.
    package var isWhole: Bool
    /// The parts of the scenario in which this stratum differs from the others.
    package var head: [SweepDescription.HeadLine]
    /// The scenario ids of both sides.
    package var baseline: String, candidate: String
    /// True if the runs have no randomness, so that one pair is exact.
    package var isDeterministic: Bool
    /// The findings in the order of the guards; empty if the stratum is not judged by itself.
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

    /// True if both sides have the same scenario in this stratum.
    package var isSame: Bool { !baseline.isEmpty && baseline == candidate }

    /// The stratum's outcome; nil if the stratum is not judged by itself.
    package var outcome: Outcome? { findings.isEmpty ? nil : Outcome(findings) }
  }

  /// The blocks of a gate on devices.
  package struct Blocks: Sendable {
    package let backend: String
    package let devices: [String]
    /// The numbers of blocks: of both sides, of production alone, of production alone in earlier gates, and the most of this one.
    package let compared: Int, null: Int, earlier: Int, limit: Int
    /// True if the rule stopped the gate; false if failures or the time did.
    package let isComplete: Bool

    package init(backend: String, devices: [String], compared: Int, null: Int, earlier: Int, limit: Int, isComplete: Bool) {
      (self.backend, self.devices, self.compared, self.null) = (backend, devices, compared, null)
      (self.earlier, self.limit, self.isComplete) = (earlier, limit, isComplete)
    }
  }

  package var program: SweepDescription.Program
  /// The name of the sweep whose scenario was run.
  package var sweep: String
  /// The parts of the scenario that both sides share in all strata: network, user, feed and so on.
  package var head: [SweepDescription.HeadLine]
  package var baseline: Side, candidate: Side
  package var changes: [Change]
  package var seed: UInt64
  /// True if an inconclusive gate counts as failed.
  package var isStrict: Bool
  package var rule: GateRule
  /// The look, numbered from 0, at which the gate stopped.
  package var look: Int
  /// The weighted whole, if it is judged, then the strata in the sweep's order; without strata, the scenario alone.
  package var strata: [Stratum]
  /// The blocks of devices; nil for the emulator.
  package var blocks: Blocks?
  /// The accepted regressions, including those that have expired.
  package var waivers: [GateWaiver]
  /// Failed runs, and warnings, one sentence each.
  package var failures: [String], warnings: [String]

  package init(
    program: SweepDescription.Program, sweep: String, head: [SweepDescription.HeadLine], baseline: Side, candidate: Side, changes: [Change],
    seed: UInt64, isStrict: Bool, rule: GateRule, look: Int, strata: [Stratum], waivers: [GateWaiver] = [], failures: [String] = [],
    warnings: [String] = []
  ) {
    (self.program, self.sweep, self.head, self.baseline, self.candidate) = (program, sweep, head, baseline, candidate)
    (self.changes, self.seed, self.isStrict, self.rule, self.look) = (changes, seed, isStrict, rule, look)
    (self.strata, self.waivers, self.failures, self.warnings) = (strata, waivers, failures, warnings)
  }

  /// Adds the predictions of an emulated gate of the same guards and strata.
  package mutating func add(predictionsOf emulated: GateResult) {
    for (index, other) in zip(strata.indices, emulated.strata) {
      for (guarded, finding) in zip(strata[index].findings.indices, other.findings) where finding.pairs > 0 {
        strata[index].findings[guarded].prediction = finding.change
      }
    }
  }

  package var findings: [GateFinding] { strata.flatMap(\.findings) }

  /// The number of pairs of each stratum that has randomness.
  package var pairCount: Int { strata.map(\.pairs.count).max() ?? 0 }

  package var isDeterministic: Bool { strata.allSatisfy(\.isDeterministic) }

  /// True if both sides have the same scenario in every stratum.
  package var isSame: Bool { strata.allSatisfy { $0.isWhole || $0.isSame } }

  package var outcome: Outcome { failures.isEmpty ? Outcome(findings) : .failed }
}
