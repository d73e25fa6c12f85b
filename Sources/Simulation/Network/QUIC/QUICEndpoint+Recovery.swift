// Acknowledgements, loss detection and timers of an endpoint (RFC 9002), with ngtcp2's thresholds.

extension QUICEndpoint {
  // MARK: - Acknowledgements

  mutating func receiveAck(_ packet: QUICPacket, at now: Int64) {
    let level = packet.level.rawValue
    guard let largest = packet.acknowledged.ranges.last.map({ $0.upperBound - 1 }) else { return }
    var ack = QUICAckSummary(priorInFlight: path.bytesInFlight)
    spaces[level].largestAcked = max(spaces[level].largestAcked, largest)
    let acked = spaces[level].removeAcked(packet.acknowledged)
    guard let newest = acked.last else { return }
    for sent in acked { path.removeFromFlight(sent) }
    if newest.number == largest, acked.contains(where: { !$0.frames.isEmpty }),
      path.addRtt(now - newest.sentAt, ackDelay: packet.ackDelay, isConfirmed: isConfirmed, at: now)
    {
      cubic.noteRtt(path.latestRtt)
    }
    for sent in acked {
      noteAcked(sent, level: level, at: now)
      ack.delivered += sent.length
      ack.packetDelivered = sent.delivered
    }
    ack.largestSentAt = newest.sentAt
    path.finishSample(packetDelivered: ack.packetDelivered)
    ack.lost = detectLosses(level: level, at: now)
    cubic.finishAck(path)
    bbr?.finishAck(ack, &path, at: now)
    setLossTimer(at: now)
  }

  private mutating func noteAcked(_ sent: QUICSentPacket, level: Int, at now: Int64) {
    if sent.isMTUProbe {
      datagramSize = max(datagramSize, Int(sent.length))
      nextProbe()
    }
    if sent.ackedUpTo >= 0 { spaces[level].forgetReceived(upTo: sent.ackedUpTo) }
    for frame in sent.frames {
      switch frame.kind {
      case .crypto: spaces[level].crypto.noteAcked(frame)
      case .stream:
        guard let index = streams.firstIndex(where: { $0.id == frame.stream }) else { continue }
        streams[index].noteAcked(frame)
        if streams[index].isAcked { streams.remove(at: index) }
      case .resetStream: streams.removeAll { $0.id == frame.stream }
      default: break
      }
    }
    path.sample(sent, at: now)
    if bbr == nil { cubic.acked(sent, isApplication: level == 2, &path, at: now) }
    if !sent.isProbe, !sent.frames.isEmpty { timeoutCount = 0 }
  }

  /// Goes on to the next probe for a larger datagram.
  mutating func nextProbe() {
    repeat { probeIndex += 1 } while probeIndex < QUICSize.probes.count && QUICSize.probes[probeIndex] <= datagramSize
    probeCount = 0
    probeExpiry = QUICRecovery.never
  }

  // MARK: - Losses

  /// Finds lost packets by the packet and time thresholds (RFC 9002, 6.1); returns their bytes, without MTU probes.
  /// ngtcp2's packet threshold is half of the packets in flight, 3 to 256.
  @discardableResult private mutating func detectLosses(level: Int, at now: Int64) -> Int64 {
    let threshold = min(max(spaces[level].bytesInFlight / QUICRecovery.maximumDatagram / 2, 3), 256)
    let delay = path.lossDelay
    let largestAcked = spaces[level].largestAcked
    spaces[level].lossTime = QUICRecovery.never
    // The older packets are lost if a newer one is: `count` of them.
    var count = 0
    for (offset, sent) in spaces[level].inFlight.enumerated() {
      guard sent.number <= largestAcked else { break }
      if sent.sentAt + delay <= now || largestAcked >= sent.number + threshold { count = offset + 1 }
    }
    if let next = spaces[level].inFlight.dropFirst(count).first, next.number <= largestAcked {
      spaces[level].lossTime = next.sentAt + delay
    }
    guard count > 0 else { return 0 }
    let lost = spaces[level].removeFirst(count)
    var bytes: Int64 = 0
    for sent in lost {
      path.removeFromFlight(sent)
      if !sent.isMTUProbe { bytes += sent.length }
      if !sent.isReclaimed { retransmit(sent.frames, level: level) }
    }
    if bytes > 0 { noteCongestion(lost, level: level, at: now) }
    return bytes
  }

  private mutating func noteCongestion(_ lost: [QUICSentPacket], level: Int, at now: Int64) {
    let newest = lost[lost.count - 1]
    // Persistent congestion: neighbouring packets over three probe timeouts are all lost (RFC 9002, 7.6).
    var oldest = newest
    for sent in lost.dropLast().reversed() {
      guard sent.number == oldest.number - 1, sent.sentAt >= path.firstRttSampleAt else { break }
      oldest = sent
    }
    let period = 3 * (path.pto + QUICRecovery.maxAckDelay)
    let isPersistent = level == 2 && newest.sentAt - oldest.sentAt >= period
    if isPersistent { path.forgetRtt() }
    bbr?.noteLoss(sentAt: newest.sentAt, path, at: now)
    if bbr == nil { cubic.noteLoss(sentAt: newest.sentAt, &path, at: now) }
    if isPersistent {
      bbr?.notePersistentCongestion(&path)
      path.cwnd = 2 * QUICRecovery.maximumDatagram
      path.recoveryStartAt = -1
    }
  }

  /// Queues the frames of a lost packet again, but those of streams that have ended.
  mutating func retransmit(_ frames: [QUICFrame], level: Int) {
    for frame in frames {
      switch frame.kind {
      case .crypto: spaces[level].crypto.noteLost(frame)
      case .stream:
        guard let index = streams.firstIndex(where: { $0.id == frame.stream }) else { continue }
        if streams[index].lost.isEmpty { streams[index].turns = streams.filter { !$0.lost.isEmpty }.map(\.turns).min() ?? 0 }
        streams[index].noteLost(frame)
      case .ping: break
      default: spaces[level].frames.append(frame)
      }
    }
  }

  // MARK: - Timers

  /// Sets the timer of loss detection (RFC 9002, A.8).
  mutating func setLossTimer(at now: Int64) {
    let lossTime = spaces.reduce(QUICRecovery.never) { min($0, $1.lossTime) }
    if lossTime < QUICRecovery.never {
      lossTimerAt = lossTime
      return
    }
    let isTimed = spaces[0].timedCount > 0 || spaces[1].timedCount > 0 || (spaces[2].timedCount > 0 && isConfirmed)
    // A client probes until its address is known to be valid, even with nothing in flight.
    guard isTimed || (!isServer && !isConfirmed) else {
      if lossTimerAt < QUICRecovery.never { timeoutCount = 0 }
      lossTimerAt = QUICRecovery.never
      return
    }
    let backoff = Int64(1) << Int64(min(timeoutCount, 20))
    let wait = path.pto * backoff
    var earliest = QUICRecovery.never
    for level in 0..<3 where spaces[level].timedCount > 0 && spaces[level].lastElicitingAt >= 0 && (level < 2 || isConfirmed) {
      earliest = min(earliest, spaces[level].lastElicitingAt + wait + (level == 2 ? QUICRecovery.maxAckDelay * backoff : 0))
    }
    lossTimerAt = earliest == QUICRecovery.never ? now + wait : earliest
  }

  private mutating func fireLossTimer(at now: Int64) {
    if let level = (0..<3).filter({ spaces[$0].lossTime < QUICRecovery.never }).min(by: { spaces[$0].lossTime < spaces[$1].lossTime }) {
      detectLosses(level: level, at: now)
      setLossTimer(at: now)
      return
    }
    let timed = (0..<2).filter { spaces[$0].timedCount > 0 }
    if !isServer, !isComplete {
      spaces[spaces[0].isDiscarded ? 1 : 0].probesLeft = 1
    } else if timed.isEmpty {
      spaces[2].probesLeft = 2
    } else {
      for level in timed { spaces[level].probesLeft = 1 }
    }
    timeoutCount += 1
    setLossTimer(at: now)
  }

  /// The time until which a received packet's acknowledgement may wait; aioquic has 1 ms.
  var ackDelay: Int64 { ackThreshold == nil ? QUICRecovery.millisecond : min(QUICRecovery.maxAckDelay, path.smoothedRtt / 8) }

  /// Sets the next time at which the endpoint must run. ngtcp2's event loop waits for whole milliseconds.
  mutating func setTimer(at now: Int64) {
    var next = min(lossTimerAt, probeExpiry)
    let ackAt = spaces[2].ackTime(delay: ackDelay)
    if ackAt > now { next = min(next, ackAt) }
    if nextSendAt > now { next = min(next, nextSendAt) }
    timerAt = flightAt
    guard next < QUICRecovery.never else { return }
    let ticks = (max(next - now, 1) + QUICRecovery.millisecond - 1) / QUICRecovery.millisecond
    timerAt = min(flightAt, now + ticks * QUICRecovery.millisecond)
  }

  /// Fires the timers that are due; `write` must follow.
  mutating func fire(at now: Int64) {
    if flightAt <= now { sendFlight(at: now) }
    if probeExpiry <= now {
      probeExpiry = QUICRecovery.never
      if probeCount == 3 { nextProbe() }
    }
    if lossTimerAt <= now { fireLossTimer(at: now) }
  }
}
