// Which points go on after a round: racing, halving and repeating until a difference is known are rules of one form.

import Analysis

/// Decides, by the runs so far, which points of a sweep have more repetitions.
protocol RoundRule {
  /// The places of the points that start, ascending; nil for all.
  var starting: [Int]? { get }
  /// True if baselines go on whatever their runs show.
  var keepsBaselines: Bool { get }
  /// The ids of the points that go on; none where the sweep ends. `active` are the ids of those that had the last round.
  func goingOn(_ columns: RunColumns, active: @autoclosure () -> Set<String>, of description: SweepDescription) throws -> [String]
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

  func goingOn(_ columns: RunColumns, active: @autoclosure () -> Set<String>, of description: SweepDescription) throws -> [String] {
    choose(try columns.summary(sweep: description))
  }
}

/// A race: those go on that may still win.
private struct RaceRule: RoundRule {
  let starting: [Int]?
  let blocks: Int
  // A baseline whose first runs failed has no rows, and every later block needs it.
  var keepsBaselines: Bool { true }

  func goingOn(_ columns: RunColumns, active: @autoclosure () -> Set<String>, of description: SweepDescription) throws -> [String] {
    columns.goingOn(in: description, blocks: blocks, among: active())
  }
}
