// The sender's fast path for most acknowledgements: new data in state Open, with no SACK, loss, retransmission or probe.
// It leaves every field as the slow path would; the steps that it skips would change nothing.

extension PacketSender {
  /// Processes an acknowledgement and sends what it allows.
  @inline(__always) mutating func receiveAck(_ packet: UnsafePointer<UpPacket>, _ world: inout PacketWorld) {
    windowEdge = max(windowEdge, packet.pointee.windowEdge)
    tsRecent = max(tsRecent, packet.pointee.tsVal)
    let end = Int(packet.pointee.ackNumber)
    guard end > sndUna, state == .open, flaggedEnd <= sndUna, tlpEndSeq < 0, packet.pointee.sackBlockCount == 0, packet.pointee.dsack < 0
    else {
      receiveAckOnSlowPath(packet, &world)
      push(&world)
      return
    }
    advanceOnFastPath(upTo: end, world.now)
    let sent = sendAllowed(idle: end, &world)
    // Sending sets the timer again, so only one of the two calls is needed.
    if sent > 0 {
      setLossProbeTimer(advancing: false, &world)
    } else if packetsOut == 0 {
      clearTimer()
    } else {
      setLossProbeTimer(advancing: true, &world)
    }
    validateCwnd(afterSending: sent, limited: isDeferred || packetsOut >= cubic.cwnd, at: world.now)
  }

  /// Removes the segments before `end` from the queue. None has a flag, so a higher number means sent later.
  @inline(__always) private mutating func advanceOnFastPath(upTo end: Int, _ now: Int64) {
    assert(end <= sndNxt && sackedOut == 0 && lostOut == 0 && retransOut == 0, "the fast path met a flagged segment")
    consecutiveTimeouts = 0
    let first = ring[sndUna].sentAt
    let last = ring.address(of: end - 1)
    let count = end - sndUna
    let lastUs = (now - last.pointee.sentAt) / 1000
    let firstUs = count == 1 ? lastUs : (now - first) / 1000
    rackAdvanced = true
    rackRttUs = lastUs
    if last.pointee.sentAt > rackXmitTime || (last.pointee.sentAt == rackXmitTime && end - 1 > rackSegment) {
      rackXmitTime = last.pointee.sentAt
      rackSegment = end - 1
    }
    acknowledgedBytes = last.pointee.endSeq
    sndUna = end
    if retransmitHint < end { retransmitHint = end }
    if rackScanStart < end { rackScanStart = end }
    rtt.noteMinRtt(lastUs)
    rtt.add(sampleUs: firstUs, sndUna: end, sndNxt: sndNxt)
    backoff = 0
    cubic.acked(delayUs: lastUs, at: now, sndUna: end, sndNxt: sndNxt)
    if isCwndLimited { cubic.avoidCongestion(count, at: now) }
  }
}
