// Several hosts with their own pools of connections.

import Testing

@testable import Simulation

@Suite struct HostTests {
  /// Returns a scenario with a video of 10 MB, then images of 10 KB, at 8 Mbit/s with one connection per host.
  private func scenario(_ hosts: FeedHosts, transport: NetworkConfiguration.TransportKind = .fluid, preempt: Bool = false) -> Scenario {
    let rate = LinkRate(constant: 8_000_000)
    var items: ContiguousArray = [
      Item(kind: .image, bytes: 10_000), Item(videoBytes: 10_000_000, prefixBytes: 10_000_000, bitsPerSecond: 0),
    ]
    items += (0..<8).map { _ in Item(kind: .image, bytes: 10_000) }
    var network = NetworkConfiguration(down: rate, up: rate, delayDown: .zero, delayUp: .zero)
    network.transport = transport
    var scenario = Scenario(
      feed: .fixed(items), network: network, downloads: DownloadSettings(connections: 1, cancel: .never, preempt: preempt),
      user: UserScript(scroll: 10, dwell: .constant(1_000_000_000)), prefetcher: ItemsAhead(ahead: 9))
    scenario.hosts = hosts
    return scenario
  }

  private let split = FeedHosts(kinds: ["images", "videos", "images", "images"])

  @Test func aBusyHostHoldsUpTheOthersOnlyWhereTheyShareIt() {
    // On one connection the video takes 10 s, and every item but the first, which is requested first, is a loader.
    #expect(scenario(FeedHosts()).run(seed: 1).loaders == 10)
    // With two hosts the images load beside it at half the rate: only the first item and the video are late.
    #expect(scenario(split).run(seed: 1).loaders == 2)
  }

  @Test func eachHostIsConnectedToOnItsOwn() {
    #expect(scenario(FeedHosts(), transport: .packet).run(seed: 1).newConnections == 1)
    #expect(scenario(split, transport: .packet).run(seed: 1).newConnections == 2)
  }

  @Test func namesOfHostsChangeNothing() {
    let plain = scenario(FeedHosts(), transport: .packet).run(seed: 1)
    #expect(scenario(FeedHosts(kinds: ["a", "a", "a", "a"], pages: "b"), transport: .packet).run(seed: 1) == plain)
  }

  @Test func onlyATransferOfTheSameHostGivesWayToTheActiveItem() {
    // The active video's host has a free connection, so nothing is cancelled for it.
    #expect(scenario(split, preempt: true).run(seed: 1).cancels == 0)
  }

  @Test func noHostHasMoreTransfersThanConnections() {
    let explanation = scenario(FeedHosts(kinds: ["images", "videos", "images", "images"])).explain(seed: 1)
    for host in 0...1 {
      let requests = explanation.requests.filter { explanation.hosts.of(explanation.items[$0.item].kind) == host }
      for (earlier, later) in zip(requests, requests.dropFirst()) { #expect(earlier.ended <= later.requested) }
    }
    #expect(explanation.requests.count == 10)
  }

  @Test func pagesMayShareTheItemsHost() {
    let hosts = FeedHosts(pages: "media")
    #expect(hosts.ofPages == 0)
    #expect(hosts.names == ["media"])
  }
}
