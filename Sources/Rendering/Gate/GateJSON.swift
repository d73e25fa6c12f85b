// The gate for other programs: every number that the texts are made of.

import Analysis

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A gate as JSON.
package enum GateJSON {
  /// The version of this form.
  package static let formatVersion = 1

  /// One object, sorted keys, indented, ended by a line feed. Numbers that do not exist are left out.
  package static func text(_ result: GateResult) -> String {
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
      let stratum: String?
      let metric, unit, side, margin, outcome, reason: String
      let floor: Double?
      let limit: Double
      let pairs: Int
      let baselineMean, candidateMean, difference: Double
      let differenceInterval: [Double]?
      let percent: Double?
      let percentInterval: [Double]?
      let pairsNeeded: Int?
      let warnings: [String]
    }
    struct Stratum: Encodable {
      let name: String
      let isWhole: Bool
      let weight: Double?
      let outcome: String?
      let baseline, candidate: String?
      let pairs: Int
      let deterministic: Bool
      let scenario: [SweepDescription.HeadLine]
    }
    struct Rule: Encodable {
      let confidence, falseAlarmRate: Double
      let looks: [Int]
      let comparisons: Int
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
    let strata: [Stratum]
    let method: String
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
      pairs = result.pairCount
      deterministic = result.isDeterministic
      rule = Rule(
        confidence: result.rule.confidence, falseAlarmRate: result.rule.falseAlarmRate, looks: result.rule.looks,
        comparisons: result.rule.comparisons, correction: result.rule.comparisons > 1 ? "Bonferroni" : "none", strict: result.isStrict)
      guards = sentence.items.map { item in
        let finding = item.finding
        return Guard(
          stratum: item.stratum.name, metric: finding.guarded.metric.rawValue, unit: finding.guarded.metric.unit,
          side: finding.guarded.side.rawValue, margin: finding.guarded.limitText, outcome: finding.outcome.rawValue,
          reason: sentence.reason(finding), floor: finding.guarded.floor > 0 ? finding.guarded.floor : nil,
          limit: finding.guarded.limit(baselineMean: finding.baselineMean), pairs: finding.pairs, baselineMean: finding.baselineMean,
          candidateMean: finding.candidateMean, difference: finding.difference,
          differenceInterval: finding.differenceInterval.map { [$0.low, $0.high] }, percent: finding.percent,
          percentInterval: finding.percentInterval.map { [$0.low, $0.high] }, pairsNeeded: finding.pairsNeeded,
          warnings: finding.warnings.map(\.description))
      }
      strata = result.strata.compactMap { stratum in
        stratum.name.map { name in
          Stratum(
            name: name, isWhole: stratum.isWhole, weight: stratum.isWhole ? nil : stratum.weight, outcome: stratum.outcome?.rawValue,
            baseline: stratum.isWhole ? nil : stratum.baseline, candidate: stratum.isWhole ? nil : stratum.candidate,
            pairs: stratum.pairs.count, deterministic: stratum.isDeterministic, scenario: stratum.head)
        }
      }
      method = sentence.method
      failures = result.failures
      notes = sentence.notes
    }
  }
}
