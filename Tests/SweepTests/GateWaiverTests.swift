import Foundation
import Simulation
import Testing

@testable import Analysis
@testable import Base
@testable import Rendering
@testable import Sweep

/// Waivers, the time limit and the cache of the gate.
@Suite struct GateWaiverTests {
  private static let sweep = """
    { sweep: "small", margin: "2%", axes: { network: ["3G", "LTE"] },
      scenario: { feed: { items: 30 }, user: { scroll: 30 }, prefetcher: { kind: "itemsAhead", ahead: 5 } } }
    """
  private let guarded = GateGuard(.loadersPer1000, .rise, by: .percent(2), floor: 1)

  private func withScenarios(_ body: (GateScenarios, URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("waivers-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("sweep.json5")
    try Self.sweep.write(to: file, atomically: true, encoding: .utf8)
    var request = GateScenarios.Request(sweep: file.path)
    request.settings = [("prefetcher.ahead", "4")]
    request.common = [("network.transport", "fluid")]
    try body(GateScenarios(request), folder)
  }

  private func waivers(_ text: String, strata: [String] = ["3G", "LTE", "all"], today: String = "2026-11-23") throws -> [GateWaiver] {
    try GateWaiver.read(InputFile(name: "w", bytes: Array(text.utf8)), guards: [guarded], strata: strata, today: today)
  }

  private func waiver(_ stratum: String, margin: String = "60%", until: String = "2027-01-31") -> String {
    "{ guard: 'loadersPer1000 +2%', stratum: '\(stratum)', margin: '\(margin)', reason: 'FEED-1', until: '\(until)' }"
  }

  @Test func aWaivedRegressionPassesInItsStratumAlone() throws {
    try withScenarios { scenarios, _ in
      let rule = GateRule(guards: [guarded], comparisons: scenarios.judgedCount, limit: 160)
      func result(_ text: String) throws -> GateResult {
        try GateRunner(scenarios, rule: rule, jobs: 2, isStrict: false, waivers: waivers(text)).run()
      }
      let without = try result("[]")
      #expect(without.outcome == .regression && without.waivers.isEmpty)
      let some = try result("[\(waiver("3G"))]")
      #expect(some.outcome == .regression, "the weighted whole has no waiver")
      let all = try result("[\(waiver("3G")), \(waiver("all"))]")
      #expect(all.outcome == .passed)
      #expect(all.strata.map { $0.findings[0].isWaived } == [true, true, false])
      #expect(all.strata[1].findings[0].outcome == .notWorse && all.strata[1].findings[0].outcomeWithoutWaiver == .worse)
      let text = GateText.text(all)
      #expect(text.hasPrefix("PASSED: ") && text.contains("(with a waiver)"))
      #expect(text.contains("The waiver of loadersPer1000 +2% in 3G allows +60% until 2027-01-31: FEED-1. The candidate passes"))
      #expect(GateJSON.text(all, exitStatus: 0).contains("\"outcomeWithout\" : \"worse\""))
      let narrow = try result("[\(waiver("3G", margin: "3%")), \(waiver("all"))]")
      #expect(narrow.outcome == .regression, "the change is beyond the waiver")
    }
  }

  @Test func anExpiredWaiverHasNoEffectAndIsNamed() throws {
    try withScenarios { scenarios, _ in
      let rule = GateRule(guards: [guarded], comparisons: scenarios.judgedCount, limit: 160)
      let old = try waivers("[\(waiver("3G", until: "2026-11-22")), \(waiver("all", until: "2026-11-22"))]")
      let result = try GateRunner(scenarios, rule: rule, jobs: 2, isStrict: false, waivers: old).run()
      #expect(result.outcome == .regression)
      #expect(
        GateText.text(result, width: 200).contains("The waiver of loadersPer1000 +2% in 3G ended on 2026-11-22 and has no effect: FEED-1."))
      #expect(try waivers("[\(waiver("3G"))]", today: "2027-01-31").map(\.isExpired) == [false], "its last day counts")
    }
  }

  @Test func aWaiverThatIsNotNeededIsNamed() throws {
    try withScenarios { scenarios, _ in
      let rule = GateRule(guards: [guarded], comparisons: scenarios.judgedCount, limit: 160)
      let result = try GateRunner(scenarios, rule: rule, jobs: 2, isStrict: false, waivers: waivers("[\(waiver("LTE"))]")).run()
      #expect(GateText.text(result, width: 300).contains("in LTE allows +60% until 2027-01-31: FEED-1. The candidate does not need it."))
    }
  }

  @Test(arguments: [
    ("4", "w:1:1: waivers: is the number 4, not a list; write [{ guard"),
    ("[{}]", "w:1:2: waivers.0.guard: is missing; add guard"),
    ("[{ guard: 'loadersPer1000 +3%' }]", "waivers.0.guard: is \"loadersPer1000 +3%\", which this check does not guard"),
    ("[{ guard: 'loaders' }]", "waivers.0.guard: is \"loaders\"; write a metric and a margin"),
    ("[{ guard: 'loadersPer1000 +2%', margin: '2%' }]", "waivers.0.margin: is not wider than the guard's +2%"),
    ("[{ guard: 'loadersPer1000 +2%', margin: 'much' }]", "waivers.0.margin: has the margin \"much\" of loadersPer1000"),
    ("[{ stratum: 'LTD' }]", "waivers.0.stratum: is \"LTD\", which is no stratum of the sweep; did you mean \"LTE\""),
    ("[{ until: '2027-02-29' }]", "waivers.0.until: is \"2027-02-29\", not a day; write the last day as YYYY-MM-DD"),
    ("[{ until: 2027 }]", "waivers.0.until: is the number 2027, not a text"), ("[{ reason: '' }]", "waivers.0.reason: is the string \"\""),
    ("[{ why: 1 }]", "waivers.0.why: unknown key"), ("[4]", "waivers.0: is the number 4, not an object; write { guard"),
  ])
  func aMistakeIsPlacedAndHasARemedy(_ text: String, _ message: String) throws {
    let error = #expect(throws: InvalidInput.self) { try waivers(text) }
    #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
  }

  @Test func allMistakesAreReportedAtOnceAndASecondWaiverIsRefused() throws {
    let error = #expect(throws: InvalidInput.self) {
      try waivers("[{ guard: 'x', stratum: 'y', margin: '1%', reason: 1, until: 'z', w: 1 }, \(waiver("3G")), \(waiver("3G"))]")
    }
    #expect(error?.diagnostics.map(\.key) == ["guard", "stratum", "reason", "until", "w"].map { "waivers.0.\($0)" } + ["waivers.2.guard"])
    #expect(
      try waivers("[{ guard: 'loadersPer1000 +2%', margin: '6%', reason: 'r', until: '2027-01-01' }]", strata: []).first?.stratum == nil)
  }

  // MARK: Time limit and cache

  /// Returns metrics with one value for all.
  private static func metrics(_ value: Double) -> RunMetrics {
    var metrics = RunMetrics()
    for metric in Metric.allCases { metrics[metric] = value }
    return metrics
  }

  @Test func theTimeLimitEndsWithTheVerdictOfTheLastCompleteLook() throws {
    try withScenarios { scenarios, _ in
      let rule = GateRule(guards: [guarded], comparisons: scenarios.judgedCount, limit: 160)
      let result = try GateRunner(scenarios, rule: rule, jobs: 1, isStrict: true).run(timeLimit: 1e-9)
      #expect(result.outcome == .inconclusive && result.pairCount == 0)
      let text = GateText.text(result)
      #expect(text.hasPrefix("INCONCLUSIVE: No look was complete, so there is no verdict on the candidate."))
      #expect(text.contains("The time limit ended the check after 0 of at most 160 pairs."))
      #expect(JUnit.text(result).contains("<failure") && !GateJSON.text(result, exitStatus: 0).contains("nan"))
      // The rows come at once until the second look, whose runs take longer than the limit.
      var slow = GateRunner(scenarios, rule: GateRule(guards: [guarded], comparisons: 1, limit: 160), jobs: 1, isStrict: false)
      let seeds = Set((1...slow.rule.looks[0]).map { RandomStream.seed(sweepSeed: scenarios.seed, repetition: $0) })
      slow.executor = MockExecutor { _, seed in
        if !seeds.contains(seed) { Thread.sleep(forTimeInterval: 1.2) }
        return Self.metrics(Double(seed % 7))
      }
      let partial = try slow.run(timeLimit: 1)
      #expect(partial.pairCount == slow.rule.looks[0] && partial.look == 0)
    }
  }

  @Test func theCacheGivesTheSameResultWithoutTheBaselinesRuns() throws {
    try withScenarios { scenarios, folder in
      let rule = GateRule(guards: [guarded], comparisons: scenarios.judgedCount, limit: 160)
      let points = scenarios.members.map(\.baseline.point)
      let path = folder.appendingPathComponent("cache").path
      let plain = try GateRunner(scenarios, rule: rule, jobs: 2, isStrict: false).run()
      try GateCache(folder: path, points: points).add(plain)
      let cache = GateCache(folder: path, points: points)
      var cached = GateRunner(scenarios, rule: rule, jobs: 2, isStrict: false, cache: cache)
      #expect(GateJSON.text(try cached.run(), exitStatus: 0) == GateJSON.text(plain, exitStatus: 0))
      // Without the cache, each row would be this one.
      cached.executor = MockExecutor { _, _ in Self.metrics(1) }
      let mixed = try cached.run()
      #expect(mixed.strata[1].pairs[0].baseline == plain.strata[1].pairs[0].baseline)
      #expect(mixed.strata[1].pairs[0].candidate == Self.metrics(1))
      // A damaged file counts as missing.
      for name in try FileManager.default.contentsOfDirectory(atPath: path) {
        var bytes = try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)"))
        bytes[bytes.count / 2] ^= 1
        try bytes.write(to: URL(fileURLWithPath: "\(path)/\(name)"))
      }
      let damaged = GateCache(folder: path, points: points)
      #expect(damaged.row(point: points[0], seed: plain.strata[1].pairs[0].seed) == nil)
    }
  }
}
