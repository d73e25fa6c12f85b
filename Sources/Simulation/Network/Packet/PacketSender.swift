// A server's half of TCP as a sender: its window of segments, what may be sent, and its timers' fields.
// How acknowledgements, losses and timers change it is in its extensions; what is written to it is the server's.

struct Segment {
  static let sacked: UInt8 = 1
  static let lost: UInt8 = 2
  static let retransmitted: UInt8 = 4
  static let everRetransmitted: UInt8 = 8

  var sentAt: Int64
  /// The stream's offset after its last byte.
  var end: Int64
  var length: Int32
  var flags: UInt8
}

/// Sends one connection's stream from the server to the client.
struct PacketSender: ~Copyable {
  enum State: Int { case open, disorder, reduction, recovery, loss }
  enum Timer { case none, retransmission, probe, reordering }

  let connection: Int
  /// Packets of the connection on the way, in both directions. No more than memory holds, so that counting needs no checks.
  var packetsOnLink = 0

  // The window of segments, by their numbers.
  var ring: UnsafeMutablePointer<Segment>
  var mask = 63
  var unacknowledged = 0
  var next = 0
  var sackedCount = 0
  var lostCount = 0
  var retransmittedCount = 0
  /// No segment from here on has a flag.
  var markedEnd = 0
  /// Segments ever taken to be lost.
  var totalLost = 0

  // The stream, in bytes.
  var written: Int64 = 0
  var sentBytes: Int64 = 0
  var acknowledgedBytes: Int64 = 0
  var windowEdge: Int64 = 64240
  /// Whether the server has more to write than its socket takes: then no short segment leaves.
  var isCorked = false

  // Congestion.
  var cubic = CubicWindow()
  var state = State.open
  var highest = 0
  var priorSize = 0
  var reductionDelivered = 0
  var reductionSent = 0
  var mostOut = 0
  var mostOutEnd = 0
  var isLimited = false
  var usedSize = 0
  var checkedAt: Int64 = 0
  var lastSent: Int64 = .min / 2
  let slowStartAfterIdle: Bool

  // Undoing a reduction that was not called for.
  var undoFrom = -1
  var undoRetransmissions = 0
  var undoThreshold = 0
  var firstRetransmission: Int64 = -1
  var isForward = false

  // RACK (RFC 8985).
  var rackSentAt: Int64 = -1
  var rackSegment = -1
  var rackRoundTripUs: Int64 = 0
  var hasRackAdvanced = false
  /// Segments before it have been judged as first sent.
  var judged = 0
  /// Retransmissions in the order they left.
  var retransmissions = IndexQueue()
  /// No lost segment before it waits to be sent again.
  var retransmitFrom = 0
  var sackCache = (SackBlock.none, SackBlock.none, SackBlock.none)

  // Timers.
  var roundTrip = RoundTripEstimator()
  var timer = Timer.none
  /// No earlier than this; the wheel makes it later when the loop looks.
  var timerAt = Instant.never.nanoseconds
  var timerSetAt: Int64 = 0
  var backoff = 0
  /// When the first of the time-outs in a row came.
  var timedOutSince: Int64 = 0
  /// True once the time-outs have lasted longer than a connection is tried.
  var hasGivenUp = false
  var timeouts = 0
  var probeEnd = -1
  var probeIsRetransmission = false

  // What data packets carry back.
  var received = 0
  var clientStamp: Int64 = -1

  init(connection: Int, slowStartAfterIdle: Bool) {
    self.connection = connection
    self.slowStartAfterIdle = slowStartAfterIdle
    ring = UnsafeMutablePointer<Segment>.allocate(capacity: 64)
  }

  func deallocate() {
    ring.deallocate()
    retransmissions.deallocate()
  }

  /// Segments that are taken to be in the network.
  @inline(__always)
  var inFlight: Int { next - unacknowledged - sackedCount - lostCount + retransmittedCount }
  @inline(__always)
  var outstanding: Int { next - unacknowledged }
  @inline(__always)
  var timeoutUs: Int64 { backoff == 0 ? min(roundTrip.timeoutUs, 120_000_000) : backedOffTimeoutUs }
  private var backedOffTimeoutUs: Int64 { min(roundTrip.timeoutUs << Int64(min(backoff, 16)), 120_000_000) }

  /// Takes in `bytes` that the server wrote; the window of an idle sender may fall first.
  mutating func write(_ bytes: Int64, at now: Int64) {
    if slowStartAfterIdle, outstanding == 0, lastSent >= 0, now - lastSent > timeoutUs * 1000 {
      cubic.restart(idle: now - lastSent, timeout: timeoutUs * 1000)
      checkedAt = now
      usedSize = 0
    }
    written += bytes
  }

  /// Sends what window and data allow.
  mutating func push(_ world: inout PacketWorld) {
    let sent = sendAllowed(idle: unacknowledged + sackedCount + lostCount - retransmittedCount, &world)
    finishPush(sent, isProbe: false, &world)
  }

  /// Sends what window and data allow, and returns how many segments that was; the caller then finishes the push. Were `next` at
  /// `idle`, nothing would be in the network; sending moves neither it nor the window's end.
  @inline(__always)
  mutating func sendAllowed(idle: Int, _ world: inout PacketWorld) -> Int {
    let limit = idle + cubic.size
    let first = next
    while next < limit, sendNext(isFirst: next == idle, &world) {}
    return next - first
  }

  /// Sends one new segment if there is one that the receiver has room for; the first one if nothing else is in the network.
  @inline(__always)
  mutating func sendNext(isFirst: Bool, _ world: inout PacketWorld) -> Bool {
    let left = written - sentBytes
    guard left > 0 else { return false }
    let length = min(left, Int64(PacketSize.segment))
    if length < PacketSize.segment, isCorked { return false }
    guard sentBytes + length <= windowEdge else { return false }
    if outstanding > mask { grow() }
    sentBytes += length
    let segment = Segment(sentAt: world.now, end: sentBytes, length: Int32(truncatingIfNeeded: length), flags: 0)
    (ring + (next & mask)).initialize(to: segment)
    if isFirst, lastSent >= 0 { cubic.resume(at: world.now, idleSince: lastSent) }
    lastSent = world.now
    transmit(segment, next, &world)
    next += 1
    return true
  }

  mutating func finishPush(_ sent: Int, isProbe: Bool, _ world: inout PacketWorld) {
    if sent > 0 {
      if state == .recovery || state == .reduction { reductionSent += sent }
      if isProbe || !scheduleProbe(advancing: false, &world), timer == .none || timer == .probe { rearm(&world) }
    }
    validate(afterSending: sent, limited: inFlight >= cubic.size, at: world.now)
  }

  @inline(__always)
  mutating func validate(afterSending sent: Int, limited: Bool, at now: Int64) {
    if sent > 0 || (limited && written > sentBytes) { validate(limited, at: now) }
  }

  /// What holds after every event: each segment on the way is counted once, and none before it was sent.
  var isConsistent: Bool {
    sackedCount >= 0 && lostCount >= 0 && retransmittedCount >= 0 && sackedCount + lostCount <= outstanding
      && retransmittedCount <= outstanding && acknowledgedBytes <= sentBytes && sentBytes <= written && unacknowledged <= next
  }

  /// Puts a segment on the link; the client may never see it.
  @inline(__always)
  mutating func transmit(_ segment: Segment, _ number: Int, _ world: inout PacketWorld) {
    guard let entry = world.down.append(bytes: Int(segment.length) + PacketSize.header, at: world.now) else { return }
    packetsOnLink &+= 1
    entry.pointee.payload = DownPacket(
      sentAt: world.now, echo: clientStamp, end: segment.end, connection: Int32(truncatingIfNeeded: connection),
      segment: Int32(truncatingIfNeeded: number), acknowledged: Int32(truncatingIfNeeded: received),
      length: Int16(truncatingIfNeeded: segment.length), kind: .data)
  }

  /// Sends a lost segment again.
  @inline(never)
  mutating func retransmit(_ number: Int, _ world: inout PacketWorld) {
    let segment = ring + (number & mask)
    segment.pointee.sentAt = world.now
    segment.pointee.flags |= Segment.retransmitted | Segment.everRetransmitted
    markedEnd = max(markedEnd, number + 1)
    retransmittedCount += 1
    retransmissions.append(number)
    if firstRetransmission < 0 { firstRetransmission = world.now }
    if undoRetransmissions < 0 { undoRetransmissions = 0 }
    undoRetransmissions += 1
    lastSent = world.now
    transmit(segment.pointee, number, &world)
  }

  /// Remembers how much of the window was used, and lets an unused one fall (RFC 7661 in spirit).
  @inline(__always)
  private mutating func validate(_ limited: Bool, at now: Int64) {
    if unacknowledged >= mostOutEnd || limited || (!isLimited && outstanding > mostOut) {
      mostOut = outstanding
      mostOutEnd = next
      isLimited = limited
    }
    if isWindowLimited {
      usedSize = 0
      checkedAt = now
      return
    }
    usedSize = max(usedSize, outstanding)
    guard slowStartAfterIdle, now - checkedAt >= timeoutUs * 1000 else { return }
    if state == .open, !isCorked {
      let used = max(usedSize, CubicWindow.initial)
      if used < cubic.size {
        cubic.threshold = rememberedThreshold
        cubic.size = (cubic.size + used) >> 1
      }
      usedSize = 0
    }
    checkedAt = now
  }

  @inline(__always)
  var rememberedThreshold: Int { state == .recovery || state == .reduction ? cubic.threshold : cubic.rememberedThreshold }

  /// Whether the window, and not the data, limits the sender; in slow start it may be twice what is used.
  @inline(__always)
  var isWindowLimited: Bool { isLimited || (cubic.isSlowStart && cubic.size < 2 * mostOut) }

  private mutating func grow() {
    let largerMask = mask * 2 + 1
    let larger = UnsafeMutablePointer<Segment>.allocate(capacity: largerMask + 1)
    for number in unacknowledged..<next { (larger + (number & largerMask)).initialize(to: ring[number & mask]) }
    ring.deallocate()
    ring = larger
    mask = largerMask
  }
}

/// A queue of segment numbers that grows on demand and never shrinks.
struct IndexQueue {
  private var ring = UnsafeMutablePointer<Int>.allocate(capacity: 16)
  private var mask = 15
  private var head = 0
  private var tail = 0

  func deallocate() { ring.deallocate() }

  var first: Int? { head == tail ? nil : ring[head & mask] }

  mutating func append(_ value: Int) {
    if tail - head > mask {
      let larger = UnsafeMutablePointer<Int>.allocate(capacity: (mask + 1) * 2)
      for index in head..<tail { larger[index & (mask * 2 + 1)] = ring[index & mask] }
      ring.deallocate()
      ring = larger
      mask = mask * 2 + 1
    }
    ring[tail & mask] = value
    tail += 1
  }

  mutating func removeFirst() { head += 1 }
}
