// The scenarios of a gate: both sides' settings in each stratum of a sweep.

import Analysis
import Base
import Simulation

/// A baseline and a candidate in each stratum of a sweep, ready to run. Axes that define no strata are not used.
package struct GateScenarios: Sendable {
  /// The comparison that a command line asks for.
  package struct Request: Sendable {
    /// The sweep file with the scenario and the strata.
    package var sweep: String
    /// A file of settings; nil for the sweep's own baseline.
    package var baseline: String?
    /// A file of settings; nil for the baseline with `settings`.
    package var candidate: String?
    /// The candidate's settings, applied over its file or over the baseline.
    package var settings: [(path: String, value: String)] = []
    /// The settings for both sides, applied over all others.
    package var common: [(path: String, value: String)] = []
    /// The only stratum to judge, or the weighted whole by its name; nil for all.
    package var stratum: String?
    /// The seed of all randomness; nil for one derived from the sweep's.
    package var seed: UInt64?
    /// True if the emulator makes the runs, whatever the sweep's backend is.
    package var isEmulated = false

    package init(sweep: String) { self.sweep = sweep }
  }

  /// Both sides in one stratum, or in the scenario alone.
  package struct Member: Sendable {
    /// The stratum's name; nil for the scenario alone.
    package let name: String?
    /// The share of the whole, 0 … 1.
    package let weight: Double
    package let baseline: DecodedScenario, candidate: DecodedScenario

    package var isDeterministic: Bool { baseline.scenario.isDeterministic && candidate.scenario.isDeterministic }
    package var isSame: Bool { baseline.point == candidate.point }
  }

  package let sweep: ResolvedSweep
  package let seed: UInt64
  package let warnings: [String]
  /// The strata to run, at least one.
  package let members: [Member]
  let areMembersJudged: Bool
  /// The name of the weighted whole; nil if it is not judged.
  package let whole: String?
  private let sources: (baseline: String, candidate: String)

  /// Reads the sweep and the settings.
  /// - Throws: `InvalidInput` with all problems found.
  package init(_ request: Request, prefetchers: PrefetcherCatalogue = .standard) throws(InvalidInput) {
    let reader = try GateReader(request, prefetchers: prefetchers)
    sweep = reader.sweep
    (members, areMembersJudged, whole) = try reader.read()
    strataNames = reader.names
    warnings = reader.warnings(members)
    // A candidate must not be judged by the runs that selected it. Seven digits fit the range of a sweep file's seed.
    let fresh = UInt64(ContentHash.of(lines: ["gate", "\(sweep.seed)"]).prefix(7), radix: 16)
    seed = request.seed ?? fresh ?? sweep.seed &+ 1
    let name = request.baseline.map(SystemFile.canonical) ?? "the baseline of \(SystemFile.canonical(request.sweep))"
    let set = request.settings.map { "\($0.path)=\($0.value)" }.joined(separator: ", ")
    sources = (name, [request.candidate.map(SystemFile.canonical) ?? name, set].filter { !$0.isEmpty }.joined(separator: " with "))
  }

  /// The names of all strata and of the weighted whole, including those that --stratum leaves out; none without strata.
  package let strataNames: [String]

  package var headline: Metric { type(of: members[0].baseline.scenario).schema.judged(by: sweep.objective).headline }

  /// The number of judged parts, including the weighted whole.
  package var judgedCount: Int { (areMembersJudged ? members.count : 0) + (whole == nil ? 0 : 1) }

  package var isDeterministic: Bool { members.allSatisfy(\.isDeterministic) }

  package func unmeasured(_ guards: [GateGuard]) -> [Metric] {
    guard let measured = sweep.backend.measured else { return [] }
    return guards.map(\.metric).filter { !measured.contains($0) }.distinct
  }

  package var startsPrograms: Bool {
    members.contains { [$0.baseline, $0.candidate].contains { ($0.scenario as? Scenario)?.prefetcher is CommandPolicy } }
  }

  /// True if one pair in each stratum decides every margin: without randomness, or if both sides are the same.
  package var isExact: Bool { members.allSatisfy { $0.isDeterministic || $0.isSame } }

  /// The names of baseline and candidate in reports, taken from the first stratum.
  package var sides: (baseline: GateResult.Side, candidate: GateResult.Side) {
    func side(_ source: String, _ decoded: DecodedScenario) -> GateResult.Side { (source, decoded.description.prefetcher, decoded.point) }
    return (side(sources.baseline, members[0].baseline), side(sources.candidate, members[0].candidate))
  }

  /// The settings, defaults included, that differ between the sides in some stratum, in reading order; once for each pair of values.
  package var changes: [GateResult.Change] { members.flatMap(Self.changes).distinct }

  private static func changes(_ member: Member) -> [GateResult.Change] {
    let (first, second) = (member.baseline.settings, member.candidate.settings)
    func value(_ path: String, in settings: [CanonicalSetting]) -> String? { settings.first { $0.path == path }?.value }
    return (first + second).map(\.path).distinct.map {
      GateResult.Change(path: $0, baseline: value($0, in: first), candidate: value($0, in: second))
    }.filter { $0.baseline != $0.candidate }
  }

  /// The scenario in words: the lines that all strata share, and the other lines of each.
  package var heads: (common: [SweepDescription.HeadLine], own: [[SweepDescription.HeadLine]]) {
    let all = members.map(Self.head)
    let isCommon = all[0].indices.map { line in all.allSatisfy { $0[line] == all[0][line] } }
    func lines(_ head: [SweepDescription.HeadLine], _ common: Bool) -> [SweepDescription.HeadLine] {
      zip(head, isCommon).filter { $0.1 == common }.map(\.0)
    }
    return (lines(all[0], true), all.map { lines($0, false) })
  }

  /// Returns the head lines of a stratum. Where the sides differ, the line has both texts.
  private static func head(_ member: Member) -> [SweepDescription.HeadLine] {
    let parts = zip(member.baseline.description.parts, member.candidate.description.parts)
    return parts.filter { $0.0.label != "prefetcher" }.map { baseline, candidate in
      let (first, second) = (baseline.text, candidate.text)
      return SweepDescription.HeadLine(label: baseline.label, text: first == second ? first : "baseline: \(first); candidate: \(second)")
    }
  }
}
