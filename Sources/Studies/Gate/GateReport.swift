// The tables of the calibration as Markdown; the same bytes every time.

import Analysis
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
  /// - Throws: what the scenario files and their runs throw.
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
      on \(gates) gates has a standard error of \(standardError(of: 0.025, gates)) points at 2.5 % and of \(standardError(of: 0.05, gates)) points at 95 %.
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

  private func scenarios() -> String {
    var table = Table(texts: ["scenario", "candidate"], numbers: ["loaders per 1000", "true change", "pairs that differ", "pairs"])
    for study in studies {
      table.append(texts: [
        study.name, study.change, DecimalText.fixed(study.baseline.mean(.loadersPer1000), decimals: 1),
        "\(DecimalText.fixed(study.truePercent(.loadersPer1000), decimals: 2)) %", Self.share(1 - study.sameShare(.loadersPer1000)),
        "\(study.baseline.count)",
      ])
    }
    return table.lines
  }

  private func gateTable(_ withoutEffect: Tally<GateEnd>) -> String {
    var table = Table(
      texts: ["scenario", "candidate", "margin"],
      numbers: ["called worse", "let through", "identical", "undecided", "intervals hold", "pairs"])
    func add(_ name: String, _ candidate: String, _ margin: String, _ count: Tally<GateEnd>) {
      let gates = Double(count[.gates])
      let open = count[.gates] - count[.worse] - count[.kept] - count[.identical]
      let counts = [count[.worse], count[.kept], count[.identical], open, count[.covered]]
      let pairs = DecimalText.fixed(Double(count[.pairs]) / gates, decimals: 0)
      table.append(texts: [name, candidate, margin] + counts.map { Self.share(Double($0) / gates) } + [pairs])
    }
    func rule(_ percent: Double) -> GateRule {
      GateRule(guards: [GateGuard(.loadersPer1000, .rise, by: .percent(percent))], limit: Self.limit)
    }
    for study in studies {
      let loaders = study.truePercent(.loadersPer1000)
      add(study.name, "same settings, other seeds", "0 %", study.gates(rule(0), against: \.other))
      add(study.name, "same settings, other seeds", "2 %", study.gates(rule(2), against: \.other))
      add(study.name, "truly worse", "the truth", study.gates(rule(loaders), against: \.candidate))
      add(study.name, "truly worse (Student's alone)", "the truth", study.plainGates(rule(loaders), margin: loaders))
      add(study.name, "truly worse", "0 %", study.gates(rule(0), against: \.candidate))
    }
    add("rare loaders, fluid", "a parameter without effect, same seeds", "0 %", withoutEffect)
    return table.lines
  }

  private func coverage() -> String {
    var table = Table(texts: ["scenario", "metric", "interval"], numbers: Self.sizes.map(String.init))
    let intervals: [(String, RepetitionTry)] = [
      ("the tables'", .differenceCovered), ("the tables', per cent", .percentCovered), ("Student's alone", .studentCovered),
      ("Fieller's alone, per cent", .fiellerCovered),
    ]
    for study in studies {
      for metric in RunPool.metrics {
        let counts = Self.sizes.map { study.repetitions($0, metric, limit: gates * 4) }
        for (label, key) in intervals {
          let cells = counts.map { $0[.tries] < 50 ? "–" : $0.share(key, of: .tries) + " %" }
          table.append(texts: [study.name, metric.rawValue, label] + cells)
        }
      }
    }
    return table.lines
  }

  private func power() -> String {
    let heads = ["scenario", "true change", "test"] + Self.sizes.map(String.init)
    var table = Table(columns: heads.enumerated().map { Table.Column($1, $0 == 0 || $0 == 2 ? .left : .right) })
    let tests: [(String, RepetitionTry)] = [
      ("the tables' interval", .seenPaired), ("exact sign flips", .seenSignFlip), ("unpaired (Welch)", .seenUnpaired),
    ]
    for study in studies {
      let counts = Self.sizes.map { study.repetitions($0, .loadersPer1000, limit: gates) }
      let change = "\(DecimalText.fixed(study.truePercent(.loadersPer1000), decimals: 2)) %"
      for (label, key) in tests {
        // Of all tries, those without any difference included: they see nothing.
        let shares = zip(counts, Self.sizes).map { Self.share(Double($0[key]) / Double(min(gates, gates * Self.limit / $1))) }
        table.append(texts: [study.name, change, label] + shares)
      }
    }
    return table.markdown
  }

  private static var hidden: String { share(GateRule.hiddenShare(pairs: limit)) }
  private static var hiddenUsually: String { share(GateRule.hiddenShare(pairs: GateRule.usualLimit)) }

  private static func share(_ value: Double) -> String { percent(value) + " %" }
}
