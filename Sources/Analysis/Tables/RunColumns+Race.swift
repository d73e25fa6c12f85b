// Who goes on in a race.

extension RunColumns {
  /// One that races: a point, or a setting over the strata of a population.
  private struct Racer {
    var ids: [String]
    var isBaseline: Bool
    /// Nil for a setting that has no run in some stratum.
    var runs: PointRuns?
    var last: Int
    /// The repetitions that did not fail.
    var blocks: [Int32]

    init(_ points: [PointRuns], isBaseline: Bool, runs: PointRuns?) {
      (ids, self.isBaseline, self.runs) = (points.map(\.point), isBaseline, runs)
      last = points.map(\.lastRepetition).max() ?? 0
      blocks = runs?.comparableRepetitions ?? []
    }
  }

  /// The ids of the points that may still win a race of at most `blocks` blocks, with their baselines, by the blocks so far. Each stratum has
  /// a race of its own; of a population the settings race over all strata. The best of each race leaves with a chance of 1 − confidence at
  /// most, over all blocks.
  ///
  /// - Parameter active: the ids of those that had not left before the last block, whether their runs failed or not; nil where each of
  ///   them has a row in it.
  package func goingOn(in sweep: SweepDescription, blocks: Int, among active: Set<String>? = nil) -> [String] {
    let points = points
    let race = RankRace(error: 1 - sweep.confidence, blocks: blocks)
    // Whose only run so far failed has not lost anything yet.
    let latest = points.map(\.lastRepetition).max() ?? 0
    let unseen = latest > 1 ? [] : (active ?? []).subtracting(points.map(\.point)).sorted()
    return unseen
      + races(sweep).flatMap { racers -> [String] in
        let last = racers.map(\.last).max() ?? 0
        let alive = racers.filter { racer in
          let isActive = active.map { active in racer.ids.contains(where: active.contains) } ?? (racer.last == last)
          // A point of which more than every other run fails is none to choose; one that fails alone only misses a block.
          return isActive && racer.blocks.count * 2 >= last - 1
        }
        let rows = Self.rows(alive)
        let staying = rows.isEmpty ? alive : race.staying(rows).map { alive[$0] }
        return staying.flatMap(\.ids)
          + racers.filter { racer in racer.isBaseline && !staying.contains { $0.ids == racer.ids } }.flatMap(\.ids)
      }
  }

  /// By repetition that all racers have, what each has shown.
  private static func rows(_ racers: [Racer]) -> [[RankRace.Result]] {
    let common = PointRuns.common(racers.lazy.map(\.blocks))
    let wanted = Set(common)
    let columns = racers.map { racer in
      zip(racer.runs?.repetitions ?? [], zip(racer.runs?.headline ?? [], racer.runs?.cost ?? []))
        .filter { wanted.contains($0.0) }.map { ($1.0, $1.1.isNaN ? 0 : $1.1) }
    }
    return common.indices.map { index in columns.map { $0[index] } }
  }

  /// The fields of the races, in the order in which they first come.
  private func races(_ sweep: SweepDescription) -> [[Racer]] {
    let points = points
    guard let strata = sweep.strata else {
      return [points.map { Racer([$0], isBaseline: $0.point == sweep.baseline.point, runs: $0) }]
    }
    let columns = strata.paths.map { path in axes.firstIndex(of: path) ?? 0 }
    var members = [[StratumPoint]](repeating: [], count: strata.members.count)
    for runs in points {
      let values = columns.map(runs.axisValue)
      let stratum = strata.members.firstIndex { $0.values == values } ?? 0
      let settings = axes.indices.filter { !columns.contains($0) }.map(runs.axisValue)
      members[stratum].append((runs, settings, runs.point == strata.members[stratum].baseline.point))
    }
    guard strata.kind == .population else {
      return members.filter { !$0.isEmpty }.map { $0.map { Racer([$0.runs], isBaseline: $0.isBaseline, runs: $0.runs) } }
    }
    // Strata without weight say nothing of who is ahead.
    let settings = RunColumns(axes: [], schema: schema).append(
      settingsOver: zip(members, strata.members).map { ($0, $1.weight) })
    return [settings.map { Racer($0.parts, isBaseline: $0.isBaseline, runs: $0.runs) }]
  }
}

/// A point of a stratum: its runs, and what it shares with the points of other strata. A baseline may be one of the grid's points in one
/// stratum and an extra one in another.
typealias StratumPoint = (runs: PointRuns, settings: [String], isBaseline: Bool)

extension RunColumns {
  /// Adds the settings of some strata, in the order in which they first come, each combined over all strata that have a weight. The runs are
  /// nil where one of these does not have the setting, or no repetition is common to all.
  func append(settingsOver strata: [(points: [StratumPoint], weight: Double)]) -> [(
    parts: [PointRuns], isBaseline: Bool, runs: PointRuns?
  )] {
    var order: [[String]] = []
    var parts: [[String]: [(runs: PointRuns, weight: Double)]] = [:]
    for (points, weight) in strata {
      for point in points {
        let key = point.isBaseline ? [] : ["point"] + point.settings
        if parts[key] == nil { order.append(key) }
        parts[key, default: []].append((point.runs, weight))
      }
    }
    let count = strata.count { $0.weight > 0 }
    return order.map { key in
      let all = parts[key] ?? []
      let weighted = all.filter { $0.weight > 0 }
      return (all.map(\.runs), key.isEmpty, weighted.count == count ? append(combining: weighted) : nil)
    }
  }
}
