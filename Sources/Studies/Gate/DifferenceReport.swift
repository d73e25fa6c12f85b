// The tables of the distributions as reproducible Markdown.

import Analysis
import Base

/// The part of the report about distributions of differences.
struct DifferenceReport {
  private static let sizes = [2, 3, 4, 5, 7, 10, 15, 20, 40, 80, 160]

  /// The numbers of gates and tables of each kind.
  let gates: Int, tables: Int

  var text: String {
    """
    # Promised rates by distribution

    Made by `Scripts/calibration`, which draws paired differences and judges them with the gate's rule and the tables' intervals.

    - Gates: a candidate exactly at its margin raises a false alarm in at most 2.5 % of gates and is let through in at most 2.5 %. A cell of
      \(gates) gates has a standard error of \(standardError(of: 0.025, gates)) points, so that it may show up to 3.3 % by chance.
    - Tables: at every number of repetitions, intervals cover the truth in at least 93 % of the tables that show one. A cell of
      \(tables) tables has a standard error of \(standardError(of: 0.05, tables)) points at 95 %; cells in which few tables show an interval have a larger one.

    \(PairedComparison.assumption) Hence a gate takes at least \(Self.rules[0].rule.looks[0]) pairs.

    The promise is for the rows above "others:". The rows below are other distributions, for comparison; the last two lie beyond the
    assumption. "90 % N(1, 0.1), 10 % N(−9, 0.1)" shows what few repetitions cannot see: in 59 % of tables of 5 repetitions, and 35 % of those
    of 10, −9 has not occurred, and no interval of such a table covers the truth.

    ## Gates: false alarms / let through, by margin

    \(gateTable)

    A gate judges after \(list(Self.rules[0].rule.looks)) pairs. "Noisy baseline": the differences have the distribution, the excess beyond the
    margin has the baseline's noise besides. "Difference in proportion": the excess has the distribution, the difference the baseline's noise
    besides. The baseline is 100 ± 10 a session.

    ## Gates of \(Self.comparisons) comparisons: false alarms / let through

    2 guards in 5 strata, each with a margin of 2 %, a noisy baseline and pairs of its own; \(tables) gates a cell (standard error
    \(standardError(of: 0.025, tables)) points at 2.5 %). "All at the margin": false alarms are most frequent there. "1 at the margin, others 20 % below":
    candidates beyond a margin are let through most often there. Such a gate judges after \(list(Self.familyRule.looks)) pairs.

    \(familyGateTable)

    ## Tables: coverage of the interval of the difference, by repetitions

    In brackets the share of tables that show an interval, where that is not all of them; the others say "too few pairs differ", or that all
    pairs are equal. "Width" is that of the mean interval in relation to Student's. "–": fewer than 50 tables show an interval.

    \(coverage(.covered, of: .shown, hasWidth: true))

    ## Tables: coverage of the interval in per cent of the baseline, by repetitions

    \(coverage(.percentCovered, of: .percentShown, hasWidth: false))

    ## Tables of \(Self.points) points: false verdicts

    The share of tables in which at least 1 of \(Self.points) points that are equal to the baseline in the mean is called better or worse, with
    no margin; \(tables) tables a cell. Stated: at most 5 %, by intervals with Bonferroni's correction. With 10 repetitions the exact sign-flip
    test cannot reach a verdict for \(Self.points) points at once, whatever the data, so that such verdicts rest on the intervals alone. Normal and
    t differences keep the 5 %. Lognormal ones do not: the intervals are calibrated at 95 %, not at the 99.9 % that Bonferroni's correction asks
    of them. A confirmation (`confirm: 30`) judges a few points on new seeds.

    "By equal pairs": all pairs of a point show the same difference. That is a verdict only if an outcome of 1 session in 10 would have shown at
    one of the points: for \(Self.points) points from 66 pairs on. Where 9 sessions of 10 show the same, all 10 pairs are equal in 35 % of comparisons.

    \(familyTable)
    """
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
