import Testing

@testable import Analysis

/// Who leaves a race, and how seldom that is the best.
@Suite struct RaceTests {
  private struct Normals {
    var generator: SplitMix64
    mutating func next() -> Double { Normal.quantile((Double(generator.next() >> 11) + 0.5) / 0x1p53) }
  }

  private func block(_ headlines: [Double], costs: [Double] = []) -> [RankRace.Result] {
    headlines.enumerated().map { ($1, costs.isEmpty ? 0 : costs[$0]) }
  }

  /// How often the first of some settings leaves a race of ten blocks; all share each block's luck, as with common random numbers.
  private func lossesOfFirst(means: [Double], spreads: [Double], trials: Int) -> Double {
    var normals = Normals(generator: SplitMix64(state: 20_021))
    let race = RankRace(error: 0.05, blocks: 10)
    var losses = 0
    for _ in 0..<trials {
      var blocks: [[RankRace.Result]] = []
      var places = Array(means.indices)
      for _ in 0..<9 {
        let luck = normals.next()
        blocks.append(block(means.indices.map { means[$0] + luck * 5 + normals.next() * spreads[$0] }))
        places = race.survivors(blocks.map { block in places.map { block[$0] } }).map { places[$0] }
      }
      if !places.contains(0) { losses += 1 }
    }
    return Double(losses) / Double(trials)
  }

  @Test(arguments: zip([2, 3, 6, 12], [2000, 1500, 800, 300]))
  func theBestOfALevelFieldSeldomLeaves(_ count: Int, trials: Int) {
    let losses = lossesOfFirst(
      means: [Double](repeating: 10, count: count), spreads: [Double](repeating: 1, count: count), trials: trials)
    #expect(losses <= 0.05, "\(losses) of \(count) settings")
  }

  /// Steadily bad settings vouch for nobody: compared with the leader by one variance pooled over all, as in F-Race, the level ones at the
  /// top would leave for nothing.
  @Test func manyThatAreSteadilyBadDoNotDriveOutThoseLevelAtTheTop() {
    let (level, bad) = (5, 15)
    let losses = lossesOfFirst(
      means: [Double](repeating: 10, count: level) + (0..<bad).map { 40 + Double($0) * 4 },
      spreads: [Double](repeating: 3, count: level) + [Double](repeating: 0.1, count: bad), trials: 200)
    // Two standard errors of 200 trials above what is said.
    #expect(losses <= 0.05 + 2 * (0.05 * 0.95 / 200).squareRoot(), "\(losses)")
  }

  /// Ranks of three settings in four blocks, from which the F variable is worked out by hand.
  @Test func friedmansTestAsAnFVariable() {
    let test = FriedmanTest(rows: [[1, 2, 3], [1, 3, 2], [1, 2, 3], [2, 1, 3]])
    // Rank sums 5, 8 and 11: χ² = 12/48·210 − 48 = 4.5; F = 3·4.5/(8 − 4.5) = 27/7 with 2 and 6 degrees; (1 + F/3)⁻³ = (7/16)³.
    #expect(test.doubledRankSums == [10, 16, 22])
    expectClose(test.statistic, 4.5, 1e-12)
    expectClose(test.fPValue, 343.0 / 4096, 1e-12)
    // All blocks agree: the chance of that, (3!)⁻³, and not zero.
    expectClose(FriedmanTest(rows: [[1, 2, 3], [1, 2, 3], [1, 2, 3], [1, 2, 3]]).fPValue, 1.0 / 216, 1e-12)
    #expect(FriedmanTest(rows: [[1, 2, 3]]).fPValue == 1 && FriedmanTest(rows: [[1, 1], [2, 2]]).fPValue == 1)
  }

  @Test func twoBlocksAreEnoughForTheFarAndOneIsNotForAnybody() {
    let headlines = (0..<50).map { Double($0) * 10 }
    let race = RankRace(error: 0.05, blocks: 10)
    #expect(race.survivors([block(headlines)]).count == 50)
    let staying = race.survivors([block(headlines), block(headlines.map { $0 + 100 })])
    #expect(staying.first == 0 && staying.count <= 6, "\(staying)")
    #expect(race.survivors([]).isEmpty)
  }

  @Test func whatIsTheSameInEveryBlockStays() {
    let race = RankRace(error: 0.05, blocks: 10)
    let level = block([Double](repeating: 3, count: 40))
    #expect(race.survivors([level, level, level, level]).count == 40)
    // Its costs tell it apart, and only where the headline does not.
    let costly = block([Double](repeating: 3, count: 40), costs: (0..<40).map { Double(($0 * 7) % 40) })
    #expect(race.survivors([costly, costly, costly])[0] == 0)
    #expect(race.survivors([costly, costly, costly]).count <= 6)
    let better = block((0..<40).map { $0 == 9 ? 2 : 3 }, costs: (0..<40).map { $0 == 9 ? 99 : Double($0) })
    #expect(race.survivors([better, better, better]).contains(9))
  }

  @Test func theLowestMeanStaysThoughItsRanksAreBad() {
    let race = RankRace(error: 0.2, blocks: 12)
    // Far ahead once, behind otherwise: by ranks the first would leave.
    let blocks = (0..<10).map { block([$0 == 0 ? -1000 : 9, 1, 2, 3]) }
    #expect(race.survivors(blocks).contains(0))
    #expect(!race.survivors(Array(blocks.dropFirst())).contains(0))
  }

  @Test func aFailedRunCostsABlockAndNotTheRace() throws {
    // The best point's run of the last block fails, as does the only run of a point that nobody has seen yet.
    var samples = Samples.usual
    for place in samples.points.indices { samples.points[place].loaders = Array(samples.points[place].loaders.prefix(6)) }
    samples.missing = [(0, 6)]
    let table = try samples.table.columns
    let ids = samples.points.map(\.id)
    #expect(table.survivors(in: samples.sweep, blocks: 10, among: Set(ids)).contains(ids[0]))
    #expect(!table.survivors(in: samples.sweep, blocks: 10, among: Set(ids.dropFirst())).contains(ids[0]), "who had left stays out")
    // More than every other run failed.
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
