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

  /// The quantiles of the judging half, by `Scripts/fit people`: Kolmogorov and Smirnov's distance at each of them.
  @Test(arguments: [People.shortVideo, .imageFeed, .imageFlings, .reader])
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
    let isFeed = people == .imageFeed || people == .imageFlings
    #expect(belowOneSecond < (isFeed ? 0.4 : 0.1))
  }

  /// The histograms of the log's authors, by `Scripts/fit people`: of the views that made the law, and of views that it did not see.
  @Test(arguments: zip(["logged", "observed"], [0.01, 0.1]))
  func watchRatiosOfAnAppAgreeWithItsHistograms(_ name: String, _ limit: Double) throws {
    let rows = try Reference.rows("kuaishou.csv")
    func table(_ name: String) -> [(upTo: Double, share: Double)] {
      rows.filter { $0["table"] == name }.map { (Double($0["upTo"]!)!, Double($0["share"]!)!) }
    }
    let (lengths, ratios) = (table(name + "Lengths"), table(name))
    #expect(lengths.count == 51 && ratios.count == 51)
    var random = RandomStream(seed: 5)
    let drawn = (0..<40_000).map { _ in
      let unit = random.unit()
      let upper = max(1, lengths.firstIndex { $0.share >= unit } ?? 50)
      let (low, high) = (lengths[upper - 1], lengths[upper])
      let seconds = low.upTo + (high.upTo - low.upTo) * (unit - low.share) / (high.share - low.share)
      return WatchRatio.kuaishou.draw(length: seconds * 1e9, from: &random) / (seconds * 1e9)
    }
    // The histograms end at a ratio of 5.
    let counted = drawn.filter { $0 <= 5 }
    let distances = ratios.map { row in abs(Double(counted.count { $0 <= row.upTo }) / Double(counted.count) - row.share) }
    #expect(distances.max()! <= limit, "\(name): \(distances.max()!)")
  }

  /// Four of five viewers watch at most the ratio that a table of the views has for their length; all lengths are watched for about as long.
  @Test(arguments: [(3.2, 3.089), (6.5, 1.690), (10, 1.143), (20, 0.571), (31, 0.366), (60, 0.191), (180, 0.051)])
  func watchRatiosOfAnAppDependOnTheLength(_ seconds: Double, _ percentile: Double) {
    var random = RandomStream(seed: 8)
    let watched = (0..<20_000).map { _ in WatchRatio.kuaishou.draw(length: seconds * 1e9, from: &random) / 1e9 }.sorted()
    #expect(abs(Double(watched.count { $0 <= percentile * seconds }) / 20_000 - 0.8) < 0.012)
    #expect((6...8.5).contains(watched[10_000]), "\(watched[10_000]) s")
  }

  /// The flings of the participants that the fit did not see: how many of their moves, and over how many items.
  @Test func flingsAgreeWithSessionsThatTheFitDidNotSee() throws {
    var script = UserScript(scroll: 400, dwell: .constant(5_000_000_000))
    (script.back, script.flings) = (People.imageFlings.back, People.imageFlings.flings)
    #expect(!script.isConstant)
    var moves: [Int] = []
    for seed in 1...400 {
      let visits = drawn(script, items: images, seed: UInt64(seed))
      #expect(
        visits.first?.item == 0 && visits.last?.item == 399 && zip(visits, visits.dropFirst()).allSatisfy { abs($0.item - $1.item) == 1 })
      // Items that are only passed are active for less than the dwell.
      let stops = visits.filter { $0.dwell >= .seconds(5) }.map(\.item)
      moves += zip(stops, stops.dropFirst()).map { $1 - $0 }
    }
    let flings = moves.filter { abs($0) > 1 }.map(abs)
    #expect(abs(Double(flings.count) / Double(moves.count) - 0.107) < 0.01)
    #expect(abs(Double(moves.count { $0 < 0 }) / Double(moves.count) - 0.103) < 0.02)
    for row in try Reference.rows("flings.csv") {
      let (items, share) = (Int(row["items"]!)!, Double(row["share"]!)!)
      #expect(abs(Double(flings.count { $0 <= items }) / Double(flings.count) - share) <= 0.05, "\(items) items")
    }
  }

  @Test func aFlingAtRandomEndsInTheDwellOfItsLastItem() {
    var script = UserScript(scroll: 12, dwell: .constant(700_000_000))
    script.flings = Flings(probability: 1, items: .constant(5))
    let geometry = FeedGeometry()
    var random = RandomStream(seed: 1)
    let result = script.draw(items: images, geometry: geometry, random: &random)
    #expect(result.visits.map(\.item) == Array(0...11))
    #expect(result.motions.map(\.last) == [5, 10, 11])
    // Each stop lasts its dwell; the content is still in motion when the last item becomes active, and at rest before the next motion.
    for motion in result.motions {
      let passing = result.visits[motion.first..<motion.last].reduce(motion.lead) { $0 + $1.dwell.nanoseconds }
      #expect(motion.duration > passing && motion.duration < passing + 700_000_000)
    }
    #expect(result.visits[11].dwell == .milliseconds(700))
    #expect(result.visits[5].dwell.nanoseconds == 700_000_000 + result.motions[1].lead)
  }

  /// The other half of the study's videos, by `Scripts/fit people`: Kolmogorov and Smirnov's distance at each tenth of a length.
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
