// The gate's result for other programs, with every number of the texts.

import Analysis
import Base

package enum GateJSON {
  package static let formatVersion = 1

  /// Returns one object with sorted keys, indented, ended by a line feed. Missing numbers are omitted. `exitStatus` is the program's.
  package static func text(_ result: GateResult, exitStatus: Int32) -> String {
    let sentence = GateSentence(result: result)
    let (rule, program) = (result.rule, result.program)
    let form: JSONText = [
      "formatVersion": .number(formatVersion),
      "program": [
        "name": .string(program.name), "version": .string(program.version), "modelVersion": .string(program.modelVersion),
      ],
      "outcome": .string(result.outcome.rawValue), "headline": .string(sentence.headline), "sweep": .string(result.sweep),
      "exitStatus": .number(exitStatus), "baseline": side(result.baseline), "candidate": side(result.candidate),
      "changes": .array(
        result.changes.map {
          ["path": .string($0.path), "baseline": $0.baseline.map(JSONText.string), "candidate": $0.candidate.map(JSONText.string)]
        }),
      "scenario": lines(result.head), "seed": .number(result.seed), "pairs": .number(result.pairCount),
      "deterministic": .boolean(result.isDeterministic),
      "blocks": result.blocks.map {
        [
          "backend": .string($0.backend), "compared": .number($0.compared), "null": .number($0.null), "earlierNull": .number($0.earlier),
          "limit": .number($0.limit), "devices": .strings($0.devices),
        ]
      },
      "rule": [
        "confidence": .number(rule.confidence), "falseAlarmRate": .number(rule.falseAlarmRate),
        "looks": .array(rule.looks.map { .number($0) }), "comparisons": .number(rule.comparisons),
        "correction": rule.comparisons > 1 ? "Bonferroni" : "none", "strict": .boolean(result.isStrict),
      ],
      "guards": .array(sentence.items.map { guarded($0.finding, in: $0.stratum, reason: sentence.reason($0.finding)) }),
      "strata": .array(result.strata.compactMap(stratum)), "method": .string(sentence.method), "failures": .strings(result.failures),
      "notes": .strings(sentence.notes),
    ]
    return form.indented + "\n"
  }

  private static func side(_ side: GateResult.Side) -> JSONText {
    ["source": .string(side.source), "settings": .string(side.settings), "point": .string(side.point)]
  }

  private static func lines(_ head: [SweepDescription.HeadLine]) -> JSONText {
    .array(head.map { ["label": .string($0.label), "text": .string($0.text)] })
  }

  private static func guarded(_ finding: GateFinding, in stratum: GateResult.Stratum, reason: String) -> JSONText {
    let guarded = finding.guarded
    func ends(_ interval: ConfidenceInterval?) -> JSONText? { interval.map { [.number($0.low), .number($0.high)] } }
    return [
      "stratum": stratum.name.map(JSONText.string), "metric": .string(guarded.metric.rawValue),
      "unit": .string(guarded.metric.unit.rawValue),
      "side": .string(guarded.side.rawValue), "margin": .string(guarded.limitText), "outcome": .string(finding.outcome.rawValue),
      "reason": .string(reason), "fault": finding.fault.map(JSONText.string), "floor": finding.floor > 0 ? .number(finding.floor) : nil,
      "limit": .number(finding.limit), "bound": guarded.bound.map { .number($0) },
      "pairs": .number(finding.pairs), "baselineMean": finding.baselineMean.map { .number($0) },
      "candidateMean": finding.pairs == 0 ? nil : .number(finding.candidateMean),
      "difference": .number(finding.difference), "differenceInterval": ends(finding.differenceInterval),
      "percent": finding.percent.map { .number($0) }, "percentInterval": ends(finding.percentInterval),
      "prediction": finding.prediction.map {
        [
          "difference": .number($0.difference), "differenceInterval": ends($0.differenceInterval),
          "percent": $0.percent.map { .number($0) }, "percentInterval": ends($0.percentInterval),
          "isContradicted": .boolean(finding.contradictsPrediction),
        ]
      },
      "pairsNeeded": finding.pairsNeeded.map { .number($0) }, "warnings": .strings(finding.warnings),
      "waiver": finding.waiver.map {
        [
          "guard": .string($0.guarded.text), "reason": .string($0.reason), "until": .string($0.until),
          "outcomeWithout": finding.outcomeWithoutWaiver.map { .string($0.rawValue) },
        ]
      },
    ]
  }

  private static func stratum(_ stratum: GateResult.Stratum) -> JSONText? {
    guard let name = stratum.name else { return nil }
    return [
      "name": .string(name), "isWhole": .boolean(stratum.isWhole), "weight": stratum.isWhole ? nil : .number(stratum.weight),
      "outcome": stratum.outcome.map { .string($0.rawValue) }, "baseline": stratum.isWhole ? nil : .string(stratum.baseline),
      "candidate": stratum.isWhole ? nil : .string(stratum.candidate), "pairs": .number(stratum.pairs.count),
      "deterministic": .boolean(stratum.isDeterministic), "scenario": lines(stratum.head),
    ]
  }
}
