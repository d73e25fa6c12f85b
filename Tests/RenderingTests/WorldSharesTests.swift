import Base
import SampleSweeps
import TestSupport
import Testing

@testable import Analysis
@testable import Rendering

/// The shares of verdicts over worlds, and the unknowns that they depend on.
@Suite struct WorldSharesTests {
  // MARK: Influence

  @Test func anInfluenceIsEpsilonSquaredByHand() {
    // 3 of 4 and 1 of 6: between 0.816667, in all 2.4, within 1.583333 with 8 degrees of freedom.
    let influence = Influence(
      of: 0, levels: [0, 0, 0, 0, 1, 1, 1, 1, 1, 1], on: [true, true, true, false, true, false, false, false, false, false])
    expectClose(influence.explained, (0.816667 - 1.583333 / 8) / 2.4, 1e-5)
    // Fisher's exact test: C(4,3)·C(6,1)/C(10,4) = 24/210, and 1/210 for 4 of 4; both tails are twice the smaller.
    expectClose(influence.pValue, 2 * 25.0 / 210, 1e-9)
    #expect(influence.means == [0.75, 1.0 / 6])
    // All 5 at one of 4 levels of 16: 4 · 2 · C(16,5)/C(64,5), where the F test says 0.0005.
    let levels = (0..<64).map { $0 / 16 }
    expectClose(Influence(of: 0, levels: levels, on: levels.indices.map { $0 < 5 }).pValue, 8 * 4368.0 / 7_624_512, 1e-7)
  }

  @Test func anUnknownThatDecidesExplainsEverythingAndOthersNothing() {
    let levels = (0..<24).map { [$0 % 4, $0 / 4 % 3, $0 / 12] }
    let ranked = Influence.ranked(levels: levels, on: levels.map { $0[1] == 2 })
    #expect(ranked.map(\.unknown) == [1, 0, 2])
    expectClose(ranked[0].explained, 1, 1e-12)
    #expect(ranked[0].means == [0, 0, 1] && ranked[1].explained == 0 && ranked[2].explained == 0)
    #expect(Influence.ranked(levels: levels, on: levels.map { _ in true }).allSatisfy { $0.explained == 0 })
  }

  /// Chance is subtracted: over many draws the mean influence of an idle unknown is 0.
  @Test func anIdleUnknownExplainsNothingInTheMean() {
    var random = RandomNumbers(state: 5)
    var (sum, count, farthest) = (0.0, 0, 0.0)
    for _ in 0..<2000 {
      let levels = (0..<60).map { _ in Int.random(in: 0..<4, using: &random) }
      let outcomes = (0..<60).map { _ in Bool.random(using: &random) }
      sum += Self.signedInfluence(levels, outcomes)
      let influence = Influence(of: 0, levels: levels, on: outcomes)
      if influence.pValue < 0.05 { count += 1 }
      farthest = max(farthest, (influence.explained - max(0, Self.signedInfluence(levels, outcomes))).magnitude)
    }
    #expect((sum / 2000).magnitude < 0.005)
    #expect(farthest < 1e-9)
    // 100 are expected at most: an exact test keeps its level.
    #expect(count <= 120, "\(count)")
  }

  /// ε² by its definition, without the bound at 0: 1 less the ratio of the mean squares within groups and in all.
  private static func signedInfluence(_ levels: [Int], _ outcomes: [Bool]) -> Double {
    func squares(_ outcomes: [Bool]) -> Double {
      let share = Double(outcomes.count { $0 }) / Double(outcomes.count)
      return outcomes.reduce(0) { $0 + (($1 ? 1 : 0) - share) * (($1 ? 1 : 0) - share) }
    }
    let groups = Dictionary(grouping: zip(levels, outcomes), by: \.0).values.map { squares($0.map(\.1)) }
    let n = Double(outcomes.count)
    let within = groups.reduce(0, +) / (n - Double(groups.count)), all = squares(outcomes) / (n - 1)
    return 1 - within / all
  }

  /// Draws reports of some settings over worlds with unknowns of 2 to 8 values. `decides` is the chance that the first unknown's lowest
  /// values decide the outcome; the others are idle. Returns the reports that name an idle one, and those that name the first.
  private static func reports(_ count: Int, settings: Int, unknowns: Int, rare: Double, decides: Double) -> (idle: Int, first: Int) {
    var random = RandomNumbers(state: UInt64(settings * 100 + unknowns))
    var (idle, first) = (0, 0)
    for _ in 0..<count {
      let counts = (0..<unknowns).map { [2, 3, 4, 8][$0 % 4] }
      // A Latin hypercube: each value is equally frequent.
      let columns = counts.map { count in (0..<64).map { $0 % count }.shuffled(using: &random) }
      let rows = (0..<64).map { world in columns.map { $0[world] } }
      let shares = (0..<settings).map { _ -> WorldShares in
        let outcomes = rows.map { row in
          Double.random(in: 0..<1, using: &random) < decides ? row[0] == 0 : Double.random(in: 0..<1, using: &random) < rare
        }
        let better = Proportion(outcomes.count { $0 }, of: 64)
        return WorldShares(
          better: better, worse: Proportion(0, of: 64), lower: better, outcome: .better,
          influences: Influence.ranked(levels: rows, on: outcomes))
      }
      let named = Set(WorldShares.named(shares).joined())
      if named.contains(where: { $0 > 0 || decides == 0 }) { idle += 1 }
      if decides > 0, named.contains(0) { first += 1 }
    }
    return (idle, first)
  }

  /// The limit is three standard errors above 5 % of 100 reports.
  @Test(arguments: [(2, 4), (1, 8), (12, 3)], [0.5, 0.12])
  func anIdleUnknownIsNamedInAtMostOneOfTwentyReports(_ size: (settings: Int, unknowns: Int), rare: Double) {
    let idle = Self.reports(100, settings: size.settings, unknowns: size.unknowns, rare: rare, decides: 0).idle
    #expect(idle <= 11, "\(idle) of 100 reports")
  }

  /// With 64 worlds, an unknown that decides 6 of 10 worlds is named in 9 of 10 reports.
  @Test func anUnknownThatDecidesIsNamed() {
    let found = Self.reports(60, settings: 2, unknowns: 4, rare: 0.5, decides: 0.6)
    #expect(found.first >= 54 && found.idle <= 8, "\(found)")
  }

  private struct RandomNumbers: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state ^ state >> 29
    }
  }

  // MARK: Shares

  private static let base: [Double] = [30, 34, 32, 31, 35, 33, 32, 30, 34, 31]

  /// Six worlds of dwell 10s, 1s, 2s on two networks. Setting 1 is better at 1s and 2s on 3G, clearly worse at 10s, else equal in the mean.
  static func worlds() throws -> (summary: SweepSummary, sweep: SweepDescription, field: StrataTests.Field) {
    let values = ["10s", "1s", "2s"].flatMap { dwell in ["3G", "LTE"].map { [dwell, $0] } }
    let noise: [Double] = [1, -1, 2, -2, 1, -1, 2, -2, 3, -3]
    let loaders = values.map { world -> [[Double]] in
      let shift: Double = world[0] == "10s" ? 20 : world[1] == "3G" ? -20 : 0
      let first = zip(base, noise).map { $0 + shift + $1 }
      return [first, zip(base, noise).map { $0 + 40 + $1 }, base]
    }
    let weights = [Double](repeating: 1 / 6, count: 6)
    let field = StrataTests.Field(kind: .worlds, weights: weights, isLab: [Bool](repeating: false, count: 6), loaders: loaders)
    var sweep = field.sweep
    sweep.strata?.paths = ["user.dwell", "network"]
    for index in values.indices { sweep.strata?.members[index].values = values[index] }
    return (try field.summary(), sweep, field)
  }

  @Test func sharesAndInfluencesAreThoseOfThePlantedWorlds() throws {
    let (summary, sweep, _) = try Self.worlds()
    let unknowns = try #require(summary.unknowns(of: sweep))
    // Quantities ascend, although 10s was written first.
    #expect(unknowns.values == [["1s", "2s", "10s"], ["3G", "LTE"]])
    #expect(unknowns.levels == [[2, 0], [2, 1], [0, 0], [0, 1], [1, 0], [1, 1]])
    let shares = try #require(summary.worldShares(of: summary.points[0], levels: unknowns.levels))
    #expect(shares.better == Proportion(2, of: 6) && shares.worse == Proportion(2, of: 6) && shares.lower == Proportion(2, of: 6))
    let byUnknown = Dictionary(uniqueKeysWithValues: shares.influences.map { ($0.unknown, $0) })
    #expect(byUnknown[0]?.means == [0.5, 0.5, 0] && byUnknown[1]?.means == [2.0 / 3, 0])
    let other = try #require(summary.worldShares(of: summary.points[1], levels: unknowns.levels))
    #expect(other.worse == Proportion(6, of: 6) && other.lower.count == 0)
  }

  @Test func aReportOfWorldsHasTheirSharesAndNoTableForEach() throws {
    let (_, _, field) = try Self.worlds()
    let report = try Report.make(runs: field.table, sweep: field.sweep)
    let text = try #require(report["report.md"]).replacing("\u{a0}", with: " ")
    #expect(text.contains("## Shares of worlds") && text.contains(" 33 % [10, 70] |") && !text.contains("The winner of each"))
    #expect(text.contains("Each of the 6 worlds") && text.contains("## All worlds together, best first"))
    #expect(report["charts/effects.svg"] != nil && !report.files.contains { $0.name.hasPrefix("charts/stratum-") })
    let page = try #require(report["report.html"].flatMap(XMLTree.root))
    #expect(page.all("h2").contains { $0.attributes["id"] == "worlds" } && !page.all("h2").contains { $0.attributes["id"] == "stratum-1" })
  }

  /// The baseline has a mean of 32.2 in each world, but 10 in one and 90 in another.
  @Test func onlyWorldsAsMeasuredCount() throws {
    var field = try Self.worlds().field
    field.loaders[1][2] = field.loaders[1][2].map { $0 - 22.2 }
    field.loaders[3][2] = field.loaders[3][2].map { $0 + 57.8 }
    var sweep = field.sweep
    func summary(_ bounds: (Bool, Double)...) throws -> SweepSummary {
      sweep.strata?.measured = bounds.map { isUpper, bound in
        Constraint(.loadersPer1000, isUpper: isUpper, bound: bound, text: "loadersPer1000 \(isUpper ? "<=" : ">=") \(Int(bound))")
      }
      return try field.summary(sweep)
    }
    let kept = try summary((false, 30), (true, 40))
    let strata = try #require(kept.strata), unknowns = try #require(kept.unknowns(of: Self.worlds().sweep))
    #expect(strata.members.map { ($0.weight * 4).rounded() } == [1, 0, 1, 0, 1, 1] && strata.wholeName == "worlds as measured")
    expectClose(kept.baseline?.headlineMean ?? .nan, 32.2, 1e-9)
    // Of the four worlds it is better in two and worse in one, as before; in one it is equal.
    let shares = try #require(kept.worldShares(of: kept.points[0], levels: unknowns.levels))
    #expect(shares.better == Proportion(2, of: 4) && shares.worse == Proportion(1, of: 4))
    // One bound, and a sweep.json written and read again.
    #expect(try summary((true, 40)).strata?.weightedCount == 5)
    #expect(try SweepDescription(json: sweep.json, file: "sweep.json").strata == sweep.strata)
    let text = try #require(try Report.make(runs: field.table, sweep: sweep)["report.md"]).replacing("\u{a0}", with: " ").replacing(
      "&lt;", with: "<")
    #expect(text.contains("Over the 5 of 6 worlds in which the baseline has loadersPer1000 <= 40: "))
    #expect(text.contains("Each of the 5 worlds has") && text.contains("## Worlds as measured together, best first"))
    // None.
    #expect(try summary((false, 200)).points.isEmpty)
    let none = try #require(try Report.make(runs: field.table, sweep: sweep)["report.md"]).replacing("\u{a0}", with: " ")
    #expect(none.contains("In none of the 6 worlds does the baseline have loadersPer1000 >= 200: "))
  }

  /// A history of 64 worlds would be 64 times as long and alarm as often by chance.
  @Test func aHistoryHasTheWholeOnly() throws {
    let (summary, sweep, _) = try Self.worlds()
    let entry = HistoryEntry(summary, sweep: sweep, origin: .init(date: "2026-11-24", build: nil, commit: nil))
    #expect(entry.strata.map(\.name) == [""] && entry.strata[0].points.count == 3)
    // Other worlds that count explain other means.
    var (other, measured) = (entry, entry)
    (other.date, measured.date) = ("2026-11-25", "2026-11-25")
    other.strata[0].points[0].mean += 1
    measured.strata[0].points[0].mean += 1
    measured.strata[0].weights = "100 % net1"
    #expect(HistoryReport(HistorySeries.all([entry, other])).hasUnexplained)
    #expect(!HistoryReport(HistorySeries.all([entry, measured])).hasUnexplained)
  }

  /// One race and one confirmation decide over all worlds, as over a population.
  @Test func worldsAreOneWhole() throws {
    let sweep = try Self.worlds().field.sweep
    #expect(!sweep.hasSeparateStrata && sweep.strata?.kind.wholeName == "all worlds")
    let description = try SweepDescription(json: sweep.json, file: "sweep.json")
    #expect(description.strata == sweep.strata)
  }
}
