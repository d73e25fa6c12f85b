// How often the points ran, and how many runs that spared, for the report's head and the terminal.

/// What is said of repetitions.
enum RepetitionText {
  /// The rule by which points were repeated.
  static func rule(_ sweep: SweepDescription) -> String {
    if sweep.deterministic { return "1: the scenario has no randomness, and a second run of each point has shown the same row" }
    if let sequential = sweep.sequential {
      let unit = sequential.until.hasSuffix("%") ? " of the baseline" : " loaders per 1000"
      return "\(sequential.looks[0]) to \(sweep.repeats), until a difference is known to ±\(sequential.until)\(unit); looked at after "
        + "\(list(sequential.looks)), with intervals widened to hold at all \(sequential.looks.count) looks (Bonferroni)"
    }
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
    let (runs, all) = (points.reduce(0) { $0 + $1.repetitions }, points.count * sweep.repeats)
    return "\(runs) of \(all) (\(DecimalText.fixed(Double(runs) / Double(max(1, all)) * 100, decimals: 0)) %)"
  }

  private static func list(_ numbers: [Int]) -> String {
    guard numbers.count > 1 else { return numbers.map(String.init).joined() }
    return numbers.dropLast().map(String.init).joined(separator: ", ") + " and \(numbers[numbers.count - 1])"
  }
}
