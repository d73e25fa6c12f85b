import Simulation
import Testing

/// Bursts, closes and queues as Linux 6.18 was measured to treat them. Times are of nginx 1.22 over a shaped link, as in the reference.
@Suite struct KernelBurstTests {
  private static func network(
    down: Int64, up: Int64, delayDown: Int64, delayUp: Int64, queue: Int = 50
  ) -> NetworkConfiguration {
    var network = NetworkConfiguration(
      down: LinkRate(constant: down), up: LinkRate(constant: up), delayDown: .milliseconds(delayDown),
      delayUp: .milliseconds(delayUp), queuePackets: queue, transport: .packet)
    network.http.requestBytes = 142
    network.http.responseHeaderBytes = 258
    return network
  }
  private static let lte = network(down: 50_000_000, up: 10_000_000, delayDown: 50, delayUp: 65)
  private static let threeG = network(down: 780_000, up: 330_000, delayDown: 100, delayUp: 100)

  /// Requests responses one after another; returns the milliseconds of the last one and the packets dropped during it.
  private static func last(of sizes: [Int64], on network: NetworkConfiguration) -> (time: Double, drops: Int) {
    var probe = NetworkProbe(network)
    var last = (time: 0.0, drops: 0)
    for size in sizes {
      let (start, drops) = (probe.now, probe.packetsDropped)
      probe.start(0, bytes: size)
      guard let event = probe.advance(until: start + .seconds(600)) else { return (.infinity, 0) }
      last = ((event.at - start).milliseconds, probe.packetsDropped - drops)
    }
    return last
  }

  /// 200 KB on a warm connection: `sendfile` fills the socket beyond its buffer, and 84 of 142 packets do not fit into the queue.
  @Test func aWarmBurstIsAsLargeAsTheKernels() {
    let burst = Self.last(of: [204_800, 204_800], on: Self.lte)
    #expect((82...86).contains(burst.drops), "\(burst.drops) drops")
    #expect(abs(burst.time - 698.2) < 0.02 * 698.2, "\(burst.time) ms")
    #expect(abs(Self.last(of: [204_800, 102_400], on: Self.lte).time - 1074.8) < 0.03 * 1074.8)
    #expect(abs(Self.last(of: [204_800, 1_048_576], on: Self.lte).time - 819.9) < 0.02 * 819.9)
  }

  /// A host sends a burst packet by packet: a fast link takes one or two from the queue meanwhile, a slow one none.
  @Test func aBurstTakesTimeToLeaveItsHost() {
    func drops(_ rate: Int64) -> Int {
      var network = Self.network(down: rate, up: 10_000_000, delayDown: 500, delayUp: 500, queue: 5)
      network.queueUp = 1000
      return Self.last(of: [14_000], on: network).drops
    }
    // An acknowledgement and ten segments leave at once. 10 Gbit/s sends each before the next comes; 5 Mbit/s has room for five.
    #expect(drops(10_000_000_000) == 0)
    #expect(drops(5_000_000) == 6)
  }

  /// A download of 1 MB, cancelled on 3G by a close: everything sent and not read counts, also what had arrived behind a lost packet.
  @Test func aCloseDiscardsWhatArrivedBehindAHole() {
    var network = Self.threeG
    network.queueDown = 20
    var probe = NetworkProbe(network)
    probe.start(0, bytes: 1_048_576)
    // The queue overflows in slow start; its 20 packets later the lost one is missing.
    var end = Instant.start
    while probe.packetsDropped == 0, end < .start + .seconds(10) {
      end = end + .milliseconds(20)
      #expect(probe.advance(until: end) == nil)
    }
    _ = probe.advance(until: end + .milliseconds(600))
    let before = probe.bytesDead
    probe.cancel(0)
    let discarded = probe.bytesDead - before
    #expect(discarded > 0 && discarded % 1448 == 0, "\(discarded) bytes behind the hole")
  }

  /// SYN-ACKs that answer repeated SYNs do not use up the server's retries (`tcp_synack_retries`).
  @Test(arguments: [4000, 8000]) func aConnectionWithALongRoundTripOpens(delay: Int64) {
    let long = Self.network(down: 1_000_000, up: 1_000_000, delayDown: delay, delayUp: delay)
    let time = Self.last(of: [1000], on: long).time
    #expect(time > Double(4 * delay) && time < Double(4 * delay) + 100, "\(time)")
  }

  /// Only requests queue on the uplink: a short queue there loses them, a short queue of the downlink does not.
  @Test func eachDirectionHasItsOwnQueue() {
    func drops(_ change: (inout NetworkConfiguration) -> Void) -> Int {
      var network = Self.threeG
      network.queuePackets = 1000
      network.http.connectionsPerHost = 40
      network.http.requestBytes = 1000
      change(&network)
      var probe = NetworkProbe(network)
      for request in 0..<40 { probe.start(request, bytes: 100) }
      while probe.advance(until: .start + .seconds(60)) != nil {}
      return probe.packetsDropped
    }
    #expect(drops { _ in } == 0)
    #expect(drops { $0.queueUp = 5 } > 0)
    #expect(
      drops {
        $0.queueDown = 5; $0.queueUp = 1000
      }
        != drops {
          $0.queueUp = 5; $0.queueDown = 1000
        })
  }
}
