// The head of a report: the scenario, the repetitions, and the family for which verdicts hold.

import Analysis
import Base

struct ReportHead {
  let part: ReportPart

  private var summary: SweepSummary { part.summary }
  private var sweep: SweepDescription { part.sweep }
  private var names: PointNames { PointNames(paths: sweep.axes.map(\.path), sweep: sweep) }
  private var isRace: Bool { sweep.search?.kind == .racing }

  var lines: [(label: String, text: String)] {
    // A population is not a choice of the team, so that it has its own line.
    let population = sweep.strata?.kind.isOneWhole == true ? sweep.strata?.paths ?? [] : []
    let swept = sweep.axes.indices.filter { !population.contains(sweep.axes[$0].path) }.map { axis in
      "\(sweep.axes[axis].path): \(values(sweep.axes[axis].values.map { names.value($0, axis: axis) }))"
    }.joined(separator: "; ")
    let lines: [(label: String, text: String)] =
      sweep.head.map { ($0.label, $0.text) } + [
        ("transport", sweep.transport), ("swept", swept),
        ("full settings", fullSettings(omitting: population)), ("baseline", baseline),
        summary.strata.map { ($0.membersName, strataRule($0)) } ?? ("", ""),
        ("points", String(summary.strata?.gridOrder.count ?? summary.points.count)), ("repetitions", repetitions), ("runs", runs),
        ("confirmed", sweep.confirm.map(confirmed) ?? ""), ("seed", String(sweep.seed)), ("family", family), ("verdicts", verdicts),
        ("objective", objective),
        ("program", sweep.program.description),
      ]
    return lines.filter { !$0.text.isEmpty }
  }

  /// The baseline's prefetcher, its axis values outside of the prefetcher that are no strata, and its origin.
  private var baseline: String {
    let strata = sweep.strata?.paths ?? []
    let world = ["downloads.", "feed.", "network.", "user."]
    let values = sweep.axes.indices.filter { index in
      let path = sweep.axes[index].path
      return world.contains(where: path.hasPrefix) && !strata.contains(path) && sweep.baseline.axisValues.indices.contains(index)
    }.map { names.setting(sweep.baseline.axisValues[$0], axis: $0) }.joined(separator: ", ")
    let text = [sweep.baseline.settings, values].filter { !$0.isEmpty }.joined(separator: "; ")
    if sweep.baseline.isImplied == true {
      return text
        + " (the first point\(summary.strata.map { " of each \($0.memberName)" } ?? ""), because the sweep file names no baseline)"
    }
    return text + (sweep.baseline.inGrid ? "" : " (added to the grid)")
  }

  /// The values whose names omit settings, in full.
  private func fullSettings(omitting population: [String]) -> String {
    let texts = sweep.axes.indices.filter { !population.contains(sweep.axes[$0].path) }.flatMap { axis in
      sweep.axes[axis].values.filter { names.full($0) != names.value($0, axis: axis) }.map(names.full)
    }
    return Words.first(60, of: texts, others: " in sweep.json")
  }

  private func values(_ values: [String]) -> String {
    guard values.count > 12 else { return values.joined(separator: values.contains { $0.contains(",") } ? " · " : ", ") }
    return "\(values[0]), \(values[1]), … \(values[values.count - 1]) (\(values.count) values)"
  }

  private func strataRule(_ strata: StrataSummary) -> String {
    switch strata.kind {
    case .population:
      "\(strata.scenario.map { $0.weight == 0 ? "\($0.name): not of the population; " : "" } ?? "")population: \(Headline.shares(strata)); "
        + "each with its own baseline, on the same seeds"
    case .worlds:
      "\(strata.members.count), each with a value of \(Words.list(sweep.strata?.paths ?? [])) and its own baseline, on the same seeds"
        + (sweep.strata?.measured.map { "; \(strata.weightedCount) count, in which the baseline has \($0.text)" } ?? "")
    case .models: "\(strata.members.count) models, each with its own baseline and table; no ranking or mean over models"
    case .axes: "\(strata.members.count), each with its own baseline; each counts the same in the whole"
    }
  }

  /// Returns the confirmed points and the number of new seeds. There are fewer seeds than asked for if the device time of a race ran out or
  /// the device failed; the rows do not tell which.
  private func confirmed(_ confirm: SweepDescription.Confirm) -> String {
    let others = (sweep.hasSeparateStrata ? summary.parts : [summary]).map { $0.points.count { !$0.isBaseline } }.max() ?? 0
    let points =
      if others > confirm.best || others == 0 {
        confirm.best == 1 ? "the best point" : "the best \(confirm.best) points"
      } else {
        others == 1 ? "the other point" : others == 2 ? "both other points" : "all \(others) other points"
      }
    let ofStrata = sweep.hasSeparateStrata ? " of each \(summary.strata?.memberName ?? "stratum")" : ""
    let made = (summary.parts + [summary]).compactMap(\.confirmation?.repetitions).max() ?? 0
    let all = Words.count(confirm.repeats, "new seed")
    var seeds = all
    if let until = sweep.search?.until, made < confirm.repeats, !summary.finalists(confirm.best).isEmpty {
      seeds = "\(made == 0 ? "none" : "\(made)") of \(all), within the device time of \(until)"
    }
    return "\(points)\(ofStrata) and the baseline, on \(seeds); their rows are in confirmation.csv"
  }

  private var repetitions: String {
    if sweep.deterministic { return "1: the scenario has no randomness, and a second run of each point gave the same row" }
    if let sequential = sweep.sequential {
      let unit = sequential.until.hasSuffix("%") ? " of the baseline" : " \(sweep.schema.words.headline)"
      return "\(sequential.looks[0]) to \(sweep.repeats), until a difference is known to ±\(sequential.until)\(unit); checked after "
        + "\(Words.list(sequential.looks.map(String.init))), with intervals adjusted to hold at all \(sequential.looks.count) looks (Bonferroni)"
    }
    guard let search = sweep.search else {
      let (missing, all) = (summary.missingRunCount, sweep.pointCount * sweep.repeats)
      if missing == 0 { return "\(sweep.repeats), the same seeds for every point" }
      return "\(sweep.repeats); \(missing) of \(all) runs \(missing == 1 ? "has" : "have") no row"
    }
    if isRace { return race(search) }
    let rounds = Words.list(search.rounds.dropFirst().map(String.init))
    return "successive halving: all points \(search.rounds[0]), the better half of each round up to \(rounds); "
      + "the same seeds for every point; it does not promise to keep the best one"
  }

  private func race(_ search: SweepDescription.Search) -> String {
    let start = search.prior.map { prior in
      let ofStrata = sweep.hasSeparateStrata ? " of each stratum" : ""
      return "the best \(prior.best)\(ofStrata) by \(prior.results), and the baseline, started; "
    }
    let until = search.until.map { ", within \($0) of device time" } ?? ""
    let error = DecimalText.fixed((1 - sweep.confidence) * 100, decimals: 0)
    let scope = sweep.hasSeparateStrata ? ", in each stratum separately" : ""
    return
      "racing: \(start ?? "")after each block, one repetition of all points in the race, the points that cannot win any more leave, up to "
      + "\(sweep.repeats) blocks\(until)\(scope); by Friedman's test on the ranks within blocks, step by step from the last, with a "
      + "probability of at most \(error) % that the best leaves; the same seeds for every point"
  }

  /// The runs made, of all that there could be, and their share in per cent, or, of a race, the share saved; nil unless a rule ends some
  /// points' repetitions early.
  private var madeRuns: (count: Int, all: Int, percent: String)? {
    guard sweep.sequential != nil || sweep.search != nil else { return nil }
    let points = summary.parts.flatMap(\.points)
    // A race that starts from an earlier ranking is compared with the full grid.
    let all = (sweep.search?.prior == nil ? points.count : sweep.pointCount) * sweep.repeats
    let count = points.reduce(0) { $0 + $1.repetitions }
    let share = Double(count) / Double(max(1, all)) * 100
    return (count, all, DecimalText.fixed(isRace ? 100 - share : share, decimals: 0))
  }

  /// The text `183 of 500 (37 %)`, or, of a race, `183 of 500 runs, 63 % saved`; empty if all runs were planned.
  private var runs: String {
    madeRuns.map { "\($0.count) of \($0.all)" + (isRace ? " runs, \($0.percent) % saved" : " (\($0.percent) %)") } ?? ""
  }

  var runsSentence: String {
    guard let made = madeRuns else { return "" }
    if isRace { return "racing: \(runs)." }
    return made.percent == "100" ? "All \(made.count) runs were made." : "\(runs) runs were made."
  }

  private var familySize: Int { summary.judged.map(\.familySize).max() ?? 0 }

  private var family: String {
    guard familySize > 1, !summary.isDeterministic else { return "" }
    let ofStrata = summary.strata.map { " of a \($0.memberName)\($0.kind == .models ? "" : ", and those of the whole")" } ?? ""
    return "the \(familySize) comparisons with the baseline\(ofStrata); p-values in summary.csv by Holm"
  }

  private var objective: String {
    guard let objective = sweep.objective else { return "" }
    if objective.subjectTo.isEmpty { return part.objective }
    let basis =
      summary.isDeterministic
      ? "exact" : "one-sided intervals of the mean at \(part.level) with Bonferroni's correction for \(familySize + 1) points"
    return "\(part.objective); \(basis)"
  }

  private var verdicts: String {
    guard familySize > 0 else { return "" }
    let ofWhat = if case .percent = summary.margin { " of the baseline" } else { "" }
    let margin = summary.margin == .none ? "no margin" : "margin \(part.margin)\(ofWhat)"
    if summary.isDeterministic { return "exact, \(margin)" }
    guard familySize > 1 else { return "paired \(part.level) interval, \(margin)" }
    return "paired intervals at \(part.level) with Bonferroni's correction for the family, \(margin)"
  }
}

extension ReportPart {
  /// The margin in words, e.g. `2 %` or `1 loader per 1000`.
  var margin: String {
    if case .percent = summary.margin { summary.margin.text } else { words.counted(summary.margin.text) }
  }

  /// The noise and the margin in words: a difference that counts exceeds both.
  var noise: String { summary.margin == .none ? "the noise" : "the noise and the margin of \(margin)" }

  var objective: String {
    let bounds = (sweep.objective?.subjectTo ?? []).map(\.text).joined(separator: ", ")
    return "minimize \(summary.schema.headline.rawValue)" + (bounds.isEmpty ? "" : ", subject to \(bounds)")
  }
}
