// One line of a history: the results of one run of a sweep, or of one check, small enough to be kept for years.

import Base

package struct HistoryEntry: Codable, Hashable, Sendable {
  package static let currentFormatVersion = 1
  /// The most points of a stratum, best first, that an entry holds; the baseline is one of them.
  static let pointLimit = 100

  package var formatVersion = Self.currentFormatVersion
  /// The start of the runs, in UTC (ISO 8601).
  package var date: String
  package var program: SweepDescription.Program
  /// The hash of the executable; nil if it is unknown.
  package var build: String?
  /// The commit of the app; nil if it was not given.
  package var commit: String?
  package var sweep: String
  /// True for a check, whose points are the production settings and the candidate.
  package var isCheck: Bool
  /// The executor that made the runs, `command` or `live`; nil for the emulator.
  package var backend: String?
  /// The hash of the rows; the same results have the same date, too.
  package var rows: String
  package var seed: UInt64
  /// The parts of the scenario in words, transport included, for entries of other models, whose ids differ anyway.
  package var head: [SweepDescription.HeadLine]
  /// The name of the headline metric, such as `loaders per 1000 items viewed`.
  package var headline: String
  /// The constraints of the winner, or the bounds of a check; nil for none.
  package var constraints: [String]?
  package var strata: [Stratum]

  package var objective: String { constraints.map { "\(headline), subject to \($0.joined(separator: ", "))" } ?? headline }

  /// A stratum, or all points without strata.
  package struct Stratum: Codable, Hashable, Sendable {
    /// The stratum's name; empty without strata.
    package var name: String
    /// The id of the winner; nil if no point is better than the baseline.
    package var winner: String?
    /// The number of points, of which `points` may leave out the last.
    package var pointCount: Int
    /// The points, best first.
    package var points: [Point]
    /// True for the weighted whole over the other strata; nil for others.
    package var isWhole: Bool?
    /// The names of the points that are as good as the winner, of those in `points`; nil for none.
    package var asGood: [String]?
    /// The weights of the whole, such as `80 % Wi-Fi, 20 % LTE`; nil for others.
    package var weights: String?

    package var baseline: Point? { points.first(where: \.isBaseline) }
    package var best: Point? { points.first { $0.id == winner && !$0.isBaseline } }
  }

  package struct Point: Codable, Hashable, Sendable {
    /// The point's id, a hash of its scenario and the model.
    package var id: String
    /// The settings that distinguish the point, such as `maxCost 5`.
    package var name: String
    package var isBaseline: Bool
    /// The mean, the variance of a run, and the number of runs with a value of the headline.
    package var mean: Double, variance: Double, count: Int
    package var verdict: String

    /// Two points of two entries are one if they have one key: ids change with any part of the scenario.
    package var key: String { (isBaseline ? "baseline " : "") + name }

    init(_ id: String, _ name: String, isBaseline: Bool, _ values: some Collection<Double>, _ verdict: String) {
      let sample = Sample(values)
      (self.id, self.name, self.isBaseline, self.verdict) = (id, name, isBaseline, verdict)
      (mean, variance, count) = (sample.mean, sample.standardDeviation * sample.standardDeviation, sample.count)
    }
  }
}

extension HistoryEntry {
  /// The form in which the program writes dates, in UTC: `2026-11-26T14:43:16Z`.
  package static func isTimestamp(_ text: String) -> Bool {
    GateWaiver.isDay(String(text.prefix(10))) && text.dropFirst(10).wholeMatch(of: #/T([01][0-9]|2[0-3])(:[0-5][0-9]){2}Z/#) != nil
  }

  /// The entry with texts of one line and limited length, without control characters.
  package var bounded: HistoryEntry {
    let text = SafeText.bounded
    var copy = self
    (copy.date, copy.build, copy.commit, copy.sweep) = (text(date), build.map(text), commit.map(text), text(sweep))
    copy.program = .init(name: text(program.name), version: text(program.version), modelVersion: text(program.modelVersion))
    (copy.backend, copy.rows, copy.headline) = (backend.map(text), text(rows), text(headline))
    copy.head = head.map { .init(label: text($0.label), text: text($0.text)) }
    copy.constraints = constraints?.map(text)
    copy.strata = strata.map { stratum in
      var stratum = stratum
      (stratum.name, stratum.winner, stratum.weights) = (text(stratum.name), stratum.winner.map(text), stratum.weights.map(text))
      stratum.points = stratum.points.map { point in
        var point = point
        (point.id, point.name, point.verdict) = (text(point.id), text(point.name), text(point.verdict))
        return point
      }
      return stratum
    }
    return copy
  }

  /// The weighted whole over strata or worlds. Worlds have no other stratum, and weights if some of them do not count.
  package var whole: Stratum? { strata.first { $0.isWhole == true || $0.weights != nil } }

  /// True if the whole has other weights in another entry; false if one of the two has no whole.
  package func hasOtherWeights(than other: HistoryEntry) -> Bool {
    guard let own = whole?.weights, let others = other.whole?.weights else { return false }
    return own != others
  }

  /// True if two entries differ in their dates at most.
  package func isEqual(to other: HistoryEntry) -> Bool {
    var copy = other
    copy.date = date
    return self == copy
  }

  /// The origin of an entry's results, which their tables do not tell.
  package struct Origin {
    package var date: String
    package var build: String?, commit: String?
    package var rows: String

    package init(date: String, build: String?, commit: String?, rows: String = "") {
      (self.date, self.build, self.commit, self.rows) = (date, build, commit, rows)
    }
  }

  /// Creates the entry of a sweep's results: the weighted whole, if there is one, then the strata. Of worlds it has only their whole. O(runs).
  package init(_ summary: SweepSummary, sweep: SweepDescription, origin: Origin) {
    let strata = summary.strata.flatMap { $0.kind == .worlds ? nil : $0 }
    var parts = strata?.members.map { Self.stratum($0.summary, sweep, name: $0.name) } ?? []
    if strata == nil || !summary.points.isEmpty {
      var whole = Self.stratum(summary, sweep, name: strata?.wholeName ?? "")
      (whole.isWhole, whole.weights) = (strata == nil ? nil : true, summary.strata?.weights)
      parts.insert(whole, at: 0)
    }
    self.init(
      date: origin.date, program: sweep.program, build: origin.build, commit: origin.commit, sweep: sweep.name, isCheck: false,
      backend: sweep.backend, rows: origin.rows, seed: sweep.seed,
      head: sweep.head + [SweepDescription.HeadLine(label: "transport", text: sweep.transport)], headline: sweep.schema.words.headline,
      constraints: Self.nonEmpty(sweep.objective?.subjectTo.map(\.text)), strata: parts)
  }

  /// Creates the entry of a check: the production settings and the candidate in each stratum, by the first guard's metric.
  package init(_ result: GateResult, origin: Origin) {
    let metric = result.rule.guards[0].metric
    let strata = result.strata.filter { !$0.pairs.isEmpty }.map { stratum in
      let verdict = stratum.findings.first?.outcome.rawValue ?? ""
      let points = [
        Point(stratum.baseline, result.baseline.settings, isBaseline: true, stratum.pairs.compactMap { $0.baseline[metric] }, "baseline"),
        Point(stratum.candidate, "candidate", isBaseline: false, stratum.pairs.compactMap { $0.candidate[metric] }, verdict),
      ]
      let winner = stratum.findings.first?.outcome == .better ? stratum.candidate : nil
      return Stratum(name: stratum.name ?? "", winner: winner, pointCount: 2, points: points)
    }
    let settings = result.changes.map { SweepDescription.HeadLine(label: $0.path, text: $0.candidate ?? "none") }
    self.init(
      date: origin.date, program: result.program, build: origin.build, commit: origin.commit, sweep: result.sweep, isCheck: true,
      backend: result.blocks?.backend, rows: origin.rows, seed: result.seed, head: result.head + settings, headline: metric.rawValue,
      constraints: Self.nonEmpty(result.rule.guards.filter { $0.bound != nil }.map(\.text)), strata: strata)
  }

  private static func nonEmpty(_ texts: [String]?) -> [String]? { texts?.isEmpty == true ? nil : texts }

  private static func stratum(_ summary: SweepSummary, _ sweep: SweepDescription, name: String) -> Stratum {
    let names = PointNames(paths: summary.axes, sweep: sweep)
    let shown = summary.ranking.prefix(pointLimit) + summary.ranking.dropFirst(pointLimit).filter { $0 == summary.baselineIndex }
    let points = shown.map { index in
      let point = summary.points[index]
      let settings = point.axisValues.enumerated().map { names.setting($1, axis: $0) }
      return Point(
        point.point, settings.isEmpty ? sweep.baseline.settings : settings.joined(separator: ", "), isBaseline: point.isBaseline,
        point.runs.headline.filter { $0.isFinite }, point.isBaseline ? "baseline" : point.comparison?.verdict.word ?? "")
    }
    let peers = zip(shown, points).filter { summary.points[$0.0].isAsGoodAsWinner }.map(\.1.name)
    return Stratum(
      name: name, winner: summary.confirmedWinner?.point, pointCount: summary.points.count, points: points.filter { $0.count > 0 },
      asGood: peers.isEmpty ? nil : peers)
  }
}
