import TestSupport
import Testing

@testable import Base
@testable import Simulation
@testable import Sweep

/// The keys of renditions and of their choice.
@Suite struct RenditionKeyTests {
  private static func decode(_ video: String, downloads: String = "{}", into sink: DiagnosticSink) throws -> DecodedScenario? {
    let text = "{ network: \"3G\", feed: { items: 5, video: \(video) }, downloads: \(downloads), prefetcher: \"none\" }"
    return ScenarioDecoder(files: InputFiles(folder: "Tests/Corpus/feed")).decode(try parsed(text), into: sink)
  }

  private static func decoded(_ video: String, downloads: String = "{}") throws -> DecodedScenario {
    let sink = DiagnosticSink()
    let decoded = try decode(video, downloads: downloads, into: sink)
    try sink.throwIfAny()
    return try #require(decoded)
  }

  @Test func aVideoHasRatesAndSegments() throws {
    let video = "{ renditions: [\"500kbps\", \"1Mbps\"], segment: \"4s\" }"
    let scenario = try #require(try Self.decoded(video, downloads: "{ rendition: \"bola\", buffer: \"12s\" }").scenario as? Scenario)
    #expect(scenario.renditions == Renditions(bitsPerSecond: [500_000, 1_000_000], segment: .seconds(4)))
    #expect(scenario.downloads.rendition == .bola && scenario.downloads.buffer == .seconds(12))
  }

  @Test func withoutTheKeysIdsAreThoseOfOlderProgramsAndWithThemOthers() throws {
    let plain = try Self.decoded("{}")
    #expect(!plain.lines.contains { $0.contains("rendition") || $0.contains("segment") || $0.contains("buffer") })
    let some = "renditions: [\"500kbps\", \"1Mbps\"]"
    let points = try [
      plain, Self.decoded("{ \(some) }"), Self.decoded("{ renditions: [\"1Mbps\"] }"), Self.decoded("{ \(some), segment: \"4s\" }"),
      Self.decoded("{ \(some) }", downloads: "{ rendition: \"mpc\" }"), Self.decoded("{ \(some) }", downloads: "{ buffer: \"12s\" }"),
    ].map(\.point)
    #expect(Set(points).count == points.count)
  }

  @Test(arguments: [
    ("{ segment: \"2s\" }", "{}", "feed.video.segment: needs renditions"),
    ("{ renditions: [] }", "{}", "feed.video.renditions: is no list of 1 to 16 rates"),
    ("{ renditions: [\"2Mbps\", \"1Mbps\"] }", "{}", "feed.video.renditions: is no list of 1 to 16 rates in increasing order"),
    ("{ renditions: [\"2Mbps\", \"1Gbps\"] }", "{}", "feed.video.renditions: is 1Gbps"),
    ("{ renditions: \"1Mbps\" }", "{}", "feed.video.renditions: "),
    ("{ renditions: [\"1Mbps\"], prefix: \"10KB\" }", "{}", "feed.video.prefix: has no effect with renditions"),
    ("{ renditions: [\"1Mbps\"], segment: \"100ms\" }", "{}", "feed.video.segment: is 100ms"),
    ("{}", "{ rendition: \"bola\" }", "downloads.rendition: needs videos with renditions"),
    ("{}", "{ buffer: \"10s\" }", "downloads.buffer: needs videos with renditions"),
    ("{ renditions: [\"1Mbps\"] }", "{ rendition: \"bolla\" }", "did you mean"),
    ("{ renditions: [\"1Mbps\"], segment: \"4s\" }", "{ buffer: \"3s\" }", "downloads.buffer: is 3s, less than a segment of 4s"),
    ("{ renditions: [\"1Mbps\"], segment: \"1min\" }", "{}", "downloads.buffer: is 25s, less than a segment of 1min"),
    ("{ renditions: [\"1Mbps\"], segment: \"4s\" }", "{ buffer: \"0s\" }", "downloads.buffer: is 0ns, less than 1s"),
  ])
  func aMistakeIsNamed(video: String, downloads: String, problem: String) throws {
    let sink = DiagnosticSink()
    _ = try Self.decode(video, downloads: downloads, into: sink)
    let found = sink.sorted.map(\.description)
    #expect(found.count == 1 && found[0].contains(problem), "\(found)")
  }

  @Test(arguments: [
    ("{ patience: \"5s\", stallsExtend: true }", ["user.stallsExtend=true"], []),
    ("{ patience: \"5s\" }", [], []),
    ("{ stallsExtend: true }", [], ["user.stallsExtend: needs a user with patience"]),
    ("{ patience: \"5s\", stallsExtend: 1 }", [], ["user.stallsExtend: "]),
  ])
  func stallsExtendTheVisitsOfAUserWithPatience(user: String, lines: [String], problems: [String]) throws {
    let sink = DiagnosticSink()
    let text = "{ network: \"3G\", feed: { items: 5 }, user: \(user), prefetcher: \"none\" }"
    let decoded = ScenarioDecoder(files: InputFiles(folder: "Tests/Corpus/feed")).decode(try parsed(text), into: sink)
    let found = sink.sorted.map(\.description)
    #expect(found.count == problems.count && zip(found, problems).allSatisfy { $0.contains($1) }, "\(found)")
    if problems.isEmpty { #expect(decoded?.lines.filter { $0.contains("stallsExtend") } == lines) }
  }

  /// The largest sizes that the keys allow.
  @Test func extremesDoNotOverflow() throws {
    let few = "bytes: \"1GB\", bitRate: \"1kbps\", segment: \"1min\", renditions:"
    for (rates, rule) in ["[\"10kbps\", \"100Mbps\"]", "[\"100Mbps\"]"].flatMap({ rates in RenditionChoice.allCases.map { (rates, $0) } }) {
      let decoded = try Self.decoded("{ \(few) \(rates) }", downloads: "{ rendition: \"\(rule.rawValue)\", buffer: \"24h\" }")
      var scenario = try #require(decoded.scenario as? Scenario)
      scenario.user.dwell = .constant(3_600_000_000_000)
      #expect(scenario.run(seed: 1).bytesReceived > 0)
      _ = try scenario.explain(seed: 1, limits: RunLimits())
    }
  }
}
