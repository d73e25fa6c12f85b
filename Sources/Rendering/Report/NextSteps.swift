// What to do next: at most three sentences, each with its cost and the command that does it, for the terminal, report.md and the page.

import Analysis
import Base

struct NextSteps {
  typealias Step = (text: String, command: String)

  static let title = "What next"
  private static let limit = 3
  /// A sweep is large if it has more runs than this: minutes on an emulator, hours on a device.
  private static let (largeEmulated, largeOnDevices) = (20_000, 200)
  /// The most repetitions that are proposed, as a multiple of the present number.
  private static let mostTimes = 20
  /// The new seeds of a proposed confirmation, and the best points that `confirm` takes.
  private static let (confirmingRepeats, confirmedBest) = (30, 3)

  let part: ReportPart
  let markup: Markup
  /// The folder of the results; nil if it is the usual one, or unknown.
  var folder: String?

  private var summary: SweepSummary { part.summary }
  private var sweep: SweepDescription { part.sweep }
  private var strataCount: Int { max(1, summary.strata?.members.count ?? 1) }
  private var leader: PointSummary? { summary.leader }

  /// At most three steps, the most useful first; empty if nothing is left to do.
  var steps: [Step] {
    let own = ends(summary).map { [$0] } ?? []
    let steps = own + [onLeader, confirmation, onPeers, search].compactMap(\.self)
    return Array((steps + (own.isEmpty ? endsOfStrata : [])).prefix(Self.limit))
  }

  /// Returns a sentence with the command of the sweep's runs, in which new settings and repetitions replace the old ones.
  private func step(_ text: String, settings: [SweepOverrides.Setting] = [], repeats: Int? = nil, output: String? = nil) -> Step {
    guard var source = sweep.source else { return (text, "") }
    source.overrides.settings.removeAll { old in settings.contains { $0.path == old.path } || repeats != nil && old.path == "repeats" }
    source.overrides.settings += settings
    source.overrides.repeats = repeats ?? source.overrides.repeats
    return (text, source.command("run", options: (output ?? folder).map { ["--output \(ShellText.quoted($0))"] } ?? []))
  }

  private func runs(_ count: Int) -> String { Words.count(count, "run") }

  /// Returns the most points that a confirmation of the `best` of `count` points runs again, with the baselines and without oracles.
  private func confirmedPoints(_ best: Int, of count: Int) -> Int {
    let oracles = summary.judged.first.map { $0.points.count { $0.isOracle } } ?? 0
    return (min(best, count / strataCount - 1 - oracles) + 1) * strataCount
  }

  /// Returns the most runs of the sweep's own confirmation if it has `count` points. Its seeds follow the sweep's, so that none is kept.
  private func confirmationRuns(_ count: Int) -> Int { sweep.confirm.map { $0.repeats * confirmedPoints($0.best, of: count) } ?? 0 }

  /// True if the points of the sweep's next confirmation cannot be counted: it leaves out those that break a constraint.
  private var isConfirmationOpen: Bool { sweep.confirm != nil && !summary.schema.constrained.isEmpty }

  // MARK: Repetitions

  /// True if `--repeats` adds repetitions to all points.
  private var isComplete: Bool { sweep.search == nil && sweep.sequential == nil && !sweep.deterministic }

  /// Returns the repetitions that decide a comparison, if they are few enough to propose; the missing ones as tables have them.
  private func needed(_ comparison: PointComparison?, beside repeats: Int) -> Int? {
    guard let comparison, let needed = affordable(comparison.neededRepetitions, beside: repeats) else { return nil }
    return comparison.pairs + Words.roundedUp(needed - comparison.pairs)
  }

  private func affordable(_ needed: Int?, beside repeats: Int) -> Int? {
    needed.flatMap { $0 <= min(PointTable.neededLimit, repeats * Self.mostTimes) ? $0 : nil }
  }

  /// Returns the step to a number of repetitions, with a sentence that begins with the missing ones and their runs; nil if none is missing.
  private func repeated(_ count: Int, _ rest: String) -> Step? {
    let more = count - sweep.repeats
    guard more > 0 else { return nil }
    // Runs of the old confirmation have the seeds of the first new repetitions.
    let kept = sweep.confirm.map { min(more, $0.repeats) * summary.finalists($0.best).count } ?? 0
    let made = more * sweep.pointCount - kept + confirmationRuns(sweep.pointCount)
    let bound = isConfirmationOpen ? "at most " : ""
    return step("\(Words.count(more, "more repetition")) (\(bound)\(runs(made))) \(rest).", repeats: count)
  }

  /// The repetitions that decide on the best point, if none has won. If it is not below the baseline, they could only show it to be worse.
  private var onLeader: Step? {
    guard let leader, summary.confirmedWinner == nil, !leader.constraints.areBroken else { return nil }
    let decision = "would probably decide on \(markup.strong(part.name(leader)))"
    if let confirmation = summary.confirmation {
      guard let again = confirmation.points.first(like: leader)?.comparison, again.mayTurnBetter,
        let count = needed(again, beside: confirmation.repetitions)
      else { return nil }
      let more = count - confirmation.repetitions
      return step(
        "\(Words.count(more, "more new seed")) (\(runs(count * confirmation.points.count * strataCount)), all anew) \(decision).",
        settings: [.init(path: "confirm", value: "{repeats: \(count), best: \(confirmation.points.count - 1)}")])
    }
    guard isComplete, let comparison = leader.comparison, comparison.mayTurnBetter || summary.baseline?.constraints.areBroken == true
    else { return nil }
    if let open = affordable(leader.constraints.compactMap(\.neededRepetitions).max(), beside: sweep.repeats) {
      let count = sweep.repeats + Words.roundedUp(open - sweep.repeats)
      return repeated(count, "would probably tell whether \(markup.strong(part.name(leader))) keeps the constraints")
    }
    if let count = needed(comparison, beside: sweep.repeats) { return repeated(count, decision) }
    let fewest = SignFlipTest.fewestDifferences(reaching: (1 - summary.confidence) / Double(max(1, summary.familySize)))
    // Without any pair the runs have no values of the headline, and more of them have none either.
    guard comparison.verdict.outcome == .inconclusive, comparison.verdict.ground != .interval, 1..<max(1, fewest) ~= comparison.pairs
    else { return nil }
    return repeated(fewest, "are the fewest with which an exact test can decide on \(markup.strong(part.name(leader)))")
  }

  /// The largest number of points that are compared with a winner.
  private static let peerLimit = 100

  /// The repetitions that tell the winner from half of the points marked ≈; without a whole, those of each stratum, and those that
  /// decide on the best point of a stratum without a winner. Others would decide lower ranks only.
  private var onPeers: Step? {
    guard isComplete, summary.confirmation == nil else { return nil }
    let counts = summary.judged.map { part -> (count: Int, decided: Int, of: Int)? in
      guard let winner = part.winner else {
        guard summary.points.isEmpty, let leader = part.leader, leader.comparison?.mayTurnBetter == true else { return nil }
        return needed(leader.comparison, beside: sweep.repeats).map { ($0, 1, 1) }
      }
      let peers = part.peers.prefix(Self.peerLimit)
      // More runs show no point to be worse whose mean is not higher.
      let known = peers.filter { ($0.headlineMean ?? 0) > (winner.headlineMean ?? 0) }
        .compactMap { peer in affordable(part.neededRepetitions(toTell: peer, from: winner), beside: sweep.repeats) }.sorted()
      let half = (peers.count + 1) / 2
      guard half > 0, known.count >= half else { return nil }
      return (known[half - 1], known.count { $0 <= known[half - 1] }, peers.count)
    }
    let open = counts.compactMap(\.self)
    guard let count = open.map(\.count).max() else { return nil }
    let rounded = sweep.repeats + Words.roundedUp(count - sweep.repeats)
    guard let strata = summary.strata, summary.points.isEmpty else {
      let (decided, all) = (open[0].decided, open[0].of)
      let points = all == 1 ? "the other point" : "\(decided == all ? "all" : "\(decided) of") \(all) points"
      return repeated(rounded, "would probably tell the winner from \(points) marked ≈")
    }
    let scope = Words.count(open.count, strata.memberName, strata.membersName)
    return repeated(rounded, "would probably decide on the best points of \(scope)")
  }

  // MARK: Confirmation and search

  /// The confirmation of a winner that is the best of several points.
  private var confirmation: Step? {
    guard sweep.confirm == nil, summary.familySize > 1, let winner = summary.winner, winner.comparison?.verdict.ground == .interval
    else { return nil }
    // A halving then keeps as many points as are confirmed.
    let isHalving = sweep.search?.kind == .halving
    let points = sweep.pointCount / strataCount
    func searched(_ best: Int) -> Int {
      SweepDescription.Search.halvingRuns(points: points, repeats: sweep.repeats, atLeast: best) * strataCount
    }
    let added = isHalving ? searched(Self.confirmedBest) - searched(1) : 0
    let confirmed = isHalving ? confirmedPoints(Self.confirmedBest, of: sweep.pointCount) : summary.finalists(Self.confirmedBest).count
    let cost = "\(isHalving ? "at most " : "")\(runs(Self.confirmingRepeats * confirmed + added))"
    return step(
      "Confirm \(markup.strong(part.name(winner))) on \(Self.confirmingRepeats) new seeds, which had no part in choosing it (\(cost)).",
      settings: [.init(path: "confirm", value: "\(Self.confirmingRepeats)")])
  }

  /// A search that needs at most half of the runs, if the sweep was large: a race over these runs as measured, a halving by its rule.
  private var search: Step? {
    let (runs, points) = (sweep.pointCount * sweep.repeats, sweep.pointCount / strataCount)
    guard isComplete, points >= 2 * PointTable.topCount else { return nil }
    if sweep.backend != nil {
      guard runs >= Self.largeOnDevices, summary.racedShare <= 0.5 else { return nil }
      let raced = Int((summary.racedShare * Double(runs)).rounded())
      return step(
        "A race needs about \(raced) of \(runs) runs: it drops points that cannot win any more.",
        settings: [.init(path: "search", value: "racing")])
    }
    let halved =
      SweepDescription.Search.halvingRuns(points: points, repeats: sweep.repeats, atLeast: sweep.confirm?.best ?? 1) * strataCount
    guard runs >= Self.largeEmulated, halved * 2 <= runs else { return nil }
    return step(
      "The next sweep of this size needs about \(halved) of \(runs) runs if it repeats only the better points.",
      settings: [.init(path: "search", value: "halving")])
  }

  // MARK: The ends of axes

  /// A numeric axis at whose end a point lies.
  private struct AxisEnd {
    let name: String, range: String
    let end: NumericAxis.End
    let path: String, value: String
    /// The values to try, nearest first, and the setting that adds them; nil if `--set` left them out of the file's own.
    let next: [String], setting: SweepOverrides.Setting?
  }

  /// Returns the step beyond the axes at whose ends the winner lies, or the baseline if no mean is lower; nil if there is nothing to try.
  private func ends(_ summary: SweepSummary) -> Step? {
    guard let point = summary.confirmedWinner ?? summary.unbeatenBaseline else { return nil }
    let found = axisEnds(point, summary)
    func position(_ ends: [AxisEnd]) -> String {
      "The \(point.isBaseline ? "baseline" : "winner") lies at "
        + Words.list(ends.map { "the \($0.end == .upper ? "upper" : "lower") end of \(markup.strong($0.name)) (\(markup.text($0.range)))" })
    }
    func values(_ ends: [AxisEnd]) -> String {
      Words.list(ends.map { markup.text((ends.count > 1 ? "\($0.name) " : "") + Self.list($0.next)) })
    }
    let (tried, narrowed) = (found.filter { $0.setting != nil }, found.filter { $0.setting == nil })
    let others = narrowed.isEmpty ? "" : "\(position(narrowed)), which --set narrows: the sweep file also has \(values(narrowed))."
    guard !tried.isEmpty else { return others.isEmpty ? nil : (others, "") }
    // The output folder has its own name, so that these results stay.
    let output = ([sweep.name] + tried.flatMap { [$0.name] + $0.next.suffix(1) }).joined(separator: "-").replacing("/", with: "-")
    // Each of these axes has its end and the next values.
    // With exclusions, the whole product and the baselines beside it: what is excluded now may be allowed beside the new values.
    let (baselines, grid) = (sweep.baselines, gridValues)
    let isNarrowed =
      sweep.axes.contains { !($0.exclusions ?? []).isEmpty } || grid.count != sweep.pointCount - baselines.count { !$0.inGrid }
      || tried.contains { end in !Self.isWhole(grid, axis: sweep.axes.firstIndex { $0.path == end.path } ?? 0) }
    let chosen = sweep.axes.filter { axis in sweep.strata?.paths.contains(axis.path) != true }
    let present = isNarrowed ? chosen.reduce(strataCount) { $0 * $1.values.count } : grid.count
    // A baseline beside the grid may be a point of the new one.
    let isFound = baselines.contains { baseline in
      let values = zip(sweep.axes.map(\.path), baseline.axisValues)
      return !baseline.inGrid && tried.contains { end in values.contains { $0 == end.path && end.next.contains($1) } }
    }
    // A baseline that is no point of the new grid is one more.
    let outside = baselines.count { baseline in
      isNarrowed
        || baseline.isImplied != true
          && (!baseline.inGrid
            || tried.contains { end in zip(sweep.axes, baseline.axisValues).contains { $0.path == end.path && $1 != end.value } })
    }
    let points =
      tried.reduce(present) { points, end in
        let index = sweep.axes.firstIndex { $0.path == end.path } ?? 0
        return points / max(1, isNarrowed ? sweep.axes[index].values.count : Set(grid.map { $0[index] }).count) * (end.next.count + 1)
      } + outside
    let made = points * sweep.repeats + confirmationRuns(points)
    let isExact = isComplete && !isNarrowed && !isFound && !isConfirmationOpen
    return step(
      "\(position(tried)): try \(values(tried)) (\(isExact ? "" : "at most ")\(runs(made))).\(others.isEmpty ? "" : " \(others)")",
      settings: tried.compactMap(\.setting), output: parent + output)
  }

  /// The values of all axes of each point of the grid that has runs.
  private var gridValues: [[String]] {
    let added = sweep.addedBaselines
    return summary.parts.flatMap(\.points).filter { !($0.isBaseline && added.contains($0.point)) }.map(\.runs.axisValues)
  }

  /// True if each value of an axis that points have is there beside the same values of the other axes.
  private static func isWhole(_ grid: [[String]], axis: Int) -> Bool {
    let rest = Set(grid.map { values in values.indices.map { $0 == axis ? "" : values[$0] } })
    return Set(grid.map { $0[axis] }).count * rest.count == grid.count
  }

  /// The folder beside the results, with a slash; the usual one where the report does not know theirs.
  private var parent: String {
    guard let folder else { return "Results/" }
    return folder.lastIndex(of: "/").map { String(folder[...$0]) } ?? ""
  }

  /// The sentences about the ends of axes in strata, if they are few.
  private var endsOfStrata: [Step] {
    var parts: [(step: Step, names: [String])] = []
    guard let strata = summary.strata, strata.kind != .worlds, strata.members.count <= Headline.namedLimit else { return [] }
    for member in strata.members where member.weight > 0 {
      guard let step = ends(member.summary) else { continue }
      if let index = parts.firstIndex(where: { $0.step == step }) {
        parts[index].names.append(member.name)
      } else {
        parts.append((step, [member.name]))
      }
    }
    return parts.map { ("For \(markup.text($0.names.joined(separator: "; "))): \(Headline.lowercased($0.step.text))", $0.step.command) }
  }

  /// Returns the numeric axes at whose ends a point lies and beyond which there are values to try.
  private func axisEnds(_ point: PointSummary, _ summary: SweepSummary) -> [AxisEnd] {
    let tied = summary.points.filter { !$0.isDropped && $0.hasSameMean(as: point) }
    let values = Dictionary(zip(summary.axes, point.axisValues), uniquingKeysWith: { first, _ in first })
    return summary.axes.indices.compactMap { index in
      let value = point.axisValues[index]
      guard let swept = sweep.axes.first(where: { $0.path == summary.axes[index] }), let axis = NumericAxis(swept.values),
        let end = axis.end(of: value), tied.allSatisfy({ axis.end(of: $0.axisValues[index]) == end })
      else { return nil }
      let inFile = axis.values(of: swept.fileValues ?? [], beyond: end)
      let next = inFile.isEmpty ? proposals(swept, axis, end, beside: values) : inFile
      guard !next.isEmpty else { return nil }
      return AxisEnd(
        name: part.axes[index], range: axis.range, end: end, path: swept.path, value: value, next: next,
        setting: inFile.isEmpty ? Self.setting(swept.path, value, next) : nil)
    }
  }

  /// Returns the values to try beyond an end that the sweep takes beside a point's other values.
  private func proposals(
    _ swept: SweepDescription.Axis, _ axis: NumericAxis, _ end: NumericAxis.End, beside others: [String: String]
  ) -> [String] {
    /// True if the point with another value of this axis is refused; values of missing axes count as refused.
    func isExcluded(_ value: String) -> Bool {
      (swept.exclusions ?? []).contains { exclusion in
        exclusion.value == value
          && exclusion.combinations.contains {
            zip(exclusion.paths, $0).allSatisfy { path, text in others[path].map { $0 == text } ?? true }
          }
      }
    }
    // The key's bounds are unknown for axes of strata; zero counts as out of bounds then.
    let known = end == .upper ? swept.valuesAbove : swept.valuesBelow
    return known?.filter { !isExcluded($0) } ?? axis.proposals(beyond: end) { text in text.contains { ("1"..."9").contains($0) } }
  }

  /// Returns a list of values, e.g. `11…20`, or the single values if they are not spaced by one.
  private static func list(_ values: [String]) -> String {
    if values.count > 2, let axis = NumericAxis(values), axis.isCountedByOne { return axis.range }
    return values.count > 4 ? "\(values[0]), \(values[1]), … \(values[values.count - 1])" : Words.list(values)
  }

  /// Returns the setting of the values and the end itself: a range or a list.
  private static func setting(_ path: String, _ value: String, _ next: [String]) -> SweepOverrides.Setting {
    if let axis = NumericAxis([value] + next), axis.isCountedByOne, let last = axis.texts.last {
      return SweepOverrides.Setting(path: path, value: "\(axis.texts[0])...\(last)")
    }
    let numbers = ([value] + next).map { $0.allSatisfy { "0123456789.".contains($0) } ? $0 : "\"\($0)\"" }
    return SweepOverrides.Setting(path: path, value: "[\(numbers.joined(separator: ","))]")
  }
}

extension PointComparison {
  /// True if more runs can show the point to be better: its mean is below the baseline's.
  fileprivate var mayTurnBetter: Bool { (difference ?? 0) < 0 }
}
