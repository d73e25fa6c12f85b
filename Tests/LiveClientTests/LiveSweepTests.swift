// Sweeps by the live client: rows, a stop in the middle, a server that is down.

import Analysis
import Foundation
import Synchronization
import Testing

@testable import Base
@testable import LiveClient
@testable import Simulation
@testable import Sweep
@testable import SweepTool

@Suite(.serialized, .timeLimit(.minutes(2))) struct LiveSweepTests {
  private static let sizes = [Int64](repeating: 20_000, count: 6)

  private static func runner(_ address: String, coolDown: String = "10ms") throws -> SweepRunner {
    let text = """
      { sweep: "live", repeats: 2, seed: 4, backend: { live: { server: "\(address)", coolDown: "\(coolDown)" } },
        axes: { "prefetcher.ahead": [0, 2] },
        scenario: { network: { profile: "3G", transport: "fluid" }, feed: { items: 6, mix: { image: 1 }, image: { bytes: "20KB" } },
          user: { scroll: 6, dwell: "400ms" }, prefetcher: { kind: "itemsAhead" } } }
      """
    let sweep = try ResolvedSweep(file: InputFile(name: "live.json5", bytes: Array(text.utf8)))
    return try SweepRunner(sweep, jobs: 4, live: { settings in LiveExecutor(settings) })
  }

  private static func withFolder(_ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("live-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try body(folder)
  }

  @Test func aSweepThatWasStoppedGoesOnWithTheRunThatWasStopped() throws {
    let server = try StubServer(sizes: Self.sizes)
    defer { server.close() }
    try Self.withFolder { folder in
      let kept = try Self.runUntilOneIsDone(try Self.runner(server.address), folder)
      #expect(kept >= 1 && kept < 4)
      let second = try JournaledSweep(try Self.runner(server.address), folder: ResultsFolder(path: folder))
      #expect(second.resumedCount == kept)
      try second.run()
      #expect(second.failures.map(\.reason) == [])
      #expect(second.progress.done == 4)
      var rows: [RunRow] = []
      try second.rows.forEachRow { rows.append($0) }
      #expect(rows.map(\.repetition) == [1, 2, 1, 2])
      for row in rows {
        #expect(row[.viewed] == 6 && row[.requests] == 6)
        #expect((row[.bytesReceived] ?? 0) > 0 && (row[.bytesReceived] ?? 0) <= 120_000)
        #expect(row[.newConnections] == nil && row[.bytesDead] == nil, "no client sees these")
        // On a busy machine more of them are late, never fewer.
        #expect((row[.loaders] ?? 0) >= (row.axisValues == ["0"] ? 6 : 1))
      }
      #expect(Set(server.requests.map { $0.path.split(separator: "/")[0] }) == ["1", "2"], "a folder for each repetition")
    }
  }

  private static let stop = Atomic(false)

  /// Stops a sweep after its first run, during its second, and returns the number of rows kept.
  private static func runUntilOneIsDone(_ runner: SweepRunner, _ folder: String) throws -> Int {
    #expect(!runner.isDeterministic, "nothing real happens twice")
    let sweep = try JournaledSweep(runner, folder: ResultsFolder(path: folder))
    try sweep.run(
      report: { progress in if progress.done >= 1 { stop.store(true, ordering: .relaxed) } },
      isCancelled: { stop.load(ordering: .relaxed) })
    #expect(sweep.progress.failed == 0)
    return sweep.progress.done
  }

  @Test func everyRunFailsWithAReasonIfTheServerIsDown() throws {
    let server = try StubServer(sizes: Self.sizes)
    server.close()
    try Self.withFolder { folder in
      let runner = try Self.runner(server.address)
      let sweep = try JournaledSweep(runner, folder: ResultsFolder(path: folder))
      let start = Date()
      try sweep.run()
      #expect(sweep.progress.failed == 4)
      #expect(Date().timeIntervalSince(start) < 10)
      let point = try runner.sweep.decoded(0).point
      let error = #expect(throws: Refusal.self) { _ = try runner.row(point: point, repetition: 1) }
      #expect(error?.description.hasSuffix("item 0: the server does not answer at \(server.address)/1/0") == true)
    }
  }

  @Test func theLinkRestsAfterAFailedRunToo() throws {
    let server = try StubServer(sizes: Self.sizes)
    server.close()
    try Self.withFolder { folder in
      let sweep = try JournaledSweep(try Self.runner(server.address, coolDown: "1s"), folder: ResultsFolder(path: folder))
      let start = ContinuousClock.now
      try sweep.run()
      #expect(sweep.progress.failed == 4)
      #expect(ContinuousClock.now - start >= .seconds(4))
    }
  }

  @Test func aTraceHasTheTimesOfTheRealRequests() throws {
    let server = try StubServer(sizes: Self.sizes, bytesPerSecond: 200_000)
    defer { server.close() }
    let sweep = try Self.runner(server.address).sweep
    let explanation = try #require(
      try sweep.explanation(
        of: .baseline, repetition: 2, isLive: true, live: { settings in LiveExecutor(settings) }, isCancelled: { false }))
    let requests = explanation.trace.requests
    #expect(requests.map(\.item) == [0, 1, 2, 3, 4, 5] && server.requests.allSatisfy { $0.path.hasPrefix("/2/") })
    for request in requests {
      let firstByte = try #require(request.firstByte)
      #expect(request.end == .finished && request.received == 20_000)
      #expect(
        request.requested <= firstByte && request.ended - firstByte > .milliseconds(80), "the server takes a tenth of a second for each")
    }
    #expect(throws: Refusal.self) {
      let plain = try ResolvedSweep(
        file: InputFile(name: "plain.json5", bytes: Array("{ sweep: \"plain\", scenario: { network: \"3G\", prefetcher: \"none\" } }".utf8))
      )
      _ = try plain.explanation(of: .baseline, repetition: 1, isLive: true, isCancelled: { false })
    }
  }
}
