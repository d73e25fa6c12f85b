// The sender's slow path for acknowledgements (`tcp_ack`): SACK, the retransmission queue, the round trip, recovery and cwnd.
// The steps are in the order of Linux, because each reads state that the one before has set.

/// The effects of one acknowledgement: the `FLAG_…` bits and `tcp_sacktag_state` of Linux.
struct AckSummary {
  /// True if `sndUna` advances.
  var advancesSndUna = false
  /// True if segments leave the queue.
  var acksData = false
  /// True if segments are newly SACKed.
  var sacksData = false
  /// True if a retransmitted segment leaves the queue.
  var acksRetransmission = false
  /// True if it acknowledges data below `highSeq` that was sent once (`FLAG_ORIG_SACK_ACKED`).
  var acksOriginal = false
  /// True if it reports a duplicate.
  var hasDsack = false
  /// True if a retransmission is found lost.
  var lostRetransmission = false
  /// True if the timer is set again.
  var setsTimer = false
  /// Segments newly acknowledged or SACKed.
  var delivered = 0
  /// `totalLost` before it.
  var priorLost = 0
  /// True if lost segments may be retransmitted (`REXMIT_LOST`).
  var retransmits = false
  /// True if F-RTO sends new data instead (`REXMIT_NEW`).
  var sendsNew = false
  /// The send times of the first and last segments acknowledged, and SACKed, that were sent once; negative for none.
  var firstAckedAt: Int64 = -1
  var lastAckedAt: Int64 = -1
  var firstSackedAt: Int64 = -1
  var lastSackedAt: Int64 = -1
}

extension PacketSender {
  /// Processes any acknowledgement. The caller has read its window and timestamp, lets the server write, and pushes.
  @inline(never) mutating func receiveAckOnSlowPath(_ packet: UnsafePointer<UpPacket>, _ world: inout PacketWorld) {
    var ack = AckSummary()
    let end = Int(packet.pointee.ackNumber)
    if end < sndUna { return }
    if packetsOut == 0 { return }
    ack.priorLost = totalLost
    if let paced { paced.pointee.beginSample(inFlight: packetsInFlight) }
    ack.advancesSndUna = end > sndUna
    if ack.advancesSndUna { consecutiveTimeouts = 0 }
    if packet.pointee.dsack >= 0 { processDsack(Int(packet.pointee.dsack), &ack) }
    if packet.pointee.sackBlockCount > 0 { processSackBlocks(packet, &ack, world.now) }
    cleanRetransmissionQueue(upTo: end, &ack, world.now)
    sampleRtt(packet, &ack, world.now)
    if tlpEndSeq >= 0 { processProbeAck(packet, ack) }
    let isDubious = !ack.acksData || ack.sacksData || ack.hasDsack || state != .open
    if isDubious { updateRecoveryState(packet, &ack, &world) }
    if ack.setsTimer { setTimer(&world) }
    controlCongestion(ack, &world)
    if ack.sendsNew {
      push(&world)
      if sndNxt > highSeq { return }
      isFrto = false
    }
    if ack.retransmits || ack.sendsNew { retransmitLost(&world) }
  }

  /// Counts a retransmission that a DSACK shows to be unnecessary.
  private mutating func processDsack(_ segment: Int, _ ack: inout AckSummary) {
    ack.hasDsack = true
    if undoMarker >= 0, undoRetrans > 0, segment >= undoMarker { undoRetrans -= 1 }
    if tlpEndSeq >= 0, segment == tlpEndSeq - 1, tlpIsRetrans { tlpEndSeq = -1 }
  }

  /// Marks the segments of all SACK blocks (`tcp_sacktag_write_queue`).
  private mutating func processSackBlocks(_ packet: UnsafePointer<UpPacket>, _ ack: inout AckSummary, _ now: Int64) {
    let cache = sackCache
    sackCache = (packet.pointee.firstBlock, packet.pointee.secondBlock, packet.pointee.thirdBlock)
    if packet.pointee.sackBlockCount < 3 { sackCache.2 = SackBlock.none }
    if packet.pointee.sackBlockCount < 2 { sackCache.1 = SackBlock.none }
    processSackBlock(packet.pointee.firstBlock, cache, &ack, now)
    if packet.pointee.sackBlockCount > 1 { processSackBlock(packet.pointee.secondBlock, cache, &ack, now) }
    if packet.pointee.sackBlockCount > 2 { processSackBlock(packet.pointee.thirdBlock, cache, &ack, now) }
  }

  /// Marks the new segments of a SACK block. Blocks of the last acknowledgement are skipped.
  private mutating func processSackBlock(
    _ block: SackBlock, _ cache: (SackBlock, SackBlock, SackBlock), _ ack: inout AckSummary, _ now: Int64
  ) {
    var number = max(Int(block.start), sndUna)
    let end = min(Int(block.end), sndNxt)
    while number < end {
      let known = max(cache.0.skip(number), cache.1.skip(number), cache.2.skip(number))
      if known > number {
        number = known
        continue
      }
      let segment = ring.address(of: number)
      if segment.pointee.flags & Segment.sacked == 0 { markSacked(segment, number, &ack, now) }
      number += 1
    }
  }

  /// Marks one segment as SACKed (`tcp_sacktag_one`).
  private mutating func markSacked(_ segment: UnsafeMutablePointer<Segment>, _ number: Int, _ ack: inout AckSummary, _ now: Int64) {
    let flags = segment.pointee.flags
    rackAdvance(segment.pointee, number, now)
    if let paced { paced.pointee.noteDelivered(number, sentAt: segment.pointee.sentAt) }
    if flags & Segment.retransmitted != 0 {
      if flags & Segment.lost != 0 { lostOut -= 1 }
      retransOut -= 1
      segment.pointee.flags = flags & ~(Segment.lost | Segment.retransmitted)
    } else {
      if flags & Segment.everRetransmitted == 0 {
        if number < highSeq { ack.acksOriginal = true }
        if ack.firstSackedAt < 0 { ack.firstSackedAt = segment.pointee.sentAt }
        ack.lastSackedAt = segment.pointee.sentAt
      }
      if flags & Segment.lost != 0 {
        lostOut -= 1
        segment.pointee.flags = flags & ~Segment.lost
      }
    }
    segment.pointee.flags |= Segment.sacked
    flaggedEnd = max(flaggedEnd, number + 1)
    sackedOut += 1
    ack.sacksData = true
    ack.delivered += 1
  }

  /// Removes the segments before `end` from the queue (`tcp_clean_rtx_queue`).
  private mutating func cleanRetransmissionQueue(upTo end: Int, _ ack: inout AckSummary, _ now: Int64) {
    while sndUna < end {
      let segment = ring[sndUna]
      let flags = segment.flags
      if flags & Segment.everRetransmitted != 0 {
        if flags & Segment.retransmitted != 0 { retransOut -= 1 }
        ack.acksRetransmission = true
      } else if flags & Segment.sacked == 0 {
        ack.lastAckedAt = segment.sentAt
        if ack.firstAckedAt < 0 { ack.firstAckedAt = segment.sentAt }
        if sndUna < highSeq { ack.acksOriginal = true }
      }
      if flags & Segment.sacked != 0 {
        sackedOut -= 1
      } else {
        ack.delivered += 1
        rackAdvance(segment, sndUna, now)
        if let paced { paced.pointee.noteDelivered(sndUna, sentAt: segment.sentAt) }
      }
      if flags & Segment.lost != 0 { lostOut -= 1 }
      acknowledgedBytes = segment.endSeq
      sndUna += 1
      ack.acksData = true
    }
    if retransmitHint < sndUna { retransmitHint = sndUna }
    if rackScanStart < sndUna { rackScanStart = sndUna }
  }

  /// Takes a round-trip sample from segments sent once, else from SACK or timestamps (`tcp_ack_update_rtt`).
  private mutating func sampleRtt(_ packet: UnsafePointer<UpPacket>, _ ack: inout AckSummary, _ now: Int64) {
    var seqRttUs: Int64 = -1
    var caRttUs: Int64 = -1
    if ack.firstAckedAt >= 0, !ack.acksRetransmission {
      seqRttUs = (now - ack.firstAckedAt) / 1000
      caRttUs = (now - ack.lastAckedAt) / 1000
    }
    var sackRttUs: Int64 = -1
    if ack.firstSackedAt >= 0 {
      sackRttUs = (now - ack.firstSackedAt) / 1000
      caRttUs = (now - ack.lastSackedAt) / 1000
    }
    if seqRttUs < 0 { seqRttUs = sackRttUs }
    if seqRttUs < 0, ack.acksData, packet.pointee.tsEcr >= 0 {
      seqRttUs = max(1, now / 1_000_000 - packet.pointee.tsEcr / 1_000_000) * 1000
      caRttUs = seqRttUs
    }
    if seqRttUs >= 0 {
      if caRttUs >= 0 { rtt.noteMinRtt(caRttUs) }
      rtt.add(sampleUs: seqRttUs, sndUna: sndUna, sndNxt: sndNxt)
      backoff = 0
    }
    if ack.acksData {
      ack.setsTimer = true
    } else if seqRttUs >= 0, sackRttUs >= 0, packetsOut > 0, sackRttUs > (now - ring[sndUna].sentAt) / 1000 {
      ack.setsTimer = true
    }
    if let paced {
      noteRtt(caRttUs, ack, paced)
    } else if caRttUs >= 0 {
      cubic.acked(delayUs: caRttUs, at: now, sndUna: sndUna, sndNxt: sndNxt)
    }
  }

  /// Grows cwnd, or reduces it during recovery (`tcp_cong_control`).
  private mutating func controlCongestion(_ ack: AckSummary, _ world: inout PacketWorld) {
    if let paced {
      controlByBBR(paced, ack, &world)
    } else if state == .recovery || state == .cwr {
      reduceCwnd(ack)
    } else if ack.acksData, isCwndLimited {
      cubic.avoidCongestion(ack.delivered, at: world.now)
    }
  }

  /// Sets cwnd by proportional rate reduction (RFC 6937, `tcp_cwnd_reduction`).
  private mutating func reduceCwnd(_ ack: AckSummary) {
    guard ack.delivered > 0, priorCwnd > 0 else { return }
    let newlyLost = totalLost - ack.priorLost
    let space = cubic.ssthresh - packetsInFlight
    prrDelivered += ack.delivered
    var count: Int
    if space < 0 {
      count = (cubic.ssthresh * prrDelivered + priorCwnd - 1) / priorCwnd - prrOut
    } else {
      count = max(prrDelivered - prrOut, ack.delivered)
      if ack.advancesSndUna, newlyLost == 0 { count += 1 }
      count = min(space, count)
    }
    count = max(count, prrOut > 0 ? 0 : 1)
    cubic.cwnd = packetsInFlight + count
  }
}

extension SackBlock {
  /// Returns the end of the block if `number` is in it, else `number`.
  fileprivate func skip(_ number: Int) -> Int { Int(start) <= number && number < Int(end) ? Int(end) : number }
}
