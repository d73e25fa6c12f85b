// One connection of the flow transport: the client's end in a few words, and the server's sender with its window.
// How it sends, recovers and ends is in the transport's extensions.

/// Lost packets of which nobody knows yet.
struct FlowHidden: BitwiseCopyable {
  var packets = 0
  var bytes: Int64 = 0
}

/// A TCP connection between the client and one host.
struct FlowConnection: BitwiseCopyable {
  enum Phase: UInt8 { case resolving, connecting, securing, open, closed }

  var generation: UInt32 = 0
  var host: Int32 = 0
  var phase = Phase.closed
  /// The server has heard of the close, or has closed by itself.
  var isStopped = false
  var isFree = true
  /// The server has acknowledged the client's first data by a packet of its own.
  var hasAnswered = false
  /// What its runs carry is of interest before a response's end: a first byte, parts, bytes that somebody watches for or nobody wants.
  var hasNews = false
  /// The transfer that an HTTP/1.1 connection carries; negative while it is idle.
  var transfer: Int32 = -1
  /// The connection of the host that idled before it; negative for none.
  var idleBelow: Int32 = -1
  var idleSince: Int64 = 0
  /// Its runs on the way.
  var runs: Int32 = 0
  /// The TLS flight that is awaited.
  var flight: UInt8 = 0

  // The sender, in packets of full size but for the last of a response.
  var window = FlowWindow()
  var inFlight = 0
  var sent = 0
  /// Payload that the server has written, handshakes included.
  var written: Int64 = 0
  /// Payload that is written and not on its way: never sent, or known to be lost.
  var unsent: Int64 = 0
  /// The server has more to write than its socket takes: no short packet leaves.
  var isCorked = false
  /// Payload that has arrived or is sure to arrive.
  var arriving: Int64 = 0
  /// What `arriving` will be when the response is complete; a response of an HTTP/1.1 connection without TLS.
  var completeAt = Int64.max
  var lastSent: Int64 = .min / 2
  /// Linux's notion of a sender that its window limits.
  var mostOut = 0
  var mostOutEnd = 0
  var isLimited: Bool {
    get { limited != 0 }
    set { limited = newValue ? -1 : 0 }
  }
  /// As a mask.
  private var limited = 0

  /// The packets that the server's socket takes: 29 at first, then 2.9 for each of the window, as long as there is more to write.
  var socketMost = 29
  /// A run is being sent in two that must stay apart.
  var isSplit = false

  // Round trips, in nanoseconds: smoothed, and what the time-out adds (RFC 6298); the latter falls by a quarter a round trip in
  // Linux, here by an eighth a run, down to 200 ms.
  var smoothed: Int64 = 0
  var variance: Int64 = 0

  // Losses.
  /// Something is lost and not yet sent again: what has been sent tells of it.
  var isTroubled = false
  /// Since a time-out not all has arrived.
  var isTimedOut = false
  /// Packets sent before recovery began.
  var recoveryEnd = 0
  /// Packets sent until the last repeat: the window does not grow before they are acknowledged.
  var mendEnd: Int32 = 0
  /// Packets that may be sent once beyond the window.
  var extraRoom = 0
  /// Lost packets of which the sender does not know.
  var lostOut = 0
  /// Those after which nothing has been sent: they count as in flight, and the next run tells of them.
  private(set) var hidden = FlowHidden()
  /// How much of `unsent` is sent again.
  var repeatBytes: Int64 = 0
  var backoff = 0
  /// When the first of the time-outs in a row came.
  var timedOutSince: Int64 = 0
  var timerAt: Int64 = -1
  /// Where the first gap in what has arrived is, while there is one.
  var gapAt = Int64.max
  /// When the gap is filled; `never` while the repeated packets are not sent.
  var gapFilledAt: Int64 = 0

  /// The most packets that window and socket let be on the way.
  var most: Int { @inline(__always) get { min(window.size, socketMost) } }

  /// Whether an acknowledgement has nothing to do but to grow the window and to clock out data.
  var isSteady: Bool { @inline(__always) get { !isStopped && !isTroubled && !window.listensForEnd } }

  var hasRoundTrip: Bool { smoothed > 0 }

  /// The retransmission time-out.
  var timeout: Int64 { hasRoundTrip ? smoothed + variance : 1_000_000_000 }

  /// Whether the window, and not the data, limits the sender; in slow start it may be twice what is used.
  var isWindowLimited: Bool { isLimited || (window.isSlowStart && window.size < 2 * mostOut) }

  /// Grows the window by the acknowledgement of `packets`, where the window limits the sender and what was repeated last is through.
  /// One branch for all cases: which of them holds changes from run to run.
  @inline(__always)
  mutating func growWindow(_ packets: Int, sequence: Int32, at now: Int64) {
    let isSlow = isLess(window.size, window.threshold) & isLess(window.size, 2 &* mostOut)
    window.grow(packets & (limited | isSlow) & isLess(Int(mendEnd), Int(sequence)), at: now)
  }

  /// Linux enlarges a socket's buffer only while it is full and the window is not: nearly when the window, grown by `packets`, has
  /// come to 0.7 of it and there is more to write.
  @inline(__always)
  mutating func widenSocket(acknowledged packets: Int) {
    if window.size &* 10 > socketMost &* 7,
      unsent + Int64((inFlight + packets) * PacketSize.segment) > Int64(socketMost * 13 / 10 * PacketSize.segment)
    {
      socketMost = max(socketMost, window.size * 29 / 10)
    }
  }

  /// Takes lost packets aside that nothing sent later has told of.
  mutating func hide(_ packets: Int, bytes: Int64) {
    isTroubled = true
    hidden = FlowHidden(packets: hidden.packets + packets, bytes: hidden.bytes + bytes)
  }

  /// Takes off what is hidden.
  mutating func takeHidden() -> FlowHidden {
    let all = hidden
    hidden = FlowHidden()
    return all
  }

  /// Puts lost packets before all that is not yet sent.
  mutating func sendAgain(_ packets: Int, bytes: Int64) {
    lostOut -= packets
    unsent += bytes
    repeatBytes += bytes
  }

  /// Whether what is hidden may be told of by a probe: not while older losses are mended (RFC 8985, 7.2).
  var mayProbe: Bool {
    backoff == 0 && !isTimedOut && repeatBytes == 0 && max(recoveryEnd, Int(mendEnd)) <= sent - hidden.packets
  }

  mutating func judgeTrouble() { isTroubled = isTimedOut || hidden.packets > 0 || repeatBytes > 0 }

  /// Remembers how much of the window was used, as Linux does.
  @inline(__always)
  mutating func validate(isLimited limited: Bool) {
    if limited || sent - inFlight >= mostOutEnd || (!isLimited && inFlight > mostOut) {
      mostOut = inFlight
      mostOutEnd = sent
      isLimited = limited
    }
  }

  /// Takes in the round trip of the last of `count` packets: RFC 6298's averages, many of their steps at once.
  @inline(__always)
  mutating func sample(_ roundTrip: Int64, count: Int) {
    let error = roundTrip &- smoothed
    // 1 − (7/8)ⁿ for about a dozen.
    smoothed &+= error &- error >> 2
    // Without branches: no processor could predict whether a round trip is longer than the mean.
    let sign = error >> 63
    variance = later(variance &- (variance &- 200_000_000) >> 3, (error ^ sign) &- sign)
  }

  /// The first round trip, the handshake's.
  mutating func begin(roundTrip: Int64) {
    smoothed = roundTrip
    variance = max(200_000_000, 2 * roundTrip)
  }
}
