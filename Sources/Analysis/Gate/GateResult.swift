// The result of a gate, as its renderers show it; none of them sees the simulator.

/// A candidate held against a baseline.
public struct GateResult: Sendable {
  /// What the gate says.
  public enum Outcome: String, Sendable {
    /// Every guard is kept.
    case passed
    /// One is broken.
    case regression
    /// The pairs do not tell.
    case inconclusive
    /// Runs failed, so nothing is said.
    case failed

    /// The outcome of findings: a regression if one is worse, passed if all are settled.
    init(_ findings: [GateFinding]) {
      if findings.contains(where: { $0.outcome == .worse }) {
        self = .regression
      } else {
        self = findings.allSatisfy(\.isSettled) ? .passed : .inconclusive
      }
    }
  }

  /// One side of the comparison.
  public struct Side: Sendable {
    /// Where its settings come from, e.g. `Sweeps/settings/production.json5`.
    public var source: String
    /// Its prefetcher in words.
    public var settings: String
    /// The id of its scenario.
    public var point: String

    /// A side.
    public init(source: String, settings: String, point: String) {
      self.source = source
      self.settings = settings
      self.point = point
    }
  }

  /// A setting that the sides do not share.
  public struct Change: Hashable, Sendable {
    /// Its dotted path.
    public var path: String
    /// The baseline's value; nil where it has none.
    public var baseline: String?
    /// The candidate's value; nil where it has none.
    public var candidate: String?

    /// A setting with two values.
    public init(path: String, baseline: String?, candidate: String?) {
      self.path = path
      self.baseline = baseline
      self.candidate = candidate
    }
  }

  /// One repetition of both sides.
  public struct Pair: Sendable {
    /// From 1.
    public var repetition: Int
    /// The seed of both runs.
    public var seed: UInt64
    /// What the baseline measured, in the order of `Metric.allCases`.
    public var baseline: [Double?]
    /// What the candidate measured.
    public var candidate: [Double?]

    /// A pair of runs.
    public init(repetition: Int, seed: UInt64, baseline: [Double?], candidate: [Double?]) {
      self.repetition = repetition
      self.seed = seed
      self.baseline = baseline
      self.candidate = candidate
    }
  }

  /// A part of the gate that is judged by itself: the scenario alone, one of the sweep's strata, or the weighted whole of them.
  public struct Stratum: Sendable {
    /// As the sweep names it; nil for the scenario alone.
    public var name: String?
    /// Its share of the whole, 0 … 1.
    public var weight: Double
    /// True for the weighted whole, which has no runs of its own.
    public var isWhole: Bool
    /// The scenario's parts that both sides share here and that differ between strata.
    public var head: [SweepDescription.HeadLine]
    /// The id of the baseline's scenario here; empty for the whole.
    public var baseline: String
    /// The id of the candidate's.
    public var candidate: String
    /// True if no run has any randomness, so that one pair is exact.
    public var isDeterministic: Bool
    /// One a guard; empty if the stratum runs for the whole alone.
    public var findings: [GateFinding]
    /// Its pairs; none for the whole.
    public var pairs: [Pair]

    /// A stratum with every part given.
    public init(
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
    public var isSame: Bool { !baseline.isEmpty && baseline == candidate }

    /// Its own outcome; nil if it is not judged by itself.
    public var outcome: Outcome? { findings.isEmpty ? nil : Outcome(findings) }
  }

  /// What made the runs.
  public var program: SweepDescription.Program
  /// The sweep whose scenario was run.
  public var sweep: String
  /// The scenario's parts that both sides share in all strata: network, user, feed and so on.
  public var head: [SweepDescription.HeadLine]
  /// What the candidate is held against.
  public var baseline: Side
  /// What is judged.
  public var candidate: Side
  /// In what they differ.
  public var changes: [Change]
  /// What all randomness comes from.
  public var seed: UInt64
  /// Whether an inconclusive gate counts as failed.
  public var isStrict: Bool
  /// How it was judged.
  public var rule: GateRule
  /// The look at which it stopped, from 0.
  public var look: Int
  /// The whole, if it is judged, and the strata in the sweep's order; the scenario alone where the sweep has none.
  public var strata: [Stratum]
  /// Runs that failed, a sentence each.
  public var failures: [String]
  /// What the reader must know, a sentence each.
  public var warnings: [String]

  /// A result with every part given.
  public init(
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
  public var findings: [GateFinding] { strata.flatMap(\.findings) }

  /// Pairs of runs in each stratum, but for those without randomness.
  public var pairCount: Int { strata.map(\.pairs.count).max() ?? 0 }

  /// True if no run has any randomness.
  public var isDeterministic: Bool { strata.allSatisfy(\.isDeterministic) }

  /// True if both sides are the same scenario in every stratum.
  public var isSame: Bool { strata.allSatisfy { $0.isWhole || $0.isSame } }

  /// What the gate says.
  public var outcome: Outcome { failures.isEmpty ? Outcome(findings) : .failed }

  /// The status that the program ends with (design §7).
  public var exitStatus: Int32 {
    switch outcome {
    case .passed: 0
    case .failed: 1
    case .regression: 3
    case .inconclusive: isStrict ? 4 : 0
    }
  }
}
