// The comparison of an earlier folder of results with this one: new, missing and changed points.

import Analysis

/// A comparison of two folders of results. Points are matched by their settings, because ids change with any part of the scenario.
package enum ResultsComparison {
  /// The most rows of changed points, largest changes first.
  static let rowLimit = 200

  /// Returns a Markdown page of the changes from `before` to `now`. Each side has its own intervals, because two sweeps need not share
  /// seeds; the text says whether they overlap.
  package static func markdown(
    before: (summary: SweepSummary, sweep: SweepDescription), now: (summary: SweepSummary, sweep: SweepDescription)
  ) -> String {
    let (first, second) = (ReportPart(before.summary, sweep: before.sweep), ReportPart(now.summary, sweep: now.sweep))
    var parts = ["# \(SafeText.markdown(now.sweep.name)), before and now"]
    parts += premises(before.sweep, now.sweep)
    let (old, new) = (rows(first), rows(second))
    let known = Dictionary(old.map { ($0.key, $0.point) }, uniquingKeysWith: { first, _ in first })
    let present = Set(new.map(\.key))
    let shared = new.compactMap { row in known[row.key].map { Change(name: row.name, old: $0, new: row.point) } }
    // The sort is stable: equal changes stay in the grid's order.
    let changed = shared.filter(\.isChange).sorted { $0.size > $1.size }
    let (added, gone) = (new.filter { known[$0.key] == nil }, old.filter { !present.contains($0.key) })
    parts.append(
      "\(Words.count(shared.count, "point is", "points are")) in both, \(changed.count) of them changed; "
        + "\(Words.count(added.count, "is", "are")) new, \(Words.count(gone.count, "is", "are")) gone.")
    if !changed.isEmpty {
      parts += ["## Changed", table(changed.prefix(rowLimit), second).markdown]
      if changed.count > rowLimit { parts.append("The \(rowLimit) largest changes of \(changed.count).") }
    }
    parts += list("New", added, second) + list("Gone", gone, first)
    return parts.map { $0.hasSuffix("\n") ? $0 : $0 + "\n" }.joined(separator: "\n")
  }

  private struct Change {
    let name: String
    let old: PointSummary, new: PointSummary

    var isChange: Bool { old.headlineMean != new.headlineMean || old.mean(old.schema.cost) != new.mean(new.schema.cost) }
    var size: Double { ((new.headlineMean ?? 0) - (old.headlineMean ?? 0)).magnitude }

    /// Returns the direction of the change, and the relation of the two intervals.
    func word(confidence: Double) -> String {
      let (before, now) = (old.headlineMean ?? 0, new.headlineMean ?? 0)
      if before == now { return "the same" }
      let first = old.headlineInterval(confidence: confidence)
      let second = new.headlineInterval(confidence: confidence)
      // Means with equal texts are not called fewer or more.
      if Precision.text(before, first, limit: Digits.loaders) == Precision.text(now, second, limit: Digits.loaders) {
        return "no more than rounding shows"
      }
      let direction = now < before ? "fewer" : "more"
      guard let first, let second else { return direction }
      return first.high < second.low || second.high < first.low ? "\(direction), intervals apart" : "\(direction), intervals overlap"
    }
  }

  /// Returns the other differences between the sweeps, which may explain a change of points.
  private static func premises(_ before: SweepDescription, _ now: SweepDescription) -> [String] {
    var pairs = [
      ("model", before.program.modelVersion, now.program.modelVersion), ("seed", String(before.seed), String(now.seed)),
      ("transport", before.transport, now.transport),
    ]
    // Equal ids are equal scenarios, whose words may still differ between programs. Other backends hash less into an id.
    if before.baseline.point != now.baseline.point || (before.backend ?? now.backend) != nil {
      pairs.append(("baseline", before.baseline.settings, now.baseline.settings))
      pairs += now.head.map { line in (line.label, before.head.first { $0.label == line.label }?.text ?? "", line.text) }
    }
    let different = pairs.filter { $0.1 != $0.2 }
    guard !different.isEmpty else { return [] }
    let table = Table(columns: ["premise", "before", "now"], rows: different.map { [$0.0, $0.1, $0.2] })
    return ["The sweeps themselves differ:", table.markdown]
  }

  /// Returns all points with their strata's names, by keys that do not depend on the order of axes.
  private static func rows(_ part: ReportPart) -> [(key: [String], name: String, point: PointSummary)] {
    part.members.flatMap { member in
      member.summary.points.map { point in
        let settings = zip(member.summary.axes, point.axisValues).map { "\($0) \($1)" }
        let name = settings.isEmpty ? "point \(point.point)" : member.name(point)
        return ([member.scope] + settings.sorted(), (member.scope.isEmpty ? "" : "\(member.scope), ") + name, point)
      }
    }
  }

  private static func table(_ changes: ArraySlice<Change>, _ part: ReportPart) -> Table {
    let words = changes.first?.new.schema.words ?? RunSchema.feed.words
    var table = Table(columns: [
      "point", .right("\(words.headline), before"), .right("now"), "change", .right("\(words.cost), before"), .right("now"),
      "verdict, before", "now",
    ])
    for change in changes {
      let (old, new) = (change.old, change.new)
      let word = change.word(confidence: part.summary.confidence)
      table.append(
        [change.name, part.mean(old), part.mean(new), word, part.cost(old), part.cost(new), old.verdictText, new.verdictText],
        new.isBaseline ? .strong : .plain)
    }
    return table
  }

  private static func list(_ title: String, _ rows: [(key: [String], name: String, point: PointSummary)], _ part: ReportPart) -> [String] {
    guard let words = rows.first?.point.schema.words else { return [] }
    let table = Table(
      columns: ["point", .right(words.headline), .right(words.cost)],
      rows: rows.prefix(rowLimit).map { [$0.name, part.mean($0.point), part.cost($0.point)] })
    return ["## \(title)", table.markdown] + (rows.count > rowLimit ? ["The first \(rowLimit) of \(rows.count)."] : [])
  }
}
