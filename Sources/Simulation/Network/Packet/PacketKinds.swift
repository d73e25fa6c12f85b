// What crosses the links, and the sizes that Linux gives it: an MTU of 1500, IPv4, timestamps and SACK.

/// Lengths of packets and segments in bytes.
enum PacketSize {
  /// The payload of a full segment.
  static let segment = 1448
  /// The headers of IP and TCP with timestamps.
  static let header = 52
  /// A SYN or SYN-ACK with its options.
  static let handshake = 60
  /// A reset that answers a packet for which there is no socket.
  static let reset = 40
}

/// How long a connection is tried, as Linux does: its sysctls' defaults.
enum ConnectionPatience {
  /// `tcp_syn_retries`: SYNs after the first; the sixth is waited for until 127 s.
  static let synRetries = 6
  /// `tcp_retries2` = 15: the kernel counts the time that 15 doubling time-outs of at least 200 ms and at most 120 s take.
  static let dataNanoseconds: Int64 = 924_600_000_000
  /// `tcp_orphan_retries`: time-outs of a closed connection whose last packet is not acknowledged.
  static let finishRetries = 8
}

/// A packet towards the client. Fields are narrow because packets are copied: segments are numbered below 2³¹ on a connection.
struct DownPacket {
  enum Kind: UInt8 { case synAck, data, acknowledgement }
  /// When it was sent: TCP's timestamp.
  var sentAt: Int64
  /// The timestamp of the client that it echoes; negative for none.
  var echo: Int64
  /// The offset in the server's stream after its last byte.
  var end: Int64 = 0
  var connection: Int32
  /// The segment's number, counted from 0 on each connection.
  var segment: Int32 = 0
  /// The bytes that the server has received from the client.
  var acknowledged: Int32
  var length: Int16 = 0
  var kind: Kind
}

struct SackBlock {
  var start: Int32
  var end: Int32

  static let none = SackBlock(start: 0, end: 0)
}

struct UpPacket {
  enum Kind: UInt8 { case syn, acknowledgement, data, finish, reset }
  /// The stream offset up to which the server may send.
  var windowEdge: Int64 = 0
  var sentAt: Int64 = 0
  /// The server's timestamp that it echoes.
  var echo: Int64 = -1
  var connection: Int32
  /// The segment that the client waits for.
  var acknowledged: Int32 = 0
  /// As many of the next three as `blocks` says; the others are not written.
  var first = SackBlock.none
  var second = SackBlock.none
  var third = SackBlock.none
  /// A segment that had come before; negative for none.
  var duplicate: Int32 = -1
  /// Where the client's bytes start and how many there are; an acknowledgement writes neither.
  var start: Int32 = 0
  var length: Int16 = 0
  var blocks: UInt8 = 0
  var kind: Kind

  init(connection: Int, kind: Kind, sentAt: Int64) {
    self.connection = Int32(truncatingIfNeeded: connection)
    self.kind = kind
    self.sentAt = sentAt
  }
}

extension Int {
  /// The offset nearest to another one with the 32 bits that a packet carries, as a TCP sequence number is read.
  @inline(__always)
  init(_ sequence: Int32, near offset: Int) { self = offset + Int(sequence &- Int32(truncatingIfNeeded: offset)) }
}

/// Both links and the clock: what a connection needs to act.
struct PacketWorld {
  var now: Int64 = 0
  var down: PacketLink<DownPacket>
  var up: PacketLink<UpPacket>
  /// No connection has a timer before this: the earliest of the next.
  var timerBound = Instant.never.nanoseconds
  /// For each place, when its connection may have a timer: perhaps too early, never too late. Owned by the network.
  var timerBounds: UnsafeMutablePointer<Int64>
  let http: HTTPConfiguration
  /// A radio that idles longer than this has to be promoted first.
  let radioTail: Int64
  let radioPromotion: Int64
  var radioActiveAt: Int64 = .min / 2
  var radioReadyAt: Int64 = .min / 2

  /// Puts a packet on the way to the server, to be written where it says; nil where it never arrives. An idle radio comes up first.
  @inline(__always)
  mutating func appendUp(bytes: Int) -> UnsafeMutablePointer<PacketLink<UpPacket>.Entry>? {
    if radioPromotion > 0 { return up.append(bytes: bytes, at: radioStart()) }
    return up.append(bytes: bytes, at: now)
  }

  @inline(never)
  private mutating func radioStart() -> Int64 {
    if now - radioActiveAt > radioTail { radioReadyAt = now + radioPromotion }
    radioActiveAt = now
    return max(now, radioReadyAt)
  }

  /// When a kernel timer set now for `wait` fires.
  func timerTime(after wait: Int64) -> Int64 { KernelTimer.expiry(at: now, after: wait) }

  /// Makes sure that the loop looks at the timers of `place` at `time`.
  @inline(__always)
  mutating func wake(_ place: Int, at time: Int64) {
    guard time < timerBounds[place] else { return }
    timerBounds[place] = time
    if time < timerBound { timerBound = time }
  }
}

/// The kernel's timer wheel: ticks of 4 ms, and coarser ones for longer waits; a timer is always late, never early.
enum KernelTimer {
  static let tick: Int64 = 4_000_000

  @inline(__always)
  static func expiry(at now: Int64, after wait: Int64) -> Int64 {
    let count = (wait + tick - 1) / tick
    return count < 63 ? (now / tick + count + 1) * tick : coarseExpiry(at: now, count: count)
  }

  @inline(never)
  private static func coarseExpiry(at now: Int64, count: Int64) -> Int64 {
    var shift: Int64 = 0
    // Each level has 64 slots and is eight times as coarse as the one before.
    while count >= 63 << shift, shift < 21 { shift += 3 }
    return ((((now / tick + count) >> shift) + 1) << shift) * tick
  }
}
