// The result of a gate, as its renderers show it; none of them sees the simulator.

/// A candidate held against a baseline.
package struct GateResult: Sendable {
  /// What the gate says.
  package enum Outcome: String, Sendable {
    /// Every guard is kept.
    case passed
    /// One is broken.
    case regression
    /// The pairs do not tell.
    case inconclusive
    /// Runs failed, so nothing is said.
    case failed

    /// The outcome of findings: a regression if one is worse, passed if all are settled.
    package init(_ findings: [GateFinding]) {
      if findings.contains(where: { $0.outcome == .worse }) {
        self = .regression
      } else {
        self = findings.allSatisfy(\.isSettled) ? .passed : .inconclusive
      }
    }
  }

  /// One side of the comparison.
  package struct Side: Sendable {
    /// Where its settings come from, e.g. `Sweeps/settings/production.json5`.
    package var source: String
    /// Its prefetcher in words.
    package var settings: String
    /// The id of its scenario.
    package var point: String

    /// A side.
    package init(source: String, settings: String, point: String) {
      self.source = source
      self.settings = settings
      self.point = point
    }
  }

  /// A setting that the sides do not share.
  package struct Change: Hashable, Sendable {
    /// Its dotted path.
    package var path: String
    /// The baseline's value; nil where it has none.
    package var baseline: String?
    /// The candidate's value; nil where it has none.
    package var candidate: String?

    /// A setting with two values.
    package init(path: String, baseline: String?, candidate: String?) {
      self.path = path
      self.baseline = baseline
      self.candidate = candidate
    }
  }

  /// One repetition of both sides.
  package struct Pair: Sendable {
    /// From 1.
    package var repetition: Int
    /// The seed of both runs.
    package var seed: UInt64
    /// What the baseline measured, in the order of `Metric.allCases`.
    package var baseline: [Double?]
    /// What the candidate measured.
    package var candidate: [Double?]

    /// A pair of runs.
    package init(repetition: Int, seed: UInt64, baseline: [Double?], candidate: [Double?]) {
      self.repetition = repetition
      self.seed = seed
      self.baseline = baseline
      self.candidate = candidate
    }
  }

  /// A part of the gate that is judged by itself: the scenario alone, one of the sweep's strata, or the weighted whole of them.
  package struct Stratum: Sendable {
    /// As the sweep names it; nil for the scenario alone.
    package var name: String?
    /// Its share of the whole, 0 … 1.
    package var weight: Double
    /// True for the weighted whole, which has no runs of its own.
    package var isWhole: Bool
    /// The scenario's parts that both sides share here and that differ between strata.
    package var head: [SweepDescription.HeadLine]
    /// The id of the baseline's scenario here; empty for the whole.
    package var baseline: String
    /// The id of the candidate's.
    package var candidate: String
    /// True if no run has any randomness, so that one pair is exact.
    package var isDeterministic: Bool
    /// One a guard; empty if the stratum runs for the whole alone.
    package var findings: [GateFinding]
    /// Its pairs; none for the whole.
    package var pairs: [Pair]

    /// A stratum with every part given.
    package init(
      name: String? = nil, weight: Double = 1, isWhole: Bool = false, head: [SweepDescription.HeadLine] = [], baseline: String = "",
      candidate: String = "", isDeterministic: Bool = false, findings: [GateFinding], pairs: [Pair]
    ) {
      self.name = name
      self.weight = weight
      self.isWhole = isWhole
      self.head = head
      self.baseline = baseline
      self.candidate = candidate
      self.isDeterministic = isDeterministic
      self.findings = findings
      self.pairs = pairs
    }

    /// True if both sides are the same scenario here.
    package var isSame: Bool { !baseline.isEmpty && baseline == candidate }

    /// Its own outcome; nil if it is not judged by itself.
    package var outcome: Outcome? { findings.isEmpty ? nil : Outcome(findings) }
  }

  /// What made the runs.
  package var program: SweepDescription.Program
  /// The sweep whose scenario was run.
  package var sweep: String
  /// The scenario's parts that both sides share in all strata: network, user, feed and so on.
  package var head: [SweepDescription.HeadLine]
  /// What the candidate is held against.
  package var baseline: Side
  /// What is judged.
  package var candidate: Side
  /// In what they differ.
  package var changes: [Change]
  /// What all randomness comes from.
  package var seed: UInt64
  /// Whether an inconclusive gate counts as failed.
  package var isStrict: Bool
  /// How it was judged.
  package var rule: GateRule
  /// The look at which it stopped, from 0.
  package var look: Int
  /// The whole, if it is judged, and the strata in the sweep's order; the scenario alone where the sweep has none.
  package var strata: [Stratum]
  /// Runs that failed, a sentence each.
  package var failures: [String]
  /// What the reader must know, a sentence each.
  package var warnings: [String]

  /// A result with every part given.
  package init(
    program: SweepDescription.Program, sweep: String, head: [SweepDescription.HeadLine], baseline: Side, candidate: Side, changes: [Change],
    seed: UInt64, isStrict: Bool, rule: GateRule, look: Int, strata: [Stratum], failures: [String] = [], warnings: [String] = []
  ) {
    self.program = program
    self.sweep = sweep
    self.head = head
    self.baseline = baseline
    self.candidate = candidate
    self.changes = changes
    self.seed = seed
    self.isStrict = isStrict
    self.rule = rule
    self.look = look
    self.strata = strata
    self.failures = failures
    self.warnings = warnings
  }

  /// All findings, stratum by stratum.
  package var findings: [GateFinding] { strata.flatMap(\.findings) }

  /// Pairs of runs in each stratum, but for those without randomness.
  package var pairCount: Int { strata.map(\.pairs.count).max() ?? 0 }

  /// True if no run has any randomness.
  package var isDeterministic: Bool { strata.allSatisfy(\.isDeterministic) }

  /// True if both sides are the same scenario in every stratum.
  package var isSame: Bool { strata.allSatisfy { $0.isWhole || $0.isSame } }

  /// What the gate says.
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
