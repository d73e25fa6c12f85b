// What to do next: at most three sentences with the options or keys that do it, for the terminal, report.md and the page.

import Analysis

struct NextSteps {
  static let title = "What next"
  private static let limit = 3
  /// A sweep is large if it has more runs than this: minutes on an emulator, hours on a device.
  private static let (largeEmulated, largeOnDevices) = (20_000, 200)
  /// The most repetitions that are proposed, as a multiple of the present number.
  private static let mostTimes = 20
  private static let confirmingRepeats = 30

  let part: ReportPart
  let markup: Markup

  /// The words for the command that takes the options, for reports; the terminal has just run it. Empty if there is none.
  var withOptions: String {
    let command = sweep.reproduceCommand.firstRange(of: " --point").map { String(sweep.reproduceCommand[..<$0.lowerBound]) } ?? ""
    return command.isEmpty ? "" : "with options of \(markup.code([command]))"
  }

  private var summary: SweepSummary { part.summary }
  private var sweep: SweepDescription { part.sweep }
  /// The weighted whole, or the strata if there is none.
  private var judged: [SweepSummary] { summary.points.isEmpty ? summary.strata?.members.map(\.summary) ?? [] : [summary] }
  private var leader: PointSummary? { summary.leader }

  /// At most three sentences, the most useful first; empty if nothing is left to do.
  var sentences: [String] {
    let own = ends(summary).map { [$0] } ?? []
    let steps = own + [onLeader, confirmation, onOthers, search].compactMap(\.self)
    return Array((steps + (own.isEmpty ? endsOfStrata : [])).prefix(Self.limit))
  }

  // MARK: Repetitions

  /// True if `--repeats` adds repetitions to all points.
  private var isComplete: Bool { sweep.search == nil && sweep.sequential == nil && !sweep.deterministic }

  /// Returns the repetitions that decide a comparison, if they are few enough to propose; the missing ones as tables have them.
  private func needed(_ comparison: PointComparison?, beside repeats: Int) -> Int? {
    guard let comparison, let needed = comparison.neededRepetitions, needed <= min(PointTable.neededLimit, repeats * Self.mostTimes) else {
      return nil
    }
    return comparison.pairs + Words.roundedUp(needed - comparison.pairs)
  }

  /// The repetitions that decide on the best point, if no point has won.
  private var onLeader: String? {
    guard let leader, summary.confirmedWinner == nil else { return nil }
    let name = markup.strong(part.name(leader))
    if let confirmation = summary.confirmation {
      guard let count = needed(confirmation.point(like: leader)?.comparison, beside: confirmation.repetitions) else { return nil }
      let option = "--set confirm='{repeats: \(count), best: \(confirmation.points.count - 1)}'"
      return "\(count - confirmation.repetitions) more new seeds (\(code(option))) would probably decide on \(name)."
    }
    guard isComplete, let comparison = leader.comparison else { return nil }
    if let count = needed(comparison, beside: sweep.repeats) {
      return
        "\(count - comparison.pairs) more repetitions (\(code("--repeats \(count)"))) would probably decide on \(name)."
    }
    let fewest = SignFlipTest.fewestDifferences(reaching: (1 - summary.confidence) / Double(max(1, summary.familySize)))
    guard comparison.verdict.outcome == .inconclusive, comparison.verdict.ground != .interval, comparison.pairs < fewest else { return nil }
    return "\(code("--repeats \(fewest)")) has the fewest repetitions with which an exact test can decide on \(name)."
  }

  /// The part of the sweep whose points are counted, as the beginning of a sentence; empty without strata.
  private var scope: String {
    guard let strata = summary.strata else { return "" }
    if summary.points.isEmpty { return strata.kind == .models ? "Over the models, " : "Over the strata, " }
    return strata.kind == .population ? "Over the population, " : "Over all strata together, "
  }

  /// The repetitions that decide on other inconclusive points.
  private var onOthers: String? {
    let open = judged.flatMap { $0.points.filter { $0.comparison?.neededRepetitions != nil } }
    let counts = open.compactMap { needed($0.comparison, beside: sweep.repeats) }
    guard isComplete, summary.confirmation == nil, let count = counts.max(), judged.allSatisfy({ $0.winner != nil }) || leader == nil else {
      return nil
    }
    let decided =
      open.count == 1
      ? "it" : counts.count == open.count ? "each of them" : counts.count == 1 ? "1 of them" : "\(counts.count) of them, each"
    return "\(scope)\(Words.count(open.count, "point is", "points are")) inconclusive: \(count - sweep.repeats) more repetitions "
      + "(\(code("--repeats \(count)"))) would probably decide \(decided)."
  }

  // MARK: Confirmation and search

  /// The confirmation of a winner that is the best of several points.
  private var confirmation: String? {
    guard summary.confirmation == nil, summary.familySize > 1, let winner = summary.winner, winner.comparison?.verdict.ground == .interval
    else { return nil }
    return "\(code("--set confirm=\(Self.confirmingRepeats)")) repeats the best points on new seeds, which had no part in choosing "
      + "\(markup.strong(part.name(winner)))."
  }

  /// A search that needs fewer runs, if the sweep was large.
  private var search: String? {
    let runs = sweep.pointCount * sweep.repeats
    guard isComplete, sweep.pointCount >= 2 * PointTable.topCount else { return nil }
    if sweep.backend != nil {
      return runs < Self.largeOnDevices
        ? nil : "\(code("--set search=racing")) drops points that cannot win before all \(sweep.repeats) repetitions."
    }
    guard runs >= Self.largeEmulated else { return nil }
    let parts = sweep.hasSeparateStrata ? sweep.strata?.members.count ?? 1 : 1
    let halved = SweepDescription.Search.halvingRuns(points: sweep.pointCount / parts, repeats: sweep.repeats) * parts
    return "\(code("--set search=halving")) repeats only the better points: about \(halved) of \(runs) runs, without "
      + "verdicts on the others."
  }

  private func code(_ text: String) -> String { markup.code([text]) }
}

// MARK: The ends of axes

extension NextSteps {
  /// A numeric axis at whose end a point lies.
  private struct AxisEnd {
    let name: String, range: String
    let end: NumericAxis.End
    /// The values to try, nearest first, and the value of `--set` that adds them; nil if `--set` left them out of the file's own.
    let next: [String], setting: String?
  }

  /// Returns the sentence about the axes at whose ends the winner lies, or the baseline if no mean is lower; nil if there is nothing to try.
  private func ends(_ summary: SweepSummary) -> String? {
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
    var sentences: [String] = []
    if !tried.isEmpty {
      // The output folder has its own name, so that these results stay.
      let folder = ([sweep.name] + tried.flatMap { [$0.name] + $0.next.suffix(1) }).joined(separator: "-").replacing("/", with: "-")
      let options = tried.map { "--set \(ShellText.quoted($0.setting ?? ""))" } + ["--output \(ShellText.quoted("Results/\(folder)"))"]
      sentences.append("\(position(tried)): try \(values(tried)) (\(markup.code(options))).")
    }
    if !narrowed.isEmpty {
      sentences.append("\(position(narrowed)), which --set narrows: the sweep file also has \(values(narrowed)).")
    }
    return sentences.isEmpty ? nil : sentences.joined(separator: " ")
  }

  /// The sentences about the ends of axes in strata, if they are few.
  private var endsOfStrata: [String] {
    var parts: [(sentence: String, names: [String])] = []
    guard let strata = summary.strata, strata.members.count <= Headline.namedLimit else { return [] }
    for member in strata.members {
      guard let sentence = ends(member.summary) else { continue }
      if let index = parts.firstIndex(where: { $0.sentence == sentence }) {
        parts[index].names.append(member.name)
      } else {
        parts.append((sentence, [member.name]))
      }
    }
    return parts.map { "For \(markup.text($0.names.joined(separator: "; "))): \(Headline.lowercased($0.sentence))" }
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
        name: part.axes[index], range: axis.range, end: end, next: next,
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
    // Files of older programs do not have the key's bounds; zero counts as out of bounds then.
    let known = end == .upper ? swept.valuesAbove : swept.valuesBelow
    return known?.filter { !isExcluded($0) } ?? axis.proposals(beyond: end) { text in text.contains { ("1"..."9").contains($0) } }
  }

  /// Returns a list of values, e.g. `11…20`, or the single values if they are not spaced by one.
  private static func list(_ values: [String]) -> String {
    if values.count > 2, let axis = NumericAxis(values), axis.isCountedByOne { return axis.range }
    return values.count > 4 ? "\(values[0]), \(values[1]), … \(values[values.count - 1])" : Words.list(values)
  }

  /// Returns the `--set` value for the values and the end itself: a range or a list.
  private static func setting(_ path: String, _ value: String, _ next: [String]) -> String {
    if let axis = NumericAxis([value] + next), axis.isCountedByOne { return "\(path)=\(axis.range.replacing("…", with: "..."))" }
    let numbers = ([value] + next).map { $0.allSatisfy { "0123456789.".contains($0) } ? $0 : "\"\($0)\"" }
    return "\(path)=[\(numbers.joined(separator: ","))]"
  }
}
