import Simulation
import Testing

/// nghttpd's order, flow-control windows, header compression and coalescing.
@Suite struct HTTP2ServerTests {
  private static func network(
    _ server: HTTPConfiguration.Server, down: Int64 = 2_000_000, up: Int64 = 256_000, delay: Int64 = 40
  ) -> NetworkConfiguration {
    var network = NetworkConfiguration(
      down: LinkRate(constant: down), up: LinkRate(constant: up), delayDown: .milliseconds(delay), delayUp: .milliseconds(delay),
      queuePackets: 1000, transport: .packet)
    network.http.version = .http2
    network.http.security = .tls13
    network.http.server = server
    network.http.joinsPreface = true
    network.http.handshakeTime = .milliseconds(5)
    (network.http.requestBytes, network.http.laterRequestBytes) = (27, 13)
    (network.http.responseHeaderBytes, network.http.laterResponseHeaderBytes) = (96, 20)
    return network
  }

  /// Returns the first bytes and ends of requests that start together, in milliseconds.
  private static func times(
    _ network: NetworkConfiguration, sizes: [Int64], priorities: [Int] = [], warm: Int64 = 0
  ) -> (first: [Double], end: [Double]) {
    var probe = NetworkProbe(network)
    if warm > 0 {
      probe.start(99, bytes: warm)
      _ = probe.advance(until: .start + .seconds(600))
    }
    let start = probe.now
    for (request, bytes) in sizes.enumerated() {
      probe.start(request, bytes: bytes, priority: priorities.isEmpty ? 0 : priorities[request])
    }
    var ends = Array(repeating: Double.infinity, count: sizes.count)
    for _ in sizes {
      if let event = probe.advance(until: start + .seconds(600)) { ends[event.request] = (event.at - start).milliseconds }
    }
    return (sizes.indices.map { (probe.milestones($0).firstByte! - start).milliseconds }, ends)
  }

  /// Linux measured: `measured/stacks/h2.csv`, eq3_cold and eq1_warm.
  @Test func nghttpdSharesTheConnectionFrameByFrameAsMeasured() {
    for (down, up, delay, first, last): (Int64, Int64, Int64, Double, Double) in [
      (2000, 256, 40, 2808.9, 2871.6), (780, 330, 100, 7138.2, 7300.8),
    ] {
      let network = Self.network(.nghttpd, down: down * 1000, up: up * 1000, delay: delay)
      let ours = Self.times(network, sizes: [204_800, 204_800, 204_800])
      #expect(abs(ours.end.min()! / first - 1) < 0.01)
      #expect(abs(ours.end.max()! / last - 1) < 0.01)
      // HEADERS go ahead of all DATA.
      #expect(Set(ours.first).count == 1)
    }
    let warm = Self.times(Self.network(.nghttpd), sizes: [204_800], warm: 204_800)
    #expect(abs(warm.first[0] / 152.9 - 1) < 0.01)
    #expect(abs(warm.end[0] / 936.2 - 1) < 0.01)
  }

  @Test func aShortResponsePassesLongOnesOfNghttpdButNotOfNginx() {
    let sizes: [Int64] = [400_000, 400_000, 16_384]
    let nghttpd = Self.times(Self.network(.nghttpd), sizes: sizes, warm: 102_400)
    let nginx = Self.times(Self.network(.nginx), sizes: sizes, warm: 102_400)
    #expect(nghttpd.end[2] < 400)
    #expect(nginx.end[2] > 2 * nghttpd.end[2])
    #expect(abs(nghttpd.end.max()! - nginx.end.max()!) < 60)
  }

  @Test func nghttpdServesUrgencyFirstAndEqualUrgencyInOrder() {
    var network = Self.network(.nghttpd)
    network.http.priorities = true
    let ours = Self.times(network, sizes: [204_800, 204_800, 204_800], priorities: [3, 3, 1]).end
    #expect(ours[2] < ours[0] && ours[0] < ours[1])
    // Each response but the first is a third of the whole behind the one before it.
    #expect(abs((ours[1] - ours[0]) / 830 - 1) < 0.03)
  }

  @Test(arguments: HTTPConfiguration.Server.allCases)
  func everyByteArrivesThroughSmallWindowsCancelsAndLosses(_ server: HTTPConfiguration.Server) {
    for seed in 1...20 {
      var network = Self.network(server, down: 5_000_000, up: 1_000_000, delay: 20)
      (network.lossDown, network.lossUp, network.seed) = (0.02, 0.02, UInt64(seed))
      (network.http.streamWindow, network.http.connectionWindow) = (20_000, 65_535)
      var probe = NetworkProbe(network)
      for request in 0..<5 { probe.start(request, bytes: Int64(50_000 * request + 1)) }
      _ = probe.advance(until: .start + .milliseconds(700))
      probe.cancel(3)
      probe.start(5, bytes: 70_000)
      var done: Set<Int> = []
      while let event = probe.advance(until: .start + .seconds(300)) { done.insert(event.request) }
      #expect(done.isSuperset(of: [1, 2, 4, 5]))
    }
  }

  /// RFC 9113, 6.9: a window W on a path with the round trip R limits the rate to W / R.
  @Test(arguments: HTTPConfiguration.Server.allCases)
  func aWindowLimitsTheRateToOneOfItARoundTrip(_ server: HTTPConfiguration.Server) {
    let window: Int64 = 65_536
    var network = Self.network(server, down: 1_000_000_000, up: 1_000_000_000, delay: 100)
    let (size, roundTrip) = (40 * window, 200.0)
    let expected = 40 * roundTrip
    network.http.streamWindow = window
    #expect(abs(Self.times(network, sizes: [size], warm: 200_000).end[0] / expected - 1) < 0.03)
    // Streams have a window each, and share the connection's.
    #expect(abs(Self.times(network, sizes: [size, size], warm: 200_000).end.max()! / expected - 1) < 0.03)
    (network.http.streamWindow, network.http.connectionWindow) = (HTTPConfiguration().streamWindow, window)
    // The client keeps less than half of the window unannounced, here after the first transfer.
    let one = Self.times(network, sizes: [size], warm: 200_000).end[0]
    #expect(one > expected * 0.97 && one < expected * 2)
    #expect(abs(Self.times(network, sizes: [size, size], warm: 200_000).end.max()! / one - 2) < 0.06)
  }

  /// A path whose queue and flight hold less than half of the window never waits for a WINDOW_UPDATE, which leaves at the half.
  @Test func aWindowTwiceThePathDoesNotLimit() {
    let free = Self.network(.nginx, down: 8_000_000, up: 8_000_000, delay: 20)
    var limited = free
    (limited.http.streamWindow, limited.http.connectionWindow) = (131_072, 131_072)
    let (a, b) = (Self.times(free, sizes: [2_000_000]).end[0], Self.times(limited, sizes: [2_000_000]).end[0])
    #expect(abs(a / b - 1) < 0.005)
    limited.http.streamWindow = 20_000
    #expect(Self.times(limited, sizes: [2_000_000]).end[0] > 1.5 * a)
  }

  @Test(arguments: [HTTPConfiguration.Version.http2, .http3])
  func laterRequestsAreSmallerByWhatTheTableHolds(_ version: HTTPConfiguration.Version) {
    func second(later: Int) -> Double {
      var network = Self.network(.nginx, up: 100_000)
      network.http.version = version
      (network.http.requestBytes, network.http.laterRequestBytes) = (400, later)
      return Self.times(network, sizes: [1000], warm: 1000).first[0]
    }
    #expect(abs(second(later: 400) - second(later: 100) - 300 * 8 / 100.0) < 0.01)
  }

  @Test(arguments: [(HTTPConfiguration.Version.http2, 1), (.http3, 1), (.http1, 3)])
  func coalescingServesAllHostsOverOneConnection(_ version: HTTPConfiguration.Version, _ expected: Int) {
    for coalesces in [false, true] {
      var network = Self.network(.nginx)
      (network.http.version, network.http.hosts, network.http.coalesces) = (version, 3, coalesces)
      var probe = NetworkProbe(network)
      for host in 0..<3 { probe.start(host, bytes: 10_000, host: host) }
      for _ in 0..<3 { #expect(probe.advance(until: .start + .seconds(60)) != nil) }
      #expect(probe.newConnections == (coalesces ? expected : 3))
    }
  }
}
