@testable import Import
import Analysis
import Foundation
import TestSupport
import Testing

@testable import Studies

@Suite struct ArticleTests {
  private static let sweep = Reference.packageRoot.appendingPathComponent("Sweeps/article-field.json5").path

  // MARK: Worlds

  @Test func everyLevelIsAsFrequentAsItsNeighboursAndUnknownsAreAlmostUnrelated() {
    let worlds = World.design(count: 480)
    #expect(worlds.map(\.number) == Array(1...480))
    for (index, unknown) in Unknown.all.enumerated() {
      let counts = unknown.levels.indices.map { level in worlds.count { $0.levels[index] == level } }
      #expect((counts.max() ?? 0) - (counts.min() ?? 0) <= 1, "\(unknown.name)")
      for other in Unknown.all.indices where other != index {
        let influence = Influence(of: other, levels: worlds.map { $0.levels[other] }, on: worlds.map { Double($0.levels[index]) })
        // By chance alone one of 210 pairs comes to 0.053.
        #expect(influence.explained < 0.06, "\(unknown.name), \(Unknown.all[other].name)")
      }
    }
    #expect(World.design(count: 480) == worlds)
  }

  @Test func theSharesOfNetworksAddUpAndFollowTheWorld() {
    for wifi in 0..<3 {
      for threeG in 0..<3 {
        let world = Self.world(levels: [Unknown.wifi: wifi, Unknown.threeG: threeG])
        #expect((world.weights.reduce(0, +) - 1).magnitude < 1e-12)
        #expect(world.weights[0] == world.level(of: Unknown.wifi).number / 100)
        #expect((world.weights[3] - (1 - world.weights[0]) * world.level(of: Unknown.threeG).number / 100).magnitude < 1e-12)
      }
    }
  }

  @Test func aBudgetReachesAsFarAsItsCostsAllow() {
    let six = Unknown.budget, video = Unknown.videoShare
    // 6 over a mean cost of 1.2; the active item's own cost comes off where it counts.
    #expect(Self.world(levels: [six: 2, video: 1]).reach == 5)
    #expect((Self.world(levels: [six: 2, video: 1, Unknown.activeItem: 1]).reach - 4).magnitude < 1e-12)
  }

  /// A setting that reached into the wrong part of the scenario would make its unknown count where it must not: the pace of the test among
  /// users, or the users' stays in the lab.
  @Test func eachUnknownReachesItsOwnPartOfTheWorldAndNoOther() throws {
    let middle = try Self.run(Self.world())
    for (index, unknown) in Unknown.all.enumerated() {
      var levels = Self.world().levels
      levels[index] = levels[index] == 0 ? unknown.levels.count - 1 : 0
      let moved = try Self.run(World(number: 1, levels: levels))
      let isOfUsers = index >= Unknown.all.count - 5
      let isOfTest = unknown.name == "time at an item in the test"
      #expect((moved.lab == middle.lab) == isOfUsers, "\(unknown.name) in the lab")
      let isShare = [Unknown.wifi, Unknown.threeG].contains(unknown.name)
      #expect((moved.networks == middle.networks) == (isOfTest || isShare), "\(unknown.name) among users")
      #expect((moved.world.weights == middle.world.weights) == !isShare, "\(unknown.name)")
    }
  }

  @Test func aWorldIsTheSameWhateverRunsBesideIt() throws {
    let worlds = Array(World.design(count: 480).prefix(3))
    let together = try WorldOutcome.all(worlds, sweep: Self.sweep, items: 200, transport: .fluid)
    for (world, outcome) in zip(worlds, together) {
      #expect(try WorldOutcome(world, sweep: Self.sweep, items: 200, transport: .fluid) == outcome)
    }
  }

  @Test(arguments: [
    ("{ kind: \"ifunny-five\", ahead: 3 }, ", "", ":20:5: axes.prefetcher: has 4 settings on a network, and a world compares 5"),
    (
      "  axes: {", "  axes: {\n    \"downloads.cancel\": [\"keep\", \"drop\"],",
      ":21:5: axes: make 10 networks with the population, and a world has 5, the lab's among them"
    ),
  ])
  func aSweepThatIsNotMadeForWorldsIsRefusedWithItsLocation(_ old: String, _ new: String, _ says: String) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("article-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.appendingPathComponent("other.json5").path
    let text = try String(contentsOfFile: Self.sweep, encoding: .utf8)
    #expect(text.contains(old))
    try text.replacing(old, with: new).write(toFile: path, atomically: true, encoding: .utf8)
    let error = #expect(throws: InvalidInput.self) { _ = try WorldOutcome(Self.world(), sweep: path, items: 10) }
    let message = error?.description ?? ""
    #expect(
      message.hasPrefix(path + says) && message.hasSuffix("; write the settings and networks of Sweeps/article-field.json5"), "\(message)")
  }

  // MARK: Findings

  @Test func aGainIsAboutTheArticlesFromHalfToTwiceAsMuch() {
    #expect([3.9, 4, 8, 16, 16.1, -8].map { Finding.isLike(8, $0) } == [false, true, true, true, false, false])
    #expect(!Finding.isLike(8, nil))
    #expect(WorldOutcome.gain(23, over: 25) == 8)
    #expect(WorldOutcome.gain(0, over: 0) == nil)
  }

  @Test func aWorldThatShowsTheArticlesNumbersHoldsAllOfItsFindings() {
    // 30 and 25, then 8 % in the lab; three and eight are worse than five; among users 100, 80 and 77.6 on each network.
    let outcome = WorldOutcome(
      world: Self.world(), lab: [30, 25, 23, 24, 23.5], networks: [[Double]](repeating: [30, 25, 24.25], count: 4))
    for finding in Finding.allCases { #expect(finding.holds(outcome), "\(finding.rawValue)") }
    #expect(Fit.systemAmongUsers.kept(of: [outcome]).count == 1 && Fit.budgetInLab.kept(of: [outcome]).count == 1)
    let reversed = WorldOutcome(
      world: Self.world(), lab: [25, 30, 40, 35, 20], networks: [[Double]](repeating: [10, 30, 50], count: 4))
    for finding in Finding.allCases where finding != .labPromisesMore {
      #expect(!finding.holds(reversed), "\(finding.rawValue)")
    }
    #expect(Fit.systemAmongUsers.kept(of: [reversed]).isEmpty)
  }

  @Test func loadersAmongUsersAreWeighedByTheSharesOfNetworks() {
    // 60 % Wi-Fi, 4G and 4G on the move 17 % each, 6 % 3G on the move.
    let outcome = WorldOutcome(world: Self.world(), lab: [0, 0, 0, 0, 0], networks: [[1, 0, 0], [10, 0, 0], [20, 0, 0], [500, 0, 0]])
    #expect((outcome.field(.system) - (0.6 + 1.7 + 3.4 + 30)).magnitude < 1e-9)
  }

  // MARK: Influence and shares

  @Test func anUnknownThatDecidesExplainsEverythingAndAnIdleOneNothing() {
    let outcomes = World.design(count: 480).map { Self.outcome($0) }
    let index = Unknown.all.firstIndex { $0.name == Unknown.budget } ?? 0
    let ranked = Influence.strongest(on: outcomes) { $0.world.levels[index] < 2 ? 1 : 0 }
    #expect(ranked.map(\.unknown) == [index])
    #expect((ranked[0].explained - 1).magnitude < 1e-9)
    #expect(ranked[0].means == [1, 1, 0, 0, 0])
    #expect(Influence.strongest(on: outcomes) { _ in 1 }.isEmpty)
  }

  @Test func verdictsFollowTheIntervalNotTheShareAlone() {
    let verdicts = [(0, 100), (10, 100), (45, 100), (80, 100), (100, 100), (2, 2), (0, 0)].map { count, trials in
      ArticlePage.verdict(Proportion(count, of: trials))
    }
    #expect(
      verdicts == [
        "does not come out", "seldom comes out", "comes out in about every other", "mostly comes out", "comes out",
        "comes out in about every other", "cannot be said",
      ])
  }

  @Test func thePageStandsEvenIfNoWorldFits() {
    let outcomes = World.design(count: 20).map { Self.outcome($0) }
    let page = ArticlePage(outcomes, items: 1000).text
    #expect(page.contains("those 0 are kept"))
    #expect(!page.contains("nan") && page.hasSuffix("```\n"))
  }

  // MARK: Parts

  /// A world with the middle level of each unknown, but for the levels named.
  private static func world(levels: [String: Int] = [:]) -> World {
    World(
      number: 1,
      levels: Unknown.all.map { levels[$0.name] ?? ($0.levels.count == 2 ? 0 : $0.levels.count / 2 - ($0.levels.count == 4 ? 1 : 0)) })
  }

  private static func outcome(_ world: World) -> WorldOutcome {
    WorldOutcome(world: world, lab: [100, 50, 40, 45, 30], networks: [[Double]](repeating: [100, 50, 40], count: 4))
  }

  private static func run(_ world: World) throws -> WorldOutcome {
    try WorldOutcome(world, sweep: sweep, items: 1000, transport: .fluid)
  }
}
