// The tables of the distributions as Markdown; the same bytes every time.

import Analysis

/// Makes the part of the report that is about distributions of differences.
struct DifferenceReport {
  private static let sizes = [2, 3, 4, 5, 7, 10, 15, 20, 40, 80, 160]

  /// Gates and tables of each kind.
  let gates: Int
  let tables: Int

  /// Both tables with what they promise.
  var text: String {
    [
      """
      # Promised rates by distribution

      Made by `Scripts/calibration`, which draws paired differences and judges them with the gate's rule and the tables' intervals.
      Stated: a gate whose candidate is exactly at its margin raises a false alarm in at most 2.5 % of gates and lets the candidate through
      in at most 2.5 %; intervals of tables cover the truth in at least 93 % of the tables that show one. \(PairedComparison.assumption)
      Rare outcomes must come in at least one session of ten. The first rows are the distributions for which this is promised; the rows
      below "others:" are not promised, and the last two lie beyond the assumption. \(gates) gates a cell (standard error
      \(points(0.025, gates)) points at 2.5 %), at most \(GateRule.usualLimit) pairs each, looks at 100, 200 and 320 pairs;
      \(tables) tables a cell (standard error \(points(0.05, tables)) points at 95 %).

      ## Gates: false alarms / let through, by margin
      """,
      gateTable,
      """
      "Noisy baseline": the differences have the distribution, the excess beyond the margin has the baseline's noise besides. "Difference in
      proportion": the excess has the distribution, the difference the baseline's noise besides. The baseline is 100 ± 10 a session.

      ## Tables: coverage of the interval of the difference, by repetitions

      In brackets the share of tables that show an interval, where that is not all of them; the others say "too few repetitions", or that all
      pairs are equal. "Width" is that of the mean interval in relation to Student's.
      """,
      coverage(\.covered, of: \.published, hasWidth: true),
      "## Tables: coverage of the interval in per cent of the baseline, by repetitions",
      coverage(\.percentCovered, of: \.percentPublished, hasWidth: false),
    ].joined(separator: "\n\n")
  }

  private var studies: [DifferenceStudy?] {
    let all = DifferenceLaw.promised.map(Optional.some) + [nil] + DifferenceLaw.others.map(Optional.some)
    return all.enumerated().map { index, law in law.map { DifferenceStudy(law: $0, index: index) } }
  }

  private var gateTable: String {
    let worlds = DifferenceStudy.World.allCases
    var table = Table(columns: [.init("difference")] + worlds.map { .init($0.rawValue, .right) })
    let rules = worlds.map { GateRule(guards: [GateGuard(.loadersPer1000, .rise, by: $0.margin)]) }
    for study in studies {
      let cells = zip(worlds, rules).map { world, rule -> String in
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
