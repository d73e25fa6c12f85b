import Testing

@testable import Simulation

/// The checks of a stalled player's buffer: as if it were checked each 10 ms, at the cost of the packets.
@Suite struct StallTests {
  /// Leaves no check out: its bytes may change at any time.
  private struct PolledTransport<Link: Transport>: Transport {
    var link: Link

    var now: Instant { link.now }
    var counters: TransportCounters { link.counters }
    mutating func advance(until limit: Instant) -> Int? { link.advance(until: limit) }
    mutating func start(_ transfer: Int, volume: Volume, host: Int, priority: Int) {
      link.start(transfer, volume: volume, host: host, priority: priority)
    }
    mutating func cancel(_ transfer: Int) -> Volume { link.cancel(transfer) }
    func received(_ transfer: Int) -> Volume { link.received(transfer) }
    func milestones(_ transfer: Int) -> (connected: Instant?, firstByte: Instant?) { link.milestones(transfer) }
  }

  /// Videos that play faster than the link.
  private func scenario(seed: UInt64) -> Scenario {
    var random = RandomStream(runSeed: seed, name: "stalls")
    let video = Item(videoBytes: 400_000, prefixBytes: 20_000, bitsPerSecond: 2_000_000 + Int64(random.below(2_000_000)))
    let rate = LinkRate(constant: 200_000 + Int64(random.below(1_500_000)))
    var network = NetworkConfiguration(
      down: rate, up: LinkRate(constant: 200_000), delayDown: .milliseconds(20 + Int64(random.below(300))), delayUp: .milliseconds(20),
      transport: .packet)
    network.http.version = HTTPConfiguration.Version.allCases[Int(seed % 3)]
    network.http.security = .tls13
    switch random.below(3) {
    case 0: (network.lossDown, network.lossUp) = (0.3 * random.unit(), 0.3 * random.unit())
    case 1: network.burstLoss = .init(enter: 0.02, leave: 0.005 + 0.1 * random.unit(), loss: 1)
    default: network.outages = [.init(start: .seconds(1 + Int64(random.below(9))), duration: .seconds(1 + Int64(random.below(60))))]
    }
    var downloads = DownloadSettings(connections: 1 + Int(random.below(3)))
    downloads.cancel = DownloadSettings.CancelRule.allCases[Int(random.below(4))]
    var scenario = Scenario(
      feed: .fixed(ContiguousArray(repeating: video, count: 4)), network: network, downloads: downloads,
      user: UserScript(scroll: 4, dwell: .constant(Int64(1 + random.below(40)) * 1_000_000_000 + Int64(random.below(1_000_000_000)))),
      prefetcher: ItemsAhead(ahead: Int(random.below(3))))
    if seed % 2 == 0 { (scenario.user.patience, scenario.user.stallsExtend) = (.seconds(20), true) }
    return scenario
  }

  @Test func checksWithoutNewBytesAreLeftOutWithoutEffect() throws {
    var stalls = 0
    for seed in UInt64(0)..<60 {
      let scenario = scenario(seed: seed)
      func metrics<Link: Transport>(_ link: Link, _ run: DrawnRun) throws -> SessionMetrics {
        var session = SessionLoop(link: link, scenario, run)
        try session.run()
        return SessionMetrics(session.finished())
      }
      func compare<Link: Transport>(_ link: (NetworkConfiguration) -> Link) throws {
        let run = scenario.draw(seed: seed)
        let found = try metrics(link(run.network), run)
        #expect(try metrics(PolledTransport(link: link(run.network)), run) == found, "seed \(seed)")
        stalls += found.stalls
      }
      if scenario.network.http.version == .http3 { try compare { QUICTransport($0) } } else { try compare { PacketTransport($0) } }
    }
    #expect(stalls > 200, "\(stalls)")
  }

  /// A stall of a day on a dead link is 8.6 million checks of 10 ms.
  @Test(arguments: HTTPConfiguration.Version.allCases)
  func aStallOfADayCostsItsPackets(version: HTTPConfiguration.Version) throws {
    var scenario = scenario(seed: 0)
    scenario.network.http.version = version
    (scenario.network.lossDown, scenario.network.lossUp, scenario.network.burstLoss) = (0, 0, nil)
    scenario.network.outages = [.init(start: .seconds(3), duration: .seconds(86_400))]
    scenario.user = UserScript(scroll: 1, dwell: .constant(86_000_000_000_000))
    var limits = RunLimits()
    limits.events = 500_000
    #expect(try scenario.run(seed: 1, limits: limits).stallMs > 85_000_000)
  }
}
