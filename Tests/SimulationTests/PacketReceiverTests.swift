// The receiver's acknowledgements of segments out of order and of short ones.

import Testing

@testable import Simulation

@Suite struct PacketReceiverTests {
  @Test func acknowledgementsAreNotCompressedWhenMoreThanTwoBlocksWouldBeNew() {
    var receiver = PacketReceiver()
    defer { receiver.deallocate() }
    var rtt = RoundTripEstimator()
    var packet = DownPacket(tsVal: 1_000_000, tsEcr: -1, connection: 0, ackNumber: 0, length: Int16(PacketSize.segment), kind: .data)
    receiver.open(at: 0)
    func receive(_ segment: Int32) -> (hides: Bool, acknowledges: Bool) {
      packet.segment = segment
      packet.endSeq = Int64(segment + 1) * Int64(PacketSize.segment)
      let hides = receiver.hidesBlocks(segment)
      let acknowledges = receiver.receive(&packet, at: 2_000_000, rtt: &rtt)
      if acknowledges {
        var ack = UpPacket(connection: 0, kind: .acknowledgement, tsVal: 2_000_000)
        receiver.write(&ack)
      }
      return (hides, acknowledges)
    }
    // The first three of a gap are acknowledged at once, the next one waits.
    for segment: Int32 in [2, 4, 6] { #expect(receive(segment) == (false, true)) }
    #expect(receive(8) == (false, false))
    // A neighbour of the two latest blocks hides none; another block would.
    #expect(receive(9) == (false, false))
    #expect(receive(11) == (true, false))
  }

  @Test func theSecondOfTwoShortSegmentsIsAcknowledgedWhenItIsRead() {
    var receiver = PacketReceiver()
    defer { receiver.deallocate() }
    var rtt = RoundTripEstimator()
    receiver.open(at: 0)
    var packet = DownPacket(tsVal: 1_000_000, tsEcr: -1, connection: 0, ackNumber: 0, length: 79, kind: .data)
    func receive(_ segment: Int32) -> Bool {
      packet.segment = segment
      packet.endSeq = Int64(segment + 1) * 79
      let acknowledges = receiver.receiveExpected(&packet, at: 2_000_000, nextAt: Instant.never.nanoseconds, rtt: &rtt)
      if acknowledges { write() }
      return acknowledges
    }
    func write() {
      var ack = UpPacket(connection: 0, kind: .acknowledgement, tsVal: 2_000_000)
      receiver.write(&ack)
    }
    // The client answers the first segment, so that acknowledgements are piggybacked from then on.
    #expect(receive(0))
    receiver.noteSent(at: 2_000_000)
    #expect(!receive(1))
    #expect(receive(2))
  }
}
