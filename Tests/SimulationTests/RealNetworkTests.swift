// A session over a real network is the session over an emulated one.

import Testing

@testable import Simulation

/// An emulated network behind the protocol of real ones: it receives the names of requests and has its own clock.
private final class DisguisedNetwork: RealNetwork {
  private var link: PacketTransport
  private(set) var requested: [RequestedPart] = []

  init(_ configuration: NetworkConfiguration) { link = PacketTransport(configuration) }

  var now: Instant { link.now }
  func advance(until limit: Instant) -> Int? { link.advance(until: limit) }
  func start(_ transfer: Int, _ part: RequestedPart, host: Int, priority: Int) {
    requested.append(part)
    link.start(transfer, volume: .bytes(part.bytes), host: host, priority: priority)
  }
  func cancel(_ transfer: Int) -> Int64 { link.cancel(transfer).bytes }
  func received(_ transfer: Int) -> Int64 { link.received(transfer).bytes }
  func milestones(_ transfer: Int) -> (connected: Instant?, firstByte: Instant?) { link.milestones(transfer) }
}

@Suite struct RealNetworkTests {
  private static func scenario(_ cancel: DownloadSettings.CancelRule, pages: Bool) -> Scenario {
    let items = ContiguousArray(
      (0..<40).map { index in
        index % 5 == 4
          ? Item(videoBytes: 1_048_576, prefixBytes: 204_800, bitsPerSecond: 800_000)
          : Item(kind: .image, bytes: 40_000 + Int64(index) * 700)
      })
    var network = NetworkConfiguration(
      down: LinkRate(constant: 2_000_000), up: LinkRate(constant: 256_000), delayDown: .milliseconds(40), delayUp: .milliseconds(40),
      transport: .packet)
    network.http.connectionsPerHost = 4
    network.http.hosts = pages ? 2 : 1
    var scenario = Scenario(
      feed: .fixed(items), network: network, downloads: DownloadSettings(cancel: cancel),
      user: UserScript(scroll: 40, dwell: .constant(600_000_000)), prefetcher: ItemsAhead(ahead: 4))
    if pages { scenario.pages = PageSettings(size: 10) }
    return scenario
  }

  @Test(arguments: DownloadSettings.CancelRule.allCases, [false, true])
  func aSessionOverARealNetworkIsTheEmulatedOne(_ cancel: DownloadSettings.CancelRule, pages: Bool) {
    let scenario = Self.scenario(cancel, pages: pages)
    let network = DisguisedNetwork(scenario.network)
    let real = scenario.run(seed: 3, over: network)
    var emulated = scenario.run(seed: 3)
    #expect(emulated.loaders > 0 && emulated.requests > 30, "nothing happens in this scenario")
    // A client of a real network cannot count these, which the digest contains.
    (emulated.newConnections, emulated.bytesDead, emulated.digest) = (0, 0, real.digest)
    #expect(real == emulated)
    let trace = scenario.explain(seed: 3).requests
    #expect(scenario.explain(seed: 3, over: DisguisedNetwork(scenario.network)).requests == trace)
    #expect(network.requested.map(\.offset) == trace.map(\.offset))
    #expect(network.requested.map(\.bytes) == trace.map(\.bytes))
    #expect(network.requested.map(\.content) == trace.map { $0.part == .page ? .page($0.item) : .item($0.item) })
    for part in network.requested { #expect(part.offset + part.bytes <= part.wholeBytes) }
  }
}
