// Prints Results/calibration: the error rates of the gate and of the intervals, on the simulator's runs and on given distributions.

import Analysis
import Base
import Rendering
import StudyParts
import SweepTool

/// Runs `run-studies gate`.
/// - Throws: `UsageProblem` for invalid arguments, and the errors of the scenarios and their runs.
package func runGate(_ arguments: Arguments) throws {
  let folder = try arguments.onlyWord("folder of scenarios")
  let gates = try arguments.integer("--gates", in: 1...100_000) ?? 2000
  let only = arguments.value("--only")
  if let only {
    if arguments.has("--distributions") { throw UsageProblem("--only: is not for --distributions; take one of them out") }
    let names = GateReport.scenarios.map(\.0)
    guard names.contains(only) else { throw UsageProblem("--only: is none of \(names.joined(separator: ", "))") }
  }
  if arguments.has("--distributions") {
    print(try DifferenceReport(gates: gates * 2, tables: gates).text())
  } else if arguments.has("--devices") {
    print(try DeviceReport(gates: gates / 2).text())
  } else if arguments.has("--floors") {
    print(try FloorStudy.report(gates: gates))
  } else {
    print(try GateReport(folder: folder, gates: gates, only: only).text())
  }
}

/// The calibration on the simulator's own runs, as reproducible Markdown.
private struct GateReport {
  /// The scenario files, each with the candidate's prefix of videos.
  static let scenarios = [("common", "206.6KB"), ("moving", "240KB"), ("rare", "232KB")]
  private static let sizes = [5, 10, 20, 40, 80, 160, 320]

  private let studies: [GateStudy]
  /// Gates over a parameter that has no effect.
  private let withoutEffect: Tally
  private let gates: Int

  /// Runs the scenario files of a folder, or `only` one of them, with `gates` gates each.
  /// - Throws: the errors of the scenario files and their runs.
  init(folder: String, gates: Int, only: String?) throws {
    self.gates = gates
    studies = try Self.scenarios.filter { only == nil || $0.0 == only }.map {
      file, prefix in
      try GateStudy(path: "\(folder)/\(file).json5", setting: ("feed.video.prefix", prefix), gates: gates)
    }
    withoutEffect = try GateStudy.withoutEffect(path: "\(folder)/rare.json5", gates: gates / 8)
  }

  /// Returns the page.
  /// - Throws: `StudyProblem` if it cannot be read.
  func text() throws -> String {
    try page(
      "calibration",
      [
        "gates": "\(gates)", "gatesError": standardError(of: 0.025, gates), "coverageError": standardError(of: 0.05, gates),
        "assumption": PairedComparison.assumption, "scenarios": scenarioTable, "pairs": "\(GateStudy.pairs)",
        "usual": "\(GateRule.usualLimit)", "hidden": hidden(in: GateStudy.pairs),
        "usualHidden": hidden(in: GateRule.usualLimit), "gateTable": gateTable, "coverage": coverageTable, "power": powerTable,
      ])
  }

  private var scenarioTable: String {
    markdownTable(
      ["scenario", "candidate"] + ["loaders per 1000", "true change", "pairs that differ", "pairs"].map { .right($0) },
      studies.map { study in
        let (first, second) = (study.baseline[.loadersPer1000], study.candidate[.loadersPer1000])
        let differing = zip(first, second).count { $0 != $1 }
        return [
          study.name, study.change, DecimalText.fixed(study.baseline.mean(.loadersPer1000), decimals: 1), change(study),
          share(Double(differing) / Double(first.count)), "\(first.count)",
        ]
      })
  }

  private var gateTable: String {
    func row(_ name: String, _ candidate: String, _ margin: String, _ count: Tally) -> [String] {
      let open = count[.tries] - count[.worse] - count[.kept] - count[.identical]
      let counts = [count[.worse], count[.kept], count[.identical], open, count[.covered]]
      let pairs = DecimalText.fixed(Double(count[.pairs]) / Double(count[.tries]), decimals: 0)
      return [name, candidate, margin] + counts.map { share(Double($0) / Double(count[.tries])) } + [pairs]
    }
    let rows = studies.flatMap { study in
      [
        row(study.name, "same settings, other seeds", "0 %", study.gates(margin: 0, against: study.other)),
        row(study.name, "same settings, other seeds", "2 %", study.gates(margin: 2, against: study.other)),
        row(study.name, "truly worse", "the truth", study.gates(margin: study.truePercent(.loadersPer1000), against: study.candidate)),
        row(study.name, "truly worse (Student's alone)", "the truth", study.plainGates()),
        row(study.name, "truly worse", "0 %", study.gates(margin: 0, against: study.candidate)),
      ]
    }
    let heads = ["called worse", "let through", "identical", "undecided", "intervals hold", "pairs"]
    return markdownTable(
      ["scenario", "candidate", "margin"] + heads.map { .right($0) },
      rows + [row("rare loaders, fluid", "a parameter without effect, same seeds", "0 %", withoutEffect)])
  }

  private var coverageTable: String {
    let intervals: [(String, Count)] = [
      ("the tables'", .covered), ("the tables', per cent", .percentCovered), ("Student's alone", .studentCovered),
      ("Fieller's alone, per cent", .fiellerCovered),
    ]
    let rows = studies.flatMap { study in
      RunPool.metrics.flatMap { metric in
        let counts = Self.sizes.map { study.repetitions($0, metric, limit: gates * 4) }
        return intervals.map { label, key in
          [study.name, metric.rawValue, label] + counts.map { $0[.shown] < 50 ? "–" : $0.share(key, of: .shown) + " %" }
        }
      }
    }
    return markdownTable(["scenario", "metric", "interval"] + Self.sizes.map { .right("\($0)") }, rows)
  }

  private var powerTable: String {
    let tests: [(String, Count)] = [
      ("the tables' interval", .seenPaired), ("exact sign flips", .seenSignFlip), ("unpaired (Welch)", .seenUnpaired),
    ]
    let rows = studies.flatMap { study in
      let counts = Self.sizes.map { study.repetitions($0, .loadersPer1000, limit: gates) }
      // The shares are of all tries, with those without any difference, which detect nothing.
      return tests.map { label, key in [study.name, change(study), label] + counts.map { $0.share(key, of: .tries) + " %" } }
    }
    return markdownTable(["scenario", .right("true change"), "test"] + Self.sizes.map { .right("\($0)") }, rows)
  }

  private func change(_ study: GateStudy) -> String { "\(DecimalText.fixed(study.truePercent(.loadersPer1000), decimals: 2)) %" }
  private func hidden(in pairs: Int) -> String { share(GateRule.hiddenShare(pairs: pairs)) }
  private func share(_ value: Double) -> String { percent(value) + " %" }
}
