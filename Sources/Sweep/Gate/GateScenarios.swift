// The scenarios that a gate compares: settings laid over each stratum of a sweep, once for each side.

import Analysis
import Import

/// A baseline and a candidate in each stratum of a sweep, ready to run. Axes that make no strata are not used.
package struct GateScenarios: Sendable {
  /// What is compared, as the command line says it.
  package struct Request: Sendable {
    /// The sweep file whose scenario and strata run.
    package var sweep: String
    /// A file of settings; nil for the sweep's own baseline.
    package var baseline: String?
    /// A file of settings; nil for the baseline with `settings`.
    package var candidate: String?
    /// What the candidate sets over its file, or over the baseline.
    package var settings: [(path: String, value: String)] = []
    /// What is set for both sides, over everything else.
    package var common: [(path: String, value: String)] = []
    /// The only stratum to judge, or the whole by its name; nil for all.
    package var stratum: String?
    /// What all randomness comes from; nil for a number made from the sweep's.
    package var seed: UInt64?

    package init(sweep: String) { self.sweep = sweep }
  }

  /// Both sides in one stratum, or in the scenario alone.
  package struct Member: Sendable {
    /// Nil for the scenario alone.
    package let name: String?
    /// Its share of the whole, 0 … 1.
    package let weight: Double
    package let baseline: DecodedScenario, candidate: DecodedScenario

    package var isDeterministic: Bool { baseline.scenario.isDeterministic && candidate.scenario.isDeterministic }
    package var isSame: Bool { baseline.point == candidate.point }
  }

  package let sweep: ResolvedSweep
  package let seed: UInt64
  package let warnings: [String]
  /// The strata that run; at least one.
  package let members: [Member]
  /// True if each member is judged by itself.
  let areMembersJudged: Bool
  /// The name of the weighted whole; nil if it is not judged.
  package let whole: String?
  private let sources: (baseline: String, candidate: String)

  /// Reads the sweep and the settings.
  ///
  /// - Throws: `InvalidInput` with all problems found.
  package init(_ request: Request, prefetchers: PrefetcherCatalogue = .standard) throws(InvalidInput) {
    let reader = try GateReader(request, prefetchers: prefetchers)
    sweep = reader.sweep
    (members, areMembersJudged, whole) = try reader.read()
    warnings = reader.warnings(members)
    seed = request.seed ?? Self.gateSeed(sweep.seed)
    let name = request.baseline ?? "the baseline of \(request.sweep)"
    let set = request.settings.map { "\($0.path)=\($0.value)" }.joined(separator: ", ")
    sources = (name, [request.candidate ?? name, set].filter { !$0.isEmpty }.joined(separator: " with "))
  }

  /// The number of parts that are judged, the weighted whole among them.
  package var judgedCount: Int { (areMembersJudged ? members.count : 0) + (whole == nil ? 0 : 1) }

  package var isDeterministic: Bool { members.allSatisfy(\.isDeterministic) }

  /// The baseline and the candidate as a report names them, by their first stratum.
  package var sides: (baseline: GateResult.Side, candidate: GateResult.Side) {
    func side(_ source: String, _ decoded: DecodedScenario) -> GateResult.Side {
      (source, decoded.description.prefetcher, decoded.point)
    }
    return (side(sources.baseline, members[0].baseline), side(sources.candidate, members[0].candidate))
  }

  /// The settings that the sides do not share in some stratum, defaults included, in the order in which scenarios are read. A value that is
  /// not the same in all strata is one of each.
  package var changes: [GateResult.Change] {
    var changes: [GateResult.Change] = []
    for change in members.flatMap(Self.changes) where !changes.contains(change) { changes.append(change) }
    return changes
  }

  private static func changes(_ member: Member) -> [GateResult.Change] {
    func settings(_ decoded: DecodedScenario) -> [(path: String, value: String)] {
      decoded.lines.compactMap { line in
        line.firstIndex(of: "=").map { (String(line[..<$0]), String(line[line.index(after: $0)...])) }
      }
    }
    let (first, second) = (settings(member.baseline), settings(member.candidate))
    let changed = first.map { path, value in (path, value, second.first { $0.path == path }?.value) }.filter { $0.1 != $0.2 }
    let added = second.filter { path, _ in !first.contains { $0.path == path } }
    return changed.map { GateResult.Change(path: $0.0, baseline: $0.1, candidate: $0.2) }
      + added.map { GateResult.Change(path: $0.path, baseline: nil, candidate: $0.value) }
  }

  /// The scenario in words, a line a part: the parts that are the same in all strata, then those that each has of its own.
  package var heads: (common: [SweepDescription.HeadLine], own: [[SweepDescription.HeadLine]]) {
    let all = members.map(Self.head)
    let isCommon = all[0].indices.map { line in all.allSatisfy { $0[line] == all[0][line] } }
    func lines(_ head: [SweepDescription.HeadLine], _ common: Bool) -> [SweepDescription.HeadLine] {
      zip(head, isCommon).filter { $0.1 == common }.map(\.0)
    }
    return (lines(all[0], true), all.map { lines($0, false) })
  }

  /// Where the sides differ, both are said.
  private static func head(_ member: Member) -> [SweepDescription.HeadLine] {
    let parts = zip(member.baseline.description.parts, member.candidate.description.parts)
    return parts.filter { $0.0.label != "prefetcher" }.map { baseline, candidate in
      let (first, second) = (baseline.text, candidate.text)
      return SweepDescription.HeadLine(label: baseline.label, text: first == second ? first : "baseline: \(first); candidate: \(second)")
    }
  }

  /// The row of one run of the baseline in the first stratum, in the order of `Metric.allCases`; for calibration, which makes millions
  /// of them.
  /// - Throws: why a run was stopped, if it was.
  package func baselineRun(seed: UInt64) throws -> [Double?] { try members[0].baseline.scenario.metrics(seed: seed) }

  /// A seed that no repetition of the sweep has met: who picks a candidate by a sweep must not judge it by the same runs. It keeps
  /// within what a sweep file can say.
  private static func gateSeed(_ seed: UInt64) -> UInt64 {
    UInt64(ContentHash.of(lines: ["gate", "\(seed)"]).prefix(7), radix: 16) ?? seed &+ 1
  }
}
