import Testing

@testable import Simulation

/// The probe reports the events of a request as a client sees them.
@Suite struct NetworkProbeTests {
  private static func network(_ transport: NetworkConfiguration.TransportKind) -> NetworkConfiguration {
    NetworkConfiguration(
      down: LinkRate(constant: 8_000_000), up: LinkRate(constant: 8_000_000), delayDown: .milliseconds(30), delayUp: .milliseconds(20),
      transport: transport)
  }

  @Test func aFluidRequestIsOneLatencyAndItsShare() {
    var probe = NetworkProbe(Self.network(.fluid))
    probe.start(0, bytes: 100_000)
    let event = probe.advance(until: .never)
    #expect(event?.at == Instant(nanoseconds: 150_000_000))
    #expect(probe.milestones(0).connected == .start)
    #expect(probe.milestones(0).firstByte == Instant(nanoseconds: 50_000_000))
  }

  @Test func fluidRequestsWaitForAConnection() {
    var network = Self.network(.fluid)
    network.http.connectionsPerHost = 2
    var probe = NetworkProbe(network)
    for request in 0..<3 { probe.start(request, bytes: 100_000) }
    let ends = (0..<3).compactMap { _ in probe.advance(until: .never)?.at.nanoseconds }
    #expect(ends == [250_000_000, 250_000_000, 400_000_000])
    #expect(probe.milestones(2).connected == Instant(nanoseconds: 250_000_000))
  }

  @Test func aCancelledWaitingFluidRequestHasReceivedNothing() {
    var network = Self.network(.fluid)
    network.http.connectionsPerHost = 1
    var probe = NetworkProbe(network)
    probe.start(0, bytes: 100_000)
    probe.start(1, bytes: 100_000)
    #expect(probe.advance(until: Instant(nanoseconds: 100_000_000)) == nil)
    #expect(probe.cancel(1) == 0)
    #expect(probe.received(0) == 50_000)
    #expect(probe.cancel(0) == 50_000)
    #expect(probe.advance(until: .never) == nil)
  }

  @Test func aFluidFollowsTheLatenciesOfATrace() {
    let periods = [(1, 100), (1, 20)].map { seconds, latency in
      LinkRate.Period(duration: .seconds(seconds), bitsPerSecond: 8_000_000, latency: .milliseconds(Int64(latency)))
    }
    var network = Self.network(.fluid)
    network.down = LinkRate(periods: periods)
    var probe = NetworkProbe(network)
    _ = probe.advance(until: Instant(nanoseconds: 1_500_000_000))
    probe.start(0, bytes: 1000)
    #expect(probe.advance(until: .never)?.at == Instant(nanoseconds: 1_521_000_000))
    #expect(probe.milestones(0).firstByte == Instant(nanoseconds: 1_520_000_000))
  }

  @Test func requestsKnowTheirConnections() {
    var probe = NetworkProbe(Self.network(.packet))
    probe.start(0, bytes: 10_000)
    #expect(probe.advance(until: .never) != nil)
    #expect(probe.newConnections == 1)
    // SYN and SYN-ACK: two delays and 60 bytes each way.
    #expect(probe.milestones(0).connected == Instant(nanoseconds: 50_120_000))
    let reused = probe.now
    probe.start(1, bytes: 10_000)
    #expect(probe.milestones(1).connected == reused)
    #expect(probe.newConnections == 1)
  }
}
