// The gate for other programs: every number that the texts are made of.

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A gate as JSON.
public enum GateJSON {
  /// The version of this form.
  public static let formatVersion = 1

  /// One object, sorted keys, indented, ended by a line feed. Numbers that do not exist are left out.
  public static func text(_ result: GateResult) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(Form(result)) else { preconditionFailure("text and finite numbers can always be encoded") }
    return String(decoding: data, as: UTF8.self) + "\n"
  }

  private struct Form: Encodable {
    struct Side: Encodable {
      let source, settings, point: String
    }
    struct Change: Encodable {
      let path: String
      let baseline, candidate: String?
    }
    struct Guard: Encodable {
      let metric, unit, side, margin, outcome, reason: String
      let pairs: Int
      let baselineMean, candidateMean, difference: Double
      let differenceInterval: [Double]?
      let percent: Double?
      let percentInterval: [Double]?
      let pairsNeeded: Int?
      let warnings: [String]
    }
    struct Rule: Encodable {
      let confidence, falseAlarmRate: Double
      let looks: [Int]
      let correction: String
      let strict: Bool
    }

    let formatVersion = GateJSON.formatVersion
    let program: SweepDescription.Program
    let outcome, headline, sweep: String
    let exitStatus: Int32
    let baseline, candidate: Side
    let changes: [Change]
    let scenario: [SweepDescription.HeadLine]
    let seed: UInt64
    let pairs: Int
    let deterministic: Bool
    let rule: Rule
    let guards: [Guard]
    let failures, notes: [String]

    init(_ result: GateResult) {
      let sentence = GateSentence(result: result)
      program = result.program
      outcome = result.outcome.rawValue
      headline = sentence.headline
      sweep = result.sweep
      exitStatus = result.exitStatus
      baseline = Side(source: result.baseline.source, settings: result.baseline.settings, point: result.baseline.point)
      candidate = Side(source: result.candidate.source, settings: result.candidate.settings, point: result.candidate.point)
      changes = result.changes.map { Change(path: $0.path, baseline: $0.baseline, candidate: $0.candidate) }
      scenario = result.head
      seed = result.seed
      pairs = result.pairs.count
      deterministic = result.isDeterministic
      rule = Rule(
        confidence: result.rule.confidence, falseAlarmRate: result.rule.falseAlarmRate, looks: result.rule.looks,
        correction: result.rule.guards.count > 1 ? "Bonferroni" : "none", strict: result.isStrict)
      guards = result.findings.map { finding in
        Guard(
          metric: finding.guarded.metric.rawValue, unit: finding.guarded.metric.unit, side: finding.guarded.side.rawValue,
          margin: finding.guarded.limitText, outcome: finding.outcome.rawValue, reason: sentence.reason(finding), pairs: finding.pairs,
          baselineMean: finding.baselineMean, candidateMean: finding.candidateMean, difference: finding.difference,
          differenceInterval: finding.differenceInterval.map { [$0.low, $0.high] }, percent: finding.percent,
          percentInterval: finding.percentInterval.map { [$0.low, $0.high] }, pairsNeeded: finding.pairsNeeded,
          warnings: finding.warnings.map(\.description))
      }
      failures = result.failures
      notes = sentence.notes
    }
  }
}
