// One packet number space of an endpoint (RFC 9000, 12.3): what it sent and has in flight, and what it must acknowledge.

struct QUICSpace {
  /// The ACK ranges of a frame, at most.
  private static let rangeLimit = 32

  private(set) var isDiscarded = false
  var nextNumber: Int64 = 0

  /// Sent packets that are neither acknowledged nor lost.
  private var sent = Queue<QUICSentPacket>()
  var largestAcked: Int64 = -1
  /// The time at which the oldest unacknowledged packet is lost.
  var lossTime = QUICRecovery.never
  /// The time of the last ack-eliciting packet; -1 for none.
  var lastElicitingAt: Int64 = -1
  /// Packets to send whatever the window, after a probe timeout.
  var probesLeft = 0
  /// The packets in flight that are not yet sent again after a timeout: the timer runs for them.
  private(set) var timedCount = 0
  private(set) var bytesInFlight: Int64 = 0

  // Received packets.
  private(set) var received = QUICRanges()
  private(set) var largestReceivedAt: Int64 = 0
  private var largestReceived: Int64 = -1
  private var largestEliciting: Int64 = -1
  private var unackedCount = 0
  /// The arrival of the first packet that is not acknowledged; -1 for none.
  private(set) var firstUnackedAt: Int64 = -1
  private var isAckImmediate = false

  /// The handshake's bytes on this level: those to send, and those received.
  var crypto = QUICSendStream(id: 0, size: 0), cryptoReceived = QUICRanges()
  var frames: [QUICFrame] = []

  var isEmpty: Bool { sent.isEmpty }
  var inFlight: ArraySlice<QUICSentPacket> { sent.values }
  var hasCrypto: Bool { crypto.next < crypto.size || !crypto.lost.isEmpty }

  mutating func discard() {
    isDiscarded = true
    sent.removeAll()
    (timedCount, probesLeft, firstUnackedAt, bytesInFlight) = (0, 0, -1, 0)
    (lossTime, lastElicitingAt) = (QUICRecovery.never, -1)
  }

  // MARK: - Sending

  mutating func append(_ packet: QUICSentPacket) {
    sent.append(packet)
    if !packet.frames.isEmpty { timedCount += 1 }
    bytesInFlight += packet.length
  }

  /// Removes and returns the packets of an ACK frame, in order.
  mutating func removeAcked(_ ranges: QUICRanges) -> [QUICSentPacket] {
    guard let largest = ranges.ranges.last.map({ $0.upperBound - 1 }) else { return [] }
    var acked: [QUICSentPacket] = []
    var kept: [QUICSentPacket] = []
    for packet in sent.values.prefix(while: { $0.number <= largest }) {
      if ranges.contains(packet.number) { acked.append(packet) } else { kept.append(packet) }
    }
    sent.removeFirst(acked.count)
    for (position, packet) in kept.enumerated() { sent[position] = packet }
    for packet in acked { noteRemoved(packet) }
    return acked
  }

  mutating func removeFirst(_ count: Int) -> [QUICSentPacket] {
    let lost = Array(sent.values.prefix(count))
    sent.removeFirst(count)
    for packet in lost { noteRemoved(packet) }
    return lost
  }

  private mutating func noteRemoved(_ packet: QUICSentPacket) {
    if !packet.frames.isEmpty, !packet.isReclaimed { timedCount -= 1 }
    bytesInFlight -= packet.length
  }

  /// Marks the oldest packet with frames to repeat, and returns them; nil if there is none.
  mutating func reclaimOldest() -> [QUICFrame]? {
    for index in 0..<sent.count where !sent[index].isReclaimed && sent[index].frames.contains(where: { $0.kind != .ping }) {
      sent[index].isReclaimed = true
      timedCount -= 1
      return sent[index].frames
    }
    return nil
  }

  // MARK: - Receiving

  /// Notes a packet; false if it is a duplicate. `ackThreshold` ack-eliciting packets, or a gap before one, are acknowledged at once.
  mutating func receive(_ packet: QUICPacket, ackThreshold: Int?, at now: Int64) -> Bool {
    guard received.insert(packet.number..<packet.number + 1) > 0 else { return false }
    received.keepLast(Self.rangeLimit)
    if packet.number > largestReceived { (largestReceived, largestReceivedAt) = (packet.number, now) }
    guard packet.isAckEliciting else { return true }
    unackedCount += 1
    if let ackThreshold, unackedCount >= ackThreshold || packet.number != largestEliciting + 1 { isAckImmediate = true }
    largestEliciting = max(largestEliciting, packet.number)
    if firstUnackedAt < 0 { firstUnackedAt = now }
    return true
  }

  /// The time at which an ACK frame is due; `never` if there is nothing to acknowledge.
  func ackTime(delay: Int64) -> Int64 { firstUnackedAt < 0 ? QUICRecovery.never : firstUnackedAt + (isAckImmediate ? 0 : delay) }

  mutating func noteAckSent() { (firstUnackedAt, unackedCount, isAckImmediate) = (-1, 0, false) }

  /// Forgets the packets that the peer knows to be acknowledged.
  mutating func forgetReceived(upTo number: Int64) { received.remove(0..<number + 1) }
}
