// The tables of the distributions as Markdown; the same bytes every time.

import Analysis
import Rendering

/// Makes the part of the report that is about distributions of differences.
struct DifferenceReport {
  private static let sizes = [2, 3, 4, 5, 7, 10, 15, 20, 40, 80, 160]

  /// Gates and tables of each kind.
  let gates: Int
  let tables: Int

  /// All tables with what they promise.
  var text: String {
    [
      """
      # Promised rates by distribution

      Made by `Scripts/calibration`, which draws paired differences and judges them with the gate's rule and the tables' intervals.

      - Gates: a candidate exactly at its margin raises a false alarm in at most 2.5 % of gates and is let through in at most 2.5 %. A cell of
        \(gates) gates has a standard error of \(standardError(of: 0.025, gates)) points, so that it may show up to 3.3 % by chance.
      - Tables: at every number of repetitions, intervals cover the truth in at least 93 % of the tables that show one. A cell of
        \(tables) tables has a standard error of \(standardError(of: 0.05, tables)) points at 95 %; cells in which few tables show an interval have a larger one.

      \(PairedComparison.assumption) Hence a gate takes at least \(Self.rules[0].looks[0]) pairs.

      The promise is for the rows above "others:". The rows below are other distributions, for comparison; the last two lie beyond the
      assumption. "90 % N(1, 0.1), 10 % N(−9, 0.1)" shows what few repetitions cannot see: in 59 % of tables of 5 repetitions, and 35 % of those
      of 10, −9 has not occurred, and no interval of such a table covers the truth.

      ## Gates: false alarms / let through, by margin
      """,
      gateTable,
      """
      A gate judges after \(list(Self.rules[0].looks)) pairs. "Noisy baseline": the differences have the distribution, the excess beyond the
      margin has the baseline's noise besides. "Difference in proportion": the excess has the distribution, the difference the baseline's noise
      besides. The baseline is 100 ± 10 a session.

      ## Gates of \(Self.comparisons) comparisons: false alarms / let through

      2 guards in 5 strata, each with a margin of 2 %, a noisy baseline and pairs of its own; \(tables) gates a cell (standard error
      \(standardError(of: 0.025, tables)) points at 2.5 %). "All at the margin": false alarms are most frequent there. "1 at the margin, others 20 % below":
      candidates beyond a margin are let through most often there. Such a gate judges after \(list(Self.familyRule.looks)) pairs.
      """,
      familyGateTable,
      """
      ## Tables: coverage of the interval of the difference, by repetitions

      In brackets the share of tables that show an interval, where that is not all of them; the others say "too few repetitions", or that all
      pairs are equal. "Width" is that of the mean interval in relation to Student's. "–": fewer than 50 tables show an interval.
      """,
      coverage(.covered, of: .published, hasWidth: true),
      "## Tables: coverage of the interval in per cent of the baseline, by repetitions",
      coverage(.percentCovered, of: .percentPublished, hasWidth: false),
      """
      ## Tables of \(Self.points) points: false verdicts

      The share of tables in which at least 1 of \(Self.points) points that are equal to the baseline in the mean is called better or worse, with
      no margin; \(tables) tables a cell. Stated: at most 5 %, by intervals with Bonferroni's correction. With 10 repetitions the exact sign-flip
      test cannot reach a verdict for \(Self.points) points at once, whatever the data, so that such verdicts rest on the intervals alone. Normal and
      t differences keep the 5 %. Lognormal ones do not: the intervals are calibrated at 95 %, not at the 99.9 % that Bonferroni's correction asks
      of them. Fresh seeds (`confirm: 30`) judge a few points on new runs.

      "By equal pairs": all pairs of a point show the same difference. That verdict is for 1 point at a time, and a report says so. Where 9
      sessions of 10 show the same, all 10 pairs are equal in 35 % of comparisons, and among \(Self.points) points in nearly every table.
      """,
      familyTable,
    ].joined(separator: "\n\n")
  }

  private static let worlds = DifferenceStudy.World.allCases
  private static let rules = worlds.map { GateRule(guards: [GateGuard(.loadersPer1000, .rise, by: $0.margin)]) }
  private static let comparisons = 10
  private static let familyRule = GateRule(
    guards: [.loadersPer1000, .bytesReceived].map { GateGuard($0, .rise, by: .percent(2)) }, comparisons: comparisons)
  /// The points of the largest shipped table, without its baseline.
  private static let points = 49
  private static let familyLaws = [
    "normal", "Student's t, 3 degrees", "lognormal, σ = 1.0", "10 % N(0.4, 1), others 0", "30 % lognormal, others 0",
    "10 % rare falls, others constant", "30 % rare rises, others constant",
  ]

  private func list(_ numbers: [Int]) -> String {
    numbers.dropLast().map(String.init).joined(separator: ", ") + " and \(numbers[numbers.count - 1])"
  }

  private var families: [DifferenceStudy] { studies.compactMap { $0 }.filter { Self.familyLaws.contains($0.law.name) } }

  private var familyGateTable: String {
    var table = Table(texts: ["difference"], numbers: ["all at the margin", "1 at the margin, others 20 % below"])
    for family in families {
      let cells = [Self.comparisons, 1].map { Self.rates(family.gates(Self.familyRule, atMargin: $0, count: tables)) }
      table.append(texts: [family.law.name] + cells)
    }
    return table.lines
  }

  private var familyTable: String {
    let sizes = [10, 20]
    var table = Table(
      texts: ["difference"],
      numbers: sizes.map { "\($0) repetitions, by intervals" } + sizes.map { "\($0) repetitions, by equal pairs" })
    for family in families {
      let counts = sizes.map { family.verdicts(comparisons: Self.points, size: $0, count: tables) }
      let keys = [DifferenceStudy.Verdicts.wrongByInterval, .wrongByEqualPairs]
      table.append(texts: [family.law.name] + keys.flatMap { key in counts.map { "\($0.share(key, of: .count)) %" } })
    }
    return table.lines
  }

  /// The distributions in the order of the tables; nil for the row between the promised ones and the others.
  private var studies: [DifferenceStudy?] {
    let all = DifferenceLaw.promised.map(Optional.some) + [nil] + DifferenceLaw.others.map(Optional.some)
    return all.enumerated().map { index, law in law.map { DifferenceStudy(law: $0, index: index) } }
  }

  private var gateTable: String {
    var table = Table(texts: ["difference"], numbers: Self.worlds.map(\.rawValue))
    for study in studies {
      let cells = zip(Self.worlds, Self.rules).map { world, rule in
        study.map { Self.rates($0.gates(world, rule: rule, count: gates)) } ?? ""
      }
      table.append(texts: [study?.law.name ?? "others:"] + cells)
    }
    return table.lines
  }

  /// False alarms and candidates let through.
  private static func rates(_ count: Tally<DifferenceStudy.Gates>) -> String {
    "\(count.share(.falseAlarms, of: .count)) / \(count.share(.letThrough, of: .count)) %"
  }

  private func coverage(_ covered: DifferenceStudy.Tables, of published: DifferenceStudy.Tables, hasWidth: Bool) -> String {
    var table = Table(texts: ["difference"], numbers: Self.sizes.map(String.init))
    for study in studies {
      let counts = Self.sizes.map { study?.tables(size: $0, count: tables) }
      let cells = counts.map { count -> String in
        guard let count else { return "" }
        let shown = count[published]
        guard shown > 0 else { return "none" }
        let base = shown == count[.count] ? "" : " (\(count.share(published, of: .count)))"
        return (shown < 50 ? "–" : count.share(covered, of: published)) + base
      }
      table.append(texts: [study?.law.name ?? "others:"] + cells)
      guard hasWidth, study?.law.name == DifferenceLaw.promised[0].name else { continue }
      let widths = counts.map { count -> String in
        guard let count, count[.published] > 0 else { return "" }
        return DecimalText.fixed(Double(count[.width]) / Double(count[.published]) / 1000, decimals: 2)
      }
      table.append(texts: ["width, normal"] + widths)
    }
    return table.lines
  }
}
