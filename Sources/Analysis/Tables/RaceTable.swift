// The rows of a race, in the form in which it is decided who goes on.

/// What the points of a race have shown so far: two numbers a run. Each stratum has a race of its own; of a population, the field's settings
/// race, whoever meets them.
package struct RaceTable: Sendable {
  private struct Entry {
    var id: String
    /// Its stratum among the description's; 0 where there are none.
    var stratum: Int
    /// Its values of the axes that make no strata.
    var settings: [String]
    var isBaseline: Bool
    /// By repetition; what failed is not there.
    var results: [Int: RankRace.Result] = [:]
    var last = 0
  }

  /// One that races: a point, or a setting over the strata of a population.
  private struct Racer {
    var ids: [String]
    var isBaseline: Bool
    var results: [Int: RankRace.Result]
    var last: Int
  }

  private let sweep: SweepDescription
  private var entries: [Entry] = []
  private var places: [[String]: Int] = [:]

  /// No rows yet of a sweep.
  package init(_ sweep: SweepDescription) { self.sweep = sweep }

  /// Takes a row.
  package mutating func add(_ row: RunRow) {
    let key = [row.point] + row.axisValues
    let place = places[key] ?? entries.count
    if place == entries.count {
      places[key] = place
      entries.append(entry(of: row))
    }
    entries[place].last = max(entries[place].last, row.repetition)
    guard let headline = row[sweep.schema.headline] else { return }
    entries[place].results[row.repetition] = RankRace.Result(headline: headline, cost: row[sweep.schema.cost] ?? 0)
  }

  private func entry(of row: RunRow) -> Entry {
    let paths = sweep.strata?.paths ?? []
    let columns = paths.map { path in sweep.axes.firstIndex { $0.path == path } ?? 0 }
    let values = columns.map { row.axisValues[$0] }
    let stratum = sweep.strata?.members.firstIndex { $0.values == values } ?? 0
    let baseline = sweep.strata?.members[stratum].baseline ?? sweep.baseline
    let settings = row.axisValues.indices.filter { !columns.contains($0) }.map { row.axisValues[$0] }
    return Entry(id: row.point, stratum: stratum, settings: settings, isBaseline: row.point == baseline.point)
  }

  /// The ids of the points that may still win, with their baselines, after the blocks so far of a race of at most `blocks`. The best of
  /// each race leaves with a chance of 1 − confidence at most, over all blocks.
  ///
  /// - Parameter active: the ids of those that had not left before the last block, whether their runs failed or not; nil where each of
  ///   them has a row in it.
  package func goingOn(blocks: Int, among active: Set<String>? = nil) -> [String] {
    let race = RankRace(error: 1 - sweep.confidence, blocks: blocks)
    // Whose only run so far failed has not lost anything yet.
    let latest = entries.map(\.last).max() ?? 0
    let unseen = latest > 1 ? [] : (active ?? []).subtracting(entries.map(\.id)).sorted()
    return unseen
      + races.flatMap { racers -> [String] in
        let last = racers.map(\.last).max() ?? 0
        let alive = racers.filter { racer in
          let isActive = active.map { active in racer.ids.contains(where: active.contains) } ?? (racer.last == last)
          // A point of which more than every other run fails is none to choose; one that fails alone only misses a block.
          return isActive && racer.results.count * 2 >= last - 1
        }
        let rows = (1...max(1, last)).map { repetition in alive.compactMap { $0.results[repetition] } }.filter { $0.count == alive.count }
        let staying = alive.isEmpty || rows.isEmpty ? alive : race.staying(rows).map { alive[$0] }
        return staying.flatMap(\.ids)
          + racers.filter { racer in racer.isBaseline && !staying.contains { $0.ids == racer.ids } }.flatMap(\.ids)
      }
  }

  /// The fields of the races, in the order in which they first come.
  private var races: [[Racer]] {
    guard let strata = sweep.strata else { return [entries.map(Self.racer)] }
    if strata.kind == .population { return [field(strata)] }
    return strata.members.indices.map { stratum in entries.filter { $0.stratum == stratum }.map(Self.racer) }.filter { !$0.isEmpty }
  }

  private static func racer(_ entry: Entry) -> Racer {
    Racer(ids: [entry.id], isBaseline: entry.isBaseline, results: entry.results, last: entry.last)
  }

  /// Each setting over the strata that weigh anything: the weighted sums of the repetitions that all of these have.
  private func field(_ strata: SweepDescription.Strata) -> [Racer] {
    var order: [[String]] = []
    var parts: [[String]: [Entry]] = [:]
    for entry in entries {
      // A baseline may be one of the grid's points in one stratum and an extra one in another.
      let key = entry.isBaseline ? ["baseline"] : ["point"] + entry.settings
      if parts[key] == nil { order.append(key) }
      parts[key, default: []].append(entry)
    }
    let weighted = strata.members.indices.filter { strata.members[$0].weight > 0 }
    return order.map { key in
      let entries = parts[key] ?? []
      let counting = weighted.compactMap { stratum in entries.first { $0.stratum == stratum }.map { ($0, strata.members[stratum].weight) } }
      var results: [Int: RankRace.Result] = [:]
      for repetition in counting.count == weighted.count ? counting.first?.0.results.keys.sorted() ?? [] : [] {
        let values = counting.compactMap { entry, weight in entry.results[repetition].map { ($0, weight) } }
        guard values.count == counting.count else { continue }
        results[repetition] = values.reduce(RankRace.Result(headline: 0, cost: 0)) { sum, part in
          RankRace.Result(headline: sum.headline + part.1 * part.0.headline, cost: sum.cost + part.1 * part.0.cost)
        }
      }
      return Racer(ids: entries.map(\.id), isBaseline: key == ["baseline"], results: results, last: entries.map(\.last).max() ?? 0)
    }
  }
}
