// BBR version 1 (draft-cardwell-iccrg-bbr-congestion-control-00) as in ngtcp2 0.12, in bytes; measured apart from Linux's BBR.
// ngtcp2 never notes a restart from idle: it looks at the bytes in flight after it has added the packet.

struct QUICBBR {
  private enum State { case startup, drain, probeBandwidth, probeRtt }

  private static let highGain = 2.89
  private static let pacingGains = [1.25, 0.75, 1, 1, 1, 1, 1, 1]
  private static let probeRttTime = 200 * QUICRecovery.millisecond
  private static let minRttWindow = 10 * QUICRecovery.second
  private static let datagram = QUICRecovery.maximumDatagram
  /// `BBRMinPipeCwnd`: four datagrams.
  private static let minPipeCwnd = 4 * datagram

  private var state = State.startup
  private var pacingGain = highGain
  private var cwndGain = highGain
  /// `BtlBw`: the largest delivery rate of ten rounds, in bytes a second.
  private(set) var bandwidth: Int64 = 0
  private var filter = WindowedMaximum()
  /// `RTprop`: the smallest round trip of ten seconds.
  private var minRtt = QUICRecovery.never
  private var minRttAt: Int64
  private var isMinRttExpired = false
  private var probeRttDoneAt: Int64 = -1
  private var isProbeRttRoundDone = false

  private var roundCount = 0
  private var isRoundStart = false
  private var nextRoundDelivered: Int64 = 0
  private var isPipeFilled = false
  private var fullBandwidth: Int64 = 0
  private var fullBandwidthCount = 0

  private var cycleIndex = 0
  private var cycleAt: Int64 = 0
  private var priorCwnd: Int64 = 0

  // Recovery: a loss starts it with packet conservation for one round.
  private var isInRecovery = false
  private var conservesPackets = false
  private var lossAt: Int64 = -1
  private var recoveryRoundDelivered: Int64 = 0
  private var random: RandomStream

  init(_ path: inout QUICRecovery, random: RandomStream, at now: Int64) {
    self.random = random
    minRttAt = now
    path.sendQuantum = 10 * Self.datagram
    // The nominal bandwidth is the initial window in a millisecond.
    path.pacingRate = Self.highGain * Double(QUICRecovery.initialCwnd) / 1e6
  }

  mutating func noteLoss(sentAt: Int64, _ path: QUICRecovery, at now: Int64) {
    if !isInRecovery, lossAt < 0, !path.isInRecovery(sentAt) { lossAt = now }
  }

  mutating func notePersistentCongestion(_ path: inout QUICRecovery) {
    lossAt = -1
    (isInRecovery, conservesPackets) = (false, false)
    saveCwnd(path)
  }

  /// Updates model, state and control parameters at the end of an acknowledgement.
  mutating func finishAck(_ ack: QUICAckSummary, _ path: inout QUICRecovery, at now: Int64) {
    updateRound(ack, path)
    recover(ack, &path)
    if path.deliveryRate >= bandwidth || !path.isSampleAppLimited {
      filter.add(Int(path.deliveryRate), at: roundCount, window: 10)
      bandwidth = Int64(filter.value)
    }
    if state == .probeBandwidth, isNextPhase(ack, path, at: now) { advancePhase(at: now) }
    checkFullPipe(path)
    drain(path, at: now)
    updateMinRtt(path, at: now)
    probeRtt(&path, at: now)
    setPacingRate(&path, gain: pacingGain)
    path.sendQuantum = quantum(path)
    setCwnd(ack, &path)
  }

  private mutating func updateRound(_ ack: QUICAckSummary, _ path: QUICRecovery) {
    isRoundStart = ack.packetDelivered >= nextRoundDelivered
    guard isRoundStart else { return }
    nextRoundDelivered = path.delivered
    roundCount += 1
  }

  private mutating func recover(_ ack: QUICAckSummary, _ path: inout QUICRecovery) {
    if isInRecovery {
      if ack.packetDelivered >= recoveryRoundDelivered { conservesPackets = false }
      if !path.isInRecovery(ack.largestSentAt) {
        (isInRecovery, conservesPackets) = (false, false)
        path.cwnd = max(path.cwnd, priorCwnd)
      }
    } else if lossAt >= 0 {
      isInRecovery = true
      // ngtcp2 saves the window after it notes the recovery.
      saveCwnd(path)
      path.cwnd = path.bytesInFlight + max(ack.delivered, Self.datagram)
      path.recoveryStartAt = lossAt
      lossAt = -1
      conservesPackets = true
      recoveryRoundDelivered = path.delivered
    }
  }

  private mutating func saveCwnd(_ path: QUICRecovery) {
    priorCwnd = isInRecovery || state == .probeRtt ? max(priorCwnd, path.cwnd) : path.cwnd
  }

  private func inflight(_ gain: Double, _ path: QUICRecovery) -> Int64 {
    guard minRtt != QUICRecovery.never else { return QUICRecovery.initialCwnd }
    return Int64(gain * (Double(bandwidth) * Double(minRtt) / 1e9)) + 3 * path.sendQuantum
  }

  private func isNextPhase(_ ack: QUICAckSummary, _ path: QUICRecovery, at now: Int64) -> Bool {
    let isFullLength = now - cycleAt > minRtt
    if pacingGain > 1 { return isFullLength && (ack.lost > 0 || ack.priorInFlight >= inflight(pacingGain, path)) }
    if pacingGain < 1 { return isFullLength || ack.priorInFlight <= inflight(1, path) }
    return isFullLength
  }

  private mutating func advancePhase(at now: Int64) {
    cycleAt = now
    cycleIndex = (cycleIndex + 1) % Self.pacingGains.count
    pacingGain = Self.pacingGains[cycleIndex]
  }

  private mutating func enterProbeBandwidth(at now: Int64) {
    state = .probeBandwidth
    cwndGain = 2
    // A random phase, but never the one that drains.
    cycleIndex = Self.pacingGains.count - 1 - Int(random.below(256) * 7 / 256)
    advancePhase(at: now)
  }

  /// Notes a full pipe after three rounds in which the bandwidth grew by less than a quarter.
  private mutating func checkFullPipe(_ path: QUICRecovery) {
    guard !isPipeFilled, isRoundStart, !path.isSampleAppLimited else { return }
    if bandwidth * 100 >= fullBandwidth * 125 {
      (fullBandwidth, fullBandwidthCount) = (bandwidth, 0)
    } else {
      fullBandwidthCount += 1
      isPipeFilled = fullBandwidthCount >= 3
    }
  }

  private mutating func drain(_ path: QUICRecovery, at now: Int64) {
    if state == .startup, isPipeFilled { (state, pacingGain, cwndGain) = (.drain, 1 / Self.highGain, Self.highGain) }
    if state == .drain, path.bytesInFlight <= inflight(1, path) { enterProbeBandwidth(at: now) }
  }

  private mutating func updateMinRtt(_ path: QUICRecovery, at now: Int64) {
    isMinRttExpired = now > minRttAt + Self.minRttWindow
    guard path.latestRtt > 0, path.latestRtt <= minRtt || isMinRttExpired else { return }
    (minRtt, minRttAt) = (path.latestRtt, now)
  }

  private mutating func probeRtt(_ path: inout QUICRecovery, at now: Int64) {
    if state != .probeRtt, isMinRttExpired {
      (state, pacingGain, cwndGain) = (.probeRtt, 1, 1)
      saveCwnd(path)
      probeRttDoneAt = -1
    }
    if state == .probeRtt { stayInProbeRtt(&path, at: now) }
  }

  private mutating func stayInProbeRtt(_ path: inout QUICRecovery, at now: Int64) {
    path.appLimitedUntil = max(1, path.delivered + path.bytesInFlight)
    if probeRttDoneAt < 0 {
      guard path.bytesInFlight <= Self.minPipeCwnd else { return }
      probeRttDoneAt = now + Self.probeRttTime
      isProbeRttRoundDone = false
      nextRoundDelivered = path.delivered
      return
    }
    if isRoundStart { isProbeRttRoundDone = true }
    guard isProbeRttRoundDone, now > probeRttDoneAt else { return }
    minRttAt = now
    path.cwnd = max(path.cwnd, priorCwnd)
    if isPipeFilled { enterProbeBandwidth(at: now) } else { (state, pacingGain, cwndGain) = (.startup, Self.highGain, Self.highGain) }
  }

  private func setPacingRate(_ path: inout QUICRecovery, gain: Double) {
    let rate = gain * Double(bandwidth) / 1e9
    if isPipeFilled || rate > path.pacingRate { path.pacingRate = rate }
  }

  private func quantum(_ path: QUICRecovery) -> Int64 {
    let mebibitPerNanosecond = 1024 * 1024 / 8 / 1e9
    guard path.pacingRate >= 24 * mebibitPerNanosecond else { return 10 * Self.datagram }
    let burst = path.pacingRate * Double(path.minRtt == QUICRecovery.never ? QUICRecovery.millisecond : path.minRtt)
    return max(10 * Self.datagram, Int64(min(burst, 64 * 1024)))
  }

  private mutating func setCwnd(_ ack: QUICAckSummary, _ path: inout QUICRecovery) {
    let target = inflight(cwndGain, path)
    if ack.lost > 0 { path.cwnd = max(path.cwnd - ack.lost, 2 * Self.datagram) }
    if conservesPackets {
      path.cwnd = max(path.cwnd, path.bytesInFlight + ack.delivered)
    } else {
      if isPipeFilled {
        path.cwnd = min(path.cwnd + ack.delivered, target)
      } else if path.cwnd < target || path.delivered < QUICRecovery.initialCwnd {
        path.cwnd += ack.delivered
      }
      path.cwnd = max(path.cwnd, Self.minPipeCwnd)
    }
    if state == .probeRtt { path.cwnd = min(path.cwnd, Self.minPipeCwnd) }
  }
}
