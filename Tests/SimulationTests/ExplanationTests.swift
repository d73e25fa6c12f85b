// The capacity of the link in the trace of a run.

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
    // 800 kbit/s are 100 kB/s.
    let trace = scenario(.packet, down: LinkRate(constant: 800_000)).explain(seed: 1)
    #expect(trace.offeredBytes(by: .start) == 0)
    #expect(trace.offeredBytes(by: seconds(2)) == 200_000)
    #expect(trace.offeredBytes(by: seconds(2.5)) == 200_000)
    #expect(trace.offeredBytes(by: seconds(4)) == 300_000)
    #expect(trace.offeredBytes(by: seconds(10)) == 800_000)
  }

  @Test func theFluidKnowsNoOutage() {
    let trace = scenario(.fluid, down: LinkRate(constant: 800_000)).explain(seed: 1)
    #expect(trace.offeredBytes(by: seconds(4)) == 400_000)
  }

  @Test func theFluidReadsAllThatIsOfferedWhileItIsBusyAndNeverMore() {
    let down = LinkRate(periods: [
      .init(duration: .seconds(1), bitsPerSecond: 400_000), .init(duration: .seconds(1), bitsPerSecond: 0),
      .init(duration: .seconds(1), bitsPerSecond: 900_000),
    ])
    let trace = scenario(.fluid, down: down).explain(seed: 1)
    #expect(trace.reads.count > 15 && trace.reads.last?.at == trace.end)
    #expect(trace.reads.last?.bytes == trace.metrics.bytesReceived)
    for (earlier, later) in zip(trace.reads, trace.reads.dropFirst()) {
      #expect(earlier.at < later.at && earlier.bytes <= later.bytes)
      let offered = trace.offeredBytes(by: later.at) - trace.offeredBytes(by: earlier.at)
      // Each transfer rounds down to whole bytes.
      #expect(later.bytes - earlier.bytes <= offered + 8)
    }
  }
}
