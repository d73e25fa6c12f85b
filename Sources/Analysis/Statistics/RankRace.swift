// Choosing the best of many block by block: who can no longer win leaves the race.

/// A race on ranks within blocks, after F-Race (Birattari, Stützle, Paquete & Varrentrapp 2002, "A racing algorithm for configuring
/// metaheuristics", GECCO): in each block all that are still in the race meet the same feed, network and thumb, so that only their order
/// counts, and two blocks of fifty settings tell more than any test of fifty pairs of runs would.
///
/// F-Race compares all with the leader once Friedman's test rejects, by one variance pooled over all (Conover 1999, 5.8). That lets the
/// many that are steadily bad vouch for the few that are level at the top, and drops some of these for nothing. Here the last alone
/// leaves, the rest are ranked anew and tested again: the best can leave only as the last of a field whose members the test tells apart
/// (a step-down procedure: Marcus, Peritz & Gabriel 1976, doi:10.1093/biomet/63.3.655).
package struct RankRace: Hashable, Sendable {
  /// What a setting shows in one block; less is better, and the cost only tells those apart that are level.
  package typealias Result = (headline: Double, cost: Double)

  /// The fewest blocks after which any may leave.
  package static let fewestBlocks = 2
  /// Of so many that are in the race one leaves at a time; of more, as many more: a thousand take 200 tests and not a thousand.
  private static let fieldPerLeaver = 32

  /// The chance that the best ever leaves, over all looks.
  package let error: Double
  /// How often it is looked; each look has an equal share of the error (Bonferroni).
  package let looks: Int

  /// A race with an error in all, of at most `blocks` blocks: looks at all of them but the first and the last, after which nothing runs.
  package init(error: Double, blocks: Int) {
    precondition(error > 0 && error < 1 && blocks > 0, "a race has blocks and an error between 0 and 1")
    self.error = error
    looks = max(1, blocks - RankRace.fewestBlocks)
  }

  /// The places of those that stay, ascending. `blocks` has a row a block with a result for each that is in the race.
  /// The one with the lowest mean stays whatever its ranks. O(log(k) · n · k · log(k)) for k settings and n blocks, or k²·n below 32.
  package func staying(_ blocks: [[Result]]) -> [Int] {
    var places = Array((blocks.first ?? []).indices)
    guard blocks.count >= RankRace.fewestBlocks else { return places }
    // Results as whole numbers of the same order: what the test ranks.
    var rows = blocks.map(RankRace.order)
    let leader = RankRace.leader(blocks)
    while places.count > 1 {
      let test = FriedmanTest(rows: rows)
      guard test.fPValue <= error / Double(looks) else { break }
      let worst = places.indices.sorted { (-test.doubledRankSums[$0], -$0) < (-test.doubledRankSums[$1], -$1) }
      let leaving = worst.prefix(max(1, places.count / RankRace.fieldPerLeaver)).filter { places[$0] != leader }
      if leaving.isEmpty { break }
      let kept = places.indices.filter { !leaving.contains($0) }
      places = kept.map { places[$0] }
      rows = rows.map { row in kept.map { row[$0] } }
    }
    return places
  }

  /// The place of each result in the order of its block, equal ones sharing it.
  private static func order(_ block: [Result]) -> [Double] {
    let sorted = block.indices.sorted { block[$0] == block[$1] ? $0 < $1 : block[$0] < block[$1] }
    var order = [Double](repeating: 0, count: block.count)
    for (step, place) in sorted.enumerated() {
      let isTie = step > 0 && block[sorted[step - 1]] == block[place]
      order[place] = isTie ? order[sorted[step - 1]] : Double(step + 1)
    }
    return order
  }

  /// The lowest mean headline, then the lowest mean cost, then the first.
  private static func leader(_ blocks: [[Result]]) -> Int {
    let sums = (blocks.first ?? []).indices.map { place in
      blocks.reduce((0.0, 0.0)) { ($0.0 + $1[place].headline, $0.1 + $1[place].cost) }
    }
    return sums.indices.min { sums[$0] == sums[$1] ? $0 < $1 : sums[$0] < sums[$1] } ?? 0
  }
}
