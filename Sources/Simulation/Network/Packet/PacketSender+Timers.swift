// A sender's one timer: retransmission time-out, tail loss probe (RFC 8985, 7), or the end of patience with reordering.
// What each does when it fires; when the loop looks at it is the transport's.

extension PacketSender {
  @inline(__always)
  mutating func setTimer(_ kind: Timer, after wait: Int64, _ world: inout PacketWorld) {
    timer = kind
    timerSetAt = world.now
    timerAt = world.now + wait
    world.wake(connection, at: timerAt)
  }

  mutating func clearTimer() {
    timer = .none
    timerAt = Instant.never.nanoseconds
  }

  /// After progress: a probe where one is due, else the time-out.
  mutating func setTimer(_ world: inout PacketWorld) {
    if outstanding == 0 {
      clearTimer()
    } else if !scheduleProbe(advancing: true, &world) {
      rearm(&world)
    }
  }

  @inline(__always)
  mutating func scheduleProbe(advancing: Bool, _ world: inout PacketWorld) -> Bool {
    guard outstanding > 0, state == .open || state == .reduction, sackedCount == 0 || state == .reduction else { return false }
    setProbe(advancing: advancing, &world)
    return true
  }

  /// Sets the timer for a probe; data is on the way and nothing stands against one.
  @inline(__always)
  mutating func setProbe(advancing: Bool, _ world: inout PacketWorld) {
    var wait: Int64 = 1_000_000
    if roundTrip.hasSample { wait = (roundTrip.smoothed8Us >> 2) + (outstanding == 1 ? 200_000 : 8_000) }
    let rest = advancing ? timeoutUs : timeoutLeftUs(world.now)
    if rest > 0 { wait = min(wait, rest) }
    setTimer(.probe, after: wait * 1000, &world)
  }

  /// How far in the future the time-out of the oldest segment is.
  @inline(__always)
  private func timeoutLeftUs(_ now: Int64) -> Int64 { timeoutUs - (now - ring[unacknowledged & mask].sentAt) / 1000 }

  mutating func rearm(_ world: inout PacketWorld) {
    guard outstanding > 0 else {
      clearTimer()
      return
    }
    var wait = timeoutUs
    if timer == .reordering || timer == .probe { wait = max(timeoutLeftUs(world.now), 1) }
    setTimer(.retransmission, after: wait * 1000, &world)
  }

  /// The timer is due, or will be when the kernel's wheel has turned so far.
  mutating func fire(_ world: inout PacketWorld) {
    if timerSetAt < .max {
      timerAt = KernelTimer.expiry(at: timerSetAt, after: timerAt - timerSetAt)
      timerSetAt = .max
      return
    }
    let kind = timer
    clearTimer()
    guard outstanding > 0 else { return }
    switch kind {
    case .none: return
    case .probe: sendProbe(&world)
    case .reordering: endPatience(&world)
    case .retransmission: timeOut(&world)
    }
  }

  private mutating func sendProbe(_ world: inout PacketWorld) {
    if probeEnd < 0 {
      probeIsRetransmission = false
      if sendNext(isFirst: inFlight == 0, &world) {
        finishPush(1, isProbe: true, &world)
      } else {
        let last = next - 1
        ring[last & mask].sentAt = world.now
        ring[last & mask].flags |= Segment.everRetransmitted
        if ring[last & mask].flags & (Segment.sacked | Segment.lost) == 0 {
          // Not counted as a retransmission in flight; RACK judges it by its new time.
          retransmissions.append(last)
        }
        markedEnd = next
        lastSent = world.now
        transmit(ring[last & mask], last, &world)
        probeIsRetransmission = true
      }
      probeEnd = next
      timer = .none
    }
    rearm(&world)
  }

  /// An acknowledgement while a probe is out: one that ends after a repeated tail tells of a loss.
  mutating func settleProbe(_ packet: UnsafePointer<UpPacket>, _ seen: Acknowledged) {
    guard Int(packet.pointee.acknowledged) >= probeEnd else { return }
    if !probeIsRetransmission {
      probeEnd = -1
    } else if Int(packet.pointee.acknowledged) > probeEnd {
      startReduction()
      state = .reduction
      endReduction()
      keepOpen()
    } else if !seen.isAdvance, !seen.hasSacked {
      probeEnd = -1
    }
  }

  private mutating func endPatience(_ world: inout PacketWorld) {
    let before = inFlight
    let wait = markLate(world.now)
    if inFlight != before {
      if state != .recovery {
        enterRecovery()
        cubic.size = inFlight + 1
      }
      retransmitLost(&world)
    }
    if wait > 0 {
      setTimer(.reordering, after: wait * 1000 + 8_000_000, &world)
    } else if timer != .retransmission {
      rearm(&world)
    }
  }

  private mutating func timeOut(_ world: inout PacketWorld) {
    if backoff == 0 { timedOutSince = world.now }
    if world.now - timedOutSince >= ConnectionPatience.dataNanoseconds {
      hasGivenUp = true
      return
    }
    probeEnd = -1
    let isNew = state.rawValue < State.recovery.rawValue
    markTimedOut(world.now)
    if isNew || unacknowledged >= highest || (state == .loss && timeouts == 0) {
      undoThreshold = rememberedThreshold
      priorSize = cubic.size
      cubic.threshold = cubic.thresholdAfterLoss()
      undoFrom = unacknowledged
      undoRetransmissions = retransmittedCount > 0 ? retransmittedCount : -1
    }
    cubic.size = inFlight + 1
    cubic.credit = 0
    cubic.forget(at: world.now, next: next)
    isForward = isNew || timeouts > 0
    state = .loss
    highest = next
    timeouts += 1
    retransmit(unacknowledged, &world)
    retransmitFrom = unacknowledged + 1
    backoff += 1
    setTimer(.retransmission, after: timeoutUs * 1000, &world)
  }

  /// The oldest segment is lost, and all that have been on the way for a round trip; younger ones get their chance.
  private mutating func markTimedOut(_ now: Int64) {
    retransmitFrom = unacknowledged
    for number in unacknowledged..<next {
      let segment = ring[number & mask]
      if segment.flags & Segment.sacked != 0 { continue }
      if number != unacknowledged, rackRoundTripUs - (now - segment.sentAt) / 1000 > 0 { continue }
      markLost(number)
    }
  }
}
