// Which points go on after a round: racing, halving and repeating until a difference is known are rules of one form.

import Analysis

/// Decides, by the rows so far, which points of a sweep have more repetitions.
protocol RoundRule {
  /// The places of the points that start, ascending; nil for all.
  var starting: [Int]? { get }
  /// True if baselines go on whatever their rows show.
  var keepsBaselines: Bool { get }
  /// The ids of the points that go on; none where the sweep ends. `active` are the places of those that had the last round.
  func goingOn(_ rows: JournaledRows, active: [Int], of description: SweepDescription) throws -> [String]
}

extension RepetitionPlan {
  /// The rule of a sweep's rounds; nil where every point has every repetition.
  func rule(in sweep: SweepFile) -> (any RoundRule)? {
    switch kind {
    case .complete: nil
    case .sequential(let until):
      SummaryRule { $0.unsettled(until: Margin(until) ?? .none) }
    case .halving:
      SummaryRule { $0.betterHalf(atLeast: sweep.confirm?.best ?? 1) }
    case .racing(let settings): RaceRule(starting: settings.starting(in: sweep), blocks: rounds.count)
    }
  }
}

/// A rule that looks at the points' summaries: those go on whose difference is not known, or the better half.
private struct SummaryRule: RoundRule {
  let choose: (SweepSummary) -> [String]
  var starting: [Int]? { nil }
  var keepsBaselines: Bool { false }

  func goingOn(_ rows: JournaledRows, active: [Int], of description: SweepDescription) throws -> [String] {
    var summarizer = Summarizer(description)
    try rows.forEachRow { try summarizer.add($0) }
    return choose(try summarizer.finish(sweep: description, rows: rows))
  }
}

/// A race: those go on that may still win.
private struct RaceRule: RoundRule {
  let starting: [Int]?
  let blocks: Int
  // A baseline whose first runs failed has no rows, and every later block needs it.
  var keepsBaselines: Bool { true }

  func goingOn(_ rows: JournaledRows, active: [Int], of description: SweepDescription) throws -> [String] {
    var race = RaceTable(description)
    try rows.forEachRow { race.add($0) }
    return race.goingOn(blocks: blocks, among: Set(active.map(rows.runs.id(of:))))
  }
}
