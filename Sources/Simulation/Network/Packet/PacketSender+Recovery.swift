// Loss detection and recovery of the sender: RACK (RFC 8985), F-RTO (RFC 5682), and undo by timestamps and DSACK (RFC 3522, 3708).
// States and transitions follow Linux's `tcp_input.c`, `tcp_fastretrans_alert` above all.

extension PacketSender {
  /// Updates RACK with a delivered segment (`tcp_rack_advance`).
  mutating func rackAdvance(_ segment: Segment, _ number: Int, _ now: Int64) {
    let rttUs = (now - segment.sentAt) / 1000
    // An acknowledgement faster than the minimum round trip answers the original, not the retransmission.
    if segment.flags & (Segment.retransmitted | Segment.everRetransmitted) != 0, rttUs < rtt.minRttUs { return }
    rackAdvanced = true
    rackRttUs = rttUs
    if segment.sentAt > rackXmitTime || (segment.sentAt == rackXmitTime && number > rackSegment) {
      rackXmitTime = segment.sentAt
      rackSegment = number
    }
  }

  /// Moves between the states after a dubious acknowledgement (`tcp_fastretrans_alert`).
  mutating func updateRecoveryState(_ packet: UnsafePointer<UpPacket>, _ ack: inout AckSummary, _ world: inout PacketWorld) {
    if state == .open {
      if retransOut == 0 { retransStamp = -1 }
    } else if sndUna >= highSeq {
      if state == .cwr, sndUna != highSeq {
        endCwndReduction()
        state = .open
      } else if state == .recovery {
        if mayUndo(packet) { undoCwndReduction(unmarkingLosses: false) }
        state = .open
        endCwndReduction()
      }
    }
    switch state {
    case .recovery:
      if ack.advancesSndUna, undoMarker >= 0, isPacketDelayed(packet) {
        if retransOut > 0 { return }
        undoCwndReduction(unmarkingLosses: true)
        keepOpenOrDisorder()
      }
      if undoMarker >= 0, undoRetrans == 0 {
        undoCwndReduction(unmarkingLosses: false)
        keepOpenOrDisorder()
      }
      identifyLosses(&ack, &world)
      if state != .recovery {
        if lostOut == 0 { return }
        enterRecovery()
      }
    case .loss:
      processLossState(packet, &ack, &world)
      identifyLosses(&ack, &world)
      if state != .open, !ack.lostRetransmission { return }
      tryEnterRecovery(&ack, &world)
      return
    default:
      tryEnterRecovery(&ack, &world)
      return
    }
    ack.retransmits = true
  }

  /// Enters Recovery if a segment is lost, else stays in Open or Disorder.
  private mutating func tryEnterRecovery(_ ack: inout AckSummary, _ world: inout PacketWorld) {
    if state == .open || state == .disorder, undoMarker >= 0, undoRetrans == 0 { undoCwndReduction(unmarkingLosses: false) }
    identifyLosses(&ack, &world)
    if lostOut == 0 {
      if !hasRetransmitted { retransStamp = -1 }
      if state != .cwr { keepOpenOrDisorder() }
      return
    }
    enterRecovery()
    ack.retransmits = true
  }

  /// Looks for the end of state Loss, or for a spurious timeout by F-RTO (`tcp_process_loss`).
  private mutating func processLossState(_ packet: UnsafePointer<UpPacket>, _ ack: inout AckSummary, _ world: inout PacketWorld) {
    let isRecovered = sndUna >= highSeq
    if ack.advancesSndUna, mayUndo(packet) {
      undoLossState()
      return
    }
    if isFrto {
      if ack.acksOriginal {
        undoLossState()
        return
      }
      if sndNxt > highSeq {
        if ack.sacksData || !ack.advancesSndUna { isFrto = false }
      } else if ack.advancesSndUna, !isRecovered {
        highSeq = sndNxt
        if writtenBytes > sentBytes, windowEdge > sentBytes {
          ack.sendsNew = true
          return
        }
        isFrto = false
      }
    }
    if isRecovered {
      if mayUndo(packet) { undoCwndReduction(unmarkingLosses: false) }
      state = .open
      return
    }
    ack.retransmits = true
  }

  /// Undoes a spurious timeout (`tcp_try_undo_loss`).
  private mutating func undoLossState() {
    undoCwndReduction(unmarkingLosses: true)
    consecutiveTimeouts = 0
    state = .open
  }

  /// Enters Recovery and starts a cwnd reduction (`tcp_enter_recovery`).
  mutating func enterRecovery() {
    initUndo()
    if state != .recovery, state != .cwr {
      priorSsthresh = currentSsthresh
      initCwndReduction()
    }
    state = .recovery
  }

  /// Starts proportional rate reduction (`tcp_init_cwnd_reduction`).
  mutating func initCwndReduction() {
    highSeq = sndNxt
    tlpEndSeq = -1
    cubic.cwndCount = 0
    priorCwnd = cubic.cwnd
    prrDelivered = 0
    prrOut = 0
    cubic.ssthresh = ssthreshAfterLoss()
  }

  /// Sets cwnd to `ssthresh` at the end of a reduction (`tcp_end_cwnd_reduction`).
  mutating func endCwndReduction() {
    if paced != nil { return }
    if cubic.ssthresh < CubicWindow.infiniteSsthresh, state == .cwr || undoMarker >= 0 { cubic.cwnd = cubic.ssthresh }
  }

  /// Sets the state to Open, or to Disorder while segments are SACKed, lost or retransmitted (`tcp_try_keep_open`).
  mutating func keepOpenOrDisorder() {
    let target: State = sackedOut + lostOut > 0 || hasRetransmitted ? .disorder : .open
    if state != target {
      state = target
      highSeq = sndNxt
    }
  }

  @inline(__always) private var hasRetransmitted: Bool {
    retransOut > 0 || (packetsOut > 0 && ring[sndUna].flags & Segment.everRetransmitted != 0)
  }

  // MARK: - Undo

  /// Remembers where a reduction began (`tcp_init_undo`).
  mutating func initUndo() {
    undoMarker = sndUna
    undoRetrans = retransOut > 0 ? retransOut : -1
  }

  /// True if the acknowledged data was sent before the first retransmission. Timestamps have milliseconds (`tcp_packet_delayed`).
  @inline(__always) private func isPacketDelayed(_ packet: UnsafePointer<UpPacket>) -> Bool {
    retransStamp >= 0 && packet.pointee.tsEcr >= 0 && packet.pointee.tsEcr / 1_000_000 < retransStamp / 1_000_000
  }

  /// True if every retransmission was unnecessary (`tcp_may_undo`).
  @inline(__always)
  private func mayUndo(_ packet: UnsafePointer<UpPacket>) -> Bool { undoMarker >= 0 && (undoRetrans == 0 || isPacketDelayed(packet)) }

  /// Restores cwnd and `ssthresh` (`tcp_undo_cwnd_reduction`).
  private mutating func undoCwndReduction(unmarkingLosses: Bool) {
    if unmarkingLosses {
      for number in sndUna..<sndNxt { ring[number].flags &= ~Segment.lost }
      lostOut = 0
      rackScanStart = sndUna
      retransmitHint = sndUna
    }
    if priorSsthresh > 0 {
      if let paced {
        paced.pointee.bbr.undo(connection(of: paced, at: paced.pointee.rate.deliveredAt))
      } else {
        cubic.cwnd = max(cubic.cwnd, priorCwnd)
      }
      cubic.ssthresh = max(cubic.ssthresh, priorSsthresh)
    }
    undoMarker = -1
    rackAdvanced = true
  }

  // MARK: - Losses

  /// Marks losses by RACK and sets the reordering timer (`tcp_identify_packet_loss`).
  mutating func identifyLosses(_ ack: inout AckSummary, _ world: inout PacketWorld) {
    guard packetsOut > 0 else { return }
    let before = retransOut
    if rackAdvanced {
      rackAdvanced = false
      let wait = rackDetectLoss(world.now)
      if wait > 0 {
        setTimer(.reordering, after: wait * 1000 + PacketSender.minTimeoutUs * 1000, &world)
        ack.setsTimer = false
      }
    }
    if before > retransOut { ack.lostRetransmission = true }
  }

  /// Marks segments lost that RACK expects to have arrived (`tcp_rack_detect_loss`). Returns the wait for the others, in microseconds; 0
  /// for none.
  mutating func rackDetectLoss(_ now: Int64) -> Int64 {
    var reorderingWindowUs: Int64 = 0
    if state.rawValue < State.recovery.rawValue, sackedOut < 3 { reorderingWindowUs = min(rtt.minRttUs >> 2, rtt.srttUs) }
    var wait: Int64 = 0
    while rackScanStart < sndNxt {
      let segment = ring.address(of: rackScanStart)
      let flags = segment.pointee.flags
      if flags & (Segment.sacked | Segment.everRetransmitted) == 0, flags & Segment.lost == 0 {
        guard isSentBeforeRack(segment.pointee.sentAt, rackScanStart) else { break }
        let remaining = rackRttUs + reorderingWindowUs - (now - segment.pointee.sentAt) / 1000
        if remaining > 0 {
          wait = remaining
          break
        }
        markLost(rackScanStart)
      }
      rackScanStart += 1
    }
    // Of one burst all wait; the longest wait is that of the last segment sent before RACK's.
    if wait > 0 { wait = max(wait, rackLongestWait(reorderingWindowUs, now)) }
    while let number = retransmissions.first {
      // A loss probe that repeats a segment is not counted as a retransmission, but may be lost as well.
      let flags = number < sndUna ? Segment.sacked : ring[number].flags
      if flags & Segment.sacked != 0 || flags & (Segment.lost | Segment.retransmitted) == Segment.lost {
        retransmissions.removeFirst()
        continue
      }
      let sentAt = ring[number].sentAt
      guard isSentBeforeRack(sentAt, number) else { break }
      let remaining = rackRttUs + reorderingWindowUs - (now - sentAt) / 1000
      if remaining > 0 {
        wait = max(wait, remaining)
        break
      }
      retransmissions.removeFirst()
      markLost(number)
    }
    return wait
  }

  /// Returns the longest remaining wait, in microseconds, of the segments sent before RACK's.
  private mutating func rackLongestWait(_ reorderingWindowUs: Int64, _ now: Int64) -> Int64 {
    var longest: Int64 = 0
    var number = rackScanStart
    while number < sndNxt, isSentBeforeRack(ring[number].sentAt, number) {
      if ring[number].flags & (Segment.sacked | Segment.lost | Segment.everRetransmitted) == 0 {
        longest = max(longest, rackRttUs + reorderingWindowUs - (now - ring[number].sentAt) / 1000)
      }
      number += 1
    }
    return longest
  }

  /// True if RACK's segment was sent after this one.
  @inline(__always) private func isSentBeforeRack(_ sentAt: Int64, _ number: Int) -> Bool {
    rackXmitTime > sentAt || (rackXmitTime == sentAt && rackSegment > number)
  }

  /// Marks a segment or its retransmission as lost.
  mutating func markLost(_ number: Int) {
    let segment = ring.address(of: number)
    let flags = segment.pointee.flags
    if flags & Segment.lost == 0 {
      segment.pointee.flags |= Segment.lost
      flaggedEnd = max(flaggedEnd, number + 1)
      lostOut += 1
      totalLost += 1
    }
    if flags & Segment.retransmitted != 0 {
      segment.pointee.flags &= ~Segment.retransmitted
      retransOut -= 1
      totalLost += flags & Segment.lost != 0 ? 1 : 0
    }
    retransmitHint = min(retransmitHint, number)
  }

  /// Retransmits lost segments, oldest first, within cwnd (`tcp_xmit_retransmit_queue`).
  mutating func retransmitLost(_ world: inout PacketWorld) {
    if let paced { return retransmitPaced(paced, &world) }
    var rearms = false
    while retransOut < lostOut, packetsInFlight < cubic.cwnd, retransmitHint < sndNxt {
      let flags = ring[retransmitHint].flags
      if flags & Segment.lost != 0, flags & (Segment.sacked | Segment.retransmitted) == 0 {
        retransmit(retransmitHint, &world)
        if state == .recovery || state == .cwr { prrOut += 1 }
        if retransmitHint == sndUna, timer != .reordering { rearms = true }
      }
      retransmitHint += 1
    }
    if rearms { setTimer(.retransmission, after: rtoUs * 1000, &world) }
  }
}
