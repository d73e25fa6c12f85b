import Oracles
import TestSupport
import Testing

@testable import Simulation

/// HTTP/3 over QUIC on the packet transport.
@Suite struct QUICTests {
  private static func network(
    down: Int64 = 5_000_000, up: Int64 = 1_000_000, delay: Int64 = 50, loss: Double = 0, queue: Int = 1000, earlyData: Bool = false
  ) -> NetworkConfiguration {
    var network = NetworkConfiguration(
      down: LinkRate(constant: down), up: LinkRate(constant: up), delayDown: .milliseconds(delay), delayUp: .milliseconds(delay),
      lossDown: loss, lossUp: loss, queuePackets: queue, transport: .packet)
    network.http.version = .http3
    network.http.earlyData = earlyData
    return network
  }

  /// Returns the ends of requests that start together, in milliseconds, by request.
  private static func ends(_ network: NetworkConfiguration, sizes: [Int64], limit: Int64 = 600) -> [Double] {
    var probe = NetworkProbe(network)
    for (request, bytes) in sizes.enumerated() { probe.start(request, bytes: bytes) }
    var ends = Array(repeating: Double.infinity, count: sizes.count)
    for _ in sizes {
      guard let event = probe.advance(until: .start + .seconds(limit)) else { break }
      ends[event.request] = (event.at - .start).milliseconds
    }
    return ends
  }

  // MARK: Handshake

  @Test func aConnectionCostsOneRoundTripAndEarlyDataNone() throws {
    for (earlyData, rounds) in [(false, 2.0), (true, 1.0)] {
      var probe = NetworkProbe(Self.network(down: 1_000_000_000, up: 1_000_000_000, earlyData: earlyData))
      probe.start(0, bytes: 1000)
      _ = probe.advance(until: .start + .seconds(10))
      let (connected, first) = probe.milestones(0)
      #expect((100...102).contains((try #require(connected) - .start).milliseconds))
      // The client's Finished waits for the pacing of its acknowledgement, which fills a datagram.
      let wait = (try #require(first) - .start).milliseconds - rounds * 100
      #expect((0...12).contains(wait))
    }
  }

  @Test func refusedEarlyDataCostsARoundTrip() throws {
    func first(isRefused: Bool) throws -> Double {
      var network = Self.network(down: 1_000_000_000, up: 1_000_000_000, earlyData: true)
      network.http.refusesEarlyData = isRefused
      var probe = NetworkProbe(network)
      for request in 0..<3 { probe.start(request, bytes: 1000) }
      for _ in 0..<3 { #expect(probe.advance(until: .start + .seconds(10)) != nil) }
      return (try #require(probe.milestones(0).firstByte) - .start).milliseconds
    }
    #expect((100...112).contains(try first(isRefused: true) - first(isRefused: false)))
  }

  @Test func initialsArePaddedTo1200Bytes() throws {
    // 1228 bytes at 128 kbit/s: each padded Initial costs 77 ms of uplink.
    var probe = NetworkProbe(Self.network(down: 1_000_000_000, up: 128_000, delay: 0))
    probe.start(0, bytes: 1000)
    _ = probe.advance(until: .start + .seconds(10))
    let connected = (try #require(probe.milestones(0).connected) - .start).milliseconds
    #expect((76.7...79).contains(connected))
  }

  @Test func aLostInitialIsRepeatedAfterThreeTimesTheInitialRoundTrip() {
    // RFC 9002: 333 ms + 4 × 166.5 ms. Some of the seeds lose the first datagram, most do not.
    let times = (1...60).map { seed -> Double in
      var network = Self.network(down: 1_000_000_000, up: 1_000_000_000)
      (network.lossUp, network.seed) = (0.1, UInt64(seed))
      var probe = NetworkProbe(network)
      probe.start(0, bytes: 1000)
      _ = probe.advance(until: .start + .seconds(60))
      return probe.milestones(0).connected.map { ($0 - .start).milliseconds } ?? 0
    }
    #expect(times.contains { (1099...1102).contains($0) })
    #expect(times.count { $0 < 102 } > 40)
  }

  // MARK: Streams

  @Test func responsesAreSentInTheOrderOfTheirRequests() {
    let ends = Self.ends(Self.network(), sizes: [200_000, 100_000, 50_000])
    #expect(ends[0] < ends[1] && ends[1] < ends[2])
    // The second one lasts no longer than its own bytes, as none was sent before.
    #expect(ends[1] - ends[0] < 100_000.0 * 8 / 5_000_000 * 1000 * 1.1)
  }

  @Test func aStreamDoesNotWaitForAnotherOnesLoss() {
    // With one connection of TCP the second response could never be complete first.
    let overtaken = (1...30).count { seed in
      var network = Self.network(loss: 0.05)
      network.seed = UInt64(seed)
      let ends = Self.ends(network, sizes: [60_000, 10_000])
      return ends[1] < ends[0]
    }
    #expect(overtaken > 0 && overtaken < 30)
  }

  @Test func aCancelStopsTheServerAfterAnUplinkDelayAndKeepsTheConnection() {
    var probe = NetworkProbe(Self.network())
    probe.start(0, bytes: 5_000_000)
    _ = probe.advance(until: .start + .seconds(2))
    let received = probe.cancel(0)
    #expect(received > 500_000)
    probe.start(1, bytes: 10_000)
    let end = probe.advance(until: .start + .seconds(20))
    #expect(end?.request == 1)
    #expect(probe.newConnections == 1)
    #expect(probe.bytesDead > 20_000 && probe.bytesDead < 1_500_000)
    let late = probe.cancel(1)
    #expect(late == 0, "a complete request is no longer in flight")
  }

  @Test func aCancelledStreamRepeatsWhatIsFoundLostAfterTheCancel() {
    var stream = QUICSendStream(id: 0, size: 10_000, next: 5000)
    stream.noteLost(QUICFrame(kind: .stream, length: 1000))
    stream.reset()
    #expect(stream.size == 5000 && stream.lost.isEmpty)
    stream.noteLost(QUICFrame(kind: .stream, offset: 1000, length: 500))
    #expect(stream.lost.count == 500)
  }

  @Test func aRequestCancelledBeforeTheHandshakeIsNeverSent() {
    var probe = NetworkProbe(Self.network())
    probe.start(0, bytes: 100_000)
    _ = probe.advance(until: .start + .milliseconds(20))
    let received = probe.cancel(0)
    #expect(received == 0)
    probe.start(0, bytes: 1000)
    let end = probe.advance(until: .start + .seconds(5))
    #expect(end?.request == 0)
    #expect(probe.bytesDead == 0)
  }

  // MARK: Losses

  @Test(arguments: [NetworkConfiguration.Congestion.cubic, .bbr], 1...4)
  func everyByteArrivesOverALossyLink(_ congestion: NetworkConfiguration.Congestion, _ seed: Int) {
    var network = Self.network(down: 2_000_000, up: 300_000, loss: 0.1, queue: 20, earlyData: seed % 2 == 0)
    (network.congestion, network.seed, network.jitter) = (congestion, UInt64(seed), .milliseconds(Int64(seed % 3)))
    let sizes = (0..<5).map { Int64(8000 * ($0 + seed)) }
    let ends = Self.ends(network, sizes: sizes)
    #expect(ends.count(where: \.isFinite) == sizes.count)
    #expect(Self.ends(network, sizes: sizes) == ends, "a seed gives the same run")
  }

  @Test func anOutageBeyondTheIdleTimeoutCostsANewConnection() {
    func run(_ seconds: Int64) -> (end: Double, connections: Int) {
      var network = Self.network()
      network.outages = [.init(start: .seconds(1), duration: .seconds(seconds))]
      var probe = NetworkProbe(network)
      probe.start(0, bytes: 2_000_000)
      let end = probe.advance(until: .start + .seconds(300))
      return (end.map { ($0.at - .start).milliseconds } ?? .infinity, probe.newConnections)
    }
    #expect(run(10).connections == 1)
    #expect(run(40).connections == 2)
    #expect(run(40).end.isFinite)
  }

  @Test(arguments: [1, 31, 61, 200])
  func aSlowAnswerKeepsItsConnection(_ seconds: Int64) throws {
    var network = Self.network()
    network.http.serverTime = .seconds(seconds)
    var probe = NetworkProbe(network)
    probe.start(0, bytes: 10_000)
    let end = probe.advance(until: .start + .seconds(1000))
    #expect((0...600).contains((try #require(end).at - .start).milliseconds - Double(seconds) * 1000))
    #expect(probe.newConnections == 1)
  }

  @Test func aDeadPathCostsAConnectionEachIdleTimeout() {
    // The timer runs for 30 s from the last arrival or from the PING that follows it, at the latest after 15 s. Later connections hear nothing,
    // and pauses of 1, 2, 4 … s are between them; the 9th waits for its own.
    var network = Self.network()
    network.outages = [.init(start: .seconds(2), duration: .seconds(1000))]
    var probe = NetworkProbe(network)
    probe.start(0, bytes: 5_000_000)
    for (until, connections) in [(31, 1), (48, 2), (348, 9)] {
      let end = probe.advance(until: .start + .seconds(Int64(until)))
      #expect(end == nil)
      #expect(probe.newConnections == connections, "after \(until) s")
    }
  }

  @Test func datagramsOfAClosedConnectionAreUndelivered() {
    var network = Self.network()
    network.http.idleTimeout = .milliseconds(1)
    var probe = NetworkProbe(network)
    for request in 0..<50 {
      probe.start(2 * request, bytes: 500_000)
      _ = probe.advance(until: probe.now + .milliseconds(300))
      probe.cancel(2 * request)
      _ = probe.advance(until: probe.now + .milliseconds(2))
      probe.start(2 * request + 1, bytes: 1000)
      let end = probe.advance(until: probe.now + .seconds(10))
      #expect(end?.request == 2 * request + 1)
    }
    #expect(probe.newConnections > 50)
    #expect(probe.bytesDead > 50 * 1000)
  }

  @Test func aRequestOfSeveralPacketsIsAnsweredWhateverIsLost() {
    for seed in 1...40 {
      var network = Self.network(loss: 0.2)
      (network.http.requestBytes, network.seed) = (5000, UInt64(seed))
      #expect(Self.ends(network, sizes: [1000])[0].isFinite, "seed \(seed)")
    }
  }

  @Test(arguments: zip([HTTPConfiguration.QUICClient.ngtcp2, .aioquic], [1678.0...1686, 1669...1674]))
  func datagramsGrowWithTheProbedMTU(_ client: HTTPConfiguration.QUICClient, _ expected: ClosedRange<Double>) {
    // At 5 Mbit/s, 1 MB in datagrams of 1200 bytes with 1159 of data needs 1695 ms; with 1444 and 1401, 1681 ms. aioquic's ID is 9 bytes shorter.
    var network = Self.network()
    network.http.quicClient = client
    let ends = Self.ends(network, sizes: [2_000_000, 1_000_000])
    #expect(expected.contains(ends[1] - ends[0]))
  }

  @Test func bbrKeepsTheRateUnderLossesThatCubicYieldsTo() {
    func end(_ congestion: NetworkConfiguration.Congestion) -> Double {
      let ends = (1...9).map { seed -> Double in
        var network = Self.network(down: 20_000_000, up: 5_000_000, loss: 0.02)
        (network.congestion, network.seed) = (congestion, UInt64(seed))
        return Self.ends(network, sizes: [2_000_000])[0]
      }
      return median(ends)
    }
    #expect(end(.bbr) * 1.5 < end(.cubic))
  }

  // MARK: Parts

  @Test func rangesHoldWhatASetWouldHold() {
    var random = RandomStream(seed: 7)
    var ranges = QUICRanges()
    var set: Set<Int64> = []
    for _ in 0..<3000 {
      let start = Int64(random.below(200))
      let range = start..<start + Int64(random.below(12))
      if random.below(3) == 0 {
        ranges.remove(range)
        set.subtract(range)
      } else {
        let fresh = range.count { !set.contains($0) }
        let inserted = ranges.insert(range)
        #expect(inserted == Int64(fresh))
        set.formUnion(range)
      }
      #expect(ranges.count == Int64(set.count))
      #expect(zip(ranges.ranges, ranges.ranges.dropFirst()).allSatisfy { $0.upperBound < $1.lowerBound })
    }
    #expect((0..<220).allSatisfy { ranges.contains($0) == set.contains($0) })
    for start in Int64(0)..<200 {
      let bounds = start..<start + 20
      #expect(Set(ranges.clamped(to: bounds).joined()) == set.filter(bounds.contains))
    }
  }

  @Test func theRoundTripIsSmoothedWithoutTheAckDelay() {
    var path = QUICRecovery()
    #expect(path.pto == 999 * QUICRecovery.millisecond)
    let isUsed = path.addRtt(100_000_000, ackDelay: 0, isConfirmed: true, at: 1)
    #expect(isUsed)
    #expect(path.smoothedRtt == 100_000_000 && path.rttVar == 50_000_000)
    _ = path.addRtt(140_000_000, ackDelay: 90_000_000, isConfirmed: true, at: 2)
    // At most `max_ack_delay` of 25 ms is subtracted.
    #expect(path.smoothedRtt == (700_000_000 + 115_000_000) / 8)
    #expect(path.minRtt == 100_000_000)
  }

  @Test func cubicGrowsAtAnyRoundTrip() {
    var (cubic, path) = (QUICCubic(), QUICRecovery())
    _ = path.addRtt(QUICRecovery.never / 500, ackDelay: 0, isConfirmed: true, at: 1)
    path.ssthresh = 0
    let packet = QUICSentPacket(number: 1, sentAt: 1, length: 1200, frames: [])
    let before = path.cwnd
    for time in [Int64](arrayLiteral: 2, QUICRecovery.second, 1_000_000 * QUICRecovery.second) {
      cubic.acked(packet, isApplication: true, &path, at: time)
    }
    #expect(path.cwnd > before && path.cwnd < 2 * before)
    #expect(path.pto == 3600 * QUICRecovery.second)
  }

  @Test func aPacketSentInAnswerToALossIsNotInRecovery() {
    var (cubic, path) = (QUICCubic(), QUICRecovery())
    cubic.noteLoss(sentAt: 5, &path, at: 10)
    #expect(path.isInRecovery(9) && !path.isInRecovery(10))
    let cwnd = path.cwnd
    cubic.noteLoss(sentAt: 9, &path, at: 12)
    #expect(path.cwnd == cwnd, "one reduction a round trip")
  }

  // MARK: The measurements

  @Test func sessionsHaveTheLoadersOfTheirClients() throws {
    let summary = try CellTable(reference: ReferenceTables(folder: Reference.measurements.path).measured, table: .stackSessions).summary
    #expect(summary.hardCount >= 15)
    #expect(summary.meanError <= 2 && summary.hardError <= 5)
    #expect(summary.pairsKept == summary.pairs)
  }

  @Test func linksThatNobodyFittedArePredicted() throws {
    let folder = Reference.measurements.appendingPathComponent("measured").path
    let rows = try StackCases(reference: ReferenceTables(folder: folder), seeds: 3).h3().filter {
      !$0.category.hasSuffix("ttfb") && !$0.category.hasSuffix("handshake")
    }
    #expect(rows.count == 41)
    let errors = rows.map(\.errorPercent).sorted()
    #expect(median(errors) <= 2)
    #expect(errors[errors.count * 9 / 10] <= 8)
    #expect(median(rows.filter { $0.category.hasSuffix("warm") }.map(\.errorPercent)) <= 1.7)
  }

  @Test func requestsAreAsFastAsOverNgtcp2() throws {
    let rows = try StackCases(reference: ReferenceTables(), seeds: 1).h3().filter { $0.group != "random loss" }
    for (categories, limit) in [(["single", "bbr_single"], 1.0), (["par_last", "bbr_par_last", "par_mean", "bbr_par_mean"], 1.5)] {
      let errors = rows.filter { categories.contains($0.category) }.map(\.errorPercent)
      #expect(errors.count >= 30)
      #expect(median(errors) <= limit)
    }
  }
}
