// How many repetitions each point gets: all of them, or as many as earlier ones call for.

import Analysis
import Import

package struct RepetitionPlan: Sendable {
  package enum Kind: Sendable {
    /// Nothing: every point has every repetition.
    case complete
    /// A point ends once its difference to the baseline is known to the precision given, a margin's text such as `1%` or `0.5`.
    case sequential(until: String)
    /// After each round the better half goes on (Karnin, Koren & Somekh 2013, "Almost optimal exploration in multi-armed bandits").
    case halving
    /// After each block those leave that can no longer win (`RankRace`), until the device time is spent.
    case racing(RaceSettings)
  }

  package let kind: Kind
  /// After so many repetitions it is decided who goes on; the last is the most that any point gets.
  package let rounds: [Int]
  /// The file's key that asks for it, for messages.
  let key: String
  let location: SourceLocation

  /// True if runs depend on the results of earlier ones, so that shards cannot share them.
  package var needsResults: Bool {
    if case .complete = kind { false } else { true }
  }

  static func complete(_ repeats: Int) -> RepetitionPlan {
    RepetitionPlan(kind: .complete, rounds: [repeats], key: "repeats", location: SourceLocation(file: ""))
  }

  /// Looks after `min` repetitions, then after twice as many each time, and after `max`: few looks, since each costs confidence.
  static func sequential(min: Int, max: Int, until: String, at location: SourceLocation) -> RepetitionPlan {
    let looks = sequence(first: min) { $0 * 2 }.prefix { $0 < max }
    return RepetitionPlan(kind: .sequential(until: until), rounds: looks + [max], key: "repeats.until", location: location)
  }

  /// Halves the field after each round, so that each costs about as much: from two repetitions on, because one tells no noise.
  static func halving(_ repeats: Int, at location: SourceLocation) -> RepetitionPlan {
    var rounds = [repeats]
    while rounds[0] > 3 { rounds.insert((rounds[0] + 1) / 2, at: 0) }
    if rounds[0] == 3 { rounds.insert(2, at: 0) }
    return RepetitionPlan(kind: .halving, rounds: rounds, key: "search", location: location)
  }

  /// A look after each block, a repetition of all that are still in the race.
  static func racing(_ repeats: Int, _ settings: RaceSettings = RaceSettings(), at location: SourceLocation) -> RepetitionPlan {
    RepetitionPlan(kind: .racing(settings), rounds: Array(1...repeats), key: "search", location: location)
  }

  var race: RaceSettings? {
    if case .racing(let settings) = kind { settings } else { nil }
  }
}

/// What a sweep file says of a race, beside that it is one.
package struct RaceSettings: Sendable {
  /// The most blocks; it is looked after each, and every look costs error.
  static let blockLimit = 1000
  /// What `until` may be, in nanoseconds: a millisecond to ten years.
  static let untilLimits: ClosedRange<Int64> = 1_000_000...315_360_000_000_000_000
  /// Without a number in the file, the best of so many points start, of each stratum, and at least so many.
  private static let (startingShare, fewestStarting) = (3, 3)

  /// The device time that all runs together may take, in nanoseconds; nil for any.
  var until: Int64?
  /// The earlier sweep whose ranking decides who starts; nil where all points do.
  var prior: PriorRanking?

  /// The settings as the report's head has them; the sweep's grid decides how many start where the file does not.
  func description(of sweep: ResolvedSweep) -> SweepDescription.Search {
    SweepDescription.Search(
      kind: .racing, rounds: sweep.plan.rounds, until: until.map { Quantity.described($0, .duration) },
      prior: prior.map { SweepDescription.Search.Prior(results: $0.results, best: startingCount(in: sweep)) })
  }

  /// How many of the prior's best points start, of each stratum.
  private func startingCount(in sweep: ResolvedSweep) -> Int {
    let strata = sweep.strata?.members.count ?? 1
    let points = (sweep.grid.count + strata - 1) / strata
    return prior?.best ?? max(Self.fewestStarting, (points + Self.startingShare - 1) / Self.startingShare)
  }

  /// The places of the points that start, ascending: the prior's best of each stratum, what it does not know, and the baselines; nil for
  /// all. O(points · log points).
  func starting(in sweep: ResolvedSweep) -> [Int]? {
    guard let prior else { return nil }
    let keys = (0..<sweep.pointCount).map { prior.key(sweep.grid.paths, sweep.axisValues($0)) }
    let ranked = Set(keys.indices.filter { !sweep.isBaseline($0) }.map { keys[$0] }).compactMap { key in
      prior.rank(of: key).map { (key: key, rank: $0) }
    }
    let best = Dictionary(grouping: ranked.sorted { $0.rank < $1.rank }, by: \.key.stratum)
    let starting = Set(best.values.flatMap { $0.prefix(startingCount(in: sweep)).map(\.key) })
    return keys.indices.filter { sweep.isBaseline($0) || prior.rank(of: keys[$0]) == nil || starting.contains(keys[$0]) }
  }
}
