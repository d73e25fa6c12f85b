import Studies
import Foundation
import TestSupport
import Testing

@testable import Simulation

/// Compares the session with an independent client of the fidelity tables: over the same packets both must send the same requests and show
/// the same loaders.
@Suite struct SessionYardstickTests {
  @Test func theSessionIsTheClientOfTheMeasurements() throws {
    let reference = ReferenceTables(folder: Reference.measurements.path)
    for row in try reference.rows(.sessions) {
      var yardstick = try SessionCase(row, in: reference, seed: 1)
      let expected = yardstick.run()
      var network = yardstick.network
      network.http.connectionsPerHost = yardstick.connections
      let items = ContiguousArray(
        (0..<yardstick.count).map { item in
          let ready = yardstick.size(item, 0)
          return yardstick.isVideo(item)
            ? Item(videoBytes: ready + yardstick.size(item, 1), prefixBytes: ready, bitsPerSecond: 0) : Item(kind: .image, bytes: ready)
        })
      let scenario = Scenario(
        feed: .fixed(items), network: network,
        downloads: DownloadSettings(connections: yardstick.connections, cancel: .init(rawValue: yardstick.cancel)!),
        user: UserScript(scroll: yardstick.count, dwell: .constant(yardstick.dwellMs * 1_000_000)),
        prefetcher: CostBudget(maxCost: Double(yardstick.maxCost), videoCost: Double(yardstick.videoCost)))
      var session = SessionLoop(link: PacketTransport(network), scenario, scenario.draw(seed: 1))
      try session.run()
      let metrics = SessionMetrics(session.finished())
      // If a scroll cancels everything, the two cancel in different orders, which changes packets.
      let slack = yardstick.cancel == "keep" ? 0 : yardstick.count / 100
      #expect(abs(metrics.loaders - expected.loaders) <= slack, "\(row)")
      #expect(abs(metrics.requests - expected.requests) <= slack, "\(row)")
      #expect(abs(metrics.cancels - expected.cancels) <= 2 * slack, "\(row)")
      #expect(abs(metrics.newConnections - expected.newConnections) <= 2 * slack, "\(row)")
    }
  }
}
