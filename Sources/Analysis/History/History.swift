// What changed from one line of a history to the next, and why. The emulator is deterministic, so that its differences are exact.

package struct HistorySeries {
  package let name: String
  package let entries: [HistoryEntry]
  package let steps: [HistoryStep]
  /// The changes that the detector found in results of devices, and single entries far from the others.
  package let changes: [HistoryChange]
  /// For each entry, the point that checks say is production, by stratum.
  package let production: [[String: HistoryEntry.Point]]

  /// Sorts entries into series, in the order of their first lines.
  package static func all(_ entries: [HistoryEntry]) -> [HistorySeries] {
    let groups = Dictionary(grouping: entries, by: \.seriesName)
    return entries.map(\.seriesName).distinct.map { name in
      let own = groups[name] ?? []
      let checks = entries.filter { $0.isCheck && $0.sweep == own[0].sweep && !own[0].isCheck }
      return HistorySeries(name, inOrder(own), checks: inOrder(checks))
    }
  }

  private static func inOrder(_ entries: [HistoryEntry]) -> [HistoryEntry] {
    entries.enumerated().sorted { ($0.element.date, $0.offset) < ($1.element.date, $1.offset) }.map(\.element)
  }

  private init(_ name: String, _ entries: [HistoryEntry], checks: [HistoryEntry]) {
    let steps = zip(entries, entries.dropFirst()).map { HistoryStep(before: $0, now: $1) }
    (self.name, self.entries, self.steps) = (name, entries, steps)
    production = Self.production(in: entries, checks)
    changes = entries.indices.last.map { HistoryChange.all(entries, steps, upTo: $0) } ?? []
  }

  /// Returns the points that have the id of production in the check before each entry, or in the first check. Points with that name are
  /// production under other models, too, whose ids differ.
  private static func production(in entries: [HistoryEntry], _ checks: [HistoryEntry]) -> [[String: HistoryEntry.Point]] {
    guard !checks.isEmpty else { return entries.map { _ in [:] } }
    let all = entries.flatMap(\.points)
    let names = Dictionary(all.map { ("\($0.stratum)\n\($0.point.id)", $0.point.name) }, uniquingKeysWith: { first, _ in first })
    return entries.map { entry in
      let check = checks.last { $0.date <= entry.date } ?? checks[0]
      let known = check.strata.compactMap { stratum in
        stratum.baseline.flatMap { names["\(stratum.name)\n\($0.id)"] }.map { (stratum.name, $0) }
      }
      let points = known.compactMap { stratum, name in
        entry.strata.first { $0.name == stratum }?.points.first { $0.name == name }.map { (stratum, $0) }
      }
      return Dictionary(points, uniquingKeysWith: { first, _ in first })
    }
  }

  /// True if production is the baseline of a stratum in all entries in which it is known, and is known in one.
  package func isProductionBaseline(in stratum: String) -> Bool {
    let known = production.compactMap { $0[stratum] }
    return !known.isEmpty && known.allSatisfy(\.isBaseline)
  }
}

extension HistoryEntry {
  fileprivate var seriesName: String { isCheck ? "\(sweep) (check)" : sweep }

  fileprivate var points: [(key: String, stratum: String, point: Point)] {
    strata.flatMap { stratum in stratum.points.map { ("\(stratum.name)\n\($0.key)", stratum.name, $0) } }
  }
}

/// The changes from one entry of a series to the next.
package struct HistoryStep {
  /// A point of both entries.
  package struct Pair {
    package let stratum: String
    package let before: HistoryEntry.Point, now: HistoryEntry.Point

    package var name: String { (stratum.isEmpty ? "" : "\(stratum), ") + now.name }
    var difference: Double { now.mean - before.mean }
  }

  /// A premise that changed, such as `the model`, and how.
  package struct Premise {
    package let subject: String, detail: String

    package var text: String { "\(subject) changed" + (detail.isEmpty ? "" : " (\(detail))") }
  }

  /// The premises that changed: model, build, app, objective, scenario, candidate, points, repetitions, seed.
  package let premises: [Premise]
  /// The points whose means or verdicts differ, largest change first; none for results of devices, whose means always differ, and none if
  /// the headlines differ, whose means are of other metrics.
  package let moved: [Pair]
  package let verdicts: [Pair]
  /// The moved points with the same scenario, seeds, repetitions, model and build: a defect, or results that somebody edited.
  package let unexplained: [Pair]
  /// The moved points with the same scenario, seeds, repetitions and model, under another build.
  package let ofBuild: [Pair]
  /// True if the points, their scenarios and the headline are the same, so that noisy results continue one series.
  let isSameScenario: Bool

  init(before: HistoryEntry, now: HistoryEntry) {
    let old = Dictionary(before.points.map { ($0.key, $0.point) }, uniquingKeysWith: { first, _ in first })
    let pairs = now.points.compactMap { key, stratum, point in old[key].map { Pair(stratum: stratum, before: $0, now: point) } }
    let isSameModel = before.program.modelVersion == now.program.modelVersion && before.backend == now.backend
    let isExact = now.backend == nil && before.backend == nil
    let others = pairs.filter { $0.before.id != $0.now.id }
    let (added, gone) = (now.points.count - pairs.count, before.points.count - pairs.count)
    let scenario = Self.scenario(before, now, isSameModel ? others.count : 0, of: pairs.count)
    let objectives = "\(before.objective) → \(now.objective)"
    let objective = before.objective == now.objective ? [] : [Premise(subject: "the objective", detail: objectives)]
    let comparable = before.headline == now.headline ? pairs : []
    moved = isExact ? comparable.filter { $0.difference != 0 }.sorted { $0.difference.magnitude > $1.difference.magnitude } : []
    let weights = Self.weights(before, now)
    premises = Self.program(before, now) + objective + scenario + weights + Self.sizes(before, now, pairs, added: added, gone: gone)
    verdicts = comparable.filter { $0.before.verdict != $0.now.verdict }
    let same = moved.filter { pair in
      isSameModel && before.seed == now.seed && pair.before.id == pair.now.id && pair.before.count == pair.now.count
        && (weights.isEmpty || pair.stratum != now.whole?.name)
    }
    let isOtherBuild = before.build != now.build
    (unexplained, ofBuild) = isOtherBuild ? ([], same) : (same, [])
    isSameScenario = scenario.isEmpty && added == 0 && gone == 0 && before.backend == now.backend && !comparable.isEmpty
  }

  private static func program(_ before: HistoryEntry, _ now: HistoryEntry) -> [Premise] {
    let (old, new) = (before.program, now.program)
    return [
      ("the model", old.modelVersion, new.modelVersion), ("the program's version", old.version, new.version),
      ("the program's build", before.build, now.build), ("the app", before.commit, now.commit),
      ("the backend", before.backend, now.backend),
    ].filter { $0.1 != $0.2 }.map { Premise(subject: $0.0, detail: "\($0.1?.prefix(12) ?? "none") → \($0.2?.prefix(12) ?? "none")") }
  }

  private static func scenario(_ before: HistoryEntry, _ now: HistoryEntry, _ others: Int, of count: Int) -> [Premise] {
    let labels = now.head.map(\.label) + before.head.map(\.label).filter { label in !now.head.contains { $0.label == label } }
    func text(_ entry: HistoryEntry, _ label: String) -> String { entry.head.first { $0.label == label }?.text ?? "none" }
    let lines = labels.filter { text(before, $0) != text(now, $0) }.map { "\($0): \(difference(text(before, $0), text(now, $0)))" }
    guard others > 0 || !lines.isEmpty else { return [] }
    // The production settings of a check are its baseline: if they are as before, only the candidate changed.
    let baselines = (before.strata.map { $0.baseline?.id }, now.strata.map { $0.baseline?.id })
    let subject = now.isCheck && baselines.0 == baselines.1 ? "the candidate" : "the scenario"
    let amount = others > 0 && others < count && !now.isCheck ? " of \(others) of \(count) points" : ""
    return [Premise(subject: subject + amount, detail: lines.joined(separator: "; "))]
  }

  private static func weights(_ before: HistoryEntry, _ now: HistoryEntry) -> [Premise] {
    guard let old = before.whole, let new = now.whole, now.hasOtherWeights(than: before) else { return [] }
    let detail = "\(old.weights ?? "") → \(new.weights ?? "")"
    // Those of many worlds are long.
    let subject = new.name == SweepDescription.Strata.Kind.population.wholeName ? "the population's weights" : "the weights of the whole"
    return [Premise(subject: subject, detail: detail.count > 200 ? "" : detail)]
  }

  /// Returns the words in which two texts differ, with the next one, as `20 items → 24 items`.
  private static func difference(_ before: String, _ now: String) -> String {
    let (old, new) = (before.split(separator: " "), now.split(separator: " "))
    let start = zip(old, new).prefix { $0 == $1 }.count
    let end = zip(old.reversed(), new.reversed()).prefix { $0 == $1 }.count
    let shared = max(0, min(end, min(old.count, new.count) - start) - 1)
    return [old, new].map { words in
      let text = words[start..<words.count - shared].joined(separator: " ")
      return String(text.reversed().drop { ",;:".contains($0) }.reversed())
    }.joined(separator: " → ")
  }

  private static func sizes(_ before: HistoryEntry, _ now: HistoryEntry, _ pairs: [Pair], added: Int, gone: Int) -> [Premise] {
    let counts = (pairs.map(\.before.count).max() ?? 0, pairs.map(\.now.count).max() ?? 0)
    return (added + gone > 0 ? [Premise(subject: "the points", detail: "\(added) new, \(gone) gone")] : [])
      + (counts.0 != counts.1 ? [Premise(subject: "the repetitions", detail: "\(counts.0) → \(counts.1)")] : [])
      + (before.seed != now.seed ? [Premise(subject: "the seed", detail: "\(before.seed) → \(now.seed)")] : [])
  }
}

/// A change in the results of devices, found by `ChangeDetector`.
package struct HistoryChange {
  package let stratum: String
  /// The point whose difference to the baseline changed; nil if all points changed together.
  package let point: String?
  /// The entries before the change, after it, and with which it was found.
  package let before: Int, index: Int, found: Int
  /// The change, as a share of the mean; of a point, of the baseline's mean.
  package let share: Double
  /// True for one entry far from those around it, which is no change.
  package var isOutlier = false

  /// The share of the evidence that all points together have; the points' differences to the baseline share the rest.
  private static let commonWeight = 0.97

  static func all(_ entries: [HistoryEntry], _ steps: [HistoryStep], upTo last: Int) -> [HistoryChange] {
    var changes: [HistoryChange] = []
    var start = 0
    for index in 0...last where index == last || !steps[index].isSameScenario {
      if entries[start].backend != nil {
        for stratum in entries[start].strata where stratum.isWhole != true {
          changes += all(entries[start...index].map { $0 }, stratum, from: start)
        }
      }
      start = index + 1
    }
    return changes.sorted { ($0.index, $0.stratum) < ($1.index, $1.stratum) }
  }

  /// Returns the changes of a stratum's points, which all entries have.
  private static func all(_ entries: [HistoryEntry], _ first: HistoryEntry.Stratum, from start: Int) -> [HistoryChange] {
    let rows = entries.map { entry in
      let points = entry.strata.first { $0.name == first.name }?.points ?? []
      return Dictionary(points.map { ($0.key, $0.mean) }, uniquingKeysWith: { first, _ in first })
    }
    let points = first.points.filter { point in point.mean > 0 && rows.allSatisfy { $0[point.key] != nil } }
    guard !points.isEmpty else { return [] }
    // Points with more noise within the first entry than half of them count less, as in a weighted mean.
    let noise = points.map { $0.variance / Double($0.count) / ($0.mean * $0.mean) }
    let usual = noise.sorted()[noise.count / 2]
    let weights = noise.map { $0 > usual && usual > 0 ? usual / $0 : 1 }
    func level(_ row: [String: Double], _ point: HistoryEntry.Point) -> Double { (row[point.key] ?? 0) / point.mean }
    var series = [rows.map { row in zip(points, weights).reduce(0) { $0 + level(row, $1.0) * $1.1 } / weights.reduce(0, +) }]
    let others = points.filter { !$0.isBaseline }
    var shares = [1.0]
    if let baseline = points.first(where: \.isBaseline), !others.isEmpty {
      series += others.map { point in rows.map { ($0[point.key, default: 0] - $0[baseline.key, default: 0]) / baseline.mean } }
      shares = [commonWeight] + others.map { _ in (1 - commonWeight) / Double(others.count) }
    }
    let changes = ChangeDetector.changes(series, weights: shares)
    let outliers = ChangeDetector.outliers(series[0], changes: changes).map { outlier in
      let index = start + outlier.index
      return HistoryChange(
        stratum: first.name, point: nil, before: max(0, index - 1), index: index, found: index, share: outlier.difference, isOutlier: true)
    }
    return outliers
      + changes.map { change in
        HistoryChange(
          stratum: first.name, point: change.series == 0 ? nil : others[change.series - 1].name, before: start + change.index - 1,
          index: start + change.index, found: start + change.found, share: change.difference)
      }
  }
}
