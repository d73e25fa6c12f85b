// The tables of the distributions as reproducible Markdown.

import Analysis
import Base
import Rendering
import StudyParts

/// The part of the report about distributions of differences.
struct DifferenceReport {
  private static let sizes = [2, 3, 4, 5, 7, 10, 15, 20, 40, 80, 160]

  /// The numbers of gates and tables of each kind.
  let gates: Int, tables: Int

  /// Returns the page.
  /// - Throws: `StudyProblem` if it cannot be read.
  func text() throws -> String {
    try page(
      "distributions",
      [
        "gates": "\(gates)", "gatesError": standardError(of: 0.025, gates), "tables": "\(tables)",
        "tablesError": standardError(of: 0.05, tables), "assumption": PairedComparison.assumption,
        "least": "\(Self.rules[0].rule.looks[0])", "gateTable": gateTable, "looks": "\(list(Self.rules[0].rule.looks))",
        "comparisons": "\(Self.comparisons)", "familyError": standardError(of: 0.025, tables),
        "familyLooks": list(Self.familyRule.looks), "familyGates": familyGateTable,
        "coverage": coverage(.covered, of: .shown, hasWidth: true),
        "percentCoverage": coverage(.percentCovered, of: .percentShown, hasWidth: false), "points": "\(Self.points)",
        "familyTable": familyTable,
      ])
  }

  private static let rules = DifferenceStudy.World.allCases.map { world in
    (world: world, rule: GateRule(guards: [GateGuard(.loadersPer1000, .rise, by: world.margin)]))
  }
  private static let comparisons = 10
  private static let familyRule = GateRule(
    guards: [.loadersPer1000, .bytesReceived].map { GateGuard($0, .rise, by: .percent(2)) }, comparisons: comparisons)
  /// The number of points of the largest committed table, without its baseline.
  private static let points = 49
  private static let familyLaws = [
    "normal", "Student's t, 3 degrees", "lognormal, σ = 1.0", "10 % N(0.4, 1), others 0", "30 % lognormal, others 0",
    "10 % rare falls, others constant", "30 % rare rises, others constant",
  ]

  private func list(_ numbers: [Int]) -> String {
    numbers.dropLast().map(String.init).joined(separator: ", ") + " and \(numbers[numbers.count - 1])"
  }

  /// Returns a table with rows for each distribution; the row "others:" separates the promised ones from the others.
  private func table(_ heads: [String], isOfFamilies: Bool = false, _ rows: (DifferenceStudy) -> [[String]]) -> String {
    let laws = DifferenceLaw.promised.map(Optional.some) + [nil] + DifferenceLaw.others
    let shown = laws.enumerated().filter { !isOfFamilies || Self.familyLaws.contains($1?.name ?? "") }
    return markdownTable(
      ["difference"] + heads.map { .right($0) },
      shown.flatMap { index, law in
        law.map { rows(DifferenceStudy(law: $0, index: index)) } ?? [["others:"] + heads.map { _ in "" }]
      })
  }

  private var gateTable: String {
    table(Self.rules.map(\.world.rawValue)) { study in
      [[study.law.name] + Self.rules.map { Self.rates(study.gates($0.world, $0.rule, count: gates)) }]
    }
  }

  private var familyGateTable: String {
    table(["all at the margin", "1 at the margin, others 20 % below"], isOfFamilies: true) { study in
      let counts = [Self.comparisons, 1].map { study.gates(.noisyBaseline, Self.familyRule, atMargin: $0, count: tables) }
      return [[study.law.name] + counts.map(Self.rates)]
    }
  }

  private var familyTable: String {
    let sizes = [10, 20]
    let kinds: [(String, Count)] = [("intervals", .wrongByInterval), ("equal pairs", .wrongByEqualPairs)]
    return table(kinds.flatMap { kind in sizes.map { "\($0) repetitions, by \(kind.0)" } }, isOfFamilies: true) { study in
      let counts = sizes.map { study.verdicts(comparisons: Self.points, size: $0, count: tables) }
      return [[study.law.name] + kinds.flatMap { kind in counts.map { "\($0.share(kind.1, of: .tries)) %" } }]
    }
  }

  /// Returns the rates of false alarms and of candidates let through.
  private static func rates(_ count: Tally) -> String { "\(count.share(.worse, of: .tries)) / \(count.share(.kept, of: .tries)) %" }

  private func coverage(_ covered: Count, of shown: Count, hasWidth: Bool) -> String {
    table(Self.sizes.map(String.init)) { study in
      let counts = Self.sizes.map { study.tables(size: $0, count: tables) }
      let cells = counts.map { count -> String in
        guard count[shown] > 0 else { return "none" }
        let base = count[shown] == count[.tries] ? "" : " (\(count.share(shown, of: .tries)))"
        return (count[shown] < 50 ? "–" : count.share(covered, of: shown)) + base
      }
      guard hasWidth, study.law.name == DifferenceLaw.promised[0].name else { return [[study.law.name] + cells] }
      let widths = counts.map { count in
        count[.shown] > 0 ? DecimalText.fixed(Double(count[.width]) / Double(count[.shown]) / 1000, decimals: 2) : ""
      }
      return [[study.law.name] + cells, ["width, normal"] + widths]
    }
  }
}
