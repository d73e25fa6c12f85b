// What an acknowledgement does to a sender: segments leave the window, the round trip is sampled, the window grows or recovers.
// The order of the steps is Linux's, because each reads what the one before left.

/// What one acknowledgement brought, gathered step by step.
struct Acknowledged {
  var isAdvance = false
  var hasData = false
  var hasSacked = false
  var hasRetransmitted = false
  /// Data that was sent once only, before the time-out, has arrived.
  var hasOriginal = false
  var hasDuplicate = false
  var losesRetransmission = false
  var setsTimer = false
  var delivered = 0
  var lostBefore = 0
  var retransmits = false
  var sendsNew = false
  var firstAt: Int64 = -1
  var lastAt: Int64 = -1
  var firstSackedAt: Int64 = -1
  var lastSackedAt: Int64 = -1
}

extension PacketSender {
  /// Takes in any acknowledgement, whose window and stamp have been noted; the caller then lets the server write and pushes.
  @inline(never)
  mutating func takeRarely(_ packet: UnsafePointer<UpPacket>, _ world: inout PacketWorld) {
    var seen = Acknowledged()
    let end = Int(packet.pointee.acknowledged)
    if end < unacknowledged { return }
    if outstanding == 0 { return }
    let priorUnacknowledged = unacknowledged
    seen.lostBefore = totalLost
    seen.isAdvance = end > unacknowledged
    if seen.isAdvance { timeouts = 0 }
    if packet.pointee.duplicate >= 0 { noteDuplicate(Int(packet.pointee.duplicate), &seen) }
    if packet.pointee.blocks > 0 { takeBlocks(packet, &seen, world.now) }
    clean(upTo: end, &seen, world.now)
    sampleRoundTrip(packet, &seen, world.now)
    if probeEnd >= 0 { settleProbe(packet, seen) }
    let isDubious = !seen.hasData || seen.hasSacked || seen.hasDuplicate || state != .open
    if isDubious { recover(packet, priorUnacknowledged, &seen, &world) }
    if seen.setsTimer { setTimer(&world) }
    control(seen, world.now)
    if seen.sendsNew {
      push(&world)
      if next > highest { return }
      isForward = false
    }
    if seen.retransmits || seen.sendsNew { retransmitLost(&world) }
  }

  private mutating func noteDuplicate(_ segment: Int, _ seen: inout Acknowledged) {
    seen.hasDuplicate = true
    if undoFrom >= 0, undoRetransmissions > 0, segment >= undoFrom { undoRetransmissions -= 1 }
    if probeEnd >= 0, segment == probeEnd - 1, probeIsRetransmission { probeEnd = -1 }
  }

  private mutating func takeBlocks(_ packet: UnsafePointer<UpPacket>, _ seen: inout Acknowledged, _ now: Int64) {
    let cache = sackCache
    sackCache = (packet.pointee.first, packet.pointee.second, packet.pointee.third)
    if packet.pointee.blocks < 3 { sackCache.2 = SackBlock.none }
    if packet.pointee.blocks < 2 { sackCache.1 = SackBlock.none }
    takeBlock(packet.pointee.first, cache, &seen, now)
    if packet.pointee.blocks > 1 { takeBlock(packet.pointee.second, cache, &seen, now) }
    if packet.pointee.blocks > 2 { takeBlock(packet.pointee.third, cache, &seen, now) }
  }

  /// Marks what is new of a block; what the last acknowledgement already named is skipped.
  private mutating func takeBlock(
    _ block: SackBlock, _ cache: (SackBlock, SackBlock, SackBlock), _ seen: inout Acknowledged, _ now: Int64
  ) {
    var number = max(Int(block.start), unacknowledged)
    let end = min(Int(block.end), next)
    while number < end {
      let known = max(cache.0.skip(number), cache.1.skip(number), cache.2.skip(number))
      if known > number {
        number = known
        continue
      }
      let segment = ring + (number & mask)
      if segment.pointee.flags & Segment.sacked == 0 { markSacked(segment, number, &seen, now) }
      number += 1
    }
  }

  private mutating func markSacked(_ segment: UnsafeMutablePointer<Segment>, _ number: Int, _ seen: inout Acknowledged, _ now: Int64) {
    let flags = segment.pointee.flags
    advanceRack(segment.pointee, number, now)
    if flags & Segment.retransmitted != 0 {
      if flags & Segment.lost != 0 { lostCount -= 1 }
      retransmittedCount -= 1
      segment.pointee.flags = flags & ~(Segment.lost | Segment.retransmitted)
    } else {
      if flags & Segment.everRetransmitted == 0 {
        if number < highest { seen.hasOriginal = true }
        if seen.firstSackedAt < 0 { seen.firstSackedAt = segment.pointee.sentAt }
        seen.lastSackedAt = segment.pointee.sentAt
      }
      if flags & Segment.lost != 0 {
        lostCount -= 1
        segment.pointee.flags = flags & ~Segment.lost
      }
    }
    segment.pointee.flags |= Segment.sacked
    markedEnd = max(markedEnd, number + 1)
    sackedCount += 1
    seen.hasSacked = true
    seen.delivered += 1
  }

  /// Removes the segments before `end` from the window.
  private mutating func clean(upTo end: Int, _ seen: inout Acknowledged, _ now: Int64) {
    while unacknowledged < end {
      let segment = ring[unacknowledged & mask]
      let flags = segment.flags
      if flags & Segment.everRetransmitted != 0 {
        if flags & Segment.retransmitted != 0 { retransmittedCount -= 1 }
        seen.hasRetransmitted = true
      } else if flags & Segment.sacked == 0 {
        seen.lastAt = segment.sentAt
        if seen.firstAt < 0 { seen.firstAt = segment.sentAt }
        if unacknowledged < highest { seen.hasOriginal = true }
      }
      if flags & Segment.sacked != 0 {
        sackedCount -= 1
      } else {
        seen.delivered += 1
        advanceRack(segment, unacknowledged, now)
      }
      if flags & Segment.lost != 0 { lostCount -= 1 }
      acknowledgedBytes = segment.end
      unacknowledged += 1
      seen.hasData = true
    }
    if retransmitFrom < unacknowledged { retransmitFrom = unacknowledged }
    if judged < unacknowledged { judged = unacknowledged }
  }

  private mutating func sampleRoundTrip(_ packet: UnsafePointer<UpPacket>, _ seen: inout Acknowledged, _ now: Int64) {
    var sequence: Int64 = -1
    var congestion: Int64 = -1
    if seen.firstAt >= 0, !seen.hasRetransmitted {
      sequence = (now - seen.firstAt) / 1000
      congestion = (now - seen.lastAt) / 1000
    }
    var sacked: Int64 = -1
    if seen.firstSackedAt >= 0 {
      sacked = (now - seen.firstSackedAt) / 1000
      congestion = (now - seen.lastSackedAt) / 1000
    }
    if sequence < 0 { sequence = sacked }
    if sequence < 0, seen.hasData, packet.pointee.echo >= 0 {
      sequence = max(1, now / 1_000_000 - packet.pointee.echo / 1_000_000) * 1000
      congestion = sequence
    }
    if sequence >= 0 {
      if congestion >= 0 { roundTrip.noteLeast(congestion) }
      roundTrip.add(sampleUs: sequence, unacknowledged: unacknowledged, next: next)
      backoff = 0
    }
    if seen.hasData {
      seen.setsTimer = true
    } else if sequence >= 0, sacked >= 0, outstanding > 0, sacked > (now - ring[unacknowledged & mask].sentAt) / 1000 {
      seen.setsTimer = true
    }
    if congestion >= 0 { cubic.note(delayUs: congestion, at: now, unacknowledged: unacknowledged, next: next) }
  }

  /// Grows or, during recovery, doles out the window.
  private mutating func control(_ seen: Acknowledged, _ now: Int64) {
    if state == .recovery || state == .reduction {
      reduce(seen)
    } else if seen.hasData, isWindowLimited {
      cubic.grow(seen.delivered, at: now)
    }
  }

  /// Proportional rate reduction (RFC 6937).
  private mutating func reduce(_ seen: Acknowledged) {
    guard seen.delivered > 0, priorSize > 0 else { return }
    let newlyLost = totalLost - seen.lostBefore
    let space = cubic.threshold - inFlight
    reductionDelivered += seen.delivered
    var count: Int
    if space < 0 {
      count = (cubic.threshold * reductionDelivered + priorSize - 1) / priorSize - reductionSent
    } else {
      count = max(reductionDelivered - reductionSent, seen.delivered)
      if seen.isAdvance, newlyLost == 0 { count += 1 }
      count = min(space, count)
    }
    count = max(count, reductionSent > 0 ? 0 : 1)
    cubic.size = inFlight + count
  }
}

extension SackBlock {
  /// The end of the block if `number` lies in it, else `number`.
  fileprivate func skip(_ number: Int) -> Int { Int(start) <= number && number < Int(end) ? Int(end) : number }
}
