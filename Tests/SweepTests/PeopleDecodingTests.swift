import Simulation
import TestSupport
import Testing

@testable import Base
@testable import Sweep

/// The keys of people: presets are defaults of other keys, which override them.
@Suite struct PeopleDecodingTests {
  private static func decode(_ user: String, into sink: DiagnosticSink) throws -> DecodedScenario? {
    let text = "{ network: \"3G\", feed: { items: 10 }, user: \(user), prefetcher: \"none\" }"
    return ScenarioDecoder(files: InputFiles(folder: "")).decode(try parsed(text), into: sink)
  }

  private static func user(_ text: String) throws -> UserScript {
    let sink = DiagnosticSink()
    let decoded = try decode(text, into: sink)
    try sink.throwIfAny()
    let scenario = try #require(decoded).scenario as? Scenario
    return try #require(scenario).user
  }

  private static func problems(_ user: String) throws -> String {
    let sink = DiagnosticSink()
    _ = try decode(user, into: sink)
    return sink.sorted.map(\.description).joined(separator: "\n")
  }

  @Test func aPresetGivesWhatOtherKeysDoNot() throws {
    for people in People.allCases {
      let user = try Self.user("{ people: \"\(people.rawValue)\" }")
      #expect(user.dwell == people.dwell && user.back == people.back && user.leave == people.leave && user.scroll == 10)
      #expect(user.watchRatio == people.watchRatio && user.flings == people.flings)
    }
    let user = try Self.user("{ people: \"image-feed\", dwell: { video: \"4s\" }, back: 0, leave: 0.1 }")
    #expect(user.dwellByKind[1] == .constant(4_000_000_000) && user.dwellByKind[0] == People.imageFeed.dwell)
    #expect(user.back == 0 && user.leave == 0.1)
    #expect(try Self.user("{ people: \"image-flings\", flings: \"none\" }").flings == nil)
    // A script has its own ways back and out.
    let script = try Self.user("{ people: \"reader\", script: [{ scroll: 3 }] }")
    #expect(script.leave == 0 && script.dwell == People.reader.dwell)
    #expect(try Self.user("{ people: \"none\" }") == Self.user("{}"))
  }

  @Test func aWatchRatioIsANumberQuantilesOrAName() throws {
    #expect(try Self.user("{ watchRatio: 0.8 }").watchRatio == WatchRatio(.constant(800_000)))
    #expect(try Self.user("{ watchRatio: \"kuaishou\" }").watchRatio == .kuaishou)
    #expect(try Self.user("{ watchRatio: \"study\" }").watchRatio == .study)
    #expect(try Self.user("{ watchRatio: { values: [0.1, 2] } }").watchRatio == WatchRatio(.quantiles([100_000, 2_000_000], at: [0, 1])))
    #expect(try Self.user("{ watchRatio: \"none\" }").watchRatio == nil)
    #expect(try Self.user("{ people: \"mixed-feed\", watchRatio: \"none\" }") == Self.user("{ people: \"image-feed\" }"))
    #expect(try Self.user("{ people: \"mixed-feed\" }") == Self.user("{ people: \"image-feed\", watchRatio: \"study\" }"))
  }

  @Test func aWatchRatioMayDependOnTheLength() throws {
    let text = "{ watchRatio: [{ below: \"12s\", values: [0.1, 1] }, { values: [0, 0.5, 1], at: [0, 0.9, 1] }] }"
    let expected = WatchRatio([
      .init(below: .seconds(12), ratio: .quantiles([100_000, 1_000_000], at: [0, 1])),
      .init(ratio: .quantiles([0, 500_000, 1_000_000], at: [0, 0.9, 1])),
    ])
    #expect(try Self.user(text).watchRatio == expected)
    #expect(try Self.user("{ watchRatio: [{ values: [0.1, 2] }] }") == Self.user("{ watchRatio: { values: [0.1, 2] } }"))
  }

  @Test func flingsHaveAProbabilityAndItems() throws {
    #expect(try Self.user("{ flings: { probability: \"10%\", items: 5 } }").flings == Flings(probability: 0.1, items: .constant(5)))
    #expect(
      try Self.user("{ flings: { probability: 1, items: { values: [2, 9, 20], at: [0, 0.8, 1] } } }").flings
        == Flings(probability: 1, items: .quantiles([2, 9, 20], at: [0, 0.8, 1])))
    #expect(try Self.user("{ flings: \"none\" }") == Self.user("{}"))
    #expect(try Self.user("{ flings: { probability: 0, items: 5 } }") == Self.user("{}"))
    // A script has flings of its own.
    #expect(try Self.user("{ people: \"image-flings\", script: [{ scroll: 3 }] }").flings == nil)
  }

  @Test func quantilesHaveEqualStepsUnlessProbabilitiesAreGiven() throws {
    let even = try Self.user("{ dwell: { distribution: \"quantiles\", values: [\"1s\", \"2s\", \"5s\"] } }").dwell
    #expect(even == .quantiles([1_000_000_000, 2_000_000_000, 5_000_000_000], at: [0, 0.5, 1]))
    let given = try Self.user("{ dwell: { distribution: \"quantiles\", values: [\"1s\", \"2s\"], at: [0, 1] } }").dwell
    #expect(given == .quantiles([1_000_000_000, 2_000_000_000], at: [0, 1]))
  }

  @Test(arguments: [
    (#"{ people: "tiktok" }"#, "user.people: is unknown: \"tiktok\""),
    (#"{ back: 0.5 }"#, "user.back: is 0.5, more than 0.4; write 0.4 or less"),
    (#"{ flings: 0.1 }"#, "user.flings: is the number 0.1, not an object; write { probability: 0.1, items: 5 }"),
    (#"{ flings: { probability: 0.1 } }"#, "user.flings.items: is missing"),
    (#"{ flings: { items: 5 } }"#, "user.flings.probability: is missing"),
    (#"{ flings: { probability: 2, items: 1 } }"#, "user.flings.probability: is 2"),
    (#"{ flings: { probability: 0.1, items: 1 } }"#, "user.flings.items: is 1"),
    (#"{ flings: { probability: 0.1, items: { values: [2, 1.5] } } }"#, "user.flings.items.values: is 1.5"),
    (#"{ flings: { probability: 0.1, items: 5, dwell: 1 } }"#, "user.flings.dwell: unknown key"),
    (#"{ script: [{ scroll: 3 }], flings: { probability: 1, items: 2 } }"#, "user.flings: unknown key"),
    (#"{ script: [{ scroll: 3 }], back: 0.1, leave: 0.1 }"#, "user.back: unknown key"),
    (#"{ watchRatio: "tiktok" }"#, "user.watchRatio: is unknown: \"tiktok\""),
    (#"{ watchRatio: -1 }"#, "user.watchRatio: is -1"),
    (#"{ watchRatio: { values: [0.5, 0.1] } }"#, "user.watchRatio.values: are not 2 to 1000 values in increasing order"),
    (#"{ watchRatio: [] }"#, "user.watchRatio: is empty"), (#"{ watchRatio: [1] }"#, "user.watchRatio.0: is "),
    (#"{ watchRatio: [{ values: [0, 1] }, { values: [0, 1] }] }"#, "user.watchRatio.0.below: is missing"),
    (#"{ watchRatio: [{ below: "9s", values: [0, 1] }] }"#, "user.watchRatio.0.below: is set in the last class"),
    (
      #"{ watchRatio: [{ below: "9s", values: [0, 1] }, { below: "9s", values: [0, 1] }, { values: [0, 1] }] }"#,
      "user.watchRatio.1.below: does not rise"
    ),
    (#"{ watchRatio: [{ below: 9, value: 0 }, { values: [0, 1] }] }"#, "user.watchRatio.0.value: unknown key"),
    (#"{ dwell: { distribution: "quantiles", values: ["1s"] } }"#, "user.dwell.values: are not 2 to 1000 values"),
    (#"{ dwell: { distribution: "quantiles", values: ["1s", "2s"], at: [0, 0.5] } }"#, "user.dwell.at: does not rise from 0 to 1"),
    (#"{ dwell: { distribution: "quantiles", values: ["1s", 2] } }"#, "user.dwell.values: is "),
    (#"{ dwell: { distribution: "quantiles" } }"#, "user.dwell.values: is missing"),
  ])
  func aMistakeHasALocationAndARemedy(_ user: String, _ message: String) throws {
    let problems = try Self.problems(user)
    #expect(problems.contains(message), "\(problems)")
    #expect(problems.split(separator: "\n").allSatisfy { $0.hasPrefix("f:1:") && $0.contains("; ") }, "\(problems)")
  }
}
