// The sender of a server's TCP: its retransmission queue, what it may send, and the state that RFC 6298, 6937, 8985 and 9438 name.

/// A sent segment in the retransmission queue, with the flags of `tcp_skb_cb.sacked`.
struct Segment: BitwiseCopyable {
  static let sacked: UInt8 = 1
  static let lost: UInt8 = 2
  static let retransmitted: UInt8 = 4
  static let everRetransmitted: UInt8 = 8

  var sentAt: Int64
  /// The stream offset after the last byte.
  var endSeq: Int64
  var length: Int32
  var flags: UInt8
}

/// Sends a connection's stream from the server to the client. Sequence numbers count segments; names follow Linux's `tcp_sock`.
struct PacketSender: ~Copyable {
  /// The states of the sender, as in Linux (`TCP_CA_Open` …); CWR is a reduction without a retransmission.
  enum State: Int { case open, disorder, cwr, recovery, loss }
  /// The timer in use: RTO, tail loss probe, or RACK's reordering timer.
  enum Timer { case none, retransmission, lossProbe, reordering }

  /// `TCP_TIMEOUT_MIN`: two jiffies, in microseconds.
  static let minTimeoutUs: Int64 = 8_000

  let connection: Int
  /// Packets of the connection in flight, both directions. Unchecked arithmetic: memory bounds the count.
  var packetsOnLink = 0

  /// The retransmission queue, by segment number.
  var ring = Ring<Segment>(capacity: 64)
  /// The oldest unacknowledged segment.
  var sndUna = 0
  /// The next new segment.
  var sndNxt = 0
  /// Segments in the queue that are SACKed, marked lost, or retransmitted and not acknowledged.
  var sackedOut = 0
  var lostOut = 0
  var retransOut = 0
  /// The end of the flagged segments: no segment from here on has a flag.
  var flaggedEnd = 0
  /// Segments ever marked lost.
  var totalLost = 0

  // The stream, in bytes.
  /// The stream offsets of the end of the data, of `sndNxt` and of `sndUna`.
  var writtenBytes: Int64 = 0
  var sentBytes: Int64 = 0
  var acknowledgedBytes: Int64 = 0
  /// The right edge of the receive window.
  var windowEdge: Int64 = 64240
  /// True if the server has more to write than its socket takes. No short segment leaves then.
  var isCorked = false

  // Congestion control.
  var cubic = CubicWindow()
  var state = State.open
  /// `high_seq`: `sndNxt` at the start of the last reduction. Recovery ends when it is acknowledged.
  var highSeq = 0
  /// Proportional rate reduction (RFC 6937): cwnd before it, segments delivered and segments sent.
  var priorCwnd = 0
  var prrDelivered = 0
  var prrOut = 0
  /// The most segments out in the present window of data, and where the next window begins.
  var maxPacketsOut = 0
  var maxPacketsSeq = 0
  /// True if cwnd was used up at that maximum (`is_cwnd_limited`).
  var reachedCwnd = false
  /// The most segments out since `cwndStamp`, when cwnd was last full or checked.
  var cwndUsed = 0
  var cwndStamp: Int64 = 0
  var lastSentAt: Int64 = .min / 2
  /// True if the last push left room in cwnd for an acknowledgement that permits a full sk_buff.
  var isDeferred = false
  var slowStartAfterIdle: Bool

  // Undo of spurious reductions.
  /// `sndUna` at the start of the reduction; negative if there is nothing to undo.
  var undoMarker = -1
  /// Retransmissions since then that no DSACK has reported.
  var undoRetrans = 0
  /// `ssthresh` before the reduction.
  var priorSsthresh = 0
  /// The time of the first retransmission of this recovery; negative for none.
  var retransStamp: Int64 = -1
  /// True while F-RTO (RFC 5682) looks for a spurious timeout.
  var isFrto = false

  // RACK (RFC 8985).
  /// RACK.xmit_ts and RACK.segment: the most recently sent segment that was delivered.
  var rackXmitTime: Int64 = -1
  var rackSegment = -1
  /// RACK.rtt: its round trip.
  var rackRttUs: Int64 = 0
  /// True if RACK has a delivery that `identifyLosses` has not used.
  var rackAdvanced = false
  /// The first segment that RACK has not judged as sent once.
  var rackScanStart = 0
  /// Retransmitted segments, in the order in which they were sent.
  var retransmissions = Queue<Int>()
  /// No segment before it waits for a retransmission.
  var retransmitHint = 0
  /// The SACK blocks of the last acknowledgement, which need no second look.
  var sackCache = (SackBlock.none, SackBlock.none, SackBlock.none)

  // Timers.
  var rtt = RoundTripEstimator()
  var timer = Timer.none
  /// The expiry without the granularity of the timer wheel, which `fire` adds.
  var timerAt = Instant.never.nanoseconds
  var timerSetAt: Int64 = 0
  /// The exponent of the exponential backoff.
  var backoff = 0
  /// The time of the first of the consecutive timeouts.
  var firstTimeoutAt: Int64 = 0
  /// True if the timeouts have lasted longer than `ConnectionPatience.dataNanoseconds`.
  var hasGivenUp = false
  var consecutiveTimeouts = 0
  /// TLP.end_seq (RFC 8985): `sndNxt` after a tail loss probe; negative for none.
  var tlpEndSeq = -1
  /// TLP.is_retrans: true if the probe repeated a segment.
  var tlpIsRetrans = false

  /// BBR and its pacing; nil with CUBIC.
  var paced: UnsafeMutablePointer<PacedFlow>?

  // The acknowledgement fields of data packets.
  /// RCV.NXT and TS.Recent of the client's stream.
  var rcvNxt = 0
  var tsRecent: Int64 = -1

  init(connection: Int, slowStartAfterIdle: Bool) {
    self.connection = connection
    self.slowStartAfterIdle = slowStartAfterIdle
  }

  func deallocate() {
    paced?.pointee.rate.deallocate()
    paced?.deallocate()
    ring.deallocate()
  }

  /// RFC 6675's pipe, `tcp_packets_in_flight`: segments assumed to be in the network.
  @inline(__always) var packetsInFlight: Int { sndNxt &- sndUna &- sackedOut &- lostOut &+ retransOut }
  /// Segments sent and not acknowledged cumulatively.
  @inline(__always) var packetsOut: Int { sndNxt &- sndUna }
  /// The retransmission timeout with backoff, at most 120 s.
  @inline(__always) var rtoUs: Int64 { backoff == 0 ? min(rtt.rtoUs, RoundTripEstimator.maxRtoUs) : backedOffRtoUs }
  private var backedOffRtoUs: Int64 { min(rtt.rtoUs << Int64(min(backoff, 16)), RoundTripEstimator.maxRtoUs) }

  /// Appends `bytes` that the server wrote. The cwnd of an idle sender is restarted first.
  mutating func write(_ bytes: Int64, at now: Int64) {
    restartAfterIdle(at: now)
    if let paced { checkAppLimited(paced) }
    writtenBytes += bytes
  }

  /// Restarts the cwnd of an idle sender (`tcp_slow_start_after_idle_check`).
  mutating func restartAfterIdle(at now: Int64) {
    if slowStartAfterIdle, packetsOut == 0, lastSentAt >= 0, now - lastSentAt > rtoUs * 1000 {
      cubic.restartAfterIdle(now - lastSentAt, rto: rtoUs * 1000)
      cwndStamp = now
      cwndUsed = 0
    }
  }

  /// Sends what cwnd, the receive window and the data allow.
  mutating func push(_ world: inout PacketWorld) {
    if let paced { return pushPaced(paced, &world) }
    let sent = sendAllowed(idle: sndUna + sackedOut + lostOut - retransOut, &world)
    finishPush(sent, isProbe: false, &world)
  }

  /// Sends what cwnd, the receive window and the data allow, one sk_buff after another, and returns the number of segments; the caller calls
  /// `finishPush`. `idle` is the `sndNxt` for which no packet would be in flight.
  mutating func sendAllowed(idle: Int, _ world: inout PacketWorld) -> Int {
    isDeferred = false
    let limit = idle &+ cubic.cwnd
    let first = sndNxt
    if first >= limit || sentBytes == writtenBytes { return 0 }
    // Of two segments the second ends its sk_buff, whatever their limit is.
    let burst = limit &- first > 2 ? burstSegments : 2
    while sndNxt < limit {
      let room = limit &- sndNxt
      if room < burst, defers(burst, since: lastSentAt, world.now) {
        isDeferred = true
        break
      }
      let count = min(burst, room)
      if sendBuffer(count, isFirst: sndNxt == idle, &world) < count { break }
    }
    return sndNxt &- first
  }

  /// The segments of one sk_buff with CUBIC: those of 1/1024 s at its pacing rate, at least two (`tcp_tso_autosize`).
  @inline(__always) var burstSegments: Int {
    let scaled = max(cubic.cwnd, packetsOut) * (cubic.cwnd < cubic.ssthresh / 2 ? 2_000_000 : 1_200_000)
    let perSegment = Int(rtt.srttUs) * 1024
    // Paths shorter than 17 × 512 µs add more (`tcp_tso_rtt_log`).
    if rtt.minRttUs < 17 << 9 { return Self.shortPathSegments(scaled, perSegment, minRttUs: rtt.minRttUs) }
    return scaled < 3 * perSegment ? 2 : min(45, scaled / max(1, perSegment))
  }

  // Static: a method would be handed a copy of the whole sender.
  private static func shortPathSegments(_ scaled: Int, _ perSegment: Int, minRttUs: Int64) -> Int {
    let paced = scaled / max(1, perSegment) * PacketSize.segment
    return min(max(2, (paced + Int(SocketMemory.maxSkb >> (minRttUs >> 9))) / PacketSize.segment), 45)
  }

  /// Sends up to `count` new segments as one sk_buff, as far as the data and the receive window allow, and returns their number. `isFirst`
  /// is true if no packet is in flight.
  mutating func sendBuffer(_ count: Int, isFirst: Bool, _ world: inout PacketWorld) -> Int {
    let (first, now) = (sndNxt, world.now)
    var offset = sentBytes
    var number = first
    while number < first &+ count {
      let left = writtenBytes &- offset
      let length = min(left, Int64(PacketSize.segment))
      if offset &+ length > windowEdge || (left < PacketSize.segment && (left == 0 || isCorked)) { break }
      if ring.isFull(number &- sndUna) { ring.grow(keeping: sndUna..<number) }
      offset &+= length
      let segment = Segment(sentAt: now, endSeq: offset, length: Int32(truncatingIfNeeded: length), flags: 0)
      ring.address(of: number).initialize(to: segment)
      // The last of several segments has the PSH flag (`__tcp_transmit_skb`).
      transmit(segment, number, isPushed: number > first && number &+ 1 == first &+ count, &world)
      number &+= 1
    }
    if number == first { return 0 }
    if isFirst, lastSentAt >= 0 { cubic.shiftEpoch(at: now, idleSince: lastSentAt) }
    (sentBytes, sndNxt, lastSentAt) = (offset, number, now)
    return number &- first
  }

  /// Sets the timer and validates cwnd after `sent` segments.
  mutating func finishPush(_ sent: Int, isProbe: Bool, _ world: inout PacketWorld) {
    if sent > 0 {
      if state == .recovery || state == .cwr { prrOut += sent }
      if isProbe || !scheduleLossProbe(advancing: false, &world), timer == .none || timer == .lossProbe { rearmRto(&world) }
    }
    validateCwnd(afterSending: sent, limited: isDeferred || packetsInFlight >= cubic.cwnd, at: world.now)
  }

  /// Validates cwnd if something was sent, or if cwnd held data back.
  @inline(__always) mutating func validateCwnd(afterSending sent: Int, limited: Bool, at now: Int64) {
    if sent > 0 || (limited && writtenBytes > sentBytes) { validateCwnd(limited, at: now) }
  }

  /// True if the counters agree: each segment in flight is counted once, and only sent ones are.
  var isConsistent: Bool {
    sackedOut >= 0 && lostOut >= 0 && retransOut >= 0 && sackedOut + lostOut <= packetsOut
      && retransOut <= packetsOut && acknowledgedBytes <= sentBytes && sentBytes <= writtenBytes && sndUna <= sndNxt
  }

  /// Appends a segment to the downlink, which may lose it.
  @inline(__always) mutating func transmit(_ segment: Segment, _ number: Int, isPushed: Bool = false, _ world: inout PacketWorld) {
    guard let entry = world.appendDown(bytes: Int(segment.length) + PacketSize.header) else { return }
    packetsOnLink &+= 1
    entry.pointee.payload = DownPacket(
      tsVal: world.now, tsEcr: tsRecent, endSeq: segment.endSeq, connection: Int32(truncatingIfNeeded: connection),
      segment: Int32(truncatingIfNeeded: number), ackNumber: Int32(truncatingIfNeeded: rcvNxt),
      length: Int16(truncatingIfNeeded: segment.length), kind: .data, isPushed: isPushed)
  }

  @inline(never) mutating func retransmit(_ number: Int, _ world: inout PacketWorld) {
    let segment = ring.address(of: number)
    segment.pointee.sentAt = world.now
    segment.pointee.flags |= Segment.retransmitted | Segment.everRetransmitted
    flaggedEnd = max(flaggedEnd, number + 1)
    retransOut += 1
    retransmissions.append(number)
    if retransStamp < 0 { retransStamp = world.now }
    if undoRetrans < 0 { undoRetrans = 0 }
    undoRetrans += 1
    lastSentAt = world.now
    transmit(segment.pointee, number, &world)
  }

  /// Tracks the used part of cwnd and reduces an unused cwnd (`tcp_cwnd_validate`, RFC 7661).
  @inline(__always) private mutating func validateCwnd(_ limited: Bool, at now: Int64) {
    if sndUna >= maxPacketsSeq || limited || (!reachedCwnd && packetsOut > maxPacketsOut) {
      maxPacketsOut = packetsOut
      maxPacketsSeq = sndNxt
      reachedCwnd = limited
    }
    if isCwndLimited {
      cwndUsed = 0
      cwndStamp = now
      return
    }
    cwndUsed = max(cwndUsed, packetsOut)
    guard slowStartAfterIdle, now - cwndStamp >= rtoUs * 1000 else { return }
    if state == .open, !isCorked {
      let used = max(cwndUsed, CubicWindow.initialCwnd)
      if used < cubic.cwnd {
        cubic.ssthresh = currentSsthresh
        cubic.cwnd = (cubic.cwnd + used) >> 1
      }
      cwndUsed = 0
    }
    cwndStamp = now
  }

  /// `tcp_current_ssthresh`: the threshold to remember when cwnd falls without a loss.
  @inline(__always) var currentSsthresh: Int { state == .recovery || state == .cwr ? cubic.ssthresh : cubic.currentSsthresh }

  /// True if cwnd, not the data, limits the sender (`tcp_is_cwnd_limited`). In slow start cwnd may be twice the used part.
  @inline(__always) var isCwndLimited: Bool { reachedCwnd || (cubic.isSlowStart && cubic.cwnd < 2 * maxPacketsOut) }
}
