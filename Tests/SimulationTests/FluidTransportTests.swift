import Foundation
import TestSupport
import Testing

@testable import Simulation

@Suite struct FluidTransportTests {
  private func constant(_ bitsPerSecond: Int64, latencyMs: Int64 = 0, transfers: Int = 8) -> FluidTransport {
    FluidTransport(
      NetworkConfiguration(
        down: LinkRate(constant: bitsPerSecond), up: LinkRate(constant: bitsPerSecond), delayDown: .milliseconds(latencyMs), delayUp: .zero),
      transfers: transfers)
  }

  @Test func agreesWithSabresNetworkToAMicrosecond() throws {
    let rows = try Reference.rows("crosscheck/cc3_sabre_network.csv")
    #expect(rows.count == 720)
    var worstNanoseconds = 0.0
    var first = 0
    while first < rows.count {
      let group = rows[first...].prefix { $0["case"] == rows[first]["case"] && $0["trace"] == rows[first]["trace"] }
      worstNanoseconds = max(worstNanoseconds, try worstError(over: group))
      first = group.endIndex
    }
    #expect(worstNanoseconds < 1000, "worst \(worstNanoseconds) ns")
    #expect(worstNanoseconds < 100, "chains do not drift: worst \(worstNanoseconds) ns")
  }

  /// Plays a chain of downloads, gaps and cancels; returns the largest difference of an end from the reference, in nanoseconds.
  private func worstError(over rows: ArraySlice<[String: String]>) throws -> Double {
    var link = FluidTransport(SabreTraces.network(try SabreTraces.link("crosscheck/\(rows.first!["trace"]!).json")), transfers: 1)
    var worst = 0.0
    for row in rows {
      let start = link.now
      let size = Int64(row["size_bits"]!) ?? 0
      switch row["op"] {
      case "download":
        link.start(0, volume: .bytes(size / 8), host: 0, priority: 0)
        #expect(link.advance(until: .never) == 0)
      case "idle":
        #expect(link.advance(until: start + .milliseconds(Int64(row["arg_ms"]!)!)) == nil)
      default:
        link.start(0, volume: .bytes(size / 8), host: 0, priority: 0)
        let expected = Double(row["bits_received"]!)!
        if link.advance(until: start + .milliseconds(Int64(row["arg_ms"]!)!)) != nil {
          #expect(expected == Double(size), "\(row)")
          break
        }
        let received = link.received(0)
        #expect(link.cancel(0) == received)
        // A microsecond's worth of bits at the fastest rate in these traces (80 Mbit/s).
        #expect(abs(Double(received.nanobits) / 1e9 - expected) <= 80, "\(row)")
      }
      worst = max(worst, abs(Double(link.now.nanoseconds) - Double(row["end_ms"]!)! * 1e6))
    }
    return worst
  }

  @Test func equalTransfersFinishTogether() {
    var link = constant(1_000_000, latencyMs: 50)
    for number in 0..<4 { link.start(number, volume: .bytes(125_000), host: 0, priority: 0) }
    for number in 0..<4 {
      #expect(link.advance(until: .never) == number)
      #expect(link.now == Instant(nanoseconds: 4_050_000_000))
    }
  }

  @Test func aSecondTransferHalvesTheRateOfTheFirst() {
    var link = constant(8_000_000)
    link.start(0, volume: .bytes(1_000_000), host: 0, priority: 0)
    #expect(link.advance(until: Instant(nanoseconds: 500_000_000)) == nil)
    link.start(1, volume: .bytes(250_000), host: 0, priority: 0)
    #expect(link.received(0) == .bytes(500_000))
    #expect(link.advance(until: .never) == 1)
    #expect(link.now == Instant(nanoseconds: 1_000_000_000))
    #expect(link.received(0) == .bytes(750_000))
    #expect(link.advance(until: .never) == 0)
    #expect(link.now == Instant(nanoseconds: 1_250_000_000))
  }

  @Test func aCancelReturnsTheReceivedBytesAndFreesTheLink() {
    var link = constant(8_000_000, latencyMs: 100)
    link.start(0, volume: .bytes(1_000_000), host: 0, priority: 0)
    link.start(1, volume: .bytes(1_000_000), host: 0, priority: 0)
    #expect(link.advance(until: Instant(nanoseconds: 600_000_000)) == nil)
    #expect(link.cancel(0) == .bytes(250_000))
    #expect(link.advance(until: .never) == 1)
    #expect(link.now == Instant(nanoseconds: 1_350_000_000))
  }

  @Test func outagesPassAndTracesWrap() {
    let trace = LinkRate(periods: [
      .init(duration: .seconds(1), bitsPerSecond: 8_000_000), .init(duration: .seconds(2), bitsPerSecond: 0),
    ])
    var link = FluidTransport(
      NetworkConfiguration(down: trace, up: trace, delayDown: .zero, delayUp: .zero, offset: .milliseconds(500)), transfers: 1)
    link.start(0, volume: .bytes(2_500_000), host: 0, priority: 0)
    #expect(link.advance(until: .never) == 0)
    // Half a second, an outage of two, a whole second, an outage, one second more: 0.5 + 2 + 1 + 2 + 1.
    #expect(link.now == Instant(nanoseconds: 6_500_000_000))
  }

  @Test func aTraceOfMostlyOutageIsWalkedPassByPass() {
    let day: Int64 = 86_400_000_000_000
    let trace = LinkRate(periods: [
      .init(duration: .milliseconds(1), bitsPerSecond: 1000), .init(duration: Interval(nanoseconds: day), bitsPerSecond: 0),
    ])
    var link = FluidTransport(SabreTraces.network(trace), transfers: 2)
    link.start(0, volume: .bytes(1), host: 0, priority: 0)
    #expect(link.advance(until: .never) == 0)
    // A bit a pass: seven whole passes, and the millisecond of the eighth.
    #expect(link.now == Instant(nanoseconds: 7 * (day + 1_000_000) + 1_000_000))
    // A gigabyte would end beyond the time range, alone or shared.
    link.start(0, volume: .bytes(Volume.limitBytes), host: 0, priority: 0)
    link.start(1, volume: .bytes(Volume.limitBytes), host: 0, priority: 0)
    let end = Instant(nanoseconds: 1000 * day)
    #expect(link.advance(until: end) == nil)
    #expect(link.received(0) == link.received(1))
    #expect(link.cancel(1) > .zero)
    #expect(link.advance(until: end + .seconds(1)) == nil)
  }

  @Test func aFastLinkAndALargeShareDoNotOverflow() {
    var link = constant(10_000_000_000, transfers: 64)
    for number in 0..<64 { link.start(number, volume: .bytes(Volume.limitBytes), host: 0, priority: 0) }
    for number in 0..<64 { #expect(link.advance(until: .never) == number) }
    #expect(abs(link.now.nanoseconds - 51_200_000_000) < 64)
    #expect(link.advance(until: Instant(nanoseconds: 1_000_000_000_000_000)) == nil)
  }

  /// A latency across periods is used up in shares of each period's latency, as in Sabre.
  @Test func aLatencyAcrossPeriodsIsUsedUpByShares() {
    let trace = LinkRate(periods: [
      .init(duration: .milliseconds(50), bitsPerSecond: 8000, latency: .milliseconds(100)),
      .init(duration: .seconds(9), bitsPerSecond: 8_000_000, latency: .milliseconds(20)),
    ])
    var link = FluidTransport(SabreTraces.network(trace), transfers: 1)
    link.start(0, volume: .bytes(1_000_000), host: 0, priority: 0)
    #expect(link.advance(until: .never) != nil)
    #expect(link.now == Instant(nanoseconds: 1_060_000_000))
  }

  @Test func payloadIsConservedOverManySeeds() {
    for seed in 0..<300 {
      var random = RandomStream(seed: UInt64(seed))
      let trace = LinkRate(
        periods: (0..<6).map { index in
          .init(
            duration: .milliseconds(Int64(random.below(900)) + 100),
            bitsPerSecond: index == 0 ? 1_000_000 : Int64(random.below(3)) * 700_000)
        })
      var link = FluidTransport(SabreTraces.network(trace), transfers: 5)
      let capacity = LinkCapacity(trace, offset: .zero)
      var sizes = [Int64](repeating: 0, count: 5)
      var delivered: Int64 = 0
      for _ in 0..<60 {
        let before = link.now
        let number = Int(random.below(5))
        if sizes[number] == 0 {
          sizes[number] = Int64(random.below(100_000)) + 1
          link.start(number, volume: .bytes(sizes[number]), host: 0, priority: 0)
        } else if random.below(3) == 0 {
          delivered += link.cancel(number).nanobits
          sizes[number] = 0
        }
        let limit = before + .milliseconds(Int64(random.below(400)))
        while let arrival = link.advance(until: limit) {
          delivered += Volume.bytes(sizes[arrival]).nanobits
          sizes[arrival] = 0
        }
        #expect(link.now >= before)
        let inFlight = (0..<5).filter { sizes[$0] > 0 }.reduce(Int64(0)) { $0 + link.received($1).nanobits }
        #expect(Int128(delivered + inFlight) <= capacity.nanobits(by: link.now.nanoseconds) + 5 * 2_000_000)
      }
    }
  }
}
