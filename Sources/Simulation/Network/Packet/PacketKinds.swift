// The packets of the packet transport, with the sizes and timer rules of Linux: an MTU of 1500, IPv4, timestamps and SACK.

/// Lengths of packets and segments, in bytes.
enum PacketSize {
  /// The payload of a full segment (the MSS less the timestamp option).
  static let segment = 1448
  /// The IP and TCP headers, with timestamps.
  static let header = 52
  /// A SYN or SYN-ACK with its options.
  static let handshake = 60
  /// A reset in answer to a packet for a closed socket.
  static let reset = 40
}

/// The retries after which Linux gives a connection up, by default.
enum ConnectionPatience {
  /// `tcp_syn_linear_timeouts`: timeouts of a SYN before they double.
  static let synLinearTimeouts = 4
  /// SYNs after the first one: `tcp_syn_retries` and the linear timeouts. The connection fails 131 s after the first SYN.
  static let synRetries = 6 + synLinearTimeouts
  /// `tcp_synack_retries`: SYN-ACKs repeated by the timer; those that answer a repeated SYN do not count.
  static let synAckRetries = 5
  /// `tcp_retries2` = 15: the time of 15 retransmissions with timeouts that double from 200 ms to 120 s.
  static let dataNanoseconds: Int64 = 924_600_000_000
  /// `tcp_orphan_retries`: retransmissions of the last packet of a closed connection.
  static let finishRetries = 8
}

/// A packet to the client. Its fields are narrow because packets are copied: a connection has fewer than 2³¹ segments.
struct DownPacket: PacketPayload {
  enum Kind: UInt8 { case synAck, data, acknowledgement, reset }
  /// TSval (RFC 7323): when the packet was sent.
  var tsVal: Int64
  /// TSecr (RFC 7323): the last timestamp of the client; negative for none.
  var tsEcr: Int64
  /// The stream offset after the last byte of the packet.
  var endSeq: Int64 = 0
  var connection: Int32
  /// The number of the segment, from 0 on each connection.
  var segment: Int32 = 0
  /// The next byte that the server expects from the client.
  var ackNumber: Int32
  var length: Int16 = 0
  var kind: Kind
  /// The PSH flag.
  var isPushed = false

  /// True if it is the segment behind `packet` on the same connection.
  @inline(__always) func isNext(after packet: UnsafePointer<DownPacket>) -> Bool {
    connection == packet.pointee.connection && segment == packet.pointee.segment &+ 1 && kind == .data
  }
}

/// A SACK block (RFC 2018): the segments from `start` up to, but not including, `end`.
struct SackBlock: BitwiseCopyable {
  var start: Int32
  var end: Int32

  static let none = SackBlock(start: 0, end: 0)
}

struct UpPacket: PacketPayload {
  enum Kind: UInt8 { case syn, acknowledgement, data, finish, reset }
  /// The right edge of the client's receive window: the stream offset up to which the server may send.
  var windowEdge: Int64 = 0
  var tsVal: Int64 = 0
  /// TSecr (RFC 7323): the last timestamp of the server; negative for none.
  var tsEcr: Int64 = -1
  var connection: Int32
  /// The next segment that the client expects.
  var ackNumber: Int32 = 0
  /// SACK blocks, newest first; only the first `sackBlockCount` are set.
  var firstBlock = SackBlock.none
  var secondBlock = SackBlock.none
  var thirdBlock = SackBlock.none
  /// The DSACK block (RFC 2883): a segment that arrived twice; negative for none.
  var dsack: Int32 = -1
  /// The stream offset of the client's first byte, and the number of bytes; unset in acknowledgements.
  var seq: Int32 = 0
  var length: Int16 = 0
  var sackBlockCount: UInt8 = 0
  var kind: Kind

  init(connection: Int, kind: Kind, tsVal: Int64) {
    self.connection = Int32(truncatingIfNeeded: connection)
    self.kind = kind
    self.tsVal = tsVal
  }
}

extension Int {
  /// Extends a 32-bit sequence number to the offset nearest to `offset`.
  @inline(__always) init(_ sequence: Int32, near offset: Int) { self = offset + Int(sequence &- Int32(truncatingIfNeeded: offset)) }
}

/// The shared state of all connections of a client: both links, the clock and the radio.
struct PacketWorld {
  var now: Int64 = 0
  var down: PacketLink<DownPacket>
  var up: PacketLink<UpPacket>
  /// A lower bound of the next timer of any connection.
  var timerBound = Instant.never.nanoseconds
  /// A lower bound of the next timer of a client's end.
  var clientTimerBound = Instant.never.nanoseconds
  /// A lower bound of the time at which a server gives a connection up, which ends both ends at once.
  var giveUpBound = Instant.never.nanoseconds - 1
  /// For each connection, a lower bound of its next timer. The network allocates and frees the memory.
  var timerBounds: UnsafeMutablePointer<Int64>
  let http: HTTPConfiguration
  var radio: RadioState
  let congestion: NetworkConfiguration.Congestion
  /// The phases at which BBR starts its gain cycle.
  var bbrRandom: RandomStream

  /// Appends a packet to the uplink and returns its entry to fill; nil if the packet is lost. An idle radio is promoted first.
  @inline(__always) mutating func appendUp(bytes: Int) -> UnsafeMutablePointer<PacketLink<UpPacket>.Entry>? {
    up.append(bytes: bytes, at: radio.promotes ? radio.sendUp(at: now) : now)
  }

  /// Appends a packet to the downlink and returns its entry to fill; nil if the packet is lost. A sleeping radio is woken first.
  @inline(__always) mutating func appendDown(bytes: Int) -> UnsafeMutablePointer<PacketLink<DownPacket>.Entry>? {
    down.append(bytes: bytes, at: radio.sleeps ? radio.sendDown(at: now) : now)
  }

  /// Returns the expiry of a kernel timer that is set now for `wait`.
  func timerTime(after wait: Int64) -> Int64 { KernelTimer.expiry(at: now, after: wait) }

  /// Makes sure that the loop checks the timers of a connection at `time`.
  @inline(__always) mutating func wake(_ index: Int, at time: Int64) {
    guard time < timerBounds[index] else { return }
    timerBounds[index] = time
    if time < timerBound { timerBound = time }
  }

  /// Makes sure that the loop checks the timers of a client's end at `time`.
  @inline(__always) mutating func wakeClient(_ index: Int, at time: Int64) {
    if time < clientTimerBound { clientTimerBound = time }
    wake(index, at: time)
  }
}

/// The kernel's timer wheel: a timer expires late, never early, by up to a tick of its level.
enum KernelTimer {
  /// A jiffy (`HZ` = 250), in nanoseconds.
  static let tick: Int64 = 4_000_000

  @inline(__always) static func expiry(at now: Int64, after wait: Int64) -> Int64 {
    let count = (wait + tick - 1) / tick
    return count < 63 ? (now / tick + count + 1) * tick : coarseExpiry(at: now, count: count)
  }

  @inline(never) private static func coarseExpiry(at now: Int64, count: Int64) -> Int64 {
    var shift: Int64 = 0
    // Each level has 64 slots and a tick 8 times as long as the level before.
    while count >= 63 << shift, shift < 21 { shift += 3 }
    return ((((now / tick + count) >> shift) + 1) << shift) * tick
  }
}
