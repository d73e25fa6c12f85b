// Everything that the renderers of a gate show; none of them sees the simulator.

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

  /// What made the runs.
  public var program: SweepDescription.Program
  /// The sweep whose scenario was run.
  public var sweep: String
  /// What holds for both sides: network, user, feed and so on.
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
  /// Whether the scenario has no randomness, so that one pair is exact.
  public var isDeterministic: Bool
  /// How it was judged.
  public var rule: GateRule
  /// The look at which it stopped, from 0.
  public var look: Int
  /// One a guard.
  public var findings: [GateFinding]
  /// All pairs.
  public var pairs: [Pair]
  /// Runs that failed, a sentence each.
  public var failures: [String]
  /// What the reader must know, a sentence each.
  public var warnings: [String]

  /// A result with every part given.
  public init(
    program: SweepDescription.Program, sweep: String, head: [SweepDescription.HeadLine], baseline: Side, candidate: Side, changes: [Change],
    seed: UInt64, isStrict: Bool, isDeterministic: Bool, rule: GateRule, look: Int, findings: [GateFinding], pairs: [Pair],
    failures: [String] = [], warnings: [String] = []
  ) {
    self.program = program
    self.sweep = sweep
    self.head = head
    self.baseline = baseline
    self.candidate = candidate
    self.changes = changes
    self.seed = seed
    self.isStrict = isStrict
    self.isDeterministic = isDeterministic
    self.rule = rule
    self.look = look
    self.findings = findings
    self.pairs = pairs
    self.failures = failures
    self.warnings = warnings
  }

  /// What the gate says.
  public var outcome: Outcome {
    if !failures.isEmpty { return .failed }
    if findings.contains(where: { $0.outcome == .worse }) { return .regression }
    return findings.allSatisfy(\.isSettled) ? .passed : .inconclusive
  }

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
