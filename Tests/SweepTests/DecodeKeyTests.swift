import TestSupport
import Testing

@testable import Base
@testable import Simulation
@testable import Sweep

/// The keys of decode times, decoders and players.
@Suite struct DecodeKeyTests {
  private static func decode(_ feed: String, downloads: String = "{}", into sink: DiagnosticSink) throws -> DecodedScenario? {
    let text = "{ network: \"3G\", feed: \(feed), downloads: \(downloads), prefetcher: \"none\" }"
    return ScenarioDecoder(files: InputFiles(folder: "Tests/Corpus/feed")).decode(try parsed(text), into: sink)
  }

  private static func decoded(_ feed: String, downloads: String = "{}") throws -> DecodedScenario {
    let sink = DiagnosticSink()
    let decoded = try decode(feed, downloads: downloads, into: sink)
    try sink.throwIfAny()
    return try #require(decoded)
  }

  @Test func aKindHasATimeOfItsOwn() throws {
    let decoded = try Self.decoded(
      "{ items: 5, image: { decode: \"5ms\", decodePerMB: \"60ms\" }, video: { decode: \"120ms\" } }",
      downloads: "{ decoders: 3, players: 2 }")
    let scenario = try #require(decoded.scenario as? Scenario)
    #expect(scenario.decodeTimes.nanoseconds(of: Item(kind: .image, bytes: 500_000)) == 35_000_000)
    // Of a video, the prefix counts.
    let video = Item(videoBytes: 5_000_000, prefixBytes: 200_000, bitsPerSecond: 1_000_000)
    #expect(scenario.decodeTimes.nanoseconds(of: video) == 120_000_000)
    #expect(scenario.decodeTimes.nanoseconds(of: Item(kind: .webApp, bytes: 500_000)) == 0)
    #expect(scenario.downloads.decoders == 3 && scenario.downloads.players == 2)
  }

  @Test func withoutTheKeysIdsAreThoseOfOlderProgramsAndWithThemOthers() throws {
    let plain = try Self.decoded("{ items: 5 }")
    #expect(!plain.lines.contains { $0.contains("decode") || $0.contains("players") })
    #expect(try Self.decoded("{ items: 5, image: { decode: \"5ms\" } }").point != plain.point)
    #expect(try Self.decoded("{ items: 5 }", downloads: "{ players: 2 }").point != plain.point)
  }

  @Test(arguments: [
    ("{ items: 5, image: { decode: \"11s\" } }", "feed.image.decode: is 11s"),
    ("{ items: 5, video: { decodePerMB: \"2s\" } }", "feed.video.decodePerMB: is 2s"),
    ("{ items: 5, image: { decode: 5 } }", "feed.image.decode: "),
  ])
  func aWrongTimeIsNamed(feed: String, problem: String) throws {
    let sink = DiagnosticSink()
    _ = try Self.decode(feed, into: sink)
    #expect(sink.sorted.map(\.description).joined(separator: "\n").contains(problem))
  }
}
