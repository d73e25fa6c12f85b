import Foundation
import Oracles
import TestSupport
import Testing

@testable import Simulation

/// Compares the program's session with an independent client of the measurements: over the same packets both must send the same requests
/// and show the same loaders.
@Suite struct SessionYardstickTests {
  @Test func theSessionIsTheClientOfTheMeasurements() throws {
    let reference = ReferenceTables(folder: Reference.measurements.path)
    for row in try reference.rows(.sessions) {
      let measured = try MeasuredSession(row, in: reference)
      let scenario = measured.scenario
      // Lost packets are those of the run's seed.
      let run = scenario.draw(seed: 1)
      var yardstick = SessionYardstick(measured, over: run.network)
      let expected = yardstick.play()
      var session = SessionLoop(link: PacketTransport(run.network), scenario, run)
      try session.run()
      let metrics = SessionMetrics(session.finished())
      // If a scroll cancels everything, the two cancel in different orders, which changes packets.
      let slack = measured.cancel == .keep ? 0 : measured.count / 100
      #expect(abs(metrics.loaders - expected.loaders) <= slack, "\(row)")
      #expect(abs(metrics.requests - expected.requests) <= slack, "\(row)")
      #expect(abs(metrics.cancels - expected.cancels) <= 2 * slack, "\(row)")
      #expect(abs(metrics.newConnections - expected.newConnections) <= 2 * slack, "\(row)")
    }
  }
}
