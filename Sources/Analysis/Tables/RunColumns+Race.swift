// Racing: the points that stay in the race after a block of repetitions.

extension RunColumns {
  /// Returns the ids of the points that may still win a race of at most `blocks` blocks, with their baselines. `active` has the ids of the
  /// points that were in the race before the last block; nil if each of them has a row in it.
  package func survivors(in sweep: SweepDescription, blocks: Int, among active: Set<String>? = nil) -> [String] {
    // Each stratum has its own race; a population has one over all strata.
    // Over all blocks, a race drops its best with a probability of at most 1 − confidence.
    let points = points
    // With constraints, half of that is theirs.
    let constraints = sweep.objective?.subjectTo ?? []
    let error = (1 - sweep.confidence) / (constraints.isEmpty ? 1 : 2)
    let race = RankRace(error: error, blocks: blocks)
    // A point whose only run so far failed has not lost anything yet.
    let latest = points.map(\.lastRepetition).max() ?? 0
    let unstarted = latest > 1 ? [] : (active ?? []).subtracting(points.map(\.point)).sorted()
    return unstarted
      + races(sweep).flatMap { racers -> [String] in
        let last = racers.map(\.last).max() ?? 0
        let alive = racers.filter { racer in
          let isActive = active.map { active in racer.ids.contains(where: active.contains) } ?? (racer.last == last)
          // A point is dropped if more than half of its runs failed. A single failed run only misses a block.
          return isActive && racer.blocks.count * 2 >= last - 1
        }
        // A point that breaks a constraint leaves. Only points that keep them all drive out others: one that may break them would drive
        // out the best that keeps them.
        let outcomes = alive.map { racer in
          racer.runs?.findings(constraints, confidence: 1 - error, points: alive.count * blocks, isDeterministic: sweep.deterministic) ?? []
        }
        let racing = zip(alive, outcomes).filter { $1.areKept }.map(\.0)
        let open = zip(alive, outcomes).filter { !$1.areKept && !$1.areBroken }.map(\.0)
        let rows = racing.contains { $0.runs == nil } ? [] : PointRuns.blocks(racing.compactMap(\.runs))
        let survivors = open + (rows.isEmpty ? racing : race.survivors(rows).map { racing[$0] })
        return survivors.flatMap(\.ids)
          + racers.filter { racer in racer.isBaseline && !survivors.contains { $0.ids == racer.ids } }.flatMap(\.ids)
      }
  }

  /// Returns the racers of each race, in order of first appearance.
  private func races(_ sweep: SweepDescription) -> [[CombinedSetting]] {
    let points = points
    guard let strata = sweep.strata else {
      return [points.map { CombinedSetting(points: [$0], isBaseline: $0.point == sweep.baseline.point, runs: $0) }]
    }
    let columns = strata.paths.map { path in axes.firstIndex(of: path) ?? 0 }
    var members = [[StratumPoint]](repeating: [], count: strata.members.count)
    for runs in points {
      let values = columns.map(runs.axisValue)
      let stratum = strata.members.firstIndex { $0.values == values } ?? 0
      let settings = axes.indices.filter { !columns.contains($0) }.map(runs.axisValue)
      members[stratum].append((runs, settings, runs.point == strata.members[stratum].baseline.point))
    }
    guard strata.kind.isOneWhole else {
      return members.filter { !$0.isEmpty }.map { $0.map { CombinedSetting(points: [$0.runs], isBaseline: $0.isBaseline, runs: $0.runs) } }
    }
    // Strata without weight do not decide a race over the population.
    return [RunColumns(axes: [], schema: schema).append(settingsOver: zip(members, strata.members).map { ($0, $1.weight) })]
  }

  /// Appends the settings of several strata in order of first appearance, each combined over all strata that have a weight.
  func append(settingsOver strata: [(points: [StratumPoint], weight: Double)]) -> [CombinedSetting] {
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
      return CombinedSetting(points: all.map(\.runs), isBaseline: key.isEmpty, runs: runs)
    }
  }
}

extension PointRuns {
  /// Returns the results of each point, for each repetition that all points have.
  static func blocks(_ points: [PointRuns]) -> [[RankRace.Result]] {
    let common = common(points.lazy.map(\.comparableRepetitions))
    let columns = points.map { runs in
      zip(runs.values(runs.headline, of: common), runs.values(runs.cost, of: common)).map { ($0, $1.isNaN ? 0 : $1) }
    }
    return common.indices.map { index in columns.map { $0[index] } }
  }
}

/// A point, or the combination of a setting's points over several strata.
struct CombinedSetting {
  let points: [PointRuns]
  let isBaseline: Bool
  /// The combined runs; nil if a weighted stratum lacks the setting, or no repetition is common to all strata.
  let runs: PointRuns?

  var ids: [String] { points.map(\.point) }
  var last: Int { points.map(\.lastRepetition).max() ?? 0 }
  /// The repetitions that did not fail.
  var blocks: [Int32] { runs?.comparableRepetitions ?? [] }
}

/// A stratum's point: its runs, and the axis values shared with other strata's points. A baseline may be in one stratum's grid only.
typealias StratumPoint = (runs: PointRuns, settings: [String], isBaseline: Bool)
