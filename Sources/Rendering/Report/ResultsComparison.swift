// The comparison of an earlier folder of results with this one: the winners, the points that moved, and the premises that differ.

import Analysis
import Base

/// A comparison of two results of a sweep. Points are matched by id, or by settings where the model or the scenario changed the ids.
package struct ResultsComparison {
  package typealias Results = (summary: SweepSummary, sweep: SweepDescription)

  static let rowLimit = 200

  private struct Change {
    let name: String
    let old: PointSummary, new: PointSummary
    let headline: MetricChange, cost: MetricChange

    var isMoved: Bool { headline.isMoved || cost.isMoved }
  }

  private struct Row {
    /// The index of its stratum, or of the whole.
    let member: Int
    let point: PointSummary
    /// The point's id; for the whole, which has none of its own, the settings.
    let id: String
    /// The values of all axes by path; those of a baseline outside of the grid, which may be a grid point's, are marked.
    let settings: String
  }

  private let before: ReportPart, now: ReportPart
  /// The strata of each, and the whole if both have one.
  private let membersBefore: [ReportPart], membersNow: [ReportPart]
  private let rules: MetricChange.Rules
  private let changes: [Change]
  private let added: [Row], gone: [Row]
  /// False if results of one kind minimize different metrics, so that no means are compared.
  private let hasOneHeadline: Bool
  private let premises: [Premise]
  /// True if the sweeps differ in more than their repetitions.
  package var isOfEditedSweep: Bool { premises.contains { $0.label != Self.repetitions } }
  private static let repetitions = "repetitions"

  /// Compares all points of all strata. Equal seeds make runs of equal repetitions pairs.
  package init(before: Results, now: Results) {
    (self.before, self.now) = (ReportPart(before.summary, sweep: before.sweep), ReportPart(now.summary, sweep: now.sweep))
    let wholes = (self.before.whole, self.now.whole)
    let areCompared = wholes.0 != nil && wholes.1 != nil
    membersBefore = self.before.members + (areCompared ? [wholes.0].compactMap(\.self) : [])
    membersNow = self.now.members + (areCompared ? [wholes.1].compactMap(\.self) : [])
    let (old, new) = (Self.rows(membersBefore), Self.rows(membersNow))
    // Other kinds of scenarios have other metrics.
    let isOneKind = before.sweep.schema.kind == now.sweep.schema.kind
    let isOneModel = before.sweep.program.modelVersion == now.sweep.program.modelVersion
    hasOneHeadline = !isOneKind || before.sweep.schema.headline == now.sweep.schema.headline
    let matches = isOneKind ? Self.matches(of: new, in: old, isOneModel: isOneModel) : [:]
    added = new.indices.filter { matches[$0] == nil }.map { new[$0] }
    let found = Set(matches.values)
    gone = old.indices.filter { !found.contains($0) }.map { old[$0] }
    let shared = !hasOneHeadline ? [] : new.indices.compactMap { index in matches[index].map { (new[index], old[$0].point) } }
    let rules = MetricChange.Rules(
      isPaired: before.sweep.seed == now.sweep.seed, isDeterministic: before.sweep.deterministic && now.sweep.deterministic,
      confidence: now.summary.confidence, margin: now.summary.margin, familySize: shared.count)
    var ofCost = rules
    ofCost.margin = .none
    self.rules = rules
    let members = membersNow
    changes = shared.map { new, old in
      Change(
        name: Self.name(new, members), old: old, new: new.point,
        headline: MetricChange(\.headline, before: old.runs, now: new.point.runs, rules),
        cost: MetricChange(\.cost, before: old.runs, now: new.point.runs, ofCost))
    }
    premises = Self.premises(self.before, self.now, isPaired: rules.isPaired, hasOneHeadline: hasOneHeadline, isDisjoint: matches.isEmpty)
  }

  /// Returns the index in `old` of each row of `new` that is in both: by id and settings, by id, then by settings.
  private static func matches(of new: [Row], in old: [Row], isOneModel: Bool) -> [Int: Int] {
    let byID: [(Row) -> String] = isOneModel ? [{ $0.id + $0.settings }, { $0.id }] : []
    var (matches, free) = ([Int: Int](), Array(old.indices))
    for key in byID + [{ $0.settings }] {
      var known = Dictionary(free.map { (key(old[$0]), $0) }, uniquingKeysWith: { first, _ in first })
      for index in new.indices where matches[index] == nil { matches[index] = known.removeValue(forKey: key(new[index])) }
      let taken = Set(matches.values)
      free.removeAll(where: taken.contains)
      if free.isEmpty { break }
    }
    return matches
  }

  /// True if a point is worse than before by the metric that the sweep minimizes, beyond noise and margin.
  package var hasWorsePoint: Bool { count(.worse) > 0 }

  /// Returns the answer: the winner before and now, and the numbers of points that moved.
  package func answer(_ markup: Markup) -> String {
    if !hasOneHeadline {
      let headlines = [before, now].map(\.sweep.schema.headline.rawValue)
      return "\(winner(markup)) No point is compared, because the results minimize different metrics: \(headlines[0]) before, "
        + "\(headlines[1]) now." + others
    }
    guard !changes.isEmpty else { return winner(markup) + " No point is in both results." + others }
    let same = changes.count - count(.better) - count(.worse)
    let all = changes.count == 1 ? "" : ", for all of them at once"
    let basis =
      rules.isDeterministic ? "exact" : "\(rules.isPaired ? "paired by seed" : "with other seeds, so not paired"), \(now.level)\(all)"
    let verb = same == 1 ? "has" : "have"
    return
      "\(winner(markup)) Of \(Words.count(changes.count, "point")) in both, \(count(.better)) \(count(.better) == 1 ? "is" : "are") better, "
      + "\(count(.worse)) worse, and \(same) \(verb) not moved by more than \(now.noise) (\(basis))." + others
  }

  private var others: String {
    let premises = premises.map { SafeText.line($0.label) }
    return (added.isEmpty && gone.isEmpty ? "" : " \(Words.count(added.count, "point is", "points are")) new, \(gone.count) gone.")
      + (premises.isEmpty ? "" : " The sweeps themselves differ: \(Words.list(premises)).")
  }

  private func count(_ outcome: Verdict.Outcome) -> Int { changes.count { $0.headline.verdict.outcome == outcome } }

  private func winner(_ markup: Markup) -> String {
    let (old, new) = (Self.winner(before), Self.winner(now))
    // A point that is better than the baseline may break a constraint.
    let isFree = [before, now].allSatisfy(\.summary.schema.constrained.isEmpty)
    func none(_ verb: String) -> String {
      isFree ? "no point \(verb) better than the baseline" : "no point \(verb == "is" ? "wins" : "won")"
    }
    switch (old, new) {
    case (nil, nil): return "\(Words.capitalized(none("is"))), as before."
    case (let old?, nil):
      return "\(Words.capitalized(none("is"))) any more; before, \(markup.strong(old.name)) \(isFree ? "was" : "did") (\(old.text))."
    case (nil, let new?): return "\(markup.strong(new.name)) wins now (\(new.text)); before, \(none("was"))."
    case (let old?, let new?) where old.name == new.name:
      return "\(markup.strong(new.name)) still wins: \(new.text), \(hasOneHeadline ? old.mean : old.text) before."
    case (let old?, let new?):
      return "\(markup.strong(new.name)) wins now (\(new.text)); before, \(markup.strong(old.name)) did (\(old.text))."
    }
  }

  /// Returns the name and the mean of the point that results recommend; nil for none.
  private static func winner(_ part: ReportPart) -> (name: String, mean: String, text: String)? {
    let (stratum, summary) = part.summary.principal
    guard let winner = summary.confirmedWinner else { return nil }
    let mean = part.mean(summary.afterConfirmation(winner))
    return ((stratum.map { "\($0), " } ?? "") + part.name(winner), "\(mean)", part.words.counted(mean))
  }
}

extension ReportPart {
  /// The weighted whole; nil if there is none.
  fileprivate var whole: ReportPart? {
    summary.points.isEmpty ? nil : summary.strata.map { ReportPart(summary, sweep: sweep, scope: $0.wholeName) }
  }
}

// MARK: Files

extension ResultsComparison {
  /// The names of the files; the last one is JUnit.
  package static let fileNames = ["comparison.md", "comparison.html", "comparison.xml"]
  package var files: [ReportFile] { zip(Self.fileNames, [markdown, html, junit]).map { ReportFile(name: $0, contents: $1) } }

  private var title: String { "\(now.sweep.name), before and now" }

  private var sections: [(title: String, table: Table, note: String)] {
    let moved = changes.filter(\.isMoved).sorted { size($0) > size($1) }
    return [
      (
        "The sweeps differ",
        Table(columns: ["premise", "before", "now", "what follows"], rows: premises.map { [$0.label, $0.before, $0.now, $0.effect] }), ""
      ),
      ("Winners by \(now.summary.strata?.memberName ?? "stratum")", winners, ""),
      (
        "Moved", table(moved.prefix(Self.rowLimit)),
        moved.count > Self.rowLimit ? "The \(Self.rowLimit) largest changes of \(moved.count)." : ""
      ),
      ("New", list(added, now, membersNow), added.count > Self.rowLimit ? "The first \(Self.rowLimit) of \(added.count)." : ""),
      ("Gone", list(gone, before, membersBefore), gone.count > Self.rowLimit ? "The first \(Self.rowLimit) of \(gone.count)." : ""),
    ].filter { !$0.table.rows.isEmpty }
  }

  var markdown: String {
    var parts = ["# \(SafeText.markdown(title))", answer(.markdown)]
    for section in sections { parts += ["## \(section.title)", section.table.markdown, section.note].filter { !$0.isEmpty } }
    return parts.map { $0.hasSuffix("\n") ? $0 : $0 + "\n" }.joined(separator: "\n")
  }

  private var html: String {
    let sections = sections.map { section in
      PageFrame.heading(section.title) + section.table.html(caption: section.title)
        + (section.note.isEmpty ? "" : "<p>\(section.note)</p>\n")
    }
    return PageFrame.text(
      title: title, skip: ("answer", "Skip to the answer"), header: "<h1>\(XMLText.isolated(title))</h1>\n",
      main: "<p class=\"answer\" id=\"answer\">\(answer(.page))</p>\n" + sections.joined(),
      footer: "<p>\(XMLText.line(now.sweep.program.description)); before: \(XMLText.line(before.sweep.program.description))</p>\n")
  }

  /// A test case for each point in both results; one that is worse is a failure.
  private var junit: String {
    let cases = changes.map { change in
      let text = now.words.counted(now.mean(change.new)) + ", \(before.mean(change.old)) before: \(change.headline.verdict)"
      return change.headline.verdict.outcome == .worse
        ? JUnit.TestCase(name: change.name, problem: (.failure, "regression", text)) : JUnit.TestCase(name: change.name, output: text)
    }
    let properties = [("answer", answer(.plain))] + premises.map { ($0.label, "\($0.before) → \($0.now)") }
    return JUnit.text(program: now.sweep.program.name, command: "report", subject: now.sweep.name, properties: properties, cases: cases)
  }
}

// MARK: Tables

extension SweepSummary {
  fileprivate func hasValues(of metric: Metric) -> Bool {
    strata?.members.contains { $0.summary.hasValues(of: metric) } ?? points.contains { $0.mean(metric) != nil }
  }
}

extension ResultsComparison {
  /// A difference between the sweeps themselves, which may explain a change of points, and what cannot be compared for it.
  private struct Premise {
    let label: String, before: String, now: String
    var effect = ""
  }

  /// Returns the differences between the sweeps of two results. `isDisjoint` means that no point is in both.
  private static func premises(
    _ partBefore: ReportPart, _ partNow: ReportPart, isPaired: Bool, hasOneHeadline: Bool, isDisjoint: Bool
  ) -> [Premise] {
    let (before, now) = (partBefore.sweep, partNow.sweep)
    let common = min(before.repeats, now.repeats)
    func premise(_ label: String, _ effect: String = "", _ text: (ReportPart) -> String) -> Premise {
      Premise(label: label, before: text(partBefore), now: text(partNow), effect: effect)
    }
    var all = [
      premise("scenario", "other metrics: no point is compared") { $0.sweep.schema.kind },
      premise("model", "ids are new with each model: points are matched by their settings") { $0.sweep.program.modelVersion },
      premise("seed", "no run has a pair: the noise of both counts") { "\($0.sweep.seed)" },
      premise(Self.repetitions, isPaired ? "pairs are the first \(common) of both" : "") { "\($0.sweep.repeats)" },
      premise("transport") { $0.sweep.transport },
      premise("margin") { $0.sweep.margin ?? "none" },
      premise("objective", hasOneHeadline ? "the same means may have another winner" : "means of different metrics: no point is compared") {
        // Another kind of scenarios has other metrics anyway.
        before.schema.kind == now.schema.kind ? $0.objective : ""
      },
      premise("axes", isDisjoint ? "no point is in both" : "points are matched by id") { Words.list($0.sweep.axes.map(\.path).sorted()) },
      premise("strata", "verdicts are against other baselines") { Words.list($0.sweep.strata?.paths ?? []) },
      premise("population", "the whole has other weights") { part in
        part.summary.strata.flatMap { $0.kind == .population ? $0.weights : nil } ?? ""
      },
      premise("measured", "the whole is of other worlds") { $0.sweep.strata?.measured?.text ?? "none" },
    ]
    for axis in now.axes {
      guard let old = before.axes.first(where: { $0.path == axis.path }) else { continue }
      func others(_ values: [String], than other: [String]) -> String {
        let own = values.filter { !other.contains($0) }
        return own.count <= 5 ? Words.list(own) : "\(own.prefix(4).joined(separator: ", ")) and \(own.count - 4) more"
      }
      all.append(
        Premise(
          label: "values of \(axis.path)", before: others(old.values, than: axis.values), now: others(axis.values, than: old.values),
          effect: "points with these are in one of the two only"))
    }
    let lacking = now.schema.metrics.filter { partBefore.summary.hasValues(of: $0) != partNow.summary.hasValues(of: $0) }
    all.append(
      premise("metrics", "one of the two has no values") { part in Words.list(lacking.filter(part.summary.hasValues).map(\.rawValue)) })
    // Equal ids are equal scenarios, whose words may still differ between programs. Other backends hash less into an id.
    if before.baseline.point != now.baseline.point || (before.backend ?? now.backend) != nil {
      all.append(premise("baseline") { $0.sweep.baseline.settings })
      all += now.head.map { line in premise(line.label) { $0.sweep.head.first { $0.label == line.label }?.text ?? "" } }
    }
    return all.filter { $0.before != $0.now }
  }

  /// The winner of each stratum and of the whole before and now, where they differ.
  private var winners: Table {
    var table = Table(columns: [Table.Column(now.summary.strata?.memberName ?? "stratum"), "before", "now"])
    guard now.summary.strata != nil else { return table }
    for member in membersNow {
      let (old, new) = (membersBefore.first { $0.scope == member.scope }.flatMap(Self.winner), Self.winner(member))
      guard old?.name != new?.name else { continue }
      table.append([member.scope] + [old, new].map { winner in winner.map { "\($0.name) (\($0.text))" } ?? "none" })
    }
    return table
  }

  /// The size of a change in the headline if that moved, then in the cost.
  private func size(_ change: Change) -> (headline: Double, cost: Double) {
    func moved(_ metric: MetricChange) -> Double { metric.isMoved ? (metric.difference ?? 0).magnitude : 0 }
    return (moved(change.headline), moved(change.cost))
  }

  /// Returns all points by the values of all axes, in whatever order and strata.
  private static func rows(_ members: [ReportPart]) -> [Row] {
    guard let sweep = members.first?.sweep else { return [] }
    let added = sweep.addedBaselines
    let order = sweep.axes.indices.sorted { sweep.axes[$0].path < sweep.axes[$1].path }
    return members.indices.flatMap { member in
      let (axes, isWhole) = (members[member].summary.axes, members[member].summary.strata != nil)
      return members[member].summary.points.map { point in
        // A whole has no values of the axes that make its strata.
        let values = isWhole ? sweep.axes.map { axes.firstIndex(of: $0.path).map(point.axisValue) ?? "" } : point.runs.axisValues
        // Values that no axis has name the point by themselves.
        let isMarked = added.contains(point.point) && zip(sweep.axes, values).allSatisfy { $1.isEmpty || $0.values.contains($1) }
        let settings =
          order.map { "\(sweep.axes[$0].path) \(values[$0])\n" }.joined() + (isMarked ? "baseline" : "") + (isWhole ? "whole" : "")
        return Row(member: member, point: point, id: isWhole ? settings : point.point, settings: settings)
      }
    }
  }

  /// Returns the name of a row's point, with that of its stratum.
  private static func name(_ row: Row, _ members: [ReportPart]) -> String {
    let part = members[row.member]
    let name = row.point.axisValues.isEmpty ? "point \(row.point.point)" : part.name(row.point)
    return (part.scope.isEmpty ? "" : "\(part.scope), ") + name
  }

  private func table(_ changes: ArraySlice<Change>) -> Table {
    let words = now.words
    var table = Table(columns: [
      "point", .right("\(words.headline), before"), .right("now"), .right("change", level: now.level), .right("\(words.cost), before"),
      .right("now"), "verdict", "against the baseline, before", "now",
    ])
    let decimals = Precision.decimals(changes.map { ($0.headline.difference, $0.headline.interval) }, limit: Digits.difference)
    for change in changes {
      let (old, new) = (change.old, change.new)
      let difference = ShownNumber.change(change.headline.difference, change.headline.interval, decimals)
      let numbers = [before.mean(old), now.mean(new), difference, before.cost(old), now.cost(new)]
      let style: Table.Style = change.headline.verdict.outcome == .worse ? .bad : change.headline.isMoved ? .good : .plain
      table.append(
        [Table.Cell(change.name)] + numbers.map { Table.Cell(.number($0)) } + [
          Table.Cell(verdict(change), style: style), Table.Cell(old.withConstraints(old.verdictText)),
          Table.Cell(new.withConstraints(new.verdictText)),
        ])
    }
    return table
  }

  /// Returns the verdict on the headline, and on the cost if that moved.
  private func verdict(_ change: Change) -> String {
    let texts = [
      change.headline.isMoved ? change.headline.verdict.description : "",
      change.cost.isMoved ? "\(now.words.costShort) \(change.cost.verdict.outcome == .worse ? "higher" : "lower")" : "",
    ]
    return texts.filter { !$0.isEmpty }.joined(separator: ", ")
  }

  private func list(_ rows: [Row], _ part: ReportPart, _ members: [ReportPart]) -> Table {
    var table = Table(columns: ["point", .right(part.words.headline), .right(part.words.cost)])
    for row in rows.prefix(Self.rowLimit) {
      table.append([.text(Self.name(row, members)), .number(part.mean(row.point)), .number(part.cost(row.point))])
    }
    return table
  }
}
