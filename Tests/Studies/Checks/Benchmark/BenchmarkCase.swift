// The timed sessions: a base case, and variations of each setting.

import Simulation

/// A session to time. The defaults are the base case: 1000 items at 1 s, five ahead, one connection, a trace.
struct BenchmarkCase: Hashable {
  var items = 1000
  var ahead = 5
  var connections = 1
  var cancel = DownloadSettings.CancelRule.keep
  var transport = NetworkConfiguration.TransportKind.fluid
  var isGenerated = false
  /// True if each session starts elsewhere in the trace, so that the processor's branch predictor cannot learn it.
  var startsAnywhere = false

  struct Row {
    var section: String
    var name: String
    var scenario: Scenario
  }

  /// The cases of all sections.
  static var rows: [Row] { cases.map { Row(section: $0, name: $1, scenario: $2.scenario) } }

  private static let cases: [(String, String, BenchmarkCase)] =
    [("base", "1000 items, 5 ahead, 1 connection", BenchmarkCase())]
    + [100, 1000, 10_000].map { ("items", "\($0) items", BenchmarkCase(items: $0)) }
    + [0, 1, 2, 5, 10, 20, 50].map { ("window", "\($0) ahead", BenchmarkCase(ahead: $0)) }
    + [1, 2, 4, 6, 16].map { ("connections", "\($0) connections", BenchmarkCase(connections: $0)) }
    + DownloadSettings.CancelRule.allCases.map { ("cancel", $0.rawValue, BenchmarkCase(cancel: $0)) }
    + NetworkConfiguration.TransportKind.allCases.map { ("transport", $0.rawValue, BenchmarkCase(transport: $0)) }
    + [("feed", "generated in each run", BenchmarkCase(isGenerated: true))]
    + NetworkConfiguration.TransportKind.allCases.map {
      ("elsewhere", "\($0.rawValue), 4 connections", BenchmarkCase(connections: 4, transport: $0, startsAnywhere: true))
    }
    + NetworkConfiguration.TransportKind.allCases.flatMap { transport in
      [1, 4].flatMap { connections in
        [1, 5, 20].map { ahead in
          (
            "\(transport.rawValue)", "\(connections) connections, \(ahead) ahead",
            BenchmarkCase(ahead: ahead, connections: connections, transport: transport)
          )
        }
      }
    }

  var scenario: Scenario {
    Scenario(
      feed: isGenerated ? .generated(BenchmarkCase.generator(count: items)) : .fixed(BenchmarkCase.feed(count: items)),
      network: NetworkConfiguration(
        down: BenchmarkCase.trace, up: BenchmarkCase.trace, delayDown: .milliseconds(50), delayUp: .milliseconds(50), transport: transport),
      startsAnywhere: startsAnywhere, downloads: DownloadSettings(connections: connections, cancel: cancel),
      user: UserScript(scroll: items, dwell: .constant(1_000_000_000)), prefetcher: ItemsAhead(ahead: ahead))
  }

  /// A trace like the 3G log of the feed's cross-check, generated so that the benchmark needs no files: 192 periods of about a second,
  /// 0.25 to 2.65 Mbit/s with a mean of 1.45.
  private static let trace: LinkRate = {
    var random = RandomStream(seed: 3)
    return LinkRate(
      periods: (0..<192).map { _ in
        LinkRate.Period(
          duration: Interval(nanoseconds: 1_000_000_000 + Int64(random.below(40_000_000))),
          bitsPerSecond: (250 + Int64(random.below(1200)) + Int64(random.below(1200))) * 1000, latency: .milliseconds(100))
      })
  }()

  /// Returns a feed like the cross-check's: images of 40 to 160 KB, every fifth item 200 KB.
  private static func feed(count: Int) -> ContiguousArray<Item> {
    ContiguousArray(
      (0..<count).map { index -> Item in
        let varied: Int64 = 40_000 + Int64(index * 7919 % 61) * 2000
        return Item(kind: .image, bytes: index % 5 == 4 ? 200_000 : varied)
      })
  }

  /// Returns the default feed: four images per video, lognormal sizes.
  private static func generator(count: Int) -> FeedGenerator {
    FeedGenerator(count: count, mix: [0.8, 0.2, 0, 0], sizes: ItemKind.allCases.map(FeedGenerator.defaultSizes))
  }
}
