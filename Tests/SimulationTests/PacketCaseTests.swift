import Testing

@testable import Simulation

/// The packet transport and HTTP/3: conservation on drawn networks, and cases computed by hand.
@Suite struct PacketCaseTests {
  private static func network(_ down: Int64, up: Int64 = 10_000_000, delay: Int64 = 50, queue: Int = 1000) -> NetworkConfiguration {
    NetworkConfiguration(
      down: LinkRate(constant: down), up: LinkRate(constant: up), delayDown: .milliseconds(delay), delayUp: .milliseconds(delay),
      queuePackets: queue, transport: .packet)
  }

  /// Returns the milliseconds from now to the end of one request.
  private static func get(_ probe: inout NetworkProbe, _ bytes: Int64, _ request: Int = 0) -> Double {
    let start = probe.now
    probe.start(request, bytes: bytes)
    while let event = probe.advance(until: start + .seconds(600)) {
      if event.request == request { return Double((event.at - start).nanoseconds) / 1e6 }
    }
    return .infinity
  }

  // MARK: - Conservation

  /// Returns a network drawn from a seed.
  private static func drawn(_ seed: UInt64, _ random: inout RandomStream) -> NetworkConfiguration {
    func either<Value>(_ values: [Value]) -> Value { values[Int(random.below(UInt64(values.count)))] }
    var network = Self.network(
      either([200_000, 780_000, 2_000_000, 20_000_000]), up: either([64_000, 330_000, 10_000_000]), delay: either([1, 20, 100]),
      queue: either([5, 20, 50, 1000]))
    if random.below(4) == 0 {
      let periods = [900_000, 0, 3_000_000, 250_000].map {
        LinkRate.Period(duration: .milliseconds(Int64(100 + random.below(900))), bitsPerSecond: $0)
      }
      network.down = LinkRate(periods: periods)
      if random.below(2) == 0 { network.up = network.down }
    }
    network.lossDown = either([0, 0, 0.01, 0.05, 0.2])
    network.lossUp = either([0, 0.02])
    if random.below(8) == 0 { network.burstLoss = .init(enter: 0.02, leave: 0.3, loss: 0.5) }
    network.http.version = either([.http1, .http2, .http3])
    network.http.security = either([.none, .none, .tls12, .tls13, .resumed])
    network.http.connectionsPerHost = 1 + Int(random.below(4))
    network.radioPromotion = .milliseconds(either([0, 0, 300]))
    network.radioTail = .milliseconds(500)
    if random.below(4) == 0 {
      network.radioCycles.drxInactivity = .milliseconds(either([20, 100]))
      network.radioCycles.drxCycle = .milliseconds(either([0, 320]))
      network.radioCycles.pagingCycle = .milliseconds(either([0, 1280]))
      network.http.serverTime = .milliseconds(either([0, 200, 900]))
    }
    network.seed = seed
    return network
  }

  @Test(arguments: 0..<8) func bytesAreConservedAndTimeGoesOn(part: Int) {
    for number in 0..<100 {
      let seed = UInt64(part * 100 + number)
      var random = RandomStream(seed: seed)
      let network = Self.drawn(seed, &random)
      var probe = NetworkProbe(network)
      let sizes = (0..<(1 + Int(random.below(5)))).map { _ in Int64(random.below(90_000)) }
      for (request, bytes) in sizes.enumerated() { probe.start(request, bytes: bytes, priority: Int(random.below(2))) }
      let cancelled = random.below(3) == 0 ? Int(random.below(UInt64(sizes.count))) : -1
      let cancelAt = Instant.start + .milliseconds(Int64(random.below(3000)))
      var open = Set(sizes.indices)
      var received: Int64 = 0
      var last = Instant.start
      func see(_ event: NetworkProbe.Event) {
        #expect(event.at >= last, "seed \(seed): time went back")
        last = event.at
        #expect(open.remove(event.request) != nil, "seed \(seed): finished twice")
        received += sizes[event.request]
        let capacity = Double(network.down.periods.map(\.bitsPerSecond).max() ?? 0) / 8 * Double(last.nanoseconds) / 1e9
        #expect(Double(received) <= capacity, "seed \(seed): faster than the link")
      }
      if cancelled >= 0 {
        while let event = probe.advance(until: cancelAt) { see(event) }
        last = cancelAt
        if open.remove(cancelled) != nil {
          let got = probe.cancel(cancelled)
          #expect(got >= 0 && got <= sizes[cancelled], "seed \(seed): more than was requested")
        }
      }
      while !open.isEmpty, let event = probe.advance(until: .start + .seconds(3600)) { see(event) }
      #expect(open.isEmpty, "seed \(seed): \(open) never came")
      #expect(probe.advance(until: probe.now + .seconds(60)) == nil)
    }
  }

  @Test func progressNeverFallsAndEndsAtTheSize() {
    var network = Self.network(780_000, up: 330_000, delay: 100, queue: 20)
    network.lossDown = 0.03
    for seed in 1...20 {
      network.seed = UInt64(seed)
      var probe = NetworkProbe(network)
      probe.start(0, bytes: 150_000)
      var before: Int64 = 0
      for step in 1...4000 {
        if probe.advance(until: .start + .milliseconds(Int64(step) * 10)) != nil { break }
        let now = probe.received(0)
        #expect(now >= before && now <= 150_000, "seed \(seed) at \(step * 10) ms: \(before), then \(now)")
        before = now
      }
      #expect(before > 30_000, "seed \(seed)")
    }
  }

  // MARK: - By hand

  @Test(arguments: [(10, 2), (11, 3), (30, 3), (31, 4), (70, 4), (71, 5), (300, 6), (600, 7)])
  func aFastLinkTakesARoundTripForEachDoubledCwnd(segments: Int, rounds: Int) {
    // 10, 20, 40 … segments (RFC 6928, slow start): one round trip for the handshake, then one for each window.
    var network = Self.network(10_000_000_000, up: 10_000_000_000, queue: 100_000)
    network.http.responseHeaderBytes = 0
    var probe = NetworkProbe(network)
    let time = Self.get(&probe, Int64(segments * 1448))
    #expect(time >= Double(rounds) * 100 && time < Double(rounds) * 100 + 2, "\(time) ms")
  }

  @Test func aSlowLinkTakesTheHandshakeAndTheSerialisation() {
    // The first cwnd covers the round trip; from then on the link is never idle.
    var network = Self.network(1_000_000, up: 1_000_000, delay: 20)
    network.http.responseHeaderBytes = 0
    network.http.requestBytes = 148
    var probe = NetworkProbe(network)
    let time = Self.get(&probe, 1448 * 300)
    // SYN and SYN-ACK of 60 bytes, the request's 200; the server's acknowledgement of it, and 300 full packets.
    let wire = Double(60 + 60 + 200 + 52 + 300 * 1500) * 8 / 1000
    #expect(abs(time - (80 + wire)) < 1, "\(time) for \(80 + wire) ms")
  }

  @Test func equalTransfersShareTheLink() {
    var probe = NetworkProbe(Self.network(2_000_000, delay: 10, queue: 60))
    for request in 0..<4 { probe.start(request, bytes: 500_000) }
    let ends = (0..<4).compactMap { _ in probe.advance(until: .start + .seconds(60))?.at.nanoseconds }.map { Double($0) / 1e9 }
    // 2 MB and headers at 2 Mbit/s: the link is never idle.
    #expect(ends.count == 4 && abs(ends[3] - 8.33) < 0.35, "\(ends)")
    #expect(ends[0] > 0.6 * ends[3], "\(ends)")
  }

  // MARK: - Settings

  @Test func anIdleCwndIsRestartedUnlessDisabled() {
    func afterIdling(_ fallsBack: Bool) -> Double {
      var network = Self.network(20_000_000, delay: 100)
      network.http.slowStartAfterIdle = fallsBack
      var probe = NetworkProbe(network)
      _ = Self.get(&probe, 1_000_000)
      _ = probe.advance(until: probe.now + .seconds(20))
      return Self.get(&probe, 200_000)
    }
    // Without a restart the old cwnd takes everything in one round trip; with it slow start begins again.
    #expect(afterIdling(true) > afterIdling(false) + 350)
  }

  /// With equal rates the uplink shares the downlink's position in time. An outage that the downlink's queue has crossed still holds back
  /// a request made in it.
  @Test func noRequestPassesInAnOutage() {
    func end(up: Int64) -> Double {
      var network = Self.network(1_000_000, up: up, delay: 10)
      network.outages = [.init(start: .seconds(1), duration: .seconds(5))]
      var probe = NetworkProbe(network)
      probe.start(0, bytes: 400_000)
      #expect(probe.advance(until: .start + .seconds(2)) == nil)
      return Self.get(&probe, 1000, 1)
    }
    let (even, uneven) = (end(up: 1_000_000), end(up: 1_000_001))
    #expect(even > 4000 && abs(even - uneven) < 1, "\(even) and \(uneven) ms")
  }
}
