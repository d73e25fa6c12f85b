// What a sweep file says of a race, beside that it is one.

import Analysis
import Import

/// How a race is run.
package struct RaceSettings: Sendable {
  /// The most blocks; it is looked after each, and every look costs error.
  static let blockLimit = 1000
  /// What `until` may be, in nanoseconds: a millisecond to ten years.
  static let untilLimits: ClosedRange<Int64> = 1_000_000...315_360_000_000_000_000
  /// Without a number in the file, the best of so many points start, of each stratum …
  private static let usualShare = 3
  /// … and at least so many.
  private static let usualFewest = 3

  /// The device time that all runs together may take, in nanoseconds; nil for any.
  package internal(set) var until: Int64?
  /// The earlier sweep whose ranking decides who starts; nil where all points do.
  package internal(set) var prior: PriorRanking?

  /// The settings as the report's head has them; the sweep's grid decides how many start where the file does not.
  package func description(of sweep: SweepFile) -> SweepDescription.Search {
    SweepDescription.Search(
      kind: .racing, rounds: sweep.plan.rounds, until: until.map { Quantity.described($0, .duration) },
      prior: prior.map { SweepDescription.Search.Prior(results: $0.results, best: startingCount(in: sweep)) })
  }

  /// How many of the prior's best points start, of each stratum.
  private func startingCount(in sweep: SweepFile) -> Int {
    let strata = sweep.strata?.members.count ?? 1
    let points = (sweep.grid.count + strata - 1) / strata
    return prior?.best ?? max(Self.usualFewest, (points + Self.usualShare - 1) / Self.usualShare)
  }

  /// The places of the points that start, ascending: the prior's best of each stratum, what it does not know, and the baselines; nil for
  /// all. O(points · log points).
  func starting(in sweep: SweepFile) -> [Int]? {
    guard let prior else { return nil }
    let count = startingCount(in: sweep)
    let keys = (0..<sweep.pointCount).map { prior.key(sweep.grid.paths, sweep.axisValues($0)) }
    var known: [[String]: Set<PriorRanking.Key>] = [:]
    for place in 0..<sweep.pointCount where !sweep.isBaseline(place) && prior.place(of: keys[place]) != nil {
      known[keys[place].stratum, default: []].insert(keys[place])
    }
    let best = known.mapValues { keys in
      Set(keys.sorted { (prior.place(of: $0) ?? 0) < (prior.place(of: $1) ?? 0) }.prefix(count))
    }
    return (0..<sweep.pointCount).filter { place in
      let key = keys[place]
      return sweep.isBaseline(place) || prior.place(of: key) == nil || best[key.stratum]?.contains(key) == true
    }
  }
}
