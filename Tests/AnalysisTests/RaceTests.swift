import SampleSweeps
import TestSupport
import Testing

@testable import Analysis

/// The points that leave a race, and the low probability that the best is one of them.
@Suite struct RaceTests {
  private struct Normals {
    var generator: SplitMix64
    mutating func next() -> Double { Normal.quantile((Double(generator.next() >> 11) + 0.5) / 0x1p53) }
  }

  private func block(_ headlines: [Double], costs: [Double] = []) -> [RankRace.Result] {
    headlines.enumerated().map { ($1, costs.isEmpty ? 0 : costs[$0]) }
  }

  /// Returns the share of races of ten blocks that the first setting leaves; settings share each block's noise, as with common random
  /// numbers.
  private func lossesOfFirst(means: [Double], spreads: [Double], trials: Int) -> Double {
    var normals = Normals(generator: SplitMix64(state: 20_021))
    let race = RankRace(error: 0.05, blocks: 10)
    var losses = 0
    for _ in 0..<trials {
      var blocks: [[RankRace.Result]] = []
      var racers = Array(means.indices)
      for _ in 0..<9 {
        let luck = normals.next()
        blocks.append(block(means.indices.map { means[$0] + luck * 5 + normals.next() * spreads[$0] }))
        racers = race.survivors(blocks.map { block in racers.map { block[$0] } }).map { racers[$0] }
      }
      if !racers.contains(0) { losses += 1 }
    }
    return Double(losses) / Double(trials)
  }

  @Test(arguments: zip([2, 3, 6, 12], [2000, 1500, 800, 300]))
  func theBestOfEqualSettingsSeldomLeaves(_ count: Int, trials: Int) {
    let losses = lossesOfFirst(
      means: [Double](repeating: 10, count: count), spreads: [Double](repeating: 1, count: count), trials: trials)
    #expect(losses <= 0.05, "\(losses) of \(count) settings")
  }

  /// F-Race compares with the leader by one variance pooled over all. Steadily bad settings make it small, so that tied settings at the top
  /// would leave.
  @Test func manyBadSettingsDoNotDriveOutTiedOnesAtTheTop() {
    let (level, bad) = (5, 15)
    let losses = lossesOfFirst(
      means: [Double](repeating: 10, count: level) + (0..<bad).map { 40 + Double($0) * 4 },
      spreads: [Double](repeating: 3, count: level) + [Double](repeating: 0.1, count: bad), trials: 200)
    // The limit is two standard errors of 200 trials above the promised rate.
    #expect(losses <= 0.05 + 2 * (0.05 * 0.95 / 200).squareRoot(), "\(losses)")
  }

  /// Grids with few loaders, in which most blocks are level. The best has the most bytes, so that ranks by bytes would drive it out.
  @Test(arguments: [10, 45], [1, 0.3])
  func theFewestLoadersStayWhereMostBlocksAreLevel(points: Int, share: Double) {
    for (blocks, races) in [(10, 10), (40, 3)] {
      let race = RankRace(error: 0.05, blocks: blocks)
      var random = Draws(seed: UInt64(points))
      var losses = 0
      for _ in 0..<races {
        var (rows, racers): ([[RankRace.Result]], [Int]) = ([], Array(0..<points))
        for _ in 1..<blocks where racers.contains(0) {
          let headlines = (0..<points).map { point -> Double in
            let draw = random.unit()
            return point == 0 ? 1 : draw < 0.14 * share ? 2 : draw > 1 - 0.05 * share ? 0 : 1
          }
          rows.append(block(headlines, costs: (0..<points).map { Double(points - $0) }))
          racers = race.survivors(rows.map { row in racers.map { row[$0] } }).map { racers[$0] }
        }
        if !racers.contains(0) { losses += 1 }
      }
      #expect(losses == 0, "\(losses) of \(races) races of \(blocks) blocks")
    }
  }

  /// Heavy tails: the best by its mean is often behind by ranks.
  @Test func aSettingWhoseMeanIsNotClearlyBehindStays() {
    let race = RankRace(error: 0.05, blocks: 12)
    // Its mean is 2.1: second, and uncertain by 6.9.
    let blocks = (0..<10).map { block([$0 == 3 ? -60 : 9, 1, 2, 3]) }
    #expect(race.survivors(blocks).contains(0))
    #expect(!race.survivors(blocks.map { block([9] + $0.dropFirst().map(\.headline)) }).contains(0))
  }

  /// Ranks of three settings in four blocks, with the F variable computed by hand.
  @Test func friedmansTestAsAnFVariable() {
    let test = FriedmanTest(rows: [[1, 2, 3], [1, 3, 2], [1, 2, 3], [2, 1, 3]])
    // Rank sums 5, 8 and 11: χ² = 12/48·210 − 48 = 4.5; F = 3·4.5/(8 − 4.5) = 27/7 with 2 and 6 degrees; (1 + F/3)⁻³ = (7/16)³.
    #expect(test.doubledRankSums == [10, 16, 22])
    expectClose(test.statistic, 4.5, 1e-12)
    expectClose(test.fPValue, 343.0 / 4096, 1e-12)
    // All blocks agree: the p-value is the probability of that, (3!)⁻³, and not zero.
    expectClose(FriedmanTest(rows: [[1, 2, 3], [1, 2, 3], [1, 2, 3], [1, 2, 3]]).fPValue, 1.0 / 216, 1e-12)
    #expect(FriedmanTest(rows: [[1, 2, 3]]).fPValue == 1 && FriedmanTest(rows: [[1, 1], [2, 2]]).fPValue == 1)
  }

  @Test func twoBlocksSufficeForClearlyWorseSettingsAndOneNever() {
    let headlines = (0..<50).map { Double($0) * 10 }
    let race = RankRace(error: 0.05, blocks: 10)
    #expect(race.survivors([block(headlines)]).count == 50)
    let staying = race.survivors([block(headlines), block(headlines.map { $0 + 100 })])
    #expect(staying.first == 0 && staying.count <= 6, "\(staying)")
    #expect(race.survivors([]).isEmpty)
  }

  @Test func equalSettingsStay() {
    let race = RankRace(error: 0.05, blocks: 10)
    let level = block([Double](repeating: 3, count: 40))
    #expect(race.survivors([level, level, level, level]).count == 40)
    // The cost decides between equal means at the end, and no block.
    let costly = block([Double](repeating: 3, count: 40), costs: (0..<40).map { Double(($0 * 7) % 40) })
    #expect(race.survivors([costly, costly, costly]).count == 40)
    let better = block((0..<40).map { $0 == 9 ? 2 : 3 }, costs: (0..<40).map { $0 == 9 ? 99 : Double($0) })
    #expect(race.survivors([better, better, better]).contains(9))
  }

  @Test func theLowestMeanStaysThoughItsRanksAreBad() {
    let race = RankRace(error: 0.2, blocks: 12)
    // The first setting is far ahead once and behind otherwise: by ranks it would leave.
    let blocks = (0..<10).map { block([$0 == 0 ? -1000 : 9, 1, 2, 3]) }
    #expect(race.survivors(blocks).contains(0))
    #expect(!race.survivors(Array(blocks.dropFirst())).contains(0))
  }

  @Test func aFailedRunMissesABlockAndStaysInTheRace() throws {
    // The best point's run of the last block fails, as does the only run of a new point.
    var samples = Samples.usual
    for index in samples.points.indices { samples.points[index].loaders = Array(samples.points[index].loaders.prefix(6)) }
    samples.missing = [(0, 6)]
    let table = try samples.table.columns
    let ids = samples.points.map(\.id)
    #expect(table.survivors(in: samples.sweep, blocks: 10, among: Set(ids)).contains(ids[0]))
    #expect(!table.survivors(in: samples.sweep, blocks: 10, among: Set(ids.dropFirst())).contains(ids[0]), "who had left stays out")
    // More than half of the runs failed.
    samples.missing = [(0, 2), (0, 3), (0, 4), (0, 6)]
    let poor = try samples.table.columns
    #expect(!poor.survivors(in: samples.sweep, blocks: 10, among: Set(ids)).contains(ids[0]))
    var first = samples.table
    first.rows.removeAll { $0.repetition > 1 || $0.point == ids[3] }
    #expect(try first.columns.survivors(in: samples.sweep, blocks: 10, among: Set(ids)).contains(ids[3]))
  }

  @Test func anEqualShareOfTheErrorIsForEachLook() {
    #expect([1, 2, 3, 4, 10].map { RankRace(error: 0.05, blocks: $0).looks } == [1, 1, 1, 2, 8])
  }
}
