// The tables of the calibration as Markdown; the same bytes every time.

import Analysis
import Foundation

/// Makes the report.
struct CalibrationReport {
  /// The whole report.
  let text: String

  /// The most pairs of a gate here.
  private static let limit = 160
  private static let sizes = [5, 10, 20, 40, 80, 160, 320, 640]

  private struct Study {
    let calibration: Calibration
    let gates: Int
  }

  /// Runs the scenario files of a folder, or `only` one of them, `gates` gates each.
  init(folder: String, gates: Int, only: String? = nil) throws {
    let cases: [(file: String, setting: (path: String, value: String))] = [
      ("common", ("feed.video.prefix", "206.6KB")), ("moving", ("feed.video.prefix", "240KB")), ("rare", ("feed.video.prefix", "240KB")),
    ]
    let studies = try cases.filter { only == nil || $0.file == only }.map { item in
      Study(
        calibration: try Calibration(path: "\(folder)/\(item.file).json5", setting: item.setting, count: gates * Self.limit), gates: gates)
    }
    var parts: [String] = []
    parts.append(Self.scenarios(studies))
    parts.append("## The gate\n")
    parts.append(Self.gateTable(studies))
    parts.append("## Intervals\n")
    parts.append(Self.coverage(studies))
    parts.append("## Power\n")
    parts.append(Self.power(studies))
    text = parts.joined(separator: "\n")
  }

  private static func scenarios(_ studies: [Study]) -> String {
    var table = Table(columns: [
      .init("scenario"), .init("candidate"), .init("loaders per 1000", .right), .init("true change", .right),
      .init("pairs that differ", .right),
    ])
    for study in studies {
      let calibration = study.calibration
      table.append(
        [
          calibration.name, calibration.change, DecimalText.fixed(calibration.baseline.mean(.loadersPer1000), decimals: 1),
          "\(DecimalText.fixed(calibration.truePercent(.loadersPer1000), decimals: 2)) %",
          share(1 - calibration.sameShare(.loadersPer1000)),
        ].map { .init($0) })
    }
    return table.markdown
  }

  private static func gateTable(_ studies: [Study]) -> String {
    var table = Table(
      columns: ["scenario", "candidate", "margin"].map { .init($0) }
        + ["called worse", "let through", "undecided", "interval holds", "pairs"].map { .init($0, .right) })
    func add(_ study: Study, _ candidate: String, _ margin: String, _ count: GateCount) {
      let gates = Double(count.gates)
      let open = count.gates - count.worse - count.kept
      table.append(
        [
          study.calibration.name, candidate, margin, share(Double(count.worse) / gates), share(Double(count.kept) / gates),
          share(Double(open) / gates), share(Double(count.covered) / gates), DecimalText.fixed(Double(count.pairs) / gates, decimals: 0),
        ].map { .init($0) })
    }
    for study in studies {
      let calibration = study.calibration
      func rule(_ guards: [(Metric, Double)]) -> GateRule {
        GateRule(guards: guards.map { GateGuard($0.0, .rise, by: .percent($0.1)) }, limit: limit)
      }
      let loaders = calibration.truePercent(.loadersPer1000)
      let bytes = calibration.truePercent(.bytesReceived)
      add(
        study, "same settings, other seeds", "0 %", calibration.gates(rule([(.loadersPer1000, 0)]), against: \.other))
      add(study, "same settings, other seeds", "2 %", calibration.gates(rule([(.loadersPer1000, 2)]), against: \.other))
      add(study, "truly worse", "the truth", calibration.gates(rule([(.loadersPer1000, loaders)]), against: \.candidate))
      add(
        study, "truly worse", "the truth, two guards",
        calibration.gates(rule([(.loadersPer1000, loaders), (.bytesReceived, bytes)]), against: \.candidate))
      add(study, "truly worse", "0 %", calibration.gates(rule([(.loadersPer1000, 0)]), against: \.candidate))
    }
    return table.markdown
  }

  private static func coverage(_ studies: [Study]) -> String {
    var table = Table(
      columns: [.init("scenario"), .init("interval of")] + sizes.map { .init("\($0)", .right) })
    for study in studies {
      for metric in RunPool.metrics {
        let counts = sizes.map { study.calibration.repetitions($0, metric, limit: study.gates * 4) }
        let columns: [(String, KeyPath<RepetitionCount, Int>)] = [
          ("Student's", \.differenceCovered), ("widened", \.widenedCovered), ("Fieller's, per cent", \.percentCovered),
        ]
        for (label, path) in columns {
          table.append(
            ([study.calibration.name, "\(metric.rawValue), \(label)"] + counts.map { share(Double($0[keyPath: path]) / Double($0.tries)) })
              .map { .init($0) })
        }
      }
    }
    return table.markdown
  }

  private static func power(_ studies: [Study]) -> String {
    var table = Table(columns: [.init("scenario"), .init("test at 5 %")] + sizes.map { .init("\($0)", .right) })
    for study in studies {
      let counts = sizes.map { study.calibration.repetitions($0, .loadersPer1000, limit: study.gates) }
      let tests: [(String, KeyPath<RepetitionCount, Int>)] = [
        ("paired t interval", \.seenPaired), ("exact sign flips", \.seenSignFlip), ("unpaired (Welch)", \.seenUnpaired),
      ]
      for (label, path) in tests {
        table.append(
          ([study.calibration.name, label] + counts.map { share(Double($0[keyPath: path]) / Double($0.tries)) }).map { .init($0) })
      }
    }
    return table.markdown
  }

  private static func share(_ value: Double) -> String { "\(DecimalText.fixed(value * 100, decimals: 1)) %" }
}
