// Sessions in real time against a server in this process.

import Base
import Foundation
import Synchronization
import Testing

@testable import LiveClient
@testable import Simulation
@testable import Sweep

@Suite(.serialized, .timeLimit(.minutes(2))) struct LiveNetworkTests {
  private static func scenario(
    _ sizes: [Int64], ahead: Int, dwellMs: Int64, downloads: DownloadSettings = DownloadSettings(), videos: Bool = false
  ) -> Scenario {
    let rate = LinkRate(constant: 8_000_000)
    let items = sizes.map { videos ? Item(videoBytes: $0, prefixBytes: 50_000, bitsPerSecond: 0) : Item(kind: .image, bytes: $0) }
    return Scenario(
      feed: .fixed(ContiguousArray(items)), network: NetworkConfiguration(down: rate, up: rate, delayDown: .zero, delayUp: .zero),
      downloads: downloads, user: UserScript(scroll: sizes.count, dwell: .constant(dwellMs * 1_000_000)),
      prefetcher: ItemsAhead(ahead: ahead, prefixOnly: false))
  }

  /// Runs a scenario against a server, and closes its connections afterwards.
  private static func run(
    _ scenario: Scenario, _ server: StubServer, timeout: Interval = .seconds(60), timeLimit: Interval = .seconds(60),
    isCancelled: @escaping @Sendable () -> Bool = { false }
  ) throws -> SessionMetrics {
    var settings = LiveBackend()
    settings.server = server.address
    settings.requestTimeout = timeout
    settings.timeLimit = timeLimit
    let network = LiveNetwork(settings, repetition: 2, connections: scenario.downloads.connections, isCancelled: isCancelled)
    let metrics = scenario.run(seed: 1, over: network)
    if let failure = network.close() { throw failure }
    return metrics
  }

  private static func reason(
    _ manner: StubServer.Manner, sizes: [Int64] = [60_000, 60_000], timeout: Interval = .seconds(60), timeLimit: Interval = .seconds(60),
    pages: Bool = false, isCancelled: @escaping @Sendable () -> Bool = { false }
  ) throws -> (reason: String, seconds: Double) {
    let server = try StubServer(sizes: sizes, manner: manner)
    defer { server.close() }
    var scenario = scenario(sizes, ahead: 1, dwellMs: 30_000, videos: true)
    if pages { scenario.pages = PageSettings(size: 1) }
    let start = Date()
    do {
      _ = try run(scenario, server, timeout: timeout, timeLimit: timeLimit, isCancelled: isCancelled)
      return ("none", 0)
    } catch let failure as Refusal {
      return (failure.description.replacingOccurrences(of: server.address, with: "SERVER"), Date().timeIntervalSince(start))
    }
  }

  @Test func prefetchedItemsAreReadyAndOthersAreLoaders() throws {
    let sizes = [Int64](repeating: 40_000, count: 5)
    let server = try StubServer(sizes: sizes, bytesPerSecond: 400_000)
    defer { server.close() }
    let none = try Self.run(Self.scenario(sizes, ahead: 0, dwellMs: 700), server)
    #expect(none.loaders == 5)
    #expect(none.waitMsMean > 85 && none.waitMsMean < 600, "a file takes a tenth of a second and not \(none.waitMsMean) ms")
    let one = try Self.run(Self.scenario(sizes, ahead: 1, dwellMs: 700), server)
    #expect(one.loaders == 1)
    #expect(one.bytesReceived == 200_000 && one.bytesUseful == 200_000 && one.requests == 5)
    let paths = server.requests.map(\.path)
    let all = (0..<5).map { "/2/\($0)" }
    // Requests sent at the same time may arrive in either order.
    #expect(paths.prefix(5).sorted() == all && paths.suffix(5).sorted() == all)
  }

  @Test func theRunLastsAsLongAsItsScript() throws {
    let server = try StubServer(sizes: [1000, 1000, 1000])
    defer { server.close() }
    let start = Date()
    _ = try Self.run(Self.scenario([1000, 1000, 1000], ahead: 2, dwellMs: 300), server)
    let seconds = Date().timeIntervalSince(start)
    #expect(seconds > 0.89 && seconds < 3, "\(seconds)")
  }

  @Test func aCancelClosesItsConnectionAndLosesItsBytes() throws {
    let sizes: [Int64] = [2_000_000, 20_000, 20_000]
    let server = try StubServer(sizes: sizes, bytesPerSecond: 1_000_000)
    defer { server.close() }
    let metrics = try Self.run(Self.scenario(sizes, ahead: 0, dwellMs: 500), server)
    #expect(metrics.cancels == 1)
    #expect(metrics.bytesCancelled > 100_000 && metrics.bytesCancelled < 1_000_000, "\(metrics.bytesCancelled)")
    #expect(metrics.bytesUseful == 40_000)
    let first = try #require(server.requests.first)
    #expect(first.wasClosedEarly && first.sent < 2_000_000)
  }

  @Test func keptBytesAreNotRequestedAgain() throws {
    let sizes: [Int64] = [20_000, 900_000]
    let server = try StubServer(sizes: sizes, bytesPerSecond: 1_000_000)
    defer { server.close() }
    let metrics = try Self.run(Self.scenario(sizes, ahead: 1, dwellMs: 500, downloads: DownloadSettings(cancel: .resume)), server)
    let requests = server.requests.filter { $0.path == "/2/1" }
    #expect(requests.count == 2)
    let again = try #require(requests.last?.range)
    #expect(again.lowerBound > 100_000 && again.upperBound == 899_999)
    #expect(metrics.bytesCancelled == 0)
    #expect(metrics.bytesUseful > 300_000 && metrics.bytesUseful <= 920_000, "\(metrics.bytesUseful)")
  }

  @Test func transfersInFlightAtTheEndAreNotFailures() throws {
    let sizes: [Int64] = [5000, 3_000_000]
    let server = try StubServer(sizes: sizes, bytesPerSecond: 500_000)
    defer { server.close() }
    for _ in 0..<10 {
      let metrics = try Self.run(Self.scenario(sizes, ahead: 1, dwellMs: 100), server)
      #expect(metrics.bytesReceived < 3_000_000)
    }
  }

  @Test func aVideoIsItsPrefixAndThenItsRest() throws {
    let server = try StubServer(sizes: [300_000, 300_000])
    defer { server.close() }
    let metrics = try Self.run(Self.scenario([300_000, 300_000], ahead: 1, dwellMs: 800, videos: true), server)
    #expect(
      Set(server.requests.map { "\($0.path) \($0.range.map { "\($0.lowerBound)-\($0.upperBound)" } ?? "")" }) == [
        "/2/0 0-49999", "/2/0 50000-299999", "/2/1 0-49999", "/2/1 50000-299999",
      ])
    #expect(metrics.bytesUseful == 600_000)
  }

  @Test func thereAreNeverMoreConnectionsThanTheSettingsAllow() throws {
    let sizes = [Int64](repeating: 60_000, count: 8)
    let server = try StubServer(sizes: sizes, bytesPerSecond: 500_000)
    defer { server.close() }
    _ = try Self.run(Self.scenario(sizes, ahead: 7, dwellMs: 500, downloads: DownloadSettings(connections: 3)), server)
    #expect(server.mostOpen == 3)
    #expect(server.connections == 3, "connections are used again")
  }

  @Test func pagesArriveBeforeTheirItems() throws {
    let sizes = [Int64](repeating: 5000, count: 6)
    let server = try StubServer(sizes: sizes)
    defer { server.close() }
    var scenario = Self.scenario(sizes, ahead: 3, dwellMs: 400)
    scenario.pages = PageSettings(size: 3)
    let metrics = try Self.run(scenario, server)
    #expect(metrics.pageRequests == 2)
    #expect(server.requests.first?.path == "/2/page-0")
    #expect(metrics.bytesUseful == 6 * 5000 + 2 * 20_000)
  }

  @Test func aServerWithOtherFilesFailsTheRunAtOnce() throws {
    let wrong = try Self.reason(.otherSize(70_000))
    let missing = try Self.reason(.missing)
    let whole = try Self.reason(.whole)
    // Items 0 and 1 are requested at once, and either response may be the first.
    func says(_ found: String, _ words: String) -> Bool { (0...1).contains { found == "item \($0): SERVER/2/\($0) \(words)" } }
    #expect(says(wrong.reason, "has 70000 bytes, the feed says 60000; make the files from this feed"), "\(wrong.reason)")
    #expect(says(missing.reason, "has status 404; serve the files of this feed there"), "\(missing.reason)")
    #expect(says(whole.reason, "was sent whole although a range was requested; use a server that supports ranges"), "\(whole.reason)")
    for found in [wrong, missing, whole] { #expect(found.seconds < 10) }
  }

  @Test func aServerThatIsDownFailsTheRunAtOnce() throws {
    let server = try StubServer(sizes: [60_000])
    server.close()
    let start = Date()
    let error = #expect(throws: Refusal.self) { _ = try Self.run(Self.scenario([60_000], ahead: 0, dwellMs: 30_000), server) }
    #expect(error?.description == "item 0: the server does not answer at \(server.address)/2/0")
    #expect(Date().timeIntervalSince(start) < 10)
  }

  @Test func aConnectionThatIsClosedTooEarlyFailsTheRun() throws {
    let found = try Self.reason(.closesEarly, sizes: [4_000_000, 4_000_000])
    #expect(found.reason.hasPrefix("item "), "\(found.reason)")
    #expect(found.seconds < 10)
  }

  @Test(arguments: [false, true]) func aSilentServerIsAFailedRunAndNoHang(pages: Bool) throws {
    let timedOut = try Self.reason(.silent, timeout: .seconds(1), pages: pages)
    let silent =
      pages
      ? ["page 1: no bytes arrived for too long at SERVER/2/page-0"]
      : (0...1).map { "item \($0): no bytes arrived for too long at SERVER/2/\($0)" }
    #expect(silent.contains(timedOut.reason), "\(timedOut.reason)")
    #expect(timedOut.seconds < 15)
    let limited = try Self.reason(.silent, timeLimit: .seconds(1), pages: pages)
    #expect(limited.reason == "did not end within 1000 ms; raise timeLimit")
    #expect(limited.seconds < 10)
  }

  @Test func whoeverStopsTheProgramNeedNotWaitForTheRun() throws {
    Thread.detachNewThread {
      usleep(400_000)
      Self.stop.store(true, ordering: .relaxed)
    }
    let stopped = try Self.reason(.silent, isCancelled: { Self.stop.load(ordering: .relaxed) })
    #expect(stopped.reason == "stopped")
    #expect(stopped.seconds < 5)
  }

  private static let stop = Atomic(false)
}
