// CUBIC congestion control (RFC 9438) with HyStart++ (RFC 9406) in bytes, as in ngtcp2 0.12.
// It stays apart from Linux's CubicWindow because each is measured: here the delivery rate caps growth, and the window outlasts idle periods.

struct QUICCubic {
  private static let datagram = QUICRecovery.maximumDatagram

  private var maxDeliveryRate: Int64 = 0
  /// The limit of growth: 2.89 times the largest delivery rate × the smallest round trip; 0 for none.
  private var targetCwnd: Int64 = 0
  private var wMax: Int64 = 0
  private var wEst: Int64 = 0
  private var originPoint: Int64 = 0
  /// The start of congestion avoidance; -1 for none.
  private var epochStart: Int64 = -1
  /// RFC 9438's K, in whole seconds as ngtcp2 has it.
  private var k: Int64 = 0
  private var pendingAdd: Int64 = 0
  private var pendingEstimate: Int64 = 0

  // HyStart++: the smallest round trips of this round and the last one.
  private var sampleCount = 0
  private var currentRoundMinRtt = QUICRecovery.never
  private var lastRoundMinRtt = QUICRecovery.never
  private var windowEnd: Int64 = -1

  mutating func noteSent(_ number: Int64) {
    guard windowEnd < 0 else { return }
    windowEnd = number
    lastRoundMinRtt = currentRoundMinRtt
    currentRoundMinRtt = QUICRecovery.never
    sampleCount = 0
  }

  mutating func noteRtt(_ latest: Int64) {
    guard windowEnd >= 0 else { return }
    currentRoundMinRtt = min(currentRoundMinRtt, latest)
    sampleCount += 1
  }

  /// Moves the epoch by the time without data in flight.
  mutating func noteStart(at now: Int64, lastSentAt: Int64) {
    if epochStart >= 0, lastSentAt > epochStart { epochStart += now - lastSentAt }
  }

  mutating func acked(_ packet: QUICSentPacket, isApplication: Bool, _ path: inout QUICRecovery, at now: Int64) {
    if isApplication, windowEnd >= 0, windowEnd <= packet.number { windowEnd = -1 }
    if path.isInRecovery(packet.sentAt) || (targetCwnd > 0 && targetCwnd < path.cwnd) { return }
    if path.cwnd < path.ssthresh {
      path.cwnd += packet.length
      exitSlowStart(&path)
    } else {
      avoidCongestion(packet.length, &path, at: now)
    }
  }

  /// Ends slow start if the round trips of eight samples grew by an eighth (4 to 16 ms).
  private mutating func exitSlowStart(_ path: inout QUICRecovery) {
    guard lastRoundMinRtt != QUICRecovery.never, currentRoundMinRtt != QUICRecovery.never, path.cwnd >= 16 * Self.datagram, sampleCount >= 8
    else { return }
    let eta = min(max(lastRoundMinRtt / 8, 4 * QUICRecovery.millisecond), 16 * QUICRecovery.millisecond)
    if currentRoundMinRtt >= lastRoundMinRtt + eta { (wMax, path.ssthresh) = (path.cwnd, path.cwnd) }
  }

  private mutating func avoidCongestion(_ bytes: Int64, _ path: inout QUICRecovery, at now: Int64) {
    if epochStart < 0 {
      epochStart = now
      k = path.cwnd < wMax ? Self.cubeRoot((wMax - path.cwnd) * 10 / 4 / Self.datagram) : 0
      originPoint = max(path.cwnd, wMax)
      (wEst, pendingAdd, pendingEstimate) = (path.cwnd, 0, 0)
    }
    // W_cubic(t) = C (t − K)³ + W_max with times in 1/1024 s, and C = 0.4. Long times are cut: the target is limited anyway.
    let limit = 1000 * QUICRecovery.second
    let t = min(now - epochStart, limit)
    let offset = (t << 10) / QUICRecovery.second - k << 10
    let distance = abs(offset)
    let delta = (Self.datagram * ((((distance * distance) >> 10) * distance) >> 10) * 4 / 10) >> 10
    let point = offset > 0 ? originPoint + delta : originPoint - delta
    let threshold = (point * ((min(t + path.smoothedRtt, limit) << 10) / QUICRecovery.second)) >> 10
    let target = min(max(threshold, path.cwnd), path.cwnd * 3 / 2)
    var growth: Int64
    if target > path.cwnd {
      (growth, pendingAdd) = (pendingAdd + Self.datagram * (target - path.cwnd)).quotientAndRemainder(dividingBy: path.cwnd)
    } else {
      (growth, pendingAdd) = (pendingAdd + Self.datagram).quotientAndRemainder(dividingBy: 100 * path.cwnd)
    }
    let (step, rest) = (pendingEstimate + Self.datagram * bytes).quotientAndRemainder(dividingBy: path.cwnd)
    wEst += step
    pendingEstimate = rest
    if wEst > path.cwnd { growth = max(growth, Self.datagram * (wEst - path.cwnd) / path.cwnd) }
    path.cwnd += growth
  }

  /// Reduces the window for the loss of a packet sent at `sentAt`, once a round trip.
  mutating func noteLoss(sentAt: Int64, _ path: inout QUICRecovery, at now: Int64) {
    guard !path.isInRecovery(sentAt) else { return }
    path.recoveryStartAt = now
    epochStart = -1
    wMax = path.cwnd < wMax ? path.cwnd * 17 / 10 / 2 : path.cwnd
    path.ssthresh = max(path.cwnd * 7 / 10, 2 * Self.datagram)
    path.cwnd = path.ssthresh
  }

  mutating func finishAck(_ path: QUICRecovery) {
    maxDeliveryRate = max(maxDeliveryRate, path.deliveryRate)
    guard path.minRtt != QUICRecovery.never, maxDeliveryRate > 0 else { return }
    let product = Int64(Double(maxDeliveryRate) * Double(path.minRtt) / 1e9)
    targetCwnd = max(QUICRecovery.initialCwnd, product) * 289 / 100
  }

  /// Returns the integer cube root, rounded down.
  private static func cubeRoot(_ value: Int64) -> Int64 {
    var root: Int64 = 0
    while (root + 1) * (root + 1) * (root + 1) <= value { root += 1 }
    return root
  }
}
