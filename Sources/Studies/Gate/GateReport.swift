// The tables of the calibration as Markdown; the same bytes every time.

import Analysis
import Foundation
import Rendering

/// Makes the report.
struct GateReport {
  /// The whole report.
  private(set) var text = ""

  /// The most pairs of a gate here.
  private static let limit = 100
  private static let sizes = [5, 10, 20, 40, 80, 160, 320]
  private static let cases: [(file: String, setting: (path: String, value: String))] = [
    ("common", ("feed.video.prefix", "206.6KB")), ("moving", ("feed.video.prefix", "240KB")), ("rare", ("feed.video.prefix", "232KB")),
  ]

  private let studies: [GateStudy]
  private let gates: Int

  /// Runs the scenario files of a folder, or `only` one of them, `gates` gates each.
  init(folder: String, gates: Int, only: String? = nil) throws {
    self.gates = gates
    studies = try Self.cases.filter { only == nil || $0.file == only }.map { item in
      try GateStudy(path: "\(folder)/\(item.file).json5", setting: item.setting, count: gates * Self.limit)
    }
    let withoutEffect = try GateStudy.withoutEffect(path: "\(folder)/rare.json5", gates: gates / 8, limit: 100)
    text = [
      "# Calibration",
      """
      Error rates of the gate and of the intervals, measured on runs of the program's own simulator. Made by `Scripts/calibration`: \(gates)
      gates of each kind, over pairs of runs that no other gate has; the truth is the mean over all pairs of a scenario. A share measured
      on \(gates) gates has a standard error of \(points(0.025)) points at 2.5 % and of \(points(0.05)) points at 95 %.
      `distributions.md` has the same rates for given distributions of differences, and for gates of several comparisons. \(PairedComparison.assumption)
      """,
      scenarios(),
      """
      ## The gate

      Stated: a candidate that is exactly at its margins is called worse in at most 2.5 % of gates and let through in at most 2.5 %, and
      the intervals shown hold the truth in at least 95 %. "Same settings, other seeds" at 0 % is the A/A test; at 2 % its candidate is better
      than its margin and may be let through. "Truly worse" at the truth is the hardest case, with all the skewness of real differences. The
      gates here judge once, at \(Self.limit) pairs, the first look of a usual gate, which goes on to \(GateRule.usualLimit). "Student's alone" is
      the rule without an adjustment for skewness, which the gate does not use: it shows why the adjustment is needed. Pairs that are all equal
      pass as identical; no interval stands behind that word. A difference in fewer than \(Self.hidden) of sessions could hide in \(Self.limit)
      pairs, in fewer than \(Self.hiddenUsually) in the usual \(GateRule.usualLimit).
      """,
      gateTable(withoutEffect),
      """
      ## Intervals

      The share of 95 % intervals that hold the truth, by the number of repetitions: those of the tables of `run` (`PairedComparison`; at least
      93 % is stated), and Student's and Fieller's alone, which these adjust for skewness. Tries without an interval are left out: those in
      which no pair differs, and those in which fewer than 4 (3 of less than 10) differ from the commonest difference ("too few repetitions").
      "–": fewer than 50 tries have an interval.
      """,
      coverage(),
      """
      ## Power

      The share of tries that see the candidate's true change at 5 %, by the number of repetitions: paired by common random numbers (the
      tables' interval, and the exact test), and what would be left without them.
      """,
      power(),
    ].joined(separator: "\n\n")
  }

  private func points(_ share: Double) -> String {
    DecimalText.fixed((share * (1 - share) / Double(gates)).squareRoot() * 100, decimals: 2)
  }

  private func scenarios() -> String {
    var table = Table(columns: [
      .init("scenario"), .init("candidate"), .init("loaders per 1000", .right), .init("true change", .right),
      .init("pairs that differ", .right), .init("pairs", .right),
    ])
    for study in studies {
      let cells = [
        study.name, study.change, DecimalText.fixed(study.baseline.mean(.loadersPer1000), decimals: 1),
        "\(DecimalText.fixed(study.truePercent(.loadersPer1000), decimals: 2)) %", Self.share(1 - study.sameShare(.loadersPer1000)),
        "\(study.baseline.count)",
      ]
      table.append(cells.map { .init($0) })
    }
    return String(table.markdown.dropLast())
  }

  private func gateTable(_ withoutEffect: GateCount) -> String {
    var table = Table(
      columns: ["scenario", "candidate", "margin"].map { .init($0) }
        + ["called worse", "let through", "identical", "undecided", "intervals hold", "pairs"].map { .init($0, .right) })
    func add(_ name: String, _ candidate: String, _ margin: String, _ count: GateCount) {
      let gates = Double(count.gates)
      let open = count.gates - count.worse - count.kept - count.identical
      let counts = [count.worse, count.kept, count.identical, open, count.covered]
      let cells =
        [name, candidate, margin] + counts.map { Self.share(Double($0) / gates) } + [
          DecimalText.fixed(Double(count.pairs) / gates, decimals: 0)
        ]
      table.append(cells.map { .init($0) })
    }
    func rule(_ percent: Double) -> GateRule {
      GateRule(guards: [GateGuard(.loadersPer1000, .rise, by: .percent(percent))], limit: Self.limit)
    }
    for study in studies {
      let loaders = study.truePercent(.loadersPer1000)
      add(study.name, "same settings, other seeds", "0 %", study.gates(rule(0), against: \.other))
      add(study.name, "same settings, other seeds", "2 %", study.gates(rule(2), against: \.other))
      add(study.name, "truly worse", "the truth", study.gates(rule(loaders), against: \.candidate))
      let plain = study.plainGates(rule(loaders), margin: loaders)
      add(study.name, "truly worse (Student's alone)", "the truth", plain)
      add(study.name, "truly worse", "0 %", study.gates(rule(0), against: \.candidate))
    }
    add("rare loaders, fluid", "a parameter without effect, same seeds", "0 %", withoutEffect)
    return String(table.markdown.dropLast())
  }

  private func coverage() -> String {
    var table = Table(columns: [.init("scenario"), .init("metric"), .init("interval")] + Self.sizes.map { .init("\($0)", .right) })
    let intervals: [(String, KeyPath<RepetitionCount, Int>)] = [
      ("the tables'", \.differenceCovered), ("the tables', per cent", \.percentCovered), ("Student's alone", \.studentCovered),
      ("Fieller's alone, per cent", \.fiellerCovered),
    ]
    for study in studies {
      for metric in RunPool.metrics {
        let counts = Self.sizes.map { study.repetitions($0, metric, limit: gates * 4) }
        for (label, path) in intervals {
          let cells =
            [study.name, metric.rawValue, label]
            + counts.map {
              $0.tries < 50 ? "–" : Self.share(Double($0[keyPath: path]) / Double($0.tries))
            }
          table.append(cells.map { .init($0) })
        }
      }
    }
    return String(table.markdown.dropLast())
  }

  private func power() -> String {
    var table = Table(
      columns: [.init("scenario"), .init("true change", .right), .init("test")] + Self.sizes.map { .init("\($0)", .right) })
    let tests: [(String, KeyPath<RepetitionCount, Int>)] = [
      ("the tables' interval", \.seenPaired), ("exact sign flips", \.seenSignFlip), ("unpaired (Welch)", \.seenUnpaired),
    ]
    for study in studies {
      let counts = Self.sizes.map { study.repetitions($0, .loadersPer1000, limit: gates) }
      for (label, path) in tests {
        let change = "\(DecimalText.fixed(study.truePercent(.loadersPer1000), decimals: 2)) %"
        let cells =
          [study.name, change, label] + zip(counts, Self.sizes).map { Self.share(Double($0[keyPath: path]) / Double(tries($1))) }
        table.append(cells.map { .init($0) })
      }
    }
    return table.markdown
  }

  /// How many tries of a size there are, those without any difference included: they see nothing.
  private func tries(_ size: Int) -> Int { min(gates, gates * Self.limit / size) }

  private static var hidden: String { share(GateRule.hiddenShare(pairs: limit)) }
  private static var hiddenUsually: String { share(GateRule.hiddenShare(pairs: GateRule.usualLimit)) }

  private static func share(_ value: Double) -> String { "\(DecimalText.fixed(value * 100, decimals: 1)) %" }
}
