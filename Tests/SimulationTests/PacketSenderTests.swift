// Rules of the sender that completion times show only after many round trips: HyStart's low window and deferred sk_buffs.

import Testing

@testable import Simulation

@Suite struct PacketSenderTests {
  @Test func hyStartTakesNoSamplesWhileTheWindowIsSmall() {
    var cubic = CubicWindow()
    var now: Int64 = 0
    func acknowledge(_ delayUs: Int64, times: Int) {
      for _ in 0..<times {
        now += 10_000_000
        cubic.acked(delayUs: delayUs, at: now, sndUna: 1, sndNxt: 100)
      }
    }
    acknowledge(100_000, times: 1)
    cubic.cwnd = 15
    acknowledge(200_000, times: 20)
    cubic.cwnd = 16
    acknowledge(200_000, times: 8)
    #expect(cubic.isSlowStart, "the eighth sample of the round")
    acknowledge(200_000, times: 1)
    #expect(!cubic.isSlowStart && cubic.ssthresh == 16)
  }

  /// On 3G the kernel sends two segments for an acknowledgement of two after cwnd has grown by one, and four after it has grown by two.
  @Test func aShortSkBuffWaitsForAnAcknowledgementThatIsDue() {
    var network = PacketNetwork(
      NetworkConfiguration(
        down: LinkRate(constant: 780_000), up: LinkRate(constant: 330_000), delayDown: .milliseconds(100), delayUp: .milliseconds(100)))
    defer { network.deallocate() }
    var sender = PacketSender(connection: 0, slowStartAfterIdle: true)
    defer { sender.deallocate() }
    sender.rtt.add(sampleUs: 100_000, sndUna: 0, sndNxt: 0)
    (sender.cubic.cwnd, sender.cubic.ssthresh) = (11, 11)
    sender.writtenBytes = 100 * Int64(PacketSize.segment)
    func push(acknowledged: Int, cwnd: Int, at now: Int64) -> Int {
      network.world.now = now
      (sender.sndUna, sender.cubic.cwnd) = (acknowledged, cwnd)
      let before = sender.sndNxt
      sender.push(&network.world)
      return sender.sndNxt - before
    }
    #expect(push(acknowledged: 0, cwnd: 11, at: 0) == 11, "no acknowledgement is due")
    #expect(push(acknowledged: 2, cwnd: 12, at: 100_000_000) == 2)
    #expect(sender.isDeferred && sender.isCwndLimited, "cwnd limits a sender that defers")
    #expect(push(acknowledged: 4, cwnd: 13, at: 115_000_000) == 4)
  }
}
