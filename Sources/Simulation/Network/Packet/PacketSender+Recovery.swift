// How a sender finds losses and recovers: RACK (RFC 8985), PRR (RFC 6937), F-RTO (RFC 5682), undo by timestamps and DSACK (RFC 3522).
// States and transitions as in Linux; the numbers are in PacketSender.

extension PacketSender {
  /// Notes that a segment arrived: later ones sent before it are late.
  mutating func advanceRack(_ segment: Segment, _ number: Int, _ now: Int64) {
    let roundTripUs = (now - segment.sentAt) / 1000
    // So fast an answer to a retransmission answers the original.
    if segment.flags & (Segment.retransmitted | Segment.everRetransmitted) != 0, roundTripUs < roundTrip.leastUs { return }
    hasRackAdvanced = true
    rackRoundTripUs = roundTripUs
    if segment.sentAt > rackSentAt || (segment.sentAt == rackSentAt && number > rackSegment) {
      rackSentAt = segment.sentAt
      rackSegment = number
    }
  }

  /// Walks the states for an acknowledgement that is out of the ordinary.
  mutating func recover(
    _ packet: UnsafePointer<UpPacket>, _ priorUnacknowledged: Int, _ seen: inout Acknowledged, _ world: inout PacketWorld
  ) {
    if state == .open {
      if retransmittedCount == 0 { firstRetransmission = -1 }
    } else if unacknowledged >= highest {
      if state == .reduction, unacknowledged != highest {
        endReduction()
        state = .open
      } else if state == .recovery {
        if mayUndo(packet) { undo(forgettingLosses: false) }
        state = .open
        endReduction()
      }
    }
    switch state {
    case .recovery:
      if seen.isAdvance, undoFrom >= 0, isDelayed(packet) {
        if retransmittedCount > 0 { return }
        undo(forgettingLosses: true)
        keepOpen()
      }
      if undoFrom >= 0, undoRetransmissions == 0 {
        undo(forgettingLosses: false)
        keepOpen()
      }
      findLosses(&seen, &world)
      if state != .recovery {
        if lostCount == 0 { return }
        enterRecovery()
      }
    case .loss:
      recoverFromTimeout(packet, &seen, &world)
      findLosses(&seen, &world)
      if state != .open, !seen.losesRetransmission { return }
      tryRecovery(&seen, &world, isFirst: false)
      return
    default:
      tryRecovery(&seen, &world, isFirst: true)
      return
    }
    seen.retransmits = true
  }

  private mutating func tryRecovery(_ seen: inout Acknowledged, _ world: inout PacketWorld, isFirst: Bool) {
    if state == .open || state == .disorder, undoFrom >= 0, undoRetransmissions == 0 { undo(forgettingLosses: false) }
    findLosses(&seen, &world)
    if lostCount == 0 {
      if !hasRetransmitted { firstRetransmission = -1 }
      if state != .reduction { keepOpen() }
      return
    }
    enterRecovery()
    seen.retransmits = true
  }

  private mutating func recoverFromTimeout(_ packet: UnsafePointer<UpPacket>, _ seen: inout Acknowledged, _ world: inout PacketWorld) {
    let isRecovered = unacknowledged >= highest
    if seen.isAdvance, mayUndo(packet) {
      undoTimeout()
      return
    }
    if isForward {
      if seen.hasOriginal {
        undoTimeout()
        return
      }
      if next > highest {
        if seen.hasSacked || !seen.isAdvance { isForward = false }
      } else if seen.isAdvance, !isRecovered {
        highest = next
        if written > sentBytes, windowEdge > sentBytes {
          seen.sendsNew = true
          return
        }
        isForward = false
      }
    }
    if isRecovered {
      if mayUndo(packet) { undo(forgettingLosses: false) }
      state = .open
      return
    }
    seen.retransmits = true
  }

  private mutating func undoTimeout() {
    undo(forgettingLosses: true)
    timeouts = 0
    state = .open
  }

  mutating func enterRecovery() {
    startUndo()
    if state != .recovery, state != .reduction {
      undoThreshold = rememberedThreshold
      startReduction()
    }
    state = .recovery
  }

  mutating func startReduction() {
    highest = next
    probeEnd = -1
    cubic.credit = 0
    priorSize = cubic.size
    reductionDelivered = 0
    reductionSent = 0
    cubic.threshold = cubic.thresholdAfterLoss()
  }

  mutating func endReduction() {
    if cubic.threshold < CubicWindow.infinite, state == .reduction || undoFrom >= 0 { cubic.size = cubic.threshold }
  }

  mutating func keepOpen() {
    let wanted: State = sackedCount + lostCount > 0 || hasRetransmitted ? .disorder : .open
    if state != wanted {
      state = wanted
      highest = next
    }
  }

  @inline(__always)
  private var hasRetransmitted: Bool {
    retransmittedCount > 0 || (outstanding > 0 && ring[unacknowledged & mask].flags & Segment.everRetransmitted != 0)
  }

  // MARK: - Undo

  private mutating func startUndo() {
    undoFrom = unacknowledged
    undoRetransmissions = retransmittedCount > 0 ? retransmittedCount : -1
  }

  /// Whether the acknowledged data left before the first retransmission; timestamps tick in milliseconds.
  @inline(__always)
  private func isDelayed(_ packet: UnsafePointer<UpPacket>) -> Bool {
    firstRetransmission >= 0 && packet.pointee.echo >= 0 && packet.pointee.echo / 1_000_000 < firstRetransmission / 1_000_000
  }

  @inline(__always)
  private func mayUndo(_ packet: UnsafePointer<UpPacket>) -> Bool { undoFrom >= 0 && (undoRetransmissions == 0 || isDelayed(packet)) }

  private mutating func undo(forgettingLosses: Bool) {
    if forgettingLosses {
      for number in unacknowledged..<next { ring[number & mask].flags &= ~Segment.lost }
      lostCount = 0
      judged = unacknowledged
      retransmitFrom = unacknowledged
    }
    if undoThreshold > 0 {
      cubic.size = max(cubic.size, priorSize)
      cubic.threshold = max(cubic.threshold, undoThreshold)
    }
    undoFrom = -1
    hasRackAdvanced = true
  }

  // MARK: - Losses

  mutating func findLosses(_ seen: inout Acknowledged, _ world: inout PacketWorld) {
    guard outstanding > 0 else { return }
    let before = retransmittedCount
    if hasRackAdvanced {
      hasRackAdvanced = false
      let wait = markLate(world.now)
      if wait > 0 {
        setTimer(.reordering, after: wait * 1000 + 8_000_000, &world)
        seen.setsTimer = false
      }
    }
    if before > retransmittedCount { seen.losesRetransmission = true }
  }

  /// Marks what should have arrived by now; returns how long to wait for what may yet come, in microseconds.
  mutating func markLate(_ now: Int64) -> Int64 {
    var patience: Int64 = 0
    if state.rawValue < State.recovery.rawValue, sackedCount < 3 {
      patience = min(roundTrip.leastUs >> 2, roundTrip.smoothedUs)
    }
    var wait: Int64 = 0
    while judged < next {
      let segment = ring + (judged & mask)
      let flags = segment.pointee.flags
      if flags & (Segment.sacked | Segment.everRetransmitted) == 0, flags & Segment.lost == 0 {
        guard isBeforeRack(segment.pointee.sentAt, judged) else { break }
        let rest = rackRoundTripUs + patience - (now - segment.pointee.sentAt) / 1000
        if rest > 0 {
          wait = rest
          break
        }
        markLost(judged)
      }
      judged += 1
    }
    // Within one burst later segments wait as long; the longest wait is that of the last one sent before RACK's.
    if wait > 0 { wait = max(wait, longestWait(patience, now)) }
    while let number = retransmissions.first {
      // A repeated tail is not counted as a retransmission, and yet may be late.
      let flags = number < unacknowledged ? Segment.sacked : ring[number & mask].flags
      if flags & Segment.sacked != 0 || flags & (Segment.lost | Segment.retransmitted) == Segment.lost {
        retransmissions.removeFirst()
        continue
      }
      let sentAt = ring[number & mask].sentAt
      guard isBeforeRack(sentAt, number) else { break }
      let rest = rackRoundTripUs + patience - (now - sentAt) / 1000
      if rest > 0 {
        wait = max(wait, rest)
        break
      }
      retransmissions.removeFirst()
      markLost(number)
    }
    return wait
  }

  private mutating func longestWait(_ patience: Int64, _ now: Int64) -> Int64 {
    var longest: Int64 = 0
    var number = judged
    while number < next, isBeforeRack(ring[number & mask].sentAt, number) {
      if ring[number & mask].flags & (Segment.sacked | Segment.lost | Segment.everRetransmitted) == 0 {
        longest = max(longest, rackRoundTripUs + patience - (now - ring[number & mask].sentAt) / 1000)
      }
      number += 1
    }
    return longest
  }

  @inline(__always)
  private func isBeforeRack(_ sentAt: Int64, _ number: Int) -> Bool {
    rackSentAt > sentAt || (rackSentAt == sentAt && rackSegment > number)
  }

  mutating func markLost(_ number: Int) {
    let segment = ring + (number & mask)
    let flags = segment.pointee.flags
    if flags & Segment.lost == 0 {
      segment.pointee.flags |= Segment.lost
      markedEnd = max(markedEnd, number + 1)
      lostCount += 1
      totalLost += 1
    }
    if flags & Segment.retransmitted != 0 {
      segment.pointee.flags &= ~Segment.retransmitted
      retransmittedCount -= 1
      totalLost += flags & Segment.lost != 0 ? 1 : 0
    }
    retransmitFrom = min(retransmitFrom, number)
  }

  /// Sends lost segments again, oldest first, as far as the window allows.
  mutating func retransmitLost(_ world: inout PacketWorld) {
    var rearms = false
    while retransmittedCount < lostCount, inFlight < cubic.size, retransmitFrom < next {
      let flags = ring[retransmitFrom & mask].flags
      if flags & Segment.lost != 0, flags & (Segment.sacked | Segment.retransmitted) == 0 {
        retransmit(retransmitFrom, &world)
        if state == .recovery || state == .reduction { reductionSent += 1 }
        if retransmitFrom == unacknowledged, timer != .reordering { rearms = true }
      }
      retransmitFrom += 1
    }
    if rearms { setTimer(.retransmission, after: timeoutUs * 1000, &world) }
  }
}
