// Who goes on in a race.

extension RunColumns {
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
  private static func rows(_ racers: [Setting]) -> [[RankRace.Result]] {
    let common = PointRuns.common(racers.lazy.map(\.blocks))
    let wanted = Set(common)
    let columns = racers.map { racer in
      zip(racer.runs?.repetitions ?? [], zip(racer.runs?.headline ?? [], racer.runs?.cost ?? []))
        .filter { wanted.contains($0.0) }.map { ($1.0, $1.1.isNaN ? 0 : $1.1) }
    }
    return common.indices.map { index in columns.map { $0[index] } }
  }

  /// The fields of the races, in the order in which they first come.
  private func races(_ sweep: SweepDescription) -> [[Setting]] {
    let points = points
    guard let strata = sweep.strata else {
      return [points.map { Setting(points: [$0], isBaseline: $0.point == sweep.baseline.point, runs: $0) }]
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
      return members.filter { !$0.isEmpty }.map { $0.map { Setting(points: [$0.runs], isBaseline: $0.isBaseline, runs: $0.runs) } }
    }
    // Strata without weight say nothing of who is ahead.
    return [RunColumns(axes: [], schema: schema).append(settingsOver: zip(members, strata.members).map { ($0, $1.weight) })]
  }
}

/// A point, or a setting over strata: its points in these, and their runs combined.
struct Setting {
  let points: [PointRuns]
  let isBaseline: Bool
  /// Nil where a weighted stratum does not have the setting, or no repetition is common to all.
  let runs: PointRuns?

  var ids: [String] { points.map(\.point) }
  var last: Int { points.map(\.lastRepetition).max() ?? 0 }
  /// The repetitions that did not fail.
  var blocks: [Int32] { runs?.comparableRepetitions ?? [] }
}

/// A point of a stratum: its runs, and what it shares with the points of other strata. A baseline may be one of the grid's points in one
/// stratum and an extra one in another.
typealias StratumPoint = (runs: PointRuns, settings: [String], isBaseline: Bool)

extension RunColumns {
  /// Adds the settings of some strata, in the order in which they first come, each combined over all strata that have a weight.
  func append(settingsOver strata: [(points: [StratumPoint], weight: Double)]) -> [Setting] {
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
      let runs = weighted.count == count ? append(combining: weighted) : nil
      return Setting(points: all.map(\.runs), isBaseline: key.isEmpty, runs: runs)
    }
  }
}
