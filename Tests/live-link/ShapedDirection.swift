// One direction of a link: random loss, a drop-tail queue, a rate, a delay. It has no clock and no device, which makes it testable.

/// The packets in flight in one direction. Times are nanoseconds of a monotonic clock.
struct ShapedDirection {
  /// A packet in the queue or in flight.
  struct Packet {
    var bytes: [UInt8]
    /// The time at which its last bit is sent.
    var sent: UInt64
    var due: UInt64
  }

  /// The rate, in bits a second.
  let rate: UInt64
  /// The delay after the last bit, in nanoseconds.
  let delay: UInt64
  /// The most packets in the queue, including the one being sent.
  let queueLimit: Int
  /// The packets of a million that are lost at random before the queue.
  let lossPpm: UInt64
  /// Packets dropped because the queue was full, and packets lost at random.
  private(set) var dropped = 0, lost = 0
  private(set) var delivered = 0
  private var packets: [Packet] = []
  /// The number of packets at the front of `packets` that are delivered; they are removed in bulk.
  private var poppedCount = 0
  /// The state of SplitMix64, which draws the losses.
  private var randomState: UInt64

  init(rate: UInt64, delay: UInt64, queueLimit: Int, lossPpm: UInt64 = 0, seed: UInt64 = 1) {
    precondition(rate > 0 && queueLimit > 0, "a link needs a rate and a queue")
    (self.rate, self.delay, self.queueLimit, self.lossPpm, randomState) = (rate, delay, queueLimit, lossPpm, seed)
  }

  /// The time at which the next packet arrives; nil if none is in flight.
  var nextDue: UInt64? { poppedCount < packets.count ? packets[poppedCount].due : nil }

  /// True if the next packet is lost at random.
  private mutating func isNextLost() -> Bool {
    randomState &+= 0x9E37_79B9_7F4A_7C15
    var bits = (randomState ^ (randomState >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return (bits ^ (bits >> 31)) % 1_000_000 < lossPpm
  }

  /// Adds a packet to the queue at `now`, or drops it. O(queue).
  mutating func accept(_ bytes: [UInt8], at now: UInt64) {
    if lossPpm > 0, isNextLost() {
      lost += 1
      return
    }
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

  /// Removes and returns the first packet that has arrived by `now`.
  mutating func popDue(at now: UInt64) -> [UInt8]? {
    guard let due = nextDue, due <= now else { return nil }
    let bytes = packets[poppedCount].bytes
    poppedCount += 1
    delivered += 1
    // The last packet stays: the time of its last bit shows until when the link is busy.
    if poppedCount > 1000 {
      packets.removeFirst(poppedCount - 1)
      poppedCount = 1
    }
    return bytes
  }
}
