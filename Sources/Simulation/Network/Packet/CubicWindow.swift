// CUBIC congestion control (RFC 9438) with HyStart (Ha & Rhee 2011), with the integer arithmetic of Linux's `tcp_cubic.c`.
// It grows the congestion window on acknowledgements; PacketSender+Recovery reduces it on losses.

import Base

struct CubicWindow {
  /// `TCP_INFINITE_SSTHRESH`: no loss has occurred yet.
  static let infiniteSsthresh = Int(Int32.max)
  /// `TCP_INIT_CWND` (RFC 6928).
  static let initialCwnd = 10

  /// RFC 9438's β_cubic = 0.7, in units of 1/`betaScale`; `beta` of `tcp_cubic.c`.
  private static let beta = 717
  private static let betaScale = 1024
  /// RFC 9438's C = 0.4, in units of 1/1024; `cube_rtt_scale` of `tcp_cubic.c`.
  private static let c: UInt64 = 410
  /// (1 + β) / 3(1 − β), the inverse of RFC 9438's α_cubic, in units of 1/8; `beta_scale` of `tcp_cubic.c`.
  private static let inverseAlpha = 15
  /// `hystart_low_window`: HyStart takes no samples while `cwnd` is smaller.
  private static let hystartLowWindow = 16

  var cwnd = CubicWindow.initialCwnd
  /// The slow start threshold: below it `cwnd` doubles each round trip.
  var ssthresh = CubicWindow.infiniteSsthresh
  /// `snd_cwnd_cnt`: acknowledged segments since `cwnd` last grew in congestion avoidance.
  var cwndCount = 0

  /// Acknowledged segments for each segment of growth.
  private var cnt = 0
  /// RFC 9438's W_max: the window before the last reduction.
  private var wMax = 0
  private var lastCwnd = 0
  private var lastTime: Int64 = .min / 2
  /// The window at the plateau of the cubic function.
  private var originPoint = 0
  /// RFC 9438's K: the time from the start of the epoch to the plateau, in units of 1/1024 s.
  private var k: Int64 = 0
  /// The start of the present congestion avoidance stage; negative for none.
  private var epochStart: Int64 = -1
  /// Acknowledged segments that `wEst` has not used yet.
  private var ackCount = 0
  /// RFC 9438's W_est: the window that Reno would have.
  private var wEst = 0
  /// The smallest round trip since the last timeout; 0 for none.
  private var delayMinUs: Int64 = 0

  /// True if HyStart has ended slow start.
  private var hystartFound = false
  private var roundStart: Int64 = 0
  private var lastAck: Int64 = 0
  private var roundEndSeq = 0
  /// The smallest of the first round trips of this round.
  private var currentRttUs = Int64.max
  private var sampleCount = 0

  var isSlowStart: Bool { cwnd < ssthresh }

  /// `tcp_current_ssthresh`: the threshold, raised to three quarters of `cwnd`.
  var currentSsthresh: Int { max(ssthresh, (cwnd >> 1) + (cwnd >> 2)) }

  /// Takes a round-trip sample and runs HyStart, which may end slow start (`cubictcp_acked`, `hystart_update`).
  @inline(__always) mutating func acked(delayUs: Int64, at now: Int64, sndUna: Int, sndNxt: Int) {
    // Samples in the first second of an epoch, right after a recovery, are discarded.
    if epochStart >= 0, now - epochStart < 1_000_000_000 { return }
    let delay = max(1, delayUs)
    if delayMinUs == 0 || delay < delayMinUs { delayMinUs = delay }
    guard !hystartFound, isSlowStart else { return }
    if sndUna > roundEndSeq {
      roundStart = now
      lastAck = now
      roundEndSeq = sndNxt
      currentRttUs = .max
      sampleCount = 0
    }
    guard cwnd >= CubicWindow.hystartLowWindow else { return }
    // A train of acknowledgements at most 2 ms apart: it ends slow start when it lasts half a round trip.
    if now - lastAck <= 2_000_000 {
      lastAck = now
      if now - roundStart > (delayMinUs + 1000) * 500 { exitSlowStart() }
    }
    // Eight samples of a round: they end slow start if they exceed the minimum by an eighth (4 to 16 ms).
    currentRttUs = min(currentRttUs, delay)
    if sampleCount < 8 {
      sampleCount += 1
    } else if currentRttUs > delayMinUs + min(max(delayMinUs >> 3, 4000), 16000) {
      exitSlowStart()
    }
  }

  /// Grows `cwnd` for `acked` newly acknowledged segments (`cubictcp_cong_avoid`).
  @inline(__always) mutating func avoidCongestion(_ acked: Int, at now: Int64) {
    var acked = acked
    if isSlowStart {
      let grown = min(cwnd + acked, ssthresh)
      acked -= grown - cwnd
      cwnd = grown
      if acked == 0 { return }
    }
    updateCnt(acked, at: now)
    increaseAdditively(cnt, acked)
  }

  /// Returns `ssthresh` after a loss and updates W_max, with fast convergence (`cubictcp_recalc_ssthresh`).
  mutating func recalculateSsthresh() -> Int {
    epochStart = -1
    wMax = cwnd < wMax ? cwnd * (CubicWindow.betaScale + CubicWindow.beta) / (2 * CubicWindow.betaScale) : cwnd
    return max(cwnd * CubicWindow.beta / CubicWindow.betaScale, 2)
  }

  /// Forgets all state but the windows after a retransmission timeout (`bictcp_reset`, `bictcp_hystart_reset`).
  mutating func reset(at now: Int64, sndNxt: Int) {
    self = CubicWindow(cwnd: cwnd, ssthresh: ssthresh, cwndCount: cwndCount, roundStart: now, lastAck: now, roundEndSeq: sndNxt)
  }

  /// Moves the epoch by the time without data in flight (`cubictcp_cwnd_event`, `CA_EVENT_TX_START`).
  mutating func shiftEpoch(at now: Int64, idleSince: Int64) {
    if epochStart >= 0, now > idleSince { epochStart = min(now, epochStart + now - idleSince) }
  }

  /// Halves `cwnd` for each RTO that the sender was idle (`tcp_cwnd_restart`).
  mutating func restartAfterIdle(_ idle: Int64, rto: Int64) {
    ssthresh = currentSsthresh
    let floor = min(CubicWindow.initialCwnd, cwnd)
    var remaining = idle - rto
    while remaining > 0, cwnd > floor {
      cwnd >>= 1
      remaining -= rto
    }
    cwnd = max(cwnd, floor)
  }

  private mutating func exitSlowStart() {
    hystartFound = true
    ssthresh = cwnd
  }

  /// Computes `cnt` from the cubic function (`bictcp_update`).
  @inline(__always) private mutating func updateCnt(_ acked: Int, at now: Int64) {
    ackCount += acked
    // An unchanged cwnd is updated 32 times a second (`HZ / 32` jiffies).
    if lastCwnd == cwnd, now - lastTime <= 31_250_000 { return }
    // The kernel computes the cubic function once a jiffy; most acknowledgements are further apart.
    if epochStart < 0 || now - lastTime >= KernelTimer.tick || now / KernelTimer.tick != lastTime / KernelTimer.tick {
      lastCwnd = cwnd
      lastTime = now
      if epochStart < 0 {
        epochStart = now
        ackCount = acked
        wEst = cwnd
        if wMax <= cwnd {
          k = 0
          originPoint = cwnd
        } else {
          // K = ∛((W_max − cwnd) / C): C is 1/1024, and K³ is 1/1024³ s³.
          k = Int64(StableMath.cubeRoot(Double(wMax - cwnd) * (0x1p40 / Double(CubicWindow.c))))
          originPoint = wMax
        }
      }
      // W_cubic(t) = C (t − K)³ + W_max, one round trip ahead.
      let t = (now - epochStart + delayMinUs * 1000) / 1_000_000 * 1024 / 1000
      let offset = min((t - k).magnitude, 300_000)
      let delta = Int((CubicWindow.c * offset * offset * offset) >> 40)
      let target = t < k ? originPoint - delta : originPoint + delta
      cnt = target > cwnd ? cwnd / (target - cwnd) : 100 * cwnd
      if wMax == 0, cnt > 20 { cnt = 20 }
    }
    // The Reno-friendly region: grow at least as fast as W_est.
    let step = (cwnd * CubicWindow.inverseAlpha) >> 3
    while ackCount > step {
      ackCount -= step
      wEst += 1
    }
    if wEst > cwnd { cnt = min(cnt, cwnd / (wEst - cwnd)) }
    cnt = max(cnt, 2)
  }

  /// Adds one segment to `cwnd` for each `step` acknowledged segments (`tcp_cong_avoid_ai`).
  @inline(__always) private mutating func increaseAdditively(_ step: Int, _ acked: Int) {
    if cwndCount >= step {
      cwndCount = 0
      cwnd += 1
    }
    cwndCount += acked
    if cwndCount >= step {
      // Mostly one step: the comparison avoids a division.
      let steps = cwndCount < 2 * step ? 1 : cwndCount / step
      cwndCount -= steps * step
      cwnd += steps
    }
  }
}
