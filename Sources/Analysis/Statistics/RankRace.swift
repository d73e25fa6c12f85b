// A race for the best of many settings: after each block, settings that cannot win any more leave.

/// A race by ranks within blocks, after F-Race (Birattari, Stützle, Paquete & Varrentrapp 2002, "A racing algorithm for configuring
/// metaheuristics", GECCO). In a block all racers have the same feed, network, scroll script and seed, so that only their order counts.
package struct RankRace: Hashable, Sendable {
  /// The result of a setting in one block; less is better. Ranks are those of the headline; the cost breaks ties of means.
  package typealias Result = (headline: Double, cost: Double)

  /// The fewest blocks after which a setting may leave.
  package static let fewestBlocks = 2
  /// The number of racers per setting that leaves at a time: a race of 1000 takes 200 tests instead of 1000.
  private static let racersPerLeaver = 32
  /// The standard errors of their paired difference by which the mean of a setting that leaves exceeds the lowest: ranks are not means.
  private static let errorsBehind = 2.0

  /// The probability that the best setting ever leaves, over all looks.
  package let error: Double
  /// The number of looks; each has an equal share of the error (Bonferroni).
  package let looks: Int

  /// Creates a race of at most `blocks` blocks. It looks after each block except for the first and the last.
  package init(error: Double, blocks: Int) {
    precondition(error > 0 && error < 1 && blocks > 0, "a race has blocks and an error between 0 and 1")
    self.error = error
    looks = max(1, blocks - RankRace.fewestBlocks)
  }

  /// Returns the ascending indices of the settings that stay. `blocks` has one row per block with one result per setting. The setting with
  /// the lowest mean always stays. O(log(k) · n · k · log(k)) for k settings and n blocks, or k²·n below 32.
  package func survivors(_ blocks: [[Result]]) -> [Int] {
    // F-Race compares all settings with the leader once Friedman's test rejects, by one pooled variance (Conover 1999, 5.8). Many settings
    // that are steadily bad then make the variance too small for the few at the top. Here only the last leaves, the rest are ranked and
    // tested again (a step-down procedure: Marcus, Peritz & Gabriel 1976, doi:10.1093/biomet/63.3.655). Level headlines share a rank: where
    // loaders are few, ranks by cost would drive out the setting with the fewest loaders.
    var racers = Array((blocks.first ?? []).indices)
    guard blocks.count >= RankRace.fewestBlocks else { return racers }
    var rows = blocks.map { $0.map(\.headline) }
    let leader = RankRace.leader(blocks)
    /// True if a setting's mean is clearly behind the leader's.
    func isBehind(_ racer: Int) -> Bool {
      let difference = Sample(blocks.map { $0[racer].headline - $0[leader].headline })
      return difference.mean > RankRace.errorsBehind * difference.standardError
    }
    while racers.count > 1 {
      let test = FriedmanTest(rows: rows)
      guard test.fPValue <= error / Double(looks) else { break }
      let worst = racers.indices.sorted { (-test.doubledRankSums[$0], -$0) < (-test.doubledRankSums[$1], -$1) }
      let leaving = worst.prefix(max(1, racers.count / RankRace.racersPerLeaver)).filter { isBehind(racers[$0]) }
      if leaving.isEmpty { break }
      let kept = racers.indices.filter { !leaving.contains($0) }
      racers = kept.map { racers[$0] }
      rows = rows.map { row in kept.map { row[$0] } }
    }
    return racers
  }

  /// Returns the number of runs that a race over known blocks makes; the baseline runs to the end.
  package func runs(_ blocks: [[Result]], baseline: Int?) -> Int {
    var (racers, runs) = (Array((blocks.first ?? []).indices), 0)
    for block in blocks.indices {
      runs += racers.count
      let staying = survivors(blocks[...block].map { row in racers.map { row[$0] } }).map { racers[$0] }
      racers = Set(staying + (baseline.map { [$0] } ?? [])).sorted()
    }
    return runs
  }

  /// Returns the index of the setting with the lowest mean headline, then the lowest mean cost, then the first.
  private static func leader(_ blocks: [[Result]]) -> Int {
    let sums = (blocks.first ?? []).indices.map { index in blocks.reduce((0.0, 0.0)) { ($0.0 + $1[index].headline, $0.1 + $1[index].cost) }
    }
    return sums.indices.min { sums[$0] == sums[$1] ? $0 < $1 : sums[$0] < sums[$1] } ?? 0
  }
}
