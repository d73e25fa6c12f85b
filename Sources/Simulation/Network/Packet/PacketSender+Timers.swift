// The sender's timer: retransmission timeout (RFC 6298), tail loss probe (RFC 8985, section 7) or RACK's reordering timer.
// The network fires the timers; the actions are here.

extension PacketSender {
  /// Sets the timer to `wait` nanoseconds from now.
  @inline(__always) mutating func setTimer(_ kind: Timer, after wait: Int64, _ world: inout PacketWorld) {
    timer = kind
    timerSetAt = world.now
    timerAt = world.now + wait
    world.wake(connection, at: timerAt)
  }

  mutating func clearTimer() {
    timer = .none
    timerAt = Instant.never.nanoseconds
  }

  /// Sets the timer after progress: a loss probe if possible, else the RTO.
  mutating func setTimer(_ world: inout PacketWorld) {
    if packetsOut == 0 {
      clearTimer()
    } else if !scheduleLossProbe(advancing: true, &world) {
      rearmRto(&world)
    }
  }

  /// Sets a loss probe timer if the state permits it; true if set (`tcp_schedule_loss_probe`).
  @inline(__always) mutating func scheduleLossProbe(advancing: Bool, _ world: inout PacketWorld) -> Bool {
    guard packetsOut > 0, state == .open || state == .cwr, sackedOut == 0 || state == .cwr else { return false }
    setLossProbeTimer(advancing: advancing, &world)
    return true
  }

  /// Sets the loss probe timer: two round trips, at most the RTO. Data is out and the state permits a probe.
  @inline(__always) mutating func setLossProbeTimer(advancing: Bool, _ world: inout PacketWorld) {
    var wait: Int64 = 1_000_000
    if rtt.hasSample { wait = (rtt.srtt8Us >> 2) + (packetsOut == 1 ? RoundTripEstimator.minRtoUs : PacketSender.minTimeoutUs) }
    let remaining = advancing ? rtoUs : rtoLeftUs(world.now)
    if remaining > 0 { wait = min(wait, remaining) }
    setTimer(.lossProbe, after: wait * 1000, &world)
  }

  /// The remaining time until the RTO of the oldest segment, in microseconds; may be negative.
  @inline(__always) private func rtoLeftUs(_ now: Int64) -> Int64 { rtoUs - (now - ring[sndUna].sentAt) / 1000 }

  /// Sets the retransmission timer (`tcp_rearm_rto`).
  mutating func rearmRto(_ world: inout PacketWorld) {
    guard packetsOut > 0 else {
      clearTimer()
      return
    }
    var wait = rtoUs
    if timer == .reordering || timer == .lossProbe { wait = max(rtoLeftUs(world.now), 1) }
    setTimer(.retransmission, after: wait * 1000, &world)
  }

  /// Acts on an expired timer. On the first call the timer is only moved to its slot in the kernel's wheel.
  mutating func fire(_ world: inout PacketWorld) {
    if timerSetAt < .max {
      timerAt = KernelTimer.expiry(at: timerSetAt, after: timerAt - timerSetAt)
      timerSetAt = .max
      return
    }
    let kind = timer
    clearTimer()
    guard packetsOut > 0 else { return }
    switch kind {
    case .none: return
    case .lossProbe: sendLossProbe(&world)
    case .reordering: fireReorderTimer(&world)
    case .retransmission: fireRetransmissionTimer(&world)
    }
  }

  /// Sends new data as a probe, or the last segment again (`tcp_send_loss_probe`).
  private mutating func sendLossProbe(_ world: inout PacketWorld) {
    if tlpEndSeq < 0 {
      tlpIsRetrans = false
      let (inFlight, out) = (packetsInFlight, packetsOut)
      if sendBuffer(1, isFirst: packetsInFlight == 0, &world) > 0 {
        notePaced(sndNxt - 1..<sndNxt, inFlight: inFlight, packetsOut: out, &world)
        finishPush(1, isProbe: true, &world)
      } else {
        let last = sndNxt - 1
        ring[last].sentAt = world.now
        ring[last].flags |= Segment.everRetransmitted
        if ring[last].flags & (Segment.sacked | Segment.lost) == 0 {
          // It is not counted as a retransmission in flight; RACK judges it by its new send time.
          retransmissions.append(last)
        }
        flaggedEnd = max(flaggedEnd, sndNxt)
        notePaced(last..<sndNxt, inFlight: packetsInFlight, packetsOut: packetsOut, &world)
        lastSentAt = world.now
        transmit(ring[last], last, &world)
        tlpIsRetrans = true
      }
      tlpEndSeq = sndNxt
      timer = .none
    }
    rearmRto(&world)
  }

  /// Ends a probe. An acknowledgement beyond a repeated segment means that the probe repaired a loss (`tcp_process_tlp_ack`).
  mutating func processProbeAck(_ packet: UnsafePointer<UpPacket>, _ ack: AckSummary) {
    guard Int(packet.pointee.ackNumber) >= tlpEndSeq else { return }
    if !tlpIsRetrans {
      tlpEndSeq = -1
    } else if Int(packet.pointee.ackNumber) > tlpEndSeq {
      initCwndReduction()
      state = .cwr
      endCwndReduction()
      keepOpenOrDisorder()
    } else if !ack.advancesSndUna, !ack.sacksData {
      tlpEndSeq = -1
    }
  }

  /// Marks late segments lost and retransmits them (`tcp_rack_reo_timeout`).
  private mutating func fireReorderTimer(_ world: inout PacketWorld) {
    let before = packetsInFlight
    let wait = rackDetectLoss(world.now)
    if packetsInFlight != before {
      if state != .recovery {
        enterRecovery()
        if paced == nil { cubic.cwnd = packetsInFlight + 1 }
      }
      retransmitLost(&world)
    }
    if wait > 0 {
      setTimer(.reordering, after: wait * 1000 + PacketSender.minTimeoutUs * 1000, &world)
    } else if timer != .retransmission {
      rearmRto(&world)
    }
  }

  /// Enters Loss, retransmits the oldest segment and doubles the RTO (`tcp_retransmit_timer`).
  private mutating func fireRetransmissionTimer(_ world: inout PacketWorld) {
    if backoff == 0 {
      firstTimeoutAt = world.now
      world.giveUpBound = min(world.giveUpBound, world.now + ConnectionPatience.dataNanoseconds)
    }
    if world.now - firstTimeoutAt >= ConnectionPatience.dataNanoseconds {
      hasGivenUp = true
      return
    }
    tlpEndSeq = -1
    let isNew = state.rawValue < State.recovery.rawValue
    markLostAfterTimeout(world.now)
    if isNew || sndUna >= highSeq || (state == .loss && consecutiveTimeouts == 0) {
      priorSsthresh = currentSsthresh
      priorCwnd = cubic.cwnd
      cubic.ssthresh = ssthreshAfterLoss()
      initUndo()
    }
    cubic.cwnd = packetsInFlight + 1
    cubic.cwndCount = 0
    cubic.reset(at: world.now, sndNxt: sndNxt)
    isFrto = isNew || consecutiveTimeouts > 0
    state = .loss
    highSeq = sndNxt
    consecutiveTimeouts += 1
    if let paced { paced.pointee.bbr.noteTimeout(connection(of: paced, at: world.now), &world.bbrRandom) }
    notePaced(sndUna..<sndUna + 1, inFlight: packetsInFlight, packetsOut: packetsOut, &world)
    retransmit(sndUna, &world)
    retransmitHint = sndUna + 1
    backoff += 1
    setTimer(.retransmission, after: rtoUs * 1000, &world)
  }

  /// Marks the oldest segment lost, and all others sent at least one RACK round trip ago (`tcp_timeout_mark_lost`).
  private mutating func markLostAfterTimeout(_ now: Int64) {
    retransmitHint = sndUna
    for number in sndUna..<sndNxt {
      let segment = ring[number]
      if segment.flags & Segment.sacked != 0 { continue }
      if number != sndUna, rackRttUs - (now - segment.sentAt) / 1000 > 0 { continue }
      markLost(number)
    }
  }
}
