// The number of repetitions of each point: fixed, or decided by earlier results.

import Analysis
import Base

package struct RepetitionPlan: Sendable {
  package enum Kind: Sendable {
    /// Every point has every repetition.
    case complete
    /// A point ends when its difference to the baseline is known to a precision, written as a margin such as `1%` or `0.5`.
    case sequential(until: String)
    /// After each round the better half continues (Karnin, Koren & Somekh 2013, "Almost optimal exploration in multi-armed bandits").
    case halving
    /// After each block the points that can no longer win leave (`RankRace`), until the device time is spent.
    case racing(RaceSettings)
  }

  package let kind: Kind
  /// The numbers of repetitions after which points are eliminated; the last is the most of any point.
  package let rounds: [Int]
  let key: String
  let location: SourceLocation

  /// True if runs depend on earlier results.
  package var needsResults: Bool { if case .complete = kind { false } else { true } }

  static func complete(_ repeats: Int) -> RepetitionPlan {
    RepetitionPlan(kind: .complete, rounds: [repeats], key: "repeats", location: SourceLocation(file: ""))
  }

  /// Looks after `min` repetitions, after twice as many each time, and after `max`. Few looks cost little confidence.
  static func sequential(min: Int, max: Int, until: String, at location: SourceLocation) -> RepetitionPlan {
    let looks = sequence(first: min) { $0 * 2 }.prefix { $0 < max }
    return RepetitionPlan(kind: .sequential(until: until), rounds: looks + [max], key: "repeats.until", location: location)
  }

  /// Halves the number of points after each round.
  static func halving(_ repeats: Int, at location: SourceLocation) -> RepetitionPlan {
    RepetitionPlan(kind: .halving, rounds: SweepDescription.Search.halvingRounds(repeats), key: "search", location: location)
  }

  /// Looks after each block: one repetition of all points that are still in the race.
  static func racing(_ repeats: Int, _ settings: RaceSettings = RaceSettings(), at location: SourceLocation) -> RepetitionPlan {
    RepetitionPlan(kind: .racing(settings), rounds: Array(1...repeats), key: "search", location: location)
  }

  var race: RaceSettings? { if case .racing(let settings) = kind { settings } else { nil } }
}

package struct RaceSettings: Sendable {
  /// The most blocks; each look costs confidence.
  static let blockLimit = 1000
  /// The range of `until`, in nanoseconds: 1 ms to 10 years.
  static let untilLimits: ClosedRange<Int64> = 1_000_000...315_360_000_000_000_000
  /// The default number of starters per stratum: one in `startingShare` points, at least `fewestStarting`.
  private static let (startingShare, fewestStarting) = (3, 3)

  /// The device time of all runs together, in nanoseconds; nil for no limit.
  var until: Int64?
  /// The earlier ranking that selects the starters; nil if all points start.
  var prior: PriorRanking?

  func description(of sweep: ResolvedSweep) -> SweepDescription.Search {
    SweepDescription.Search(
      kind: .racing, rounds: sweep.plan.rounds, until: until.map { Quantity.described($0, .duration) },
      prior: prior.map { SweepDescription.Search.Prior(results: $0.results, best: startingCount(in: sweep)) })
  }

  /// Returns the number of ranked points of each stratum that start.
  private func startingCount(in sweep: ResolvedSweep) -> Int {
    let strata = sweep.strata?.members.count ?? 1
    let points = (sweep.grid.count + strata - 1) / strata
    return prior?.best ?? max(Self.fewestStarting, (points + Self.startingShare - 1) / Self.startingShare)
  }

  /// Returns the indices of the starters, ascending: each stratum's best, unranked points, baselines; nil for all. O(points · log points).
  func starting(in sweep: ResolvedSweep) -> [Int]? {
    guard let prior else { return nil }
    let keys = (0..<sweep.pointCount).map { prior.key(sweep.grid.paths, sweep.axisValues($0)) }
    let ranked = Set(keys.indices.filter { !sweep.isBaseline($0) }.map { keys[$0] }).compactMap { key in
      prior.ranks[key].map { (key: key, rank: $0) }
    }
    let best = Dictionary(grouping: ranked.sorted { $0.rank < $1.rank }, by: \.key.stratum)
    let starting = Set(best.values.flatMap { $0.prefix(startingCount(in: sweep)).map(\.key) })
    return keys.indices.filter { sweep.isBaseline($0) || prior.ranks[keys[$0]] == nil || starting.contains(keys[$0]) }
  }
}
