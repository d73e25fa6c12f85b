// Last night's results against this one's: which points are new, which are gone, and which show something else.

import Analysis

/// Two folders of results side by side. Points are matched by their settings, because their ids change with any part of the scenario.
package enum ResultsComparison {
  /// Up to so many rows of changed points are listed, the largest changes first.
  static let rowLimit = 200

  /// A Markdown page: what changed from `before` to `now`, the baseline of each in bold. Intervals are each side's own, because two
  /// sweeps need not share their seeds; a change beyond both is told apart from one within them.
  package static func markdown(
    before: (summary: SweepSummary, sweep: SweepDescription), now: (summary: SweepSummary, sweep: SweepDescription)
  ) -> String {
    var parts = ["# \(SafeText.markdown(now.sweep.name)), before and now"]
    parts += premises(before.sweep, now.sweep)
    let (old, new) = (rows(before.summary), rows(now.summary))
    let known = Dictionary(old.map { ($0.key, $0.point) }, uniquingKeysWith: { first, _ in first })
    let present = Dictionary(new.map { ($0.key, $0.point) }, uniquingKeysWith: { first, _ in first })
    let shared = new.compactMap { row in known[row.key].map { (row.name, $0, row.point) } }
    let changed = shared.filter { $0.1.headlineMean != $0.2.headlineMean || $0.1.mean($0.1.schema.cost) != $0.2.mean($0.2.schema.cost) }
      .enumerated().sorted { (change($1.element), $0.offset) < (change($0.element), $1.offset) }.map(\.element)
    parts.append(
      "\(CountText.text(shared.count, "point is", "points are")) in both, \(changed.count) of them changed; "
        + "\(CountText.text(new.count { known[$0.key] == nil }, "is", "are")) new, "
        + "\(CountText.text(old.count { present[$0.key] == nil }, "is", "are")) gone.")
    if !changed.isEmpty {
      parts += ["## Changed", table(changed.prefix(rowLimit), confidence: now.summary.confidence).markdown]
      if changed.count > rowLimit { parts.append("The \(rowLimit) largest changes of \(changed.count).") }
    }
    parts += list("New", new.filter { known[$0.key] == nil }, confidence: now.summary.confidence)
    parts += list("Gone", old.filter { present[$0.key] == nil }, confidence: before.summary.confidence)
    return parts.map { $0.hasSuffix("\n") ? $0 : $0 + "\n" }.joined(separator: "\n")
  }

  /// What else differs between the sweeps, so that a change of points is not taken for what it is not.
  private static func premises(_ before: SweepDescription, _ now: SweepDescription) -> [String] {
    let pairs = [
      ("model", before.program.modelVersion, now.program.modelVersion), ("seed", String(before.seed), String(now.seed)),
      ("transport", before.transport, now.transport), ("baseline", before.baseline.settings, now.baseline.settings),
    ]
    let heads = now.head.map { line in (line.label, before.head.first { $0.label == line.label }?.text ?? "", line.text) }
    let different = (pairs + heads).filter { $0.1 != $0.2 }
    guard !different.isEmpty else { return [] }
    var table = Table(columns: [Table.Column("premise"), Table.Column("before"), Table.Column("now")])
    for item in different { table.append([item.0, item.1, item.2].map { Table.Cell($0) }) }
    return ["The sweeps themselves differ:", table.markdown]
  }

  /// All points, those of strata with the stratum's name, by keys that do not depend on the order of axes.
  private static func rows(_ summary: SweepSummary) -> [(key: [String], name: String, point: PointSummary)] {
    let parts = summary.strata.map { strata in strata.members.map { ($0.name, $0.summary) } } ?? [("", summary)]
    return parts.flatMap { stratum, part in
      part.points.map { point in
        let settings = zip(part.axes, point.axisValues).map { "\($0) \($1)" }
        let name = (stratum.isEmpty ? [] : [stratum]) + (settings.isEmpty ? ["point \(point.point)"] : settings)
        return ([stratum] + settings.sorted(), name.joined(separator: ", "), point)
      }
    }
  }

  private static func change(_ row: (String, PointSummary, PointSummary)) -> Double {
    ((row.2.headlineMean ?? 0) - (row.1.headlineMean ?? 0)).magnitude
  }

  private static func table(_ rows: ArraySlice<(String, PointSummary, PointSummary)>, confidence: Double) -> Table {
    let words = rows.first?.2.schema.words ?? RunSchema.feed.words
    var table = Table(columns: [
      Table.Column("point"), Table.Column("\(words.headline), before", .right), Table.Column("now", .right), Table.Column("change"),
      Table.Column("\(words.cost), before", .right), Table.Column("now", .right), Table.Column("verdict, before"), Table.Column("now"),
    ])
    for (name, old, new) in rows {
      let (first, second) = (
        old.headlineInterval(confidence: confidence), new.headlineInterval(confidence: confidence)
      )
      let texts = [
        name, HeadlineText.mean(old, confidence: confidence), HeadlineText.mean(new, confidence: confidence),
        word(old.headlineMean ?? 0, new.headlineMean ?? 0, first, second),
        CostText.mean(old, confidence: confidence), CostText.mean(new, confidence: confidence), verdict(old), verdict(new),
      ]
      table.append(texts.map { Table.Cell($0, style: new.isBaseline ? .strong : .plain) })
    }
    return table
  }

  private static func word(_ old: Double, _ new: Double, _ first: ConfidenceInterval?, _ second: ConfidenceInterval?) -> String {
    if old == new { return "the same" }
    // Means that are written alike are not called fewer or more.
    if Precision.text(old, first, limit: Digits.loaders) == Precision.text(new, second, limit: Digits.loaders) {
      return "no more than rounding shows"
    }
    let direction = new < old ? "fewer" : "more"
    guard let first, let second else { return direction }
    return first.high < second.low || second.high < first.low ? "\(direction), intervals apart" : "\(direction), intervals overlap"
  }

  private static func verdict(_ point: PointSummary) -> String {
    point.isBaseline ? "baseline" : point.comparison?.verdict.description ?? ""
  }

  private static func list(_ title: String, _ rows: [(key: [String], name: String, point: PointSummary)], confidence: Double) -> [String] {
    guard let first = rows.first else { return [] }
    let words = first.point.schema.words
    var table = Table(columns: [Table.Column("point"), Table.Column(words.headline, .right), Table.Column(words.cost, .right)])
    for row in rows.prefix(rowLimit) {
      table.append([
        Table.Cell(row.name), Table.Cell(HeadlineText.mean(row.point, confidence: confidence)),
        Table.Cell(CostText.mean(row.point, confidence: confidence)),
      ])
    }
    return ["## \(title)", table.markdown] + (rows.count > rowLimit ? ["The first \(rowLimit) of \(rows.count)."] : [])
  }
}
