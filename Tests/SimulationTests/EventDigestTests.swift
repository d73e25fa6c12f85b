import Testing

@testable import Simulation

@Suite struct EventDigestTests {
  private func scenario(_ transport: NetworkConfiguration.TransportKind, ahead: Int = 2, bytes: Int64 = 40_000) -> Scenario {
    let link = LinkRate(constant: 800_000)
    return Scenario(
      feed: .fixed(ContiguousArray((0..<20).map { _ in Item(kind: .image, bytes: bytes) })),
      network: NetworkConfiguration(
        down: link, up: link, delayDown: .milliseconds(20), delayUp: .milliseconds(20), transport: transport),
      downloads: DownloadSettings(), user: UserScript(scroll: 20, dwell: .constant(1_000_000_000)), prefetcher: ItemsAhead(ahead: ahead))
  }

  @Test(arguments: NetworkConfiguration.TransportKind.allCases)
  func aDigestIsThatOfTheEventsWithOrWithoutALog(transport: NetworkConfiguration.TransportKind) {
    let base = scenario(transport)
    let digest = base.run(seed: 1).digest
    #expect(digest == base.run(seed: 1).digest && digest == base.explain(seed: 1).metrics.digest)
    #expect(digest > 0 && digest < 1 << UInt64(EventDigest.width))
    // One more byte of each item changes times, but few of the counts.
    #expect(digest != scenario(transport, bytes: 40_001).run(seed: 1).digest)
    #expect(digest != scenario(transport, ahead: 3).run(seed: 1).digest)
  }

  @Test func theOrderKindNumberAmountAndTimeOfEventsMatter() {
    func digest(_ events: [(EventDigest.Kind, Int, Int64, Int64)]) -> UInt64 {
      var digest = EventDigest()
      for (kind, index, amount, now) in events { digest.mix(kind, index, amount, at: now) }
      return digest.value
    }
    let variants: [[(EventDigest.Kind, Int, Int64, Int64)]] = [
      [], [(.ready, 1, 2, 3)], [(.ready, 2, 1, 3)], [(.left, 1, 2, 3)], [(.ready, 1, 2, 4)], [(.ready, 0, 0, 0)], [(.activated, 0, 0, 0)],
      [(.ready, 1, 2, 3), (.left, 1, 2, 3)], [(.left, 1, 2, 3), (.ready, 1, 2, 3)], [(.ready, 1, 2, 3), (.ready, 1, 2, 3)],
    ]
    #expect(Set(variants.map(digest)).count == variants.count)
  }
}
