// The scripted user by presets: dwells against sessions that the fit did not see, moves back, leaving and watch ratios.

import TestSupport
import Testing

@testable import Simulation

@Suite struct PeopleTests {
  private func draws(_ distribution: Distribution, _ count: Int = 20_000, seed: UInt64 = 7) -> [Int64] {
    var random = RandomStream(seed: seed)
    return (0..<count).map { _ in distribution.draw(from: &random) }.sorted()
  }

  private func share(of ordered: [Int64], atMost value: Int64) -> Double {
    Double(ordered.count { $0 <= value }) / Double(ordered.count)
  }

  private func drawn(_ script: UserScript, items: ContiguousArray<Item>, seed: UInt64) -> [Visit] {
    var random = RandomStream(seed: seed)
    return Array(script.draw(items: items, geometry: FeedGeometry(), random: &random).visits)
  }

  private let images = ContiguousArray((0..<400).map { _ in Item(kind: .image, bytes: 20_000) })

  /// The quantiles of the judging half, by `Scripts/fit-people`: Kolmogorov and Smirnov's distance at each of them.
  @Test(arguments: [People.shortVideo, .imageFeed, .reader])
  func dwellsAgreeWithSessionsThatTheFitDidNotSee(_ people: People) throws {
    let rows = try Reference.rows("people.csv").filter { $0["preset"] == people.rawValue }
    #expect(rows.count == 20)
    let ordered = draws(people.dwell)
    for row in rows {
      let (probability, milliseconds) = (Double(row["probability"]!)!, Int64(row["ms"]!)!)
      #expect(abs(share(of: ordered, atMost: milliseconds * 1_000_000) - probability) <= 0.05, "\(people.rawValue) at \(probability)")
    }
    // A test at 1 s is far from all of them.
    let belowOneSecond = share(of: ordered, atMost: 1_000_000_000)
    #expect(belowOneSecond < (people == .imageFeed ? 0.4 : 0.1))
  }

  @Test func watchRatiosHaveThePublishedPercentiles() {
    let ordered = draws(WatchRatio.kuaishou.classes[0].ratio)
    for (probability, ratio) in [(0.05, 0.19), (0.5, 0.79), (0.95, 1.67)] {
      #expect(abs(share(of: ordered, atMost: Int64(ratio * 1e6)) - probability) < 0.01)
    }
  }

  /// The other half of the study's videos, by `Scripts/fit-people`: Kolmogorov and Smirnov's distance at each tenth of a length.
  @Test func watchRatiosAgreeWithVideosThatTheFitDidNotSee() throws {
    let rows = try Reference.rows("watch-ratios.csv")
    #expect(rows.count == 70)
    var random = RandomStream(seed: 3)
    for (length, rows) in Dictionary(grouping: rows, by: { Double($0["from"]!)! }) {
      let nanoseconds = (length + 1) * 1e9
      let watched = (0..<20_000).map { _ in WatchRatio.study.draw(length: nanoseconds, from: &random) / nanoseconds }.sorted()
      for row in rows {
        let (ratio, share) = (Double(row["ratio"]!)!, Double(row["share"]!)!)
        #expect(abs(Double(watched.count { $0 <= ratio }) / 20_000 - share) <= 0.05, "\(length) s at \(ratio)")
      }
      #expect(watched.last == 1)
    }
  }

  @Test func quantilesAreStraightLinesBetweenTheirValues() {
    let distribution = Distribution.quantiles([10, 20, 1020], at: [0, 0.5, 1])
    let ordered = draws(distribution)
    #expect(ordered[0] >= 10 && ordered[ordered.count - 1] <= 1020)
    for (value, probability) in [(Int64(14), 0.25), (19, 0.5), (520, 0.75)] {
      #expect(abs(share(of: ordered, atMost: value) - probability) < 0.04)
    }
    #expect(!distribution.isConstant && Distribution.quantiles([5, 5], at: [0, 1]).isConstant)
    #expect(draws(.quantiles([5, 5], at: [0, 1]), 100).allSatisfy { $0 == 5 })
  }

  @Test func movesGoBackAsOftenAsGivenAndReachTheLastItem() {
    var script = UserScript(scroll: 300, dwell: People.imageFeed.dwell)
    script.back = People.imageFeed.back
    var (moves, back) = (0, 0)
    for seed in 1...40 {
      let visits = drawn(script, items: images, seed: UInt64(seed)).map(\.item)
      #expect(visits.first == 0 && visits.last == 299 && visits.allSatisfy { 0..<300 ~= $0 })
      let steps = zip(visits, visits.dropFirst()).map { $1 - $0 }
      #expect(steps.allSatisfy { abs($0) == 1 })
      moves += steps.count
      back += steps.count { $0 < 0 }
    }
    #expect(abs(Double(back) / Double(moves) - 0.159) < 0.01)
    script.back = 0.4
    script.scroll = 2
    #expect((1...100).allSatisfy { drawn(script, items: images, seed: UInt64($0)).count <= 20 })
  }

  @Test func whoLeavesAfterAnItemHasGeometricSessions() {
    var script = UserScript(scroll: 400, dwell: .constant(1_000_000_000))
    script.leave = People.reader.leave
    let lengths = (1...4000).map { drawn(script, items: images, seed: UInt64($0)).count }
    #expect(lengths.min() == 1)
    #expect(abs(Double(lengths.reduce(0, +)) / 4000 - 1 / 0.253) < 0.15)
    script.leave = 1
    #expect(drawn(script, items: images, seed: 1).count == 1)
    #expect(!script.isConstant)
  }

  @Test func aVideoIsWatchedForAShareOfItsLengthAndOtherItemsForTheDwell() {
    let items: ContiguousArray = [
      Item(videoBytes: 1_000_000, prefixBytes: 100_000, bitsPerSecond: 1_000_000), Item(kind: .image, bytes: 1000),
      Item(videoBytes: 1_000_000_000, prefixBytes: 100_000, bitsPerSecond: 1000),
    ]
    var script = UserScript(scroll: 3, dwell: .constant(3_000_000_000))
    script.watchRatio = WatchRatio(.constant(500_000))
    script.longestDwell = 60_000_000_000
    #expect(script.isConstant)
    #expect(drawn(script, items: items, seed: 1).map(\.dwell) == [.seconds(4), .seconds(3), .seconds(60)])
    script.watchRatio = WatchRatio(.constant(0))
    #expect(drawn(script, items: items, seed: 1)[0].dwell == .milliseconds(1))
  }

  @Test func aSessionIsAFunctionOfItsSeed() {
    var script = UserScript(scroll: 100, dwell: People.imageFeed.dwell)
    (script.back, script.leave) = (0.2, 0.01)
    #expect(drawn(script, items: images, seed: 3) == drawn(script, items: images, seed: 3))
    #expect(drawn(script, items: images, seed: 3) != drawn(script, items: images, seed: 4))
    // A feed with fewer items than the script ends the session.
    #expect(drawn(script, items: ContiguousArray(images.prefix(5)), seed: 9).map(\.item).max()! <= 4)
  }
}
