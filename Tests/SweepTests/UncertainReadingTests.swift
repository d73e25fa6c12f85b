import Analysis
import Foundation
import Testing

@testable import Base
@testable import Sweep

/// The key `uncertain`: the worlds that it draws, and its mistakes.
@Suite struct UncertainReadingTests {
  private static let parts = "scenario: { prefetcher: 'itemsAhead', network: '3G' }, axes: { 'prefetcher.ahead': [1, 2] }"

  private func sweep(_ uncertain: String, _ others: String = "", set settings: [(String, String)] = []) throws -> ResolvedSweep {
    let text = "{ sweep: 's', \(Self.parts), uncertain: { \(uncertain) }, \(others) }"
    var overrides = SweepOverrides()
    overrides.settings = settings.map { .init(path: $0.0, value: $0.1) }
    return try ResolvedSweep(file: InputFile(name: "s.json5", bytes: Array(text.utf8)), overrides: overrides)
  }

  private func message(_ uncertain: String, _ others: String = "") -> String {
    do {
      _ = try sweep(uncertain, others)
      return ""
    } catch { return "\(error)" }
  }

  @Test func fewCombinationsAreAllWorlds() throws {
    let sweep = try sweep("'user.dwell': ['1s', '4s'], network: ['3G', 'LTE', 'DSL']")
    let strata = try #require(sweep.strata)
    #expect(strata.kind == .worlds && strata.members.count == 6 && sweep.pointCount == 12)
    #expect(Set(strata.members.map(\.name)).count == 6 && strata.members[0].name == "dwell 1s, network 3G")
    #expect(strata.members.allSatisfy { ($0.weight - 1 / 6).magnitude < 1e-12 })
    // The dwell of a world reaches its scenario.
    #expect(Set((0..<12).map { sweep.axisValues($0).joined(separator: " ") }).count == 12)
  }

  /// McKay, Beckman & Conover: each value of an unknown is in as many worlds as any other.
  @Test func manyCombinationsAreALatinHypercube() throws {
    let text =
      "worlds: 24, 'user.dwell': '1s...8s by 1s', 'downloads.connections': [1, 2, 3, 4, 5, 6], 'feed.image.bytes': ['40KB', '80KB', '1MB']"
    let first = try sweep(text), names = try #require(first.strata).members.map(\.name)
    #expect(names.count <= 24 && names.count >= 22)
    for (path, values) in [("dwell", 8), ("connections", 6), ("bytes", 3)] {
      let counts = Dictionary(grouping: names.compactMap { $0.split(separator: ", ").first { $0.hasPrefix(path) } }) { $0 }.mapValues(
        \.count)
      // Equal rows are one world.
      #expect(counts.count == values && counts.values.allSatisfy { $0 <= 24 / values && $0 >= 24 / values - (24 - names.count) }, "\(path)")
    }
    #expect(try sweep(text).strata?.members.map(\.name) == names)
    #expect(try sweep(text, "seed: 8").strata?.members.map(\.name) != names)
  }

  @Test func valuesAreUnrelatedBetweenUnknowns() {
    let rows = LatinHypercube.design([("a", 4), ("b", 4)], count: 4000, seed: 3)
    let pairs = Dictionary(grouping: rows) { $0 }.mapValues(\.count)
    // 250 expected in each of 16 cells, with a standard deviation below 16.
    #expect(pairs.count == 16 && pairs.values.allSatisfy { abs($0 - 250) < 70 })
  }

  /// Each level is as frequent as any other to 1; of more levels than worlds, each part of the list, as long as any other to 1, has one.
  @Test func theLevelsOfAnUnknownAreBalancedOverAllOfThem() {
    for levels in 1...40 {
      for worlds in 2...40 {
        var counts = [Int](repeating: 0, count: levels)
        for row in LatinHypercube.design([("a", levels)], count: worlds, seed: UInt64(levels)) { counts[row[0]] += 1 }
        let parts = (0..<worlds).map { counts[$0 * levels / worlds..<($0 + 1) * levels / worlds].reduce(0, +) }
        let isBalanced = levels <= worlds ? counts.allSatisfy { [worlds / levels, (worlds - 1) / levels + 1].contains($0) } : true
        #expect(isBalanced && (levels <= worlds || parts.allSatisfy { $0 == 1 }), "\(levels) levels, \(worlds) worlds: \(counts)")
      }
    }
  }

  @Test func everyLevelOfALongListIsDrawnBySomeSeed() throws {
    let dwells = (1...60).flatMap { seed -> [String] in
      LatinHypercube.design([("user.dwell", 100)], count: 8, seed: UInt64(seed)).map { "\($0[0])" }
    }
    // 480 draws: each level is missed with a probability of (1 - 1/12.5)^60 = 0.7 %.
    #expect(Set(dwells).count >= 95)
    let names = try #require(try sweep("worlds: 8, 'user.dwell': '1s...100s by 1s'").strata).members.map(\.name)
    let seconds = names.compactMap { Int($0.dropFirst("dwell ".count).dropLast()) }.sorted()
    #expect(seconds.count == 8 && zip(seconds, 0..<8).allSatisfy { ($1 * 100 / 8 + 1...($1 + 1) * 100 / 8).contains($0) }, "\(names)")
  }

  @Test func aMeasurementIsAListOfBounds() throws {
    let values = "'user.dwell': ['1s', '2s'], measured: ['loadersPer1000 >= 20', 'stallRatio <= 0.01']"
    let sweep = try sweep(values)
    #expect(sweep.strata?.measured.map(\.text) == ["loadersPer1000 >= 20", "stallRatio <= 0.01"])
    #expect(sweep.metrics == ["stallRatio"])
    #expect(try self.sweep(values, set: [("uncertain.measured", "null")]).strata?.measured.isEmpty == true)
  }

  @Test(arguments: [
    ("measured: ['loadersPer1000 > 2'], 'user.dwell': ['1s', '2s']", "", "uncertain.measured.0: is \"loadersPer1000 > 2\", not a"),
    ("measured: '30', 'user.dwell': ['1s', '2s']", "", "uncertain.measured: is the string \"30\", not a list; write [\"bytes"),
    (
      "measured: ['loadersPer1000 >= 20'], 'user.dwell': ['1s', '2s']", "search: 'racing'",
      "search: conflicts with uncertain.measured, because a race counts all worlds; keep one of the two"
    ),
    ("", "", "uncertain: names no unknown; write such as { \"user.dwell\": [\"1s\", \"2s\", \"4s\"] }"),
    ("'user.dwell': ['1s']", "", "uncertain: makes one world; give an unknown several plausible values"),
    ("worlds: 1, 'user.dwell': ['1s', '2s']", "", "uncertain.worlds: is 1, "),
    ("worlds: 201, 'user.dwell': ['1s', '2s']", "", "uncertain.worlds: is 201, "),
    ("'user.dwel': ['1s', '2s']", "", "user.dwel: unknown key"),
    ("'user.dwell': ['1s', 'soon']", "", "user.dwell: "),
    ("'prefetcher.ahead': [1, 3]", "", "prefetcher.ahead: "),
    (
      "'user.dwell': ['1s', '2s']", "strata: ['user']", "strata: conflicts with uncertain, whose worlds are the strata; keep one of the two"
    ),
    (
      "'user.dwell': ['1s', '2s']", "population: [{ weight: 1, network: 'LTE' }]",
      "population: conflicts with uncertain, whose worlds are the strata; keep one of the two"
    ),
    ("'network.transport': ['fluid', 'packet']", "", "has networks of several transports, and models cannot be averaged"),
  ])
  func aMistakeIsSaidWithItsLocation(_ uncertain: String, _ others: String, _ says: String) {
    let text = message(uncertain, others)
    #expect(text.contains(says) && text.hasPrefix("s.json5:1:"), "\(text)")
  }

  @Test func anUnknownCanBeSetFromTheCommandLine() throws {
    let values = "'user.dwell': ['1s', '2s'], network: ['3G', 'LTE']"
    let one = try sweep(values, set: [("user.dwell", "4s")])
    #expect(one.strata?.members.map(\.name) == ["dwell 4s, network 3G", "dwell 4s, network LTE"])
    #expect(try sweep(values, set: [("uncertain.worlds", "2")]).strata?.members.count == 2)
  }
}
