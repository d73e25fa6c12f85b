import Analysis
import Oracles
import Simulation
import TestSupport
import Testing

@Suite struct PacketTransportTests {
  @Test(arguments: 1...40)
  func everyByteArrivesOverALossyLink(seed: Int) {
    var network = NetworkConfiguration(
      down: LinkRate(constant: 2_000_000), up: LinkRate(constant: 300_000), delayDown: .milliseconds(20),
      delayUp: .milliseconds(30), lossDown: 0.05, lossUp: 0.05, queuePackets: 20, transport: .packet)
    network.seed = UInt64(seed)
    network.jitter = .milliseconds(Int64(seed % 3))
    network.http.connectionsPerHost = 3
    var probe = NetworkProbe(network)
    for request in 0..<5 { probe.start(request, bytes: Int64(20_000 * (request + seed % 7))) }
    var finished: Set<Int> = []
    var last = Instant.start
    while finished.count < 5, let event = probe.advance(until: .start + .seconds(600)) {
      #expect(event.at >= last)
      last = event.at
      finished.insert(event.request)
    }
    #expect(finished.count == 5)
  }

  @Test func theSameSeedGivesTheSameRun() throws {
    func ends(_ seed: UInt64) -> [Int64] {
      var network = NetworkConfiguration(
        down: LinkRate(constant: 1_000_000), up: LinkRate(constant: 300_000), delayDown: .milliseconds(50),
        delayUp: .milliseconds(50), lossDown: 0.03, transport: .packet)
      network.seed = seed
      network.burstLoss = .init(enter: 0.01, leave: 0.3, loss: 0.5)
      var probe = NetworkProbe(network)
      for request in 0..<4 { probe.start(request, bytes: 100_000) }
      return (0..<4).compactMap { _ in probe.advance(until: .start + .seconds(600))?.at.nanoseconds }
    }
    #expect(ends(1) == ends(1))
    #expect(ends(1) != ends(2))
  }

  @Test func aCancelFreesTheSlotAndItsBytesAreStillSent() {
    let network = NetworkConfiguration(
      down: LinkRate(constant: 780_000), up: LinkRate(constant: 330_000), delayDown: .milliseconds(100),
      delayUp: .milliseconds(100), transport: .packet)
    var probe = NetworkProbe(network)
    probe.start(0, bytes: 1_000_000)
    _ = probe.advance(until: .start + .seconds(2))
    let received = probe.cancel(0)
    #expect(received > 100_000)
    probe.start(1, bytes: 10_000)
    let end = probe.advance(until: .start + .seconds(20))
    #expect(end?.request == 1)
    #expect(probe.newConnections == 2)
    #expect(probe.bytesDead > 20_000 && probe.bytesDead < 120_000)
  }

  @Test func anOutageHoldsPacketsBackAndLosesNone() {
    func end(_ outages: [TimeSpan]) -> Double {
      var network = NetworkConfiguration(
        down: LinkRate(constant: 1_000_000), up: LinkRate(constant: 1_000_000), delayDown: .milliseconds(10),
        delayUp: .milliseconds(10), transport: .packet)
      network.outages = outages
      var probe = NetworkProbe(network)
      probe.start(0, bytes: 125_000)
      return probe.advance(until: .start + .seconds(60)).map { Double($0.at.nanoseconds) / 1e9 } ?? .nan
    }
    let plain = end([])
    let held = end([.init(start: .milliseconds(500), duration: .milliseconds(150))])
    #expect(held - plain > 0.14 && held - plain < 0.35)
  }

  /// The SYN-ACK arrives, its answer waits for the end of the outage, and the server gives the connection up after 63 s.
  @Test func aRequestToAClosedServerIsResetAndRepeatedOnANewConnection() {
    var network = NetworkConfiguration(
      down: LinkRate(constant: 1_000_000), up: LinkRate(constant: 1_000_000), delayDown: .milliseconds(40),
      delayUp: .milliseconds(40), transport: .packet)
    network.outages = [.init(start: .milliseconds(60), duration: .seconds(100))]
    var probe = NetworkProbe(network)
    probe.start(0, bytes: 10_000)
    let end = probe.advance(until: .start + .seconds(600))
    #expect((end?.at ?? .never) < .start + .seconds(102))
    #expect(probe.newConnections == 2)
  }

  /// All connections of a full memory are replaced in one moment; the memory moves while the first one is. Fails under the address sanitizer
  /// if a connection is read where it was.
  @Test func connectionsAreReplacedWhileTheirMemoryGrows() {
    var network = NetworkConfiguration(
      down: LinkRate(constant: 10_000_000), up: LinkRate(constant: 10_000_000), delayDown: .milliseconds(40),
      delayUp: .milliseconds(40), transport: .packet)
    network.http.connectionsPerHost = 16
    network.outages = [.init(start: .milliseconds(60), duration: .seconds(100))]
    var probe = NetworkProbe(network)
    for request in 0..<16 { probe.start(request, bytes: 10_000) }
    for _ in 0..<16 { #expect((probe.advance(until: .start + .seconds(600))?.at ?? .never) < .start + .seconds(102)) }
    #expect(probe.newConnections == 32)
  }

  @Test func aFastLongPathUsesTheWholeWindow() {
    let network = NetworkConfiguration(
      down: LinkRate(constant: 100_000_000), up: LinkRate(constant: 20_000_000), delayDown: .milliseconds(100),
      delayUp: .milliseconds(100), queuePackets: 2000, transport: .packet)
    var probe = NetworkProbe(network)
    probe.start(0, bytes: 100_000_000)
    let end = probe.advance(until: .start + .seconds(100))
    #expect((end?.at ?? .never) < .start + .seconds(16))
  }
}

@Suite struct PacketFidelityTests {
  private let reference = ReferenceTables(folder: Reference.measurements.path)

  @Test func loadersAgreeWithTheRealClient() throws {
    let table = try CellTable(reference: reference)
    #expect(table.summary.meanError <= 1.5)
    #expect(table.summary.hardError <= 4)
    #expect(Double(table.summary.pairsKept) >= 0.98 * Double(table.summary.pairs))
  }

  @Test func timesAgreeWithTheKernel() throws {
    let comparisons = try KernelCases(reference: reference, seeds: 9).all()
    for (group, middle, tail) in [("no drop", 0.5, 7.0), ("queue overflow", 1, 15), ("random loss", 4, 30)] {
      let errors = comparisons.filter { $0.group == group }.map(\.errorPercent)
      #expect(errors.count > 20)
      #expect(median(errors) <= middle, "\(group): median")
      #expect(Sample.quantile(errors, share: 0.9) ?? .infinity <= tail, "\(group): 90th percentile")
    }
  }
}
