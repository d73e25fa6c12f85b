import Simulation
import TestSupport
import Testing

@testable import Analysis
@testable import Base
@testable import Sweep

/// Background scenarios in sweep files.
@Suite struct BackgroundDecodingTests {
  private func decode(_ text: String) throws -> DecodedScenario {
    let sink = DiagnosticSink()
    let decoded = ScenarioDecoder(files: InputFiles(folder: "")).decode(try parsed(text), into: sink)
    try sink.throwIfAny()
    return try #require(decoded)
  }

  private func background(_ text: String) throws -> BackgroundScenario {
    try #require(try decode("{ kind: \"backgroundDownload\", network: \"LTE\", \(text) }").scenario as? BackgroundScenario)
  }

  @Test func aStrategyByNameHasItsTraits() throws {
    for strategy in DownloadStrategy.all { #expect(try background("strategy: \"\(strategy.name)\"").strategy == strategy) }
  }

  @Test func everyKeyIsRead() throws {
    let scenario = try background(
      """
      resources: { count: 3, slices: 7, slice: { distribution: "uniform", min: "1KB", max: "2KB" } }, mark: "10min",
      app: { foreground: "1min", backgroundTask: "30s", assertion: "20s", launch: "2s", visits: [{ at: "2h", for: "3min" }], crash: "4h",
        forceQuit: "5h" },
      daemon: { startDelay: "0s", limiter: "30s", discretionary: "15min", connections: 2 },
      strategy: { kind: "fourPerWake", slices: 9, connections: 5, creation: "3ms", backgroundTask: true, discretionary: true },
      energy: { radio: 1, megabit: 2, awake: 3, wake: 4 }
      """)
    #expect(scenario.resources == 3 && scenario.slices == 7 && scenario.sliceBytes == .uniform(1000, 2000))
    #expect(scenario.mark == .seconds(600))
    #expect(scenario.life.foreground == .seconds(60) && scenario.life.backgroundTask == .seconds(30))
    #expect(scenario.life.assertion == .constant(20_000_000_000) && scenario.life.launch == .seconds(2))
    #expect(scenario.life.visits == [TimeSpan(start: .seconds(7200), duration: .seconds(180))])
    #expect(scenario.life.crash == .seconds(14400) && scenario.life.forceQuit == .seconds(18000))
    #expect(scenario.daemon.startDelay == .constant(0) && scenario.daemon.limiter == .seconds(30))
    #expect(scenario.daemon.discretionary == .constant(900_000_000_000) && scenario.daemon.connections == 2)
    #expect(scenario.strategy.batch == .slices(9) && scenario.strategy.connections == 5 && scenario.strategy.creation == .milliseconds(3))
    #expect(scenario.strategy.usesBackgroundTask && scenario.strategy.isDiscretionary)
    #expect(scenario.energy.joules(radioMs: 1000, bytes: 125_000, awakeMs: 1000, wakes: 1) == 10)
  }

  @Test func theKindFeedIsTheDefault() throws {
    let (plain, said) = (
      try decode("{ network: \"3G\", prefetcher: \"none\" }"), try decode("{ kind: \"feed\", network: \"3G\", prefetcher: \"none\" }")
    )
    #expect(plain.point == said.point)
    #expect(type(of: plain.scenario).schema == .feed)
  }

  @Test(arguments: [
    ("{ kind: \"backgroundDownload\", network: \"3G\" }", "f:1:1: strategy: is missing; add strategy: \"fourPerWake\""),
    ("{ kind: \"backgroundDownload\", network: \"3G\", strategy: \"fourPerWak\" }", "did you mean \"fourPerWake\"?"),
    ("{ kind: \"backgroundDownload\", network: \"3G\", strategy: \"archive\", feed: {} }", "feed: unknown key"),
    (
      "{ kind: \"background\", network: \"3G\", prefetcher: \"none\" }",
      "kind: is unknown: \"background\"; choices: feed, backgroundDownload"
    ),
    (
      "{ kind: \"backgroundDownload\", network: \"3G\", strategy: \"archive\", resources: { slices: 20000, slice: \"1MB\" } }",
      "resources.slice: makes a resource larger than 1000000000 bytes"
    ),
    (
      "{ kind: \"backgroundDownload\", network: \"3G\", strategy: \"archive\", app: { visits: [{ at: \"1s\", for: \"1s\" }] } }",
      "app.visits.0.at: is before 5s"
    ),
  ])
  func mistakesAreNamedWithTheirRemedy(_ text: String, _ message: String) throws {
    let messages = messages { sink in
      _ = ScenarioDecoder(files: InputFiles(folder: "")).decode(
        (try? parsed(text)) ?? JSON5Value(kind: .null, location: SourceLocation(file: "f")), into: sink)
    }
    #expect(messages.contains(message), "\(messages)")
  }

  @Test func aRowHasNoValuesOfTheOtherKind() throws {
    let kinds = [
      "{ kind: \"backgroundDownload\", network: { profile: \"LTE\", transport: \"fluid\" }, strategy: \"archive\" }",
      "{ feed: { items: 20 }, network: { profile: \"LTE\", transport: \"fluid\" }, prefetcher: \"none\" }",
    ]
    for text in kinds {
      let scenario = try decode(text).scenario
      let (metrics, schema) = (try scenario.metrics(seed: 1), type(of: scenario).schema)
      for metric in Metric.allCases where !schema.metrics.contains(metric) { #expect(metrics[metric] == nil, "\(metric)") }
      #expect(metrics[schema.headline] != nil)
      #expect(metrics[schema.cost] != nil)
    }
  }
}
