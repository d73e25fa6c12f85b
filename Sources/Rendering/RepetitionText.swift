// How often the points ran, and how many runs that spared, for the report's head and the terminal.

import Analysis

/// What is said of repetitions.
enum RepetitionText {
  /// The rule by which points were repeated.
  static func rule(_ sweep: SweepDescription) -> String {
    if sweep.deterministic { return "1: the scenario has no randomness, and a second run of each point has shown the same row" }
    if let sequential = sweep.sequential {
      let unit = sequential.until.hasSuffix("%") ? " of the baseline" : " \(sweep.schema.words.headline)"
      return "\(sequential.looks[0]) to \(sweep.repeats), until a difference is known to ±\(sequential.until)\(unit); looked at after "
        + "\(list(sequential.looks)), with intervals adjusted to hold at all \(sequential.looks.count) looks (Bonferroni)"
    }
    if let search = sweep.search, search.kind == .racing { return race(search, of: sweep) }
    if let search = sweep.search {
      return
        "successive halving: all points \(search.rounds[0]), the better half of each round up to \(list(Array(search.rounds.dropFirst()))); "
        + "the same seeds for every point"
    }
    return "\(sweep.repeats), the same seeds for every point"
  }

  /// `183 of 500 (37 %)`, where not all points have all repetitions by a rule; empty otherwise.
  static func fraction(_ summary: SweepSummary, sweep: SweepDescription) -> String {
    guard sweep.sequential != nil || sweep.search != nil else { return "" }
    let points = summary.strata.map { $0.members.flatMap(\.summary.points) } ?? summary.points
    // The full grid has the points that a race did not start with, too.
    let count = sweep.search?.prior == nil ? points.count : sweep.pointCount
    let (runs, all) = (points.reduce(0) { $0 + $1.repetitions }, count * sweep.repeats)
    let share = Double(runs) / Double(max(1, all)) * 100
    guard sweep.search?.kind == .racing else { return "\(runs) of \(all) (\(DecimalText.fixed(share, decimals: 0)) %)" }
    return "\(runs) of \(all) runs, \(DecimalText.fixed(100 - share, decimals: 0)) % saved"
  }

  /// The same as a sentence of its own; empty where there is nothing to say.
  static func sentence(_ summary: SweepSummary, sweep: SweepDescription) -> String {
    let runs = fraction(summary, sweep: sweep)
    if runs.isEmpty { return "" }
    if sweep.search?.kind == .racing { return "racing: \(runs)." }
    return runs.hasSuffix(" (100 %)") ? "All \(runs.prefix { $0 != " " }) runs were made." : "\(runs) runs were made."
  }

  /// On how many fresh seeds the winner was confirmed; fewer than asked for where the device time of a race had no room for more, or
  /// where the device failed, which the rows do not tell apart.
  static func fresh(_ confirm: SweepDescription.Confirm, _ summary: SweepSummary, sweep: SweepDescription) -> String {
    let place = "their rows are in confirmation.csv"
    let parts = [summary] + (summary.strata?.members.map(\.summary) ?? [])
    let made = parts.compactMap(\.confirmation?.repetitions).max() ?? 0
    guard let until = sweep.search?.until, made < confirm.repeats, !summary.finalists(confirm.best).isEmpty else {
      return "on \(CountText.text(confirm.repeats, "fresh seed")); \(place)"
    }
    return
      "on \(made == 0 ? "none" : "\(made)") of \(CountText.text(confirm.repeats, "fresh seed")), within the device time of \(until); \(place)"
  }

  /// The rules of a race.
  private static func race(_ search: SweepDescription.Search, of sweep: SweepDescription) -> String {
    let start = search.prior.map { prior in
      let place = sweep.hasSeparateStrata ? " of each stratum" : ""
      return "the best \(prior.best)\(place) by \(prior.results), and the baseline, started; "
    }
    let until = search.until.map { ", within \($0) of device time" } ?? ""
    let error = DecimalText.fixed((1 - sweep.confidence) * 100, decimals: 0)
    let field = sweep.hasSeparateStrata ? ", in each stratum by itself" : ""
    return
      "racing: \(start ?? "")after each block, a repetition of all that are still in the race, those leave that can no longer win, up to "
      + "\(sweep.repeats) blocks\(until)\(field); by Friedman's test on the ranks within blocks, step by step from the last, with a chance "
      + "of \(error) % at most that the best leaves; the same seeds for every point"
  }

  private static func list(_ numbers: [Int]) -> String {
    guard numbers.count > 1 else { return numbers.map(String.init).joined() }
    return numbers.dropLast().map(String.init).joined(separator: ", ") + " and \(numbers[numbers.count - 1])"
  }
}
