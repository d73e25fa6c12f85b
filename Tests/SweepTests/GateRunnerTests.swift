import Analysis
import Foundation
import Simulation
import Synchronization
import Testing

@testable import Sweep

/// The gate's runs, with sessions that are made up.
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
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("gate-\(UUID().uuidString).json5")
    try sweep.write(to: file, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(at: file) }
    var request = GateScenarios.Request(sweep: file.path)
    request.settings = settings
    request.common = common
    try body(GateScenarios(request))
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
      #expect(result.pairs.count == 10)
    }
  }

  @Test func theResultDoesNotDependOnTheNumberOfJobs() throws {
    try withScenarios([("prefetcher.maxCost", "3")]) { scenarios in
      let texts = try [1, 2, 7].map { GateJSON.text(try GateRunner(scenarios, rule: rule(), jobs: $0, isStrict: false).run()) }
      #expect(texts[0] == texts[1] && texts[0] == texts[2])
    }
  }

  @Test func bothSidesOfAPairHaveOneSeed() throws {
    let seeds = Mutex<[UInt64: Int]>([:])
    try withScenarios([("prefetcher.maxCost", "3")]) {
      var runner = GateRunner($0, rule: rule(), jobs: 1, isStrict: false)
      runner.simulate = { scenario, seed in
        seeds.withLock { $0[seed, default: 0] += 1 }
        return try scenario.metrics(seed: seed)
      }
      let result = try runner.run()
      #expect(seeds.withLock { Set($0.keys) } == Set(result.pairs.map(\.seed)))
      #expect(seeds.withLock { Set($0.values) } == [2])
      // Seeds that the sweep's own repetitions do not have.
      #expect($0.seed != $0.sweep.seed)
    }
  }

  @Test func equalSettingsPassAtTheFirstLookWhateverTheyAreCalled() throws {
    try withScenarios([("prefetcher.maxCost", "2.0")]) {
      #expect($0.isSame)
      let result = try GateRunner($0, rule: rule(), jobs: 2, isStrict: true).run()
      #expect(result.exitStatus == 0)
      #expect(result.pairs.count == 10)
      #expect(result.changes.isEmpty)
    }
  }

  @Test func aParameterWithoutEffectIsHeldToTheLimitAndPasses() throws {
    try withScenarios([("prefetcher.webAppCost", "5")]) {
      let result = try GateRunner($0, rule: rule(), jobs: 2, isStrict: true).run()
      #expect(result.findings.map(\.outcome) == [.identical])
      #expect(result.pairs.count == 40)
      #expect(result.exitStatus == 0)
      #expect(result.changes == [.init(path: "prefetcher.webAppCost", baseline: "1", candidate: "5")])
    }
  }

  @Test func runsThatFailEndWithOne() throws {
    try withScenarios([("prefetcher.maxCost", "3")]) {
      var runner = GateRunner($0, rule: rule(), jobs: 2, isStrict: false)
      let bad = RandomStream.seed(sweepSeed: $0.seed, repetition: 4)
      runner.simulate = { scenario, seed in
        if seed == bad { throw Broken() }
        return try scenario.metrics(seed: seed)
      }
      let result = try runner.run()
      #expect(result.outcome == .failed)
      #expect(result.exitStatus == 1)
      #expect(result.failures == ["The baseline failed in repetition 4: the device went away"])
      #expect(result.pairs.count == 9, "and no further look")
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
      #expect(result.pairs.count == 1)
      #expect(result.outcome == .regression)
      var unsteady = GateRunner($0, rule: rule(), jobs: 1, isStrict: false)
      let seen = Mutex(0)
      unsteady.simulate = { scenario, seed in
        guard var other = scenario as? Scenario else { throw Broken() }
        other.user.scroll -= seen.withLock { count in
          count += 1
          return count - 1
        }
        return other.metrics(seed: seed)
      }
      #expect(try unsteady.run().outcome == .failed, "two runs that differ are a defect, and said")
    }
  }

  @Test func aMetricWithoutAValueIsRefused() throws {
    try withScenarios([("prefetcher.maxCost", "3")], common: [("user.patience", "8s")]) {
      let runner = GateRunner($0, rule: rule(GateGuard(.bound, .rise, by: .percent(2))), jobs: 1, isStrict: false)
      #expect(throws: GateRunner.Stop.noValue(.bound)) { _ = try runner.run() }
    }
  }

  @Test func aGateCanBeStopped() throws {
    try withScenarios([("prefetcher.maxCost", "3")]) {
      let runner = GateRunner($0, rule: rule(), jobs: 2, isStrict: false)
      #expect(throws: GateRunner.Stop.cancelled) { _ = try runner.run(isCancelled: { true }) }
    }
  }

  @Test func whatIsSetForBothHoldsForBothWhateverTheySay() throws {
    try withScenarios([("network", "LTE"), ("prefetcher.maxCost", "3")], common: [("network.transport", "tcp"), ("feed.items", "40")]) {
      let head = $0.head.map(\.text).joined(separator: "\n")
      #expect(head.components(separatedBy: "tcp transport").count == 3, "\(head)")
      #expect(head.components(separatedBy: "40 items").count == 2, "\(head)")
    }
  }
}
