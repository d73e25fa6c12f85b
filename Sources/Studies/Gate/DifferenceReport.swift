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
        \(gates) gates has a standard error of \(points(0.025, gates)) points, so that it may show up to 3.3 % by chance.
      - Tables: at every number of repetitions, intervals cover the truth in at least 93 % of the tables that show one. A cell of
        \(tables) tables has a standard error of \(points(0.05, tables)) points at 95 %; cells in which few tables show an interval have a larger one.

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
      \(points(0.025, tables)) points at 2.5 %). "All at the margin": false alarms are most frequent there. "1 at the margin, others 20 % below":
      candidates beyond a margin are let through most often there. Such a gate judges after \(list(Self.familyRule.looks)) pairs.
      """,
      familyGateTable,
      """
      ## Tables: coverage of the interval of the difference, by repetitions

      In brackets the share of tables that show an interval, where that is not all of them; the others say "too few repetitions", or that all
      pairs are equal. "Width" is that of the mean interval in relation to Student's. "–": fewer than 50 tables show an interval.
      """,
      coverage(\.covered, of: \.published, hasWidth: true),
      "## Tables: coverage of the interval in per cent of the baseline, by repetitions",
      coverage(\.percentCovered, of: \.percentPublished, hasWidth: false),
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

  private var families: [FamilyStudy] {
    studies.compactMap { $0 }.filter { Self.familyLaws.contains($0.law.name) }.map { FamilyStudy(study: $0) }
  }

  private var familyGateTable: String {
    var table = Table(
      columns: [.init("difference"), .init("all at the margin", .right), .init("1 at the margin, others 20 % below", .right)])
    for family in families {
      let cells = [Self.comparisons, 1].map { atMargin -> String in
        let count = family.gates(Self.familyRule, atMargin: atMargin, count: tables)
        return "\(share(count.falseAlarms, count.count)) / \(share(count.letThrough, count.count)) %"
      }
      table.append(([family.study.law.name] + cells).map { .init($0) })
    }
    return String(table.markdown.dropLast())
  }

  private var familyTable: String {
    let sizes = [10, 20]
    var table = Table(
      columns: [.init("difference")] + sizes.map { .init("\($0) repetitions, by intervals", .right) }
        + sizes.map { .init("\($0) repetitions, by equal pairs", .right) })
    for family in families {
      let counts = sizes.map { family.tables(comparisons: Self.points, size: $0, count: tables) }
      let cells = counts.map { "\(share($0.wrongByInterval, $0.count)) %" } + counts.map { "\(share($0.wrongByEqualPairs, $0.count)) %" }
      table.append(([family.study.law.name] + cells).map { .init($0) })
    }
    return String(table.markdown.dropLast())
  }

  private var studies: [DifferenceStudy?] {
    let all = DifferenceLaw.promised.map(Optional.some) + [nil] + DifferenceLaw.others.map(Optional.some)
    return all.enumerated().map { index, law in law.map { DifferenceStudy(law: $0, index: index) } }
  }

  private var gateTable: String {
    var table = Table(columns: [.init("difference")] + Self.worlds.map { .init($0.rawValue, .right) })
    for study in studies {
      let cells = zip(Self.worlds, Self.rules).map { world, rule -> String in
        guard let count = study?.gates(world, rule: rule, count: gates) else { return "" }
        return "\(share(count.falseAlarms, count.count)) / \(share(count.letThrough, count.count)) %"
      }
      table.append(([study?.law.name ?? "others:"] + cells).map { .init($0) })
    }
    return String(table.markdown.dropLast())
  }

  private func coverage(
    _ covered: KeyPath<DifferenceStudy.Tables, Int>, of published: KeyPath<DifferenceStudy.Tables, Int>, hasWidth: Bool
  ) -> String {
    var table = Table(columns: [.init("difference")] + Self.sizes.map { .init("\($0)", .right) })
    for study in studies {
      let counts = Self.sizes.map { study?.tables(size: $0, count: tables) }
      table.append(([study?.law.name ?? "others:"] + counts.map { $0.map { cell($0, covered, published) } ?? "" }).map { .init($0) })
      guard hasWidth, study?.law.name == DifferenceLaw.promised[0].name else { continue }
      let widths = counts.map { count -> String in
        guard let count, count.published > 0 else { return "" }
        return DecimalText.fixed(Double(count.width) / Double(count.published) / 1000, decimals: 2)
      }
      table.append((["width, normal"] + widths).map { .init($0) })
    }
    return String(table.markdown.dropLast())
  }

  /// A share with its base; nothing where fewer than 50 tables show an interval.
  private func cell(
    _ count: DifferenceStudy.Tables, _ covered: KeyPath<DifferenceStudy.Tables, Int>, _ published: KeyPath<DifferenceStudy.Tables, Int>
  ) -> String {
    let shown = count[keyPath: published]
    guard shown > 0 else { return "none" }
    let base = shown == count.count ? "" : " (\(share(shown, count.count)))"
    return (shown < 50 ? "–" : share(count[keyPath: covered], shown)) + base
  }

  private func share(_ count: Int, _ whole: Int) -> String {
    DecimalText.fixed(100 * Double(count) / Double(max(1, whole)), decimals: 1)
  }

  private func points(_ share: Double, _ count: Int) -> String {
    DecimalText.fixed((share * (1 - share) / Double(count)).squareRoot() * 100, decimals: 2)
  }
}
