// The sender under BBR: rate samples, internal pacing without a pacing qdisc, and transmissions of several segments.
// Linux's `tcp_output.c` has the counterparts. Every acknowledgement takes the slow path: `flaggedEnd` is beyond all segments.

/// The state that a sender has only with BBR.
struct PacedFlow {
  var bbr: BBR
  var rate = DeliveryRate()
  var sample = RateSample()
  /// The earliest departure time of the next transmission (`tcp_wstamp_ns`).
  var sendAt: Int64 = 0
  /// `data_segs_out`; the first ten segments are not paced.
  var segmentsSent = 0
  /// The expiry of the pacing timer.
  var timerAt = Instant.never.nanoseconds

  mutating func beginSample(inFlight: Int) {
    sample = RateSample()
    sample.priorInFlight = inFlight
  }

  mutating func noteDelivered(_ number: Int, sentAt: Int64) { rate.noteDelivered(number, sentAt: sentAt, &sample) }

  /// Delays the next transmission by the time of this one at the pacing rate (`tcp_update_skb_after_send`).
  mutating func advanceSendAt(bytes: Int64, segments: Int, at now: Int64) {
    let prior = sendAt
    sendAt = max(sendAt, now)
    segmentsSent += segments
    guard segmentsSent >= CubicWindow.initialCwnd, bbr.pacingRate > 0 else { return }
    let time = bytes * 1_000_000_000 / Int64(bbr.pacingRate)
    // A late transmission shortens the wait by up to a half.
    sendAt += time - min(time / 2, sendAt - prior)
  }
}

extension PacketSender {
  /// Starts BBR on the established connection (`tcp_init_congestion_control`).
  mutating func startBBR(_ world: inout PacketWorld) {
    let flow = UnsafeMutablePointer<PacedFlow>.allocate(capacity: 1)
    let tcp = BBR.Connection(now: world.now, delivered: 1, srttUs: rtt.srttUs, cwnd: cubic.cwnd)
    flow.initialize(to: PacedFlow(bbr: BBR(tcp, minRttUs: rtt.minRttUs)))
    paced = flow
    flaggedEnd = .max
    slowStartAfterIdle = false
  }

  var pacingAt: Int64 { paced?.pointee.timerAt ?? Instant.never.nanoseconds }

  mutating func stopTimers() {
    timerAt = Instant.never.nanoseconds
    paced?.pointee.timerAt = Instant.never.nanoseconds
  }

  func connection(of flow: UnsafeMutablePointer<PacedFlow>, at now: Int64) -> BBR.Connection {
    BBR.Connection(
      now: now, delivered: flow.pointee.rate.delivered, deliveredAt: flow.pointee.rate.deliveredAt, lost: totalLost,
      packetsInFlight: packetsInFlight, sendAt: flow.pointee.sendAt, srttUs: rtt.srttUs, state: state, cwnd: cubic.cwnd,
      ssthresh: cubic.ssthresh, appLimited: flow.pointee.rate.appLimited)
  }

  private mutating func apply(_ tcp: BBR.Connection, to flow: UnsafeMutablePointer<PacedFlow>) {
    cubic.cwnd = tcp.cwnd
    cubic.ssthresh = tcp.ssthresh
    flow.pointee.rate.appLimited = tcp.appLimited
  }

  /// Completes the rate sample of an acknowledgement and lets BBR set the pacing rate and cwnd.
  mutating func controlByBBR(_ flow: UnsafeMutablePointer<PacedFlow>, _ ack: AckSummary, _ world: inout PacketWorld) {
    flow.pointee.sample.ackedSacked = ack.delivered
    flow.pointee.sample.losses = totalLost - ack.priorLost
    flow.pointee.rate.complete(&flow.pointee.sample, minRttUs: rtt.minRttUs, at: world.now)
    var tcp = connection(of: flow, at: world.now)
    flow.pointee.bbr.update(flow.pointee.sample, &tcp, &world.bbrRandom)
    apply(tcp, to: flow)
  }

  /// Returns `ssthresh` after a loss. BBR keeps it and saves cwnd for the end of the recovery.
  mutating func ssthreshAfterLoss() -> Int {
    guard let paced else { return cubic.recalculateSsthresh() }
    paced.pointee.bbr.saveCwnd(cubic.cwnd)
    return cubic.ssthresh
  }

  /// Notes the round trip of a sample. A short segment acknowledged alone may have waited for the delayed acknowledgement.
  mutating func noteRtt(_ rttUs: Int64, _ ack: AckSummary, _ flow: UnsafeMutablePointer<PacedFlow>) {
    flow.pointee.sample.rttUs = rttUs
    flow.pointee.sample.isAckDelayed =
      ack.acksData && ack.delivered == 1 && sackedOut == 0 && ring[sndUna - 1].length < PacketSize.segment
      && flow.pointee.sample.priorDelivered + 1 == flow.pointee.rate.delivered
  }

  /// Marks the samples limited by the application if it writes while cwnd has room and nothing waits (`tcp_rate_check_app_limited`).
  mutating func checkAppLimited(_ flow: UnsafeMutablePointer<PacedFlow>) {
    if writtenBytes - sentBytes < PacketSize.segment, packetsInFlight < cubic.cwnd, lostOut <= retransOut {
      flow.pointee.rate.appLimited = max(1, flow.pointee.rate.delivered + packetsInFlight)
    }
  }

  // MARK: - Pacing

  /// Notes one transmission of new or lost segments at this time; the counts are those before it. Without BBR it does nothing.
  mutating func notePaced(_ segments: Range<Int>, inFlight: Int, packetsOut: Int, _ world: inout PacketWorld) {
    guard let paced else { return }
    if inFlight == 0 {
      var tcp = connection(of: paced, at: world.now)
      paced.pointee.bbr.restartFromIdle(&tcp, &world.bbrRandom)
      apply(tcp, to: paced)
    }
    var bytes: Int64 = 0
    for number in segments { bytes += Int64(ring[number].length) }
    paced.pointee.advanceSendAt(bytes: bytes, segments: segments.count, at: world.now)
    paced.pointee.rate.noteSent(segments, packetsOut: packetsOut, oldest: sndUna, at: world.now)
  }

  /// The most segments of one sk_buff (`tcp_tso_autosize`).
  @inline(__always) var bufferSegments: Int { paced?.pointee.bbr.tsoSegments ?? burstSegments }

  /// The segments that leave at once if there is data: those that cwnd allows, or of one transmission.
  @inline(__always) var sendableNow: Int {
    let room = max(0, cubic.cwnd - packetsInFlight)
    guard let paced else { return room }
    return min(room, max(paced.pointee.bbr.tsoSegments, CubicWindow.initialCwnd - paced.pointee.segmentsSent))
  }

  /// True if the next transmission must wait; then the timer is set (`tcp_pacing_check`).
  private mutating func mustWait(_ flow: UnsafeMutablePointer<PacedFlow>, _ world: inout PacketWorld) -> Bool {
    guard flow.pointee.sendAt > world.now else { return false }
    flow.pointee.timerAt = flow.pointee.sendAt
    world.wake(connection, at: flow.pointee.timerAt)
    return true
  }

  /// Retransmits and sends when the pacing timer expires (`tcp_tsq_handler`).
  mutating func firePacing(_ world: inout PacketWorld) {
    paced?.pointee.timerAt = Instant.never.nanoseconds
    if lostOut > retransOut, cubic.cwnd > packetsInFlight { retransmitLost(&world) }
    push(&world)
  }

  /// Sends what pacing, cwnd, the receive window and the data allow (`tcp_write_xmit`).
  mutating func pushPaced(_ flow: UnsafeMutablePointer<PacedFlow>, _ world: inout PacketWorld) {
    let most = flow.pointee.bbr.tsoSegments
    var sent = 0
    while writtenBytes > sentBytes, !mustWait(flow, &world) {
      let (inFlight, out, first) = (packetsInFlight, packetsOut, sndNxt)
      guard inFlight < cubic.cwnd, !defers(most, since: flow.pointee.sendAt, world.now) else { break }
      let quota = min(max(cubic.cwnd >> 1, 1), cubic.cwnd - inFlight, most)
      if sendBuffer(quota, isFirst: false, &world) == 0 { break }
      notePaced(first..<sndNxt, inFlight: inFlight, packetsOut: out, &world)
      sent += sndNxt - first
    }
    finishPush(sent, isProbe: false, &world)
  }

  /// True if it is better to wait for an acknowledgement that permits a larger transmission (`tcp_tso_should_defer`). `writtenAt` is the
  /// time of the last one.
  // Mutating: a method that changes nothing would be handed a copy of the whole sender.
  mutating func defers(_ most: Int, since writtenAt: Int64, _ now: Int64) -> Bool {
    guard now - writtenAt <= 1_000_000, state.rawValue < State.recovery.rawValue, writtenBytes - sentBytes > PacketSize.segment,
      packetsOut > 0
    else { return false }
    let segment = Int64(PacketSize.segment)
    let allowed = min(windowEdge - sentBytes, Int64(cubic.cwnd - packetsInFlight) * segment)
    if allowed >= Int64(most) * segment || allowed >= min(windowEdge - acknowledgedBytes, Int64(cubic.cwnd) * segment) / 3 { return false }
    // It defers only if the acknowledgement is due within 1 ms.
    let srtt = rtt.srttUs * 1000
    return ring[sndUna].sentAt + srtt - now <= min(srtt / 2, 1_000_000)
  }

  /// Retransmits lost segments, oldest first, within cwnd and the pacing rate (`tcp_xmit_retransmit_queue`).
  mutating func retransmitPaced(_ flow: UnsafeMutablePointer<PacedFlow>, _ world: inout PacketWorld) {
    let most = flow.pointee.bbr.tsoSegments
    var rearms = false
    while retransOut < lostOut, packetsInFlight < cubic.cwnd, retransmitHint < sndNxt {
      guard isToRetransmit(retransmitHint) else {
        retransmitHint += 1
        continue
      }
      if mustWait(flow, &world) { break }
      let (inFlight, first) = (packetsInFlight, retransmitHint)
      let quota = min(cubic.cwnd - inFlight, most)
      while retransmitHint < sndNxt, retransmitHint - first < quota, isToRetransmit(retransmitHint),
        flow.pointee.rate.areTogether(first, retransmitHint)
      {
        retransmit(retransmitHint, &world)
        retransmitHint += 1
      }
      notePaced(first..<retransmitHint, inFlight: inFlight, packetsOut: packetsOut, &world)
      if state == .recovery || state == .cwr { prrOut += retransmitHint - first }
      if first == sndUna, timer != .reordering { rearms = true }
    }
    if rearms { setTimer(.retransmission, after: rtoUs * 1000, &world) }
  }

  @inline(__always) private func isToRetransmit(_ number: Int) -> Bool {
    let flags = ring[number].flags
    return flags & Segment.lost != 0 && flags & (Segment.sacked | Segment.retransmitted) == 0
  }
}
