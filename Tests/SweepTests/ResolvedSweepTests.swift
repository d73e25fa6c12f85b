import Analysis
import Foundation
import Simulation
import TestSupport
import Testing

@testable import Base
@testable import Sweep

/// Reads a sweep of the given parts from its own folder.
private func sweep(_ parts: String, set settings: [String] = [], folder: String = "") throws -> ResolvedSweep {
  var overrides = SweepOverrides()
  for setting in settings {
    let parts = setting.split(separator: "=", maxSplits: 1).map(String.init)
    overrides.settings.append(.init(path: parts[0], value: parts[1]))
  }
  let name = folder.isEmpty ? "s.json5" : "\(folder)/s.json5"
  return try ResolvedSweep(file: InputFile(name: name, bytes: Array("{ sweep: 's', \(parts) }".utf8)), overrides: overrides)
}

private func messages(_ parts: String, set settings: [String] = []) -> String {
  do {
    _ = try sweep(parts, set: settings)
    return ""
  } catch { return "\(error)" }
}

@Suite struct PointIdTests {
  private static let plain = "network: '3G', prefetcher: 'costBudget'"

  private func id(_ scenario: String, folder: String = "") throws -> String {
    try sweep("scenario: { \(scenario) }", folder: folder).decoded(0).point
  }

  @Test(arguments: [
    "prefetcher: { maxCost: 5.0, kind: 'costBudget' }, network: { profile: '3G' },",
    "network: '3G', prefetcher: { kind: 'costBudget', overflow: 'stop', activeCounts: false, videoCost: 2e0 }",
    "network: { down: '780kbps', up: '0.33Mbps', delayDown: '0.1s', delayUp: '100ms', radioTail: '5s', class: 'cellular3G' }, prefetcher: 'costBudget'",
    "network: { profile: '3G', queue: 50, lossDown: 0, offset: '0s', transport: 'packet' }, prefetcher: 'costBudget' // a comment\n",
    "\(plain), feed: { items: 1000, mix: { image: 0.8, video: .2 }, video: { prefix: '200KB' } }",
    "\(plain), feed: { image: { bytes: { distribution: 'lognormal', median: '21000B', sigma: 0.6, min: '2KB', max: '200KB' } } }",
    "\(plain), user: { dwell: { distribution: 'constant', value: '1000ms' }, scroll: 1000, patience: 'none' }",
    "\(plain), downloads: { restFirst: true, connections: 4, cancel: 'keep' }",
  ])
  func theSameScenarioWrittenDifferentlyHasTheSameId(_ scenario: String) throws {
    #expect(try id(scenario) == id(Self.plain))
  }

  @Test(arguments: [
    "network: 'LTE', prefetcher: 'costBudget'", "network: '3G', prefetcher: 'itemsAhead'", "\(plain), feed: { items: 999 }",
    "\(plain), user: { dwell: { distribution: 'uniform', min: '1s', max: '1001ms' } }", "\(plain), user: { patience: '9s' }",
    "network: { profile: '3G', queue: 51 }, prefetcher: 'costBudget'",
  ])
  func anotherScenarioHasAnotherId(_ scenario: String) throws {
    #expect(try id(scenario) != id(Self.plain))
  }

  @Test func aFileCountsByItsContentsAndNotByItsPath() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder.appendingPathComponent("a"), withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for (name, rate) in [("one.json", 500), ("a/two.json", 500), ("three.json", 501)] {
      try "[{ duration_ms: 1000, bandwidth_kbps: \(rate) }]".write(
        to: folder.appendingPathComponent(name), atomically: true, encoding: .utf8)
    }
    func id(_ path: String, in folder: String) throws -> String {
      try self.id("network: { trace: '\(path)' }, prefetcher: 'none'", folder: folder)
    }
    let first = try id("one.json", in: folder.path)
    #expect(try id("two.json", in: folder.path + "/a") == first)
    #expect(try id("\(folder.path)/a/two.json", in: "elsewhere") == first)
    #expect(try id("three.json", in: folder.path) != first)
  }

  @Test(arguments: ["'network': ['LTE']", "'network': ['LTE', '3G']"])
  func aBaselineHasTheNetworkOfAnAxisWithOneValueAsOfOneWithTwo(_ axis: String) throws {
    let sweep = try sweep(
      "scenario: { prefetcher: 'costBudget' }, axes: { \(axis), 'prefetcher.maxCost': [2, 4] }, baseline: { 'prefetcher.maxCost': 4 }")
    #expect(sweep.baselines[0].axisValues == ["LTE", "4"])
    #expect(sweep.baselines[0].index != nil)
  }

  @Test func latenciesOfATraceAreNotTakenForDelays() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try "[{ duration_ms: 9, bandwidth_kbps: 5, latency_ms: 20 }, { duration_ms: 9, bandwidth_kbps: 5, latency_ms: 40 }]".write(
      to: folder.appendingPathComponent("t.json"), atomically: true, encoding: .utf8)
    let varying = try id("network: { trace: 't.json' }, prefetcher: 'none'", folder: folder.path)
    let given = try id("network: { trace: 't.json', delayDown: '10ms', delayUp: '10ms' }, prefetcher: 'none'", folder: folder.path)
    #expect(varying != given)
  }
}

@Suite struct TracePairTests {
  /// A pair of traces, as Mahimahi records them, gives each direction its own rates.
  @Test func eachDirectionHasItsOwnTrace() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try "1\n2\n".write(to: folder.appendingPathComponent("a.down"), atomically: true, encoding: .utf8)
    try "4\n".write(to: folder.appendingPathComponent("a.up"), atomically: true, encoding: .utf8)
    func network(_ trace: String) throws -> NetworkConfiguration {
      let text = """
        { network: { trace: \(trace), format: 'mahimahi' }, feed: { items: 10 }, user: { scroll: 10 }, prefetcher: 'none' }
        """
      let sink = DiagnosticSink()
      let decoded = ScenarioDecoder(files: InputFiles(folder: folder.path)).decode(try parsed(text), into: sink)
      try sink.throwIfAny()
      return try #require(decoded).scenario.network
    }
    let pair = try network("{ down: 'a.down', up: 'a.up' }")
    #expect(pair.down.opportunitiesMs == [1, 2] && pair.up.opportunitiesMs == [4])
    let one = try network("'a.down'")
    #expect(one.down == one.up)
    #expect(throws: (any Error).self) { try network("{ down: 'a.down' }") }
  }
}

@Suite struct SettingTests {
  private static let networks = """
    scenario: { network: '3G', prefetcher: 'itemsAhead' }, axes: { network: ['3G', 'LTE'] },
    strata: [], baseline: { network: 'DSL', 'prefetcher.ahead': 1 }
    """

  private func transports(_ sweep: ResolvedSweep) throws -> [String] {
    try (0..<sweep.pointCount).map { try sweep.decoded($0).scenario.network.transport.rawValue }
  }

  @Test(arguments: ["network.transport=fluid", "scenario.network.transport=fluid"])
  func settingsBelowAnAxisApplyToAllPointsAndTheBaseline(_ setting: String) throws {
    #expect(try transports(sweep(Self.networks)) == ["packet", "packet", "packet"])
    #expect(try transports(sweep(Self.networks, set: [setting])) == ["fluid", "fluid", "fluid"])
  }

  @Test func theColumnsKeepTheNamesOfWholeParts() throws {
    let sweep = try sweep(Self.networks, set: ["network.transport=fluid"])
    #expect((0..<3).map { sweep.axisValues($0) } == [["3G"], ["LTE"], ["DSL"]])
  }

  @Test func theBaselinesOwnSettingsStay() throws {
    let parts = "scenario: { network: '3G', prefetcher: 'itemsAhead' }, baseline: { prefetcher: 'costBudget', 'network.queue': 7 }"
    let sweep = try sweep(parts, set: ["network.queue=9", "prefetcher.ahead=2"])
    #expect(try (0..<2).map { try sweep.decoded($0).scenario.network.queuePackets } == [9, 7])
  }

  @Test func conditionsUseSettings() throws {
    let parts = "scenario: { network: '3G', prefetcher: 'none' }, axes: { network: ['3G', 'LTE'] }, where: ['network.transport == packet']"
    #expect(try sweep(parts).grid.count == 2)
    #expect(messages(parts, set: ["network.transport=fluid"]).contains("leaves no point of 2"))
  }

  @Test func anAxisIsNarrowed() throws {
    let parts = "scenario: { network: '3G', prefetcher: 'itemsAhead' }, axes: { 'prefetcher.ahead': '1...9' }"
    for (setting, values) in [("4", ["4"]), ("2...4 by 2", ["2", "4"]), ("[7, 1]", ["7", "1"])] {
      let sweep = try sweep(parts, set: ["prefetcher.ahead=\(setting)"])
      #expect((0..<sweep.grid.count).map { sweep.axisValues($0)[0] } == values)
    }
  }

  @Test func aPathOfAGroupIsNotSetAlone() throws {
    let parts = """
      scenario: { network: '3G', prefetcher: 'itemsAhead' }, zip: [{ 'prefetcher.ahead': [1, 2], 'downloads.connections': [2, 4] }]
      """
    #expect(messages(parts, set: ["prefetcher.ahead=5"]).contains("varies together with other paths in zip.0"))
    #expect(try sweep(parts, set: ["zip=[]", "prefetcher.ahead=5"]).grid.count == 1)
  }

  @Test func spellingsOfOneScenarioAreRefused() {
    let parts = "scenario: { network: '3G', prefetcher: 'none' }, axes: { network: ['3G', { profile: '3G' }] }, baseline: {}"
    #expect(messages(parts).contains("which make the same scenario"))
  }

  @Test func aBaselineSpelledUnlikeItsGridPointIsNotExtra() throws {
    let parts = """
      scenario: { network: '3G', prefetcher: 'costBudget' }, axes: { 'prefetcher.maxCost': [4, 5], network: ['3G', 'LTE'] },
      baseline: { prefetcher: { kind: 'costBudget', imageCost: 1 }, network: { profile: '3G' } }
      """
    let sweep = try sweep(parts)
    #expect(sweep.baselines[0].index == 2)
    #expect(sweep.pointCount == 4)
    #expect(sweep.baselines[0].axisValues == ["5", "3G"])
  }
}

/// Points of different transports are never ranked or averaged together.
@Suite struct ModelStrataTests {
  private static let scenario = "scenario: { network: '3G', prefetcher: 'itemsAhead' }"
  private static let ahead = "'prefetcher.ahead': [1, 2]"

  @Test(arguments: [
    "axes: { 'network.transport': ['fluid', 'packet'], 'prefetcher.ahead': [1, 2] }",
    "axes: { 'network.transport': ['fluid', 'packet'], 'prefetcher.ahead': [1, 2] }, strata: []",
    "axes: { 'network.transport': ['fluid', 'packet'] }",
    "axes: { 'network.transport': ['fluid', 'packet'] }, baseline: { 'network.transport': 'packet' }",
    "axes: { network: ['3G', { profile: '3G', transport: 'fluid' }], 'prefetcher.ahead': [1, 2] }",
    "zip: [{ 'network.transport': ['fluid', 'packet'], 'feed.pages.size': [10, 30] }], axes: { 'prefetcher.ahead': [1, 2] }",
  ])
  func aSweptTransportMakesModels(parts: String) throws {
    let sweep = try sweep("\(Self.scenario), \(parts)")
    #expect(sweep.strata?.kind == .models && sweep.strata?.members.count == 2)
  }

  @Test func networksBesideTransportsAreModelsTogether() throws {
    let sweep = try sweep(
      "\(Self.scenario), axes: { 'network.profile': ['3G', 'LTE'], 'network.transport': ['fluid', 'packet'], \(Self.ahead) }, strata: ['network.profile']"
    )
    #expect(sweep.strata?.kind == .models && sweep.strata?.members.count == 4)
  }

  @Test func oneTransportForAllMakesNone() throws {
    let parts = "\(Self.scenario), axes: { 'network.transport': ['fluid', 'packet'], \(Self.ahead) }"
    #expect(try sweep(parts, set: ["network.transport=packet"]).strata == nil)
  }

  @Test(arguments: [
    ("network.profile=EDGE", "['3G', 'LTE']", "write network=EDGE"),
    ("network.down=1Mbps", "['3G', 'LTE']", #"write 'network={"profile":"3G","down":"1Mbps"}'"#),
    (
      "network.transport=packet", "['3G', { profile: 'LTE', transport: 'fluid' }]",
      #"write 'network={"profile":"3G","transport":"packet"}'"#
    ),
  ])
  func aSettingThatWouldRunUnderAnotherNameIsRefused(_ setting: String, networks: String, remedy: String) {
    let parts = "\(Self.scenario), axes: { network: \(networks), \(Self.ahead) }"
    let problem = "lies below network, which is swept whole, and would change its values under their old names"
    let path = setting.prefix { $0 != "=" }
    #expect(messages(parts, set: [setting]) == "--set: \(path): \(problem); \(remedy)")
    #expect(messages(parts, set: ["network.lossDown=1%"]).isEmpty)
  }

  @Test func aBaselineOfAnotherNetworkIsSaidToEndTheStrata() throws {
    let parts = "\(Self.scenario), axes: { network: ['3G', 'LTE'], \(Self.ahead) }, baseline: { network: 'DSL', 'prefetcher.ahead': 1 }"
    let found = try sweep(parts)
    #expect(found.strata == nil && found.warnings.contains { $0.hasPrefix("The baseline's network, DSL, is none of the axis's values") })
    #expect(try sweep(parts + ", strata: []").warnings.isEmpty)
  }

  @Test func aBaselineThatLooksLikeAPointIsReported() throws {
    let parts = "\(Self.scenario), axes: { \(Self.ahead) }, baseline: { 'prefetcher.ahead': 1, 'user.dwell': '2s' }"
    #expect(
      try sweep(parts).warnings == [
        "The baseline's row looks like a point's, but the baseline alone has user.dwell 2s, which no axis sets."
      ])
    #expect(try sweep(parts.replacing("ahead': 1,", with: "ahead': 7,")).warnings.isEmpty)
  }

  @Test func aPopulationOverModelsIsRefused() {
    let parts = """
      scenario: { prefetcher: 'itemsAhead', network: '3G' }, axes: { 'network.transport': ['fluid', 'packet'], \(Self.ahead) },
      population: [{ weight: 0.5, network: 'LTE' }, { weight: 0.5, network: 'DSL' }]
      """
    #expect(messages(parts).contains("choose the transport beside a population"))
  }

  /// The scenario's own values are those of members without them; only its missing network is the first member's.
  @Test func aScenarioWithoutNetworkKeepsItsOwnUserAndFeed() throws {
    let sweep = try sweep(
      """
      scenario: { feed: { items: 50 }, user: { dwell: '1s' }, prefetcher: 'itemsAhead' }, axes: { \(Self.ahead) },
      population: [{ weight: 0.5, network: 'LTE', user: { dwell: '2s' }, feed: { items: 30 } }, { weight: 0.5, name: '3G', network: '3G' }]
      """)
    let strata = try #require(sweep.strata)
    let words = try strata.members.indices.map { stratum in
      let parts = try sweep.decoded(sweep.pointIndex(ofBaseline: stratum)).description.parts
      return ["network", "user"].map { label in parts.first { $0.label == label }?.text.prefix { $0 != ":" } ?? "" }.joined(separator: "; ")
    }
    #expect(strata.members.map(\.name).last == "3G" && strata.members.count == 3)
    #expect(words == ["LTE; 50 items, 1s each", "LTE; 30 items, 2s each", "3G; 50 items, 1s each"], "\(words)")
  }

  @Test func aSweepWithoutBaselineIsMarked() throws {
    let parts = "\(Self.scenario), axes: { \(Self.ahead) }"
    #expect(try sweep(parts).baselineSettings == nil)
    #expect(try sweep("\(parts), baseline: {}").baselineSettings != nil)
  }
}
