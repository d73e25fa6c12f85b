// One direction of a link: a drop-tail queue, a rate, a delay. It owns no clock and knows no device, so that tests can walk it by hand.

/// Packets on their way through one direction. Times are nanoseconds of any clock that never goes back.
struct ShapedDirection {
  /// A packet that has been sent or will be.
  struct Packet {
    var bytes: [UInt8]
    /// When its last bit leaves the queue.
    var sent: UInt64
    var due: UInt64
  }

  /// Bits a second.
  let rate: UInt64
  /// What comes after the last bit, in nanoseconds.
  let delay: UInt64
  /// The most packets in the queue, the one being sent included.
  let queueLimit: Int
  /// Packets that found the queue full.
  private(set) var dropped = 0
  private(set) var delivered = 0
  private var packets: [Packet] = []
  /// How many of them have been taken; they are thrown away in bulk.
  private var poppedCount = 0

  init(rate: UInt64, delay: UInt64, queueLimit: Int) {
    precondition(rate > 0 && queueLimit > 0, "a link without a rate or a queue carries nothing")
    (self.rate, self.delay, self.queueLimit) = (rate, delay, queueLimit)
  }

  /// When the next packet is there; nil if none is on its way.
  var nextDue: UInt64? { poppedCount < packets.count ? packets[poppedCount].due : nil }

  /// Takes a packet that comes at `now`, or drops it. O(queue).
  mutating func accept(_ bytes: [UInt8], at now: UInt64) {
    var waiting = 0
    while waiting < packets.count - poppedCount, packets[packets.count - 1 - waiting].sent > now { waiting += 1 }
    guard waiting < queueLimit else {
      dropped += 1
      return
    }
    let free = max(now, packets.last?.sent ?? 0)
    let sent = free + (UInt64(bytes.count) * 8_000_000_000 + rate - 1) / rate
    packets.append(Packet(bytes: bytes, sent: sent, due: sent + delay))
  }

  /// Gives out the first packet that is there by `now`.
  mutating func popDue(at now: UInt64) -> [UInt8]? {
    guard let due = nextDue, due <= now else { return nil }
    let bytes = packets[poppedCount].bytes
    poppedCount += 1
    delivered += 1
    // The last one stays: it says until when the link is busy.
    if poppedCount > 1000 {
      packets.removeFirst(poppedCount - 1)
      poppedCount = 1
    }
    return bytes
  }
}
