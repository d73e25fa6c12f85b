import TestSupport
import Testing

@testable import Analysis
@testable import Base
@testable import Simulation
@testable import Sweep

/// The keys of `downloads.store`, and the column of its reason.
@Suite struct StoreKeyTests {
  private static func decode(_ store: String, into sink: DiagnosticSink) throws -> DecodedScenario? {
    let text = "{ network: \"3G\", feed: { items: 5 }, downloads: { \(store) }, prefetcher: \"none\" }"
    return ScenarioDecoder(files: InputFiles(folder: ".")).decode(try parsed(text), into: sink)
  }

  private static func decoded(_ store: String) throws -> DecodedScenario {
    let sink = DiagnosticSink()
    let decoded = try decode(store, into: sink)
    try sink.throwIfAny()
    return try #require(decoded)
  }

  @Test func aStoreHasTwoSizesARuleAndATime() throws {
    let decoded = try Self.decoded("store: { memory: \"50MB\", disk: \"200MB\", evict: \"farthest\", diskRead: \"5ms\" }")
    let store = try #require(decoded.scenario as? Scenario).downloads.store
    #expect(store.memory == 50_000_000 && store.disk == 200_000_000)
    #expect(store.evict == .farthest && store.diskRead == .milliseconds(5))
    let text = decoded.description.parts.map { $0.text }.joined(separator: "; ")
    #expect(text.contains("50MB of memory, 200MB of disk (5ms a read), farthest evicts"), "\(text)")
  }

  @Test func withoutTheKeyIdsAreThoseOfOlderProgramsAndWithItOthers() throws {
    let plain = try Self.decoded("")
    #expect(!plain.lines.contains { $0.contains("store") })
    #expect(try Self.decoded("store: {}").point == plain.point)
    #expect(try Self.decoded("store: { memory: \"5MB\" }").point != plain.point)
    let unlimited = try #require(try Self.decoded("store: { memory: \"none\", disk: \"none\" }").scenario as? Scenario)
    #expect(unlimited.downloads.store == StoreSettings())
  }

  @Test(arguments: [
    ("store: { disk: \"5MB\" }", "downloads.store: has no memory, and without its size nothing is evicted; add memory: \"50MB\""),
    ("store: { memory: \"5MB\", evict: \"fifo\" }", "downloads.store.evict: "),
    ("store: { memory: \"5MB\", diskRead: \"0s\" }", "downloads.store.diskRead: is 0ns"),
    ("store: { memory: 5 }", "downloads.store.memory: "), ("store: { memory: \"2000GB\" }", "downloads.store.memory: is 2000GB"),
    ("store: { memory: \"5MB\", size: \"5MB\" }", "downloads.store.size: "), ("store: \"5MB\"", "downloads.store: "),
  ])
  func mistakesAreNamed(store: String, problem: String) throws {
    let sink = DiagnosticSink()
    _ = try Self.decode(store, into: sink)
    let found = sink.sorted.map(\.description).joined(separator: "\n")
    #expect(found.contains(problem), "\(found)")
  }

  private static func metrics(_ more: String, downloads: String = "", axes: String = "\"prefetcher.ahead\": [0, 1]") throws -> [String] {
    try JournalTests.runner(
      """
      { sweep: "small", repeats: 4, axes: { \(axes) }, \(more)
        scenario: { network: { profile: "3G", transport: "fluid" }, feed: { items: 20 }, downloads: { \(downloads) },
                    prefetcher: { kind: "itemsAhead" } } }
      """
    ).sweep.metrics
  }

  @Test func sweepsWithAStoreHaveTheColumnOfItsReasonAfterAllOthers() throws {
    #expect(try Self.metrics("") == [])
    #expect(try Self.metrics("", downloads: "store: { memory: \"5MB\" }") == ["evicted"])
    #expect(try Self.metrics("", axes: "\"downloads.store.memory\": [\"none\", \"5MB\"]") == ["evicted"])
    #expect(try Self.metrics("", axes: "downloads: [{ connections: 1 }, { store: { memory: \"5MB\" } }]") == ["evicted"])
    #expect(try Self.metrics("", axes: "downloads: [{ connections: 1 }, { connections: 2 }]") == [])
    #expect(try Self.metrics("baseline: { downloads: { store: { memory: \"5MB\" } } },") == ["evicted"])
    #expect(try Self.metrics("metrics: [\"bytesPerHour\"],", downloads: "store: { memory: \"5MB\" }") == ["bytesPerHour", "evicted"])
    #expect(RunSchema.feed.offered.last == .evicted && RunSchema.backgroundDownload.offered.isEmpty)
  }

  @Test func theReasonsOfARowAddUpToItsLoaders() throws {
    let runner = try JournalTests.runner(
      """
      { sweep: "small", axes: { "prefetcher.ahead": [2, 5] },
        scenario: { network: { profile: "3G", transport: "fluid" }, feed: { items: 30 }, user: { back: 0.3 },
                    downloads: { store: { memory: "400KB" } }, prefetcher: { kind: "itemsAhead" } } }
      """)
    let row = try #require(runner.row(point: try runner.sweep.decoded(0).point, repetition: 1))
    #expect(row[.evicted] ?? 0 > 0 && row[.bytesDuplicate] ?? 0 > 0)
    #expect(Metric.reasons.reduce(0) { $0 + (row[$1] ?? 0) } == row[.loaders])
  }
}
