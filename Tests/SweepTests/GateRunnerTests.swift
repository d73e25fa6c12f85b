import Analysis
import Foundation
import Simulation
import Synchronization
import Testing

@testable import Base
@testable import Rendering
@testable import Sweep

/// The gate's runs, some with a mock executor.
@Suite struct GateRunnerTests {
  private struct Broken: Error, CustomStringConvertible {
    var description: String { "the device went away" }
  }

  private static let sweep = """
    { sweep: "small", margin: "2%", seed: 5, axes: { "prefetcher.maxCost": [1, 2] }, baseline: { "prefetcher.maxCost": 2 },
      scenario: {
        feed: { items: 30 }, network: { profile: "3G", transport: "fluid" }, user: { scroll: 30 }, prefetcher: { kind: "costBudget" } } }
    """

  private func withScenarios(
    _ settings: [(path: String, value: String)], common: [(path: String, value: String)] = [], sweep: String = GateRunnerTests.sweep,
    _ body: (GateScenarios) throws -> Void
  ) throws {
    try Self.withFile(sweep) { path in
      var request = GateScenarios.Request(sweep: path)
      request.settings = settings
      request.common = common
      try body(GateScenarios(request))
    }
  }

  private static func withFile<Value>(_ text: String, _ body: (String) throws -> Value) throws -> Value {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("gate-\(UUID().uuidString).json5")
    try text.write(to: file, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(at: file) }
    return try body(file.path)
  }

  private func rule(_ guards: GateGuard..., limit: Int = 100) -> GateRule {
    GateRule(guards: guards.isEmpty ? [GateGuard(.loadersPer1000, .rise, by: .percent(2))] : guards, limit: limit)
  }

  @Test func aWorseCandidateEndsAtTheFirstLook() throws {
    let ahead = """
      { sweep: "ahead", scenario: {
          feed: { items: 30 }, network: { profile: "3G", transport: "fluid" }, prefetcher: { kind: "itemsAhead", ahead: 5 } } }
      """
    try withScenarios([("prefetcher.ahead", "0")], sweep: ahead) {
      let result = try GateRunner($0, rule: rule(), jobs: 2, isStrict: false).run()
      #expect(result.outcome == .regression)
      #expect(result.pairCount == result.rule.fewestPairs)
    }
  }

  /// Settings that both sides share need no run; a bound, a history or another stratum of the whole does.
  @Test func equalSidesAreCalledIdenticalWithoutARun() throws {
    func result(_ scenarios: GateScenarios, _ guards: [GateGuard], runsAll: Bool = false) throws -> GateResult {
      try GateRunner(
        scenarios, rule: GateRule(guards: guards, comparisons: 3, limit: 100), jobs: 2, isStrict: false, runsAll: runsAll
      ).run()
    }
    let (margin, bound) = (GateGuard(.loadersPer1000, .rise, by: .percent(2)), try GateGuard(reading: "loadersPer1000 <= 900"))
    try withScenarios([("prefetcher.maxCost", "2")]) {
      let equal = try result($0, [margin])
      #expect(equal.outcome == .passed && equal.pairCount == 0 && equal.findings.allSatisfy { $0.outcome == .identical && $0.pairs == 0 })
      #expect(GateText.text(equal).contains("Nothing was run: both sides are the same scenario."), "\(GateText.text(equal))")
      #expect(try result($0, [margin, bound]).pairCount > 0)
      #expect(try result($0, [margin], runsAll: true).pairCount > 0)
    }
    let strata = Self.sweep.replacing(
      "axes: { ", with: "strata: ['network'], axes: { network: ['3G', 'LTE', 'Wi-Fi'], "
    ).replacing(", transport: \"fluid\"", with: "")
    try withScenarios([("prefetcher.maxCost", "2")], sweep: strata) {
      let equal = try result($0, [margin])
      #expect(equal.outcome == .passed && equal.pairCount == 0 && equal.strata.count > 2)
    }
  }

  @Test func theResultDoesNotDependOnTheNumberOfJobs() throws {
    try withScenarios([("prefetcher.maxCost", "3")]) { scenarios in
      let texts = try [1, 2, 7].map {
        GateJSON.text(try GateRunner(scenarios, rule: rule(), jobs: $0, isStrict: false).run(), exitStatus: 0)
      }
      #expect(texts[0] == texts[1] && texts[0] == texts[2])
    }
  }

  @Test func bothSidesOfAPairHaveOneSeed() throws {
    let seeds = Mutex<[UInt64: Int]>([:])
    try withScenarios([("prefetcher.maxCost", "3")]) {
      var runner = GateRunner($0, rule: rule(), jobs: 1, isStrict: false)
      runner.executor = MockExecutor { scenario, seed in
        seeds.withLock { $0[seed, default: 0] += 1 }
        return try scenario.metrics(seed: seed)
      }
      let result = try runner.run()
      #expect(seeds.withLock { Set($0.keys) } == Set(result.strata[0].pairs.map(\.seed)))
      #expect(seeds.withLock { Set($0.values) } == [2])
      // Seeds that differ from those of the sweep's repetitions.
      #expect($0.seed != $0.sweep.seed)
    }
  }

  @Test func equalSettingsPassWithoutARun() throws {
    try withScenarios([("prefetcher.maxCost", "2.0")]) {
      #expect($0.members[0].isSame)
      let result = try GateRunner($0, rule: rule(), jobs: 2, isStrict: true).run()
      #expect(result.outcome == .passed && result.pairCount == 0 && result.changes.isEmpty)
    }
  }

  @Test func aParameterWithoutEffectRunsToTheLimitAndPasses() throws {
    try withScenarios([("prefetcher.webAppCost", "5")]) {
      let result = try GateRunner($0, rule: rule(limit: 200), jobs: 2, isStrict: true).run()
      #expect(result.findings.map(\.outcome) == [.identical])
      #expect(result.rule.looks == [100, 200] && result.pairCount == 200)
      #expect(result.outcome == .passed)
      #expect(result.changes == [.init(path: "prefetcher.webAppCost", baseline: "1", candidate: "5")])
    }
  }

  @Test func runsThatFailEndWithOne() throws {
    try withScenarios([("prefetcher.maxCost", "3")]) {
      var runner = GateRunner($0, rule: rule(limit: 200), jobs: 2, isStrict: false)
      let bad = RandomStream.seed(sweepSeed: $0.seed, repetition: 4)
      runner.executor = MockExecutor { scenario, seed in
        if seed == bad { throw Broken() }
        return try scenario.metrics(seed: seed)
      }
      let result = try runner.run()
      #expect(result.outcome == .failed)
      #expect(result.failures == ["The baseline failed in repetition 4: the device went away"])
      #expect(result.rule.looks.count > 1 && result.pairCount == result.rule.looks[0] - 1, "and no further look")
    }
  }

  @Test func aScenarioWithoutRandomnessIsOneExactPair() throws {
    let fixed = """
      { sweep: "fixed", scenario: {
          feed: { items: 30, mix: { image: 1 }, image: { bytes: "60KB" } }, network: "3G", prefetcher: { kind: "itemsAhead", ahead: 3 } } }
      """
    try withScenarios([("prefetcher.ahead", "0")], sweep: fixed) {
      let result = try GateRunner($0, rule: rule(), jobs: 2, isStrict: false).run()
      #expect(result.isDeterministic)
      #expect(result.pairCount == 1)
      #expect(result.outcome == .regression)
      var unsteady = GateRunner($0, rule: rule(), jobs: 1, isStrict: false)
      let seen = Mutex(0)
      unsteady.executor = MockExecutor { scenario, seed in
        guard var other = scenario as? Scenario else { throw Broken() }
        other.user.scroll -= seen.withLock { count in
          count += 1
          return count - 1
        }
        return try other.metrics(seed: seed)
      }
      #expect(try unsteady.run().outcome == .failed, "two runs that differ are a defect, and said")
    }
  }

  @Test func aMetricWithoutAValueIsRefused() throws {
    try withScenarios([("prefetcher.maxCost", "3")], common: [("user.patience", "8s")]) {
      let runner = GateRunner($0, rule: rule(GateGuard(.bound, .rise, by: .percent(2))), jobs: 1, isStrict: false)
      #expect(throws: GateRunner.Stop.noValue(.bound, stratum: nil)) { _ = try runner.run() }
    }
  }

  @Test func aBoundNeedsNoValueOfTheBaseline() throws {
    try withScenarios([("prefetcher.maxCost", "3")]) { scenarios in
      let bound = try GateGuard(reading: "bytesReceived <= 1GB")
      func result(isOfCandidate: Bool) throws -> GateResult {
        var runner = GateRunner(scenarios, rule: rule(bound), jobs: 1, isStrict: false)
        // One thread executes the baseline's run of a pair, then the candidate's.
        let isCandidate = Mutex(true)
        runner.executor = MockExecutor { scenario, seed in
          var row = try scenario.metrics(seed: seed)
          let lacksValue = isCandidate.withLock { side in
            side.toggle()
            return side == isOfCandidate
          }
          if lacksValue { row[.bytesReceived] = nil }
          return row
        }
        return try runner.run()
      }
      let finding = try result(isOfCandidate: false).findings[0]
      #expect(finding.outcome == .notWorse && finding.baselineMean == nil && finding.candidateMean > 0)
      #expect(throws: GateRunner.Stop.noValue(.bytesReceived, stratum: nil)) { _ = try result(isOfCandidate: true) }
    }
  }

  @Test func aGateCanBeStopped() throws {
    try withScenarios([("prefetcher.maxCost", "3")]) {
      let runner = GateRunner($0, rule: rule(), jobs: 2, isStrict: false)
      #expect(throws: GateRunner.Stop.cancelled) { _ = try runner.run(isCancelled: { true }) }
    }
  }

  @Test func aGateStopsInsideARun() throws {
    try withScenarios([("prefetcher.maxCost", "3")], common: [("feed.items", "2000"), ("user.scroll", "2000")]) {
      let runner = GateRunner($0, rule: rule(limit: 2), jobs: 1, isStrict: false)
      // The gate asks 3 times around its 2 pairs; the tenth question comes from a run.
      let asked = Mutex(0)
      let isCancelled: @Sendable () -> Bool = {
        asked.withLock { count in
          count += 1
          return count == 10
        }
      }
      #expect(throws: GateRunner.Stop.cancelled) { _ = try runner.run(isCancelled: isCancelled) }
      #expect(asked.withLock { $0 } == 10, "and no further run begins")
    }
  }

  @Test func commonSettingsApplyToBothSides() throws {
    try withScenarios(
      [("downloads.connections", "2"), ("network.http", "2")],
      common: [("network", "LTE"), ("network.transport", "packet"), ("downloads.connections", "3"), ("feed.items", "40")]
    ) {
      let head = $0.heads.common.map { "\($0.label) \($0.text)" }.joined(separator: "\n")
      #expect(head.contains("baseline: LTE: "), "\(head)")
      #expect(head.contains("40 items"), "\(head)")
      #expect($0.changes.first == .init(path: "network.http", baseline: "1.1", candidate: "2"), "\($0.changes)")
      // HTTP/2 compresses headers.
      #expect($0.changes.dropFirst().map(\.path) == ["network.requestBytes", "network.responseHeaderBytes"], "\($0.changes)")
    }
  }

  // MARK: Strata

  /// A candidate that is worse on one of two networks.
  private static let networks = """
    { sweep: "two", scenario: {
        feed: { items: 40 }, network: { profile: "3G", transport: "fluid" }, user: { scroll: 40 }, prefetcher: { kind: "itemsAhead", ahead: 3 } },
      axes: { network: [{ profile: "3G", transport: "fluid" }, { profile: "LTE", transport: "fluid" }], "prefetcher.ahead": [1, 3] },
      baseline: { "prefetcher.ahead": 3 } }
    """

  private static let population = """
    { sweep: "users", scenario: {
        feed: { items: 40 }, network: { profile: "3G", transport: "fluid" }, user: { scroll: 40 }, prefetcher: { kind: "itemsAhead", ahead: 3 } },
      population: [
        { weight: 0.75, name: "train", network: { profile: "LTE", transport: "fluid" } },
        { weight: 0.25, name: "home", network: { profile: "Wi-Fi", transport: "fluid", http: "2" } },
      ],
      axes: { "prefetcher.ahead": [1, 3] }, baseline: { "prefetcher.ahead": 3 } }
    """

  private func run(_ scenarios: GateScenarios, limit: Int = 20, jobs: Int = 2) throws -> GateResult {
    let guards = [GateGuard(.loadersPer1000, .rise, by: .percent(2), floor: 1)]
    let rule = GateRule(guards: guards, comparisons: scenarios.judgedCount, limit: limit)
    return try GateRunner(scenarios, rule: rule, jobs: jobs, isStrict: true).run()
  }

  @Test func everyStratumAndTheWholeAreJudged() throws {
    try withScenarios([("prefetcher.ahead", "4")], sweep: Self.networks) {
      #expect($0.judgedCount == 3)
      let result = try run($0)
      #expect(result.strata.map(\.name) == ["all", "3G, transport fluid", "LTE, transport fluid"])
      #expect(result.strata.map(\.isWhole) == [true, false, false])
      #expect(result.strata.map(\.findings.count) == [1, 1, 1])
      #expect(result.head.map(\.label) == ["user", "feed", "downloads"], "and the network is each stratum's")
      #expect(result.strata[1].head.map(\.label) == ["network"])
      #expect(result.strata[1].pairs.map(\.seed) == result.strata[2].pairs.map(\.seed), "common random numbers")
    }
  }

  @Test func aCandidateThatIsWorseInOneStratumIsARegression() throws {
    try withScenarios([("prefetcher.ahead", "0")], sweep: Self.networks) { scenarios in
      var runner = GateRunner(
        scenarios, rule: GateRule(guards: [GateGuard(.loadersPer1000, .rise, by: .percent(2))], comparisons: 3), jobs: 2, isStrict: false)
      // On 3G both sides show the same; on LTE the candidate shows more.
      let slow = scenarios.members[0]
      runner.executor = MockExecutor { scenario, seed in
        let isSlow = scenario.network == slow.candidate.scenario.network
        return try (isSlow ? slow.baseline.scenario : scenario).metrics(seed: seed)
      }
      let result = try runner.run()
      #expect(result.outcome == .regression)
      #expect(result.strata[1].findings[0].difference == 0)
      #expect(result.strata[2].findings[0].outcome == .worse)
    }
  }

  @Test func aPopulationIsJudgedByStratumAndAsAWhole() throws {
    try withScenarios([("prefetcher.ahead", "4")], sweep: Self.population) {
      let result = try run($0)
      #expect(result.strata.map(\.name) == ["population", "scenario", "train", "home"])
      #expect(result.strata.map(\.weight) == [1, 0, 0.75, 0.25])
      let (train, home) = (result.strata[2].findings[0], result.strata[3].findings[0])
      let field = result.strata[0].findings[0]
      let means = try [field, train, home].map { try #require($0.baselineMean) }
      #expect((means[0] - (0.75 * means[1] + 0.25 * means[2])).magnitude < 1e-9)
      #expect((field.difference - (0.75 * train.difference + 0.25 * home.difference)).magnitude < 1e-9)
    }
  }

  @Test func aStratumCanBeChosenAndTheWholeByItsName() throws {
    func names(_ stratum: String, _ sweep: String) throws -> [String?] {
      try GateRunnerTests.withFile(sweep) { path in
        var request = GateScenarios.Request(sweep: path)
        request.settings = [("prefetcher.ahead", "4")]
        request.stratum = stratum
        let scenarios = try GateScenarios(request)
        #expect(scenarios.judgedCount == 1)
        return try run(scenarios, limit: 2).strata.filter { !$0.findings.isEmpty }.map(\.name)
      }
    }
    #expect(try names("LTE, transport fluid", Self.networks) == ["LTE, transport fluid"])
    #expect(try names("all", Self.networks) == ["all"])
    #expect(try names("scenario", Self.population) == ["scenario"])
    #expect(try names("population", Self.population) == ["population"])
    for (stratum, sweep, words) in [
      ("LTE, transport fluit", Self.networks, "did you mean \"LTE, transport fluid\"?"),
      ("population", Self.networks, "strata: 3G, transport fluid"),
      ("3G", Self.sweep, "has no strata"),
    ] {
      let message = #expect(throws: InvalidInput.self) { _ = try names(stratum, sweep) }?.description ?? ""
      #expect(message.contains(words), "\(message)")
    }
  }

  @Test func networkUserAndFeedAxesAreAlwaysStrataOfAGate() throws {
    let world = """
      { sweep: "world", scenario: {
          feed: { items: 40 }, network: "3G", user: { scroll: 40 }, prefetcher: { kind: "itemsAhead", ahead: 3 } },
        axes: { network: ["3G", "LTE"], "user.dwell": ["1s", "2s"] } }
      """
    try withScenarios([("prefetcher.ahead", "0")], sweep: world) {
      #expect($0.sweep.strata == nil)
      #expect($0.members.map(\.name) == ["network 3G, dwell 1s", "network 3G, dwell 2s", "network LTE, dwell 1s", "network LTE, dwell 2s"])
      #expect($0.members.allSatisfy { !$0.isSame })
    }
    // The file asks for one list; a warning says that its other networks are not judged.
    try withScenarios([("prefetcher.ahead", "0")], sweep: world.replacing("axes:", with: "strata: [], axes:")) {
      #expect($0.members.map(\.name) == [nil])
      #expect($0.warnings.contains { $0.contains("network, user.dwell are not judged") }, "\($0.warnings)")
    }
  }

  @Test func commonSettingsNarrowTheStrata() throws {
    try withScenarios([("prefetcher.ahead", "4")], common: [("network", "LTE")], sweep: Self.networks) {
      #expect($0.members.map(\.name) == [nil])
      #expect($0.members[0].baseline.description.parts.contains { $0.label == "network" && $0.text.hasPrefix("LTE") })
      #expect($0.members[0].candidate.description.parts.contains { $0.label == "network" && $0.text.hasPrefix("LTE") })
    }
    try withScenarios([("prefetcher.ahead", "4")], common: [("network.queue", "9"), ("user.scroll", "20")], sweep: Self.population) {
      #expect($0.members.count == 3)
      #expect($0.members.allSatisfy { $0.baseline.lines.contains("network.queue=9") && $0.candidate.lines.contains("user.scroll=20") })
    }
  }

  @Test func aStratumWithoutRandomnessRunsOnceBesideOthers() throws {
    let mixed = """
      { sweep: "mixed", scenario: {
          feed: { items: 30, mix: { image: 1 }, image: { bytes: "60KB" } }, network: "3G", user: { scroll: 30 },
          prefetcher: { kind: "itemsAhead", ahead: 3 } },
        axes: { network: ["3G", { profile: "3G", lossDown: 0.02 }], "prefetcher.ahead": [0, 3] }, baseline: { "prefetcher.ahead": 3 } }
      """
    try withScenarios([("prefetcher.ahead", "4")], sweep: mixed) {
      let result = try run($0, limit: 10)
      #expect(result.strata.map(\.isDeterministic) == [false, true, false])
      #expect(result.strata.map(\.pairs.count) == [0, 1, 10])
      #expect(result.strata[0].findings[0].pairs == 10)
      #expect(!result.isDeterministic)
    }
  }

  @Test func equalSidesPassInEveryStratum() throws {
    try withScenarios([("prefetcher.ahead", "3.0")], sweep: Self.networks) {
      #expect($0.members.map(\.isSame) == [true, true])
      let result = try run($0, limit: 320)
      #expect(result.outcome == .passed && result.pairCount == 0)
      #expect(GateText.text(result).hasPrefix("PASSED: The candidate is the baseline: both resolve to the same scenario in every stratum."))
    }
  }

  @Test func aStratumWhoseRunsFailIsNamed() throws {
    try withScenarios([("prefetcher.ahead", "4")], sweep: Self.networks) { scenarios in
      var runner = GateRunner(scenarios, rule: rule(), jobs: 2, isStrict: false)
      let lte = scenarios.members[1].candidate.scenario.network
      runner.executor = MockExecutor { scenario, seed in
        if scenario.network == lte { throw Broken() }
        return try scenario.metrics(seed: seed)
      }
      let result = try runner.run()
      #expect(result.outcome == .failed)
      #expect(result.failures.count == result.rule.looks[0])
      #expect(result.failures[0] == "LTE, transport fluid: The baseline failed in repetition 1: the device went away")
    }
  }

  @Test func aMetricWithoutAValueNamesItsStratum() throws {
    let patient = Self.networks.replacing(
      "axes: {", with: "axes: { user: [{ scroll: 40 }, { scroll: 40, patience: \"8s\" }], ")
    try withScenarios([("prefetcher.ahead", "4")], sweep: patient) {
      let runner = GateRunner($0, rule: rule(GateGuard(.bound, .rise, by: .percent(2))), jobs: 1, isStrict: false)
      #expect(throws: GateRunner.Stop.noValue(.bound, stratum: $0.members[2].name)) { _ = try runner.run() }
    }
  }

  @Test func strataDoNotDependOnTheNumberOfJobs() throws {
    try withScenarios([("prefetcher.ahead", "2")], sweep: Self.population) { scenarios in
      let texts = try [1, 2, 5].map { GateJSON.text(try run(scenarios, jobs: $0), exitStatus: 0) }
      #expect(texts[0] == texts[1] && texts[0] == texts[2])
    }
  }
}
