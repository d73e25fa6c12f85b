// What a run that is told knows of its link.

import Testing

@testable import Simulation

@Suite struct ExplanationTests {
  private func scenario(_ transport: NetworkConfiguration.TransportKind, down: LinkRate) -> Scenario {
    var network = NetworkConfiguration(
      down: down, up: LinkRate(constant: 1_000_000), delayDown: .milliseconds(20), delayUp: .milliseconds(20), transport: transport)
    network.outages = [.init(start: .seconds(2), duration: .seconds(1)), .init(start: .seconds(9), duration: .seconds(100))]
    return Scenario(
      feed: .fixed(ContiguousArray((0..<10).map { _ in Item(kind: .image, bytes: 40_000) })), network: network,
      downloads: DownloadSettings(), user: UserScript(scroll: 10, dwell: .constant(1_000_000_000)), prefetcher: ItemsAhead(ahead: 2))
  }

  private func seconds(_ value: Double) -> Instant { Instant(nanoseconds: Int64(value * 1e9)) }

  @Test func anOutageOffersNothing() {
    // 800 kbit/s are 100 kB a second.
    let told = scenario(.packet, down: LinkRate(constant: 800_000)).explain(seed: 1)
    #expect(told.offeredBytes(by: .start) == 0)
    #expect(told.offeredBytes(by: seconds(2)) == 200_000)
    #expect(told.offeredBytes(by: seconds(2.5)) == 200_000)
    #expect(told.offeredBytes(by: seconds(4)) == 300_000)
    #expect(told.offeredBytes(by: seconds(10)) == 800_000)
  }

  @Test func theFluidKnowsNoOutage() {
    let told = scenario(.fluid, down: LinkRate(constant: 800_000)).explain(seed: 1)
    #expect(told.offeredBytes(by: seconds(4)) == 400_000)
  }

  @Test func theFluidReadsAllThatIsOfferedWhileItIsBusyAndNeverMore() {
    let down = LinkRate(periods: [
      .init(duration: .seconds(1), bitsPerSecond: 400_000), .init(duration: .seconds(1), bitsPerSecond: 0),
      .init(duration: .seconds(1), bitsPerSecond: 900_000),
    ])
    let told = scenario(.fluid, down: down).explain(seed: 1)
    #expect(told.reads.count > 15 && told.reads.last?.at == told.end)
    #expect(told.reads.last?.bytes == told.metrics.bytesReceived)
    for (earlier, later) in zip(told.reads, told.reads.dropFirst()) {
      #expect(earlier.at < later.at && earlier.bytes <= later.bytes)
      let offered = told.offeredBytes(by: later.at) - told.offeredBytes(by: earlier.at)
      // Transfers are floored to whole bytes one by one.
      #expect(later.bytes - earlier.bytes <= offered + 8)
    }
  }
}
