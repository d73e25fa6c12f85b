// Thousands of drawn networks and requests. Debug builds assert the invariants after every event; here the client's view is checked.

import Testing

@testable import Simulation

@Suite struct PacketInvariantTests {
  /// A network and its requests, drawn from a seed.
  private struct Case {
    var network: NetworkConfiguration
    var sizes: [Int64]
    /// The times of cancels by request, in milliseconds.
    var cancels: [Int: Int64]

    init(seed: UInt64, transport: NetworkConfiguration.TransportKind) {
      var random = RandomStream(runSeed: seed, name: "case")
      func rate(_ random: inout RandomStream) -> LinkRate {
        if random.below(2) == 0 { return LinkRate(constant: 100_000 + Int64(random.below(5_000_000))) }
        let periods = (0..<4).map { _ in
          LinkRate.Period(
            duration: .milliseconds(100 + Int64(random.below(900))), bitsPerSecond: Int64(random.below(3)) * 400_000 + 50_000, latency: nil)
        }
        return LinkRate(periods: periods)
      }
      network = NetworkConfiguration(
        down: rate(&random), up: rate(&random), delayDown: .milliseconds(Int64(random.below(120))),
        delayUp: .milliseconds(Int64(random.below(120))), lossDown: Double(random.below(3)) * 0.02, lossUp: Double(random.below(3)) * 0.02,
        queuePackets: 4 + Int(random.below(60)), transport: transport)
      network.seed = seed
      network.jitter = .milliseconds(Int64(random.below(4)) * 5)
      network.http.version = random.below(2) == 0 ? .http1 : .http2
      network.http.security = HTTPConfiguration.Security.allCases[Int(random.below(4))]
      network.http.connectionsPerHost = 1 + Int(random.below(6))
      if transport == .packet, seed % 3 == 0 { network.congestion = .bbr }
      if random.below(4) == 0 { network.burstLoss = .init(enter: 0.01, leave: 0.3, loss: 0.5) }
      if random.below(4) == 0 { network.outages = [.init(start: .milliseconds(300), duration: .milliseconds(700))] }
      sizes = (0..<1 + Int(random.below(5))).map { _ in 1 + Int64(random.below(60_000)) }
      cancels = [:]
      for request in sizes.indices where random.below(3) == 0 { cancels[request] = Int64(random.below(3000)) }
    }
  }

  @Test(arguments: [NetworkConfiguration.TransportKind.packet])
  func everyRequestEndsOnceAndWhole(transport: NetworkConfiguration.TransportKind) {
    for seed in UInt64(0)..<3000 {
      let one = Case(seed: seed, transport: transport)
      var probe = NetworkProbe(one.network)
      for (request, bytes) in one.sizes.enumerated() { probe.start(request, bytes: bytes, priority: request) }
      var open = Set(one.sizes.indices)
      var last = Instant.start
      let deadline = Instant.start + .seconds(1200)
      var cancels = one.cancels.map { (at: Instant.start + .milliseconds($0.value), request: $0.key) }.sorted {
        ($0.at, $0.request) < ($1.at, $1.request)
      }
      while !open.isEmpty {
        let limit = cancels.first?.at ?? deadline
        if let event = probe.advance(until: limit) {
          #expect(event.at >= last && event.at <= limit, "seed \(seed): time went back")
          last = event.at
          #expect(open.remove(event.request) != nil, "seed \(seed): request \(event.request) ended twice")
          cancels.removeAll { $0.request == event.request }
        } else if cancels.isEmpty {
          Issue.record("seed \(seed): \(open) never came")
          break
        } else {
          let (_, request) = cancels.removeFirst()
          let received = probe.cancel(request)
          #expect((0...one.sizes[request]).contains(received), "seed \(seed): \(received) of \(one.sizes[request]) bytes received")
          open.remove(request)
        }
      }
      // Packets in flight and timers come to an end.
      #expect(probe.advance(until: deadline + .seconds(600)) == nil, "seed \(seed): an arrival after the last request")
    }
  }
}
