// An acknowledgement while all goes well: new data, no SACK, nothing lost, repeated or probed. Most are, so they take a short way,
// which leaves each field as the long one would; what it leaves out would have found nothing to do.

extension PacketSender {
  /// Takes in an acknowledgement and sends what it allows.
  @inline(__always)
  mutating func take(_ packet: UnsafePointer<UpPacket>, _ world: inout PacketWorld) {
    windowEdge = max(windowEdge, packet.pointee.windowEdge)
    clientStamp = max(clientStamp, packet.pointee.sentAt)
    let end = Int(packet.pointee.acknowledged)
    guard end > unacknowledged, state == .open, markedEnd <= unacknowledged, probeEnd < 0, packet.pointee.blocks == 0,
      packet.pointee.duplicate < 0
    else {
      takeRarely(packet, &world)
      push(&world)
      return
    }
    takeOrdinary(upTo: end, world.now)
    let sent = sendAllowed(idle: end, &world)
    // What is sent sets the timer anew, so that only one of the two is needed.
    if sent > 0 {
      setProbe(advancing: false, &world)
    } else if outstanding == 0 {
      clearTimer()
    } else {
      setProbe(advancing: true, &world)
    }
    validate(afterSending: sent, limited: outstanding >= cubic.size, at: world.now)
  }

  /// Segments before `end` leave the window; no segment of it has a flag, so that those sent later are those with higher numbers.
  @inline(__always)
  private mutating func takeOrdinary(upTo end: Int, _ now: Int64) {
    assert(end <= next && sackedCount == 0 && lostCount == 0 && retransmittedCount == 0, "a marked segment was overlooked")
    timeouts = 0
    let first = ring[unacknowledged & mask].sentAt
    let last = ring + ((end - 1) & mask)
    let count = end - unacknowledged
    let lastUs = (now - last.pointee.sentAt) / 1000
    let firstUs = count == 1 ? lastUs : (now - first) / 1000
    hasRackAdvanced = true
    rackRoundTripUs = lastUs
    if last.pointee.sentAt > rackSentAt || (last.pointee.sentAt == rackSentAt && end - 1 > rackSegment) {
      rackSentAt = last.pointee.sentAt
      rackSegment = end - 1
    }
    acknowledgedBytes = last.pointee.end
    unacknowledged = end
    if retransmitFrom < end { retransmitFrom = end }
    if judged < end { judged = end }
    roundTrip.noteLeast(lastUs)
    roundTrip.add(sampleUs: firstUs, unacknowledged: end, next: next)
    backoff = 0
    cubic.note(delayUs: lastUs, at: now, unacknowledged: end, next: next)
    if isWindowLimited { cubic.grow(count, at: now) }
  }
}
