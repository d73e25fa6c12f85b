// BBR congestion control, version 1 (Cardwell et al. 2016), with the integer arithmetic of Linux's `tcp_bbr.c`.
// A pure state machine: it turns delivery rate samples into a pacing rate and a congestion window. PacketSender+BBR obeys them.

/// The model of a path, its bottleneck bandwidth and minimum round trip, and the modes that probe for both.
struct BBR {
  enum Mode { case startup, drain, probeBandwidth, probeRtt }

  /// The fields of `tcp_sock` that BBR reads, and three that it sets: `cwnd`, `ssthresh` and `appLimited`.
  struct Connection {
    var now: Int64 = 0
    var delivered = 0
    var deliveredAt: Int64 = 0
    var lost = 0
    var packetsInFlight = 0
    /// The earliest departure time of the next transmission (`tcp_wstamp_ns`).
    var sendAt: Int64 = 0
    var srttUs: Int64 = 0
    var state = PacketSender.State.open
    var cwnd = CubicWindow.initialCwnd
    var ssthresh = CubicWindow.infiniteSsthresh
    var appLimited = 0

    /// The kernel's clock (`HZ` = 250).
    fileprivate var jiffies: Int64 { now / KernelTimer.tick }
  }

  /// `BBR_UNIT`: a gain of 1. `BW_UNIT`: one segment per microsecond.
  static let unit = 256
  static let bandwidthUnit = 1 << 24
  /// `bbr_high_gain` (2 / ln 2) and its inverse.
  static let highGain = unit * 2885 / 1000 + 1
  static let drainGain = unit * 1000 / 2885
  private static let cwndGainOfProbe = unit * 2
  /// `bbr_pacing_gain`: the gains of the cycle of `probeBandwidth`.
  static let cycle = [unit * 5 / 4, unit * 3 / 4, unit, unit, unit, unit, unit, unit]
  /// `bbr_bw_rtts`: the window of the bandwidth filter, in round trips.
  private static let bandwidthRounds = 10
  /// `bbr_min_rtt_win_sec` and `bbr_probe_rtt_mode_ms`, in jiffies.
  private static let minRttWindow: Int64 = 10_000_000_000 / KernelTimer.tick
  private static let probeRttTime: Int64 = 200_000_000 / KernelTimer.tick
  static let minCwnd = 4
  /// `bbr_min_tso_rate`, in bytes per second: below it segments leave one by one.
  private static let minTsoRate = 1_200_000 / 8

  private(set) var mode = Mode.startup
  private(set) var pacingGain = BBR.highGain
  private(set) var cwndGain = BBR.highGain
  /// `sk_pacing_rate`, in bytes per second.
  private(set) var pacingRate = 0
  private var hasSeenRtt = false

  /// The maximum of the bandwidth samples, in segments per microsecond × `bandwidthUnit`.
  private(set) var maxBandwidth = WindowedMaximum()
  private(set) var minRttUs: Int64
  private var minRttStamp: Int64
  /// Packet-timed round trips: their number, and `delivered` at the end of the present one.
  private(set) var rounds = 0
  private var nextRoundDelivered = 0
  private(set) var isRoundStart = false
  /// True from the restart of an idle connection to its next acknowledgement.
  private var isIdleRestart = false

  private(set) var isFullPipe = false
  private var fullBandwidth = 0
  private var fullBandwidthCount = 0

  private(set) var cycleIndex = 0
  private var cycleStart: Int64 = 0

  /// The end of `probeRtt`, in jiffies; 0 until few enough segments are in flight.
  private var probeRttDone: Int64 = 0
  private var isProbeRttRoundDone = false
  private var priorCwnd = 0
  private var priorState = PacketSender.State.open
  private(set) var isConservingPackets = false

  /// Long-term bandwidth sampling, which finds policers.
  private(set) var longTerm = LongTermBandwidth()
  /// ACK aggregation: segments acknowledged beyond the expected ones, as maxima of two windows of five round trips.
  private var extraAcked = (0, 0)
  private var extraAckedRounds = 0
  private var extraAckedIsSecond = false
  private var ackEpochStart: Int64
  private var ackEpochAcked = 0

  /// Starts an established connection (`bbr_init`).
  init(_ tcp: Connection, minRttUs: Int64) {
    self.minRttUs = minRttUs
    minRttStamp = tcp.jiffies
    ackEpochStart = tcp.now
    longTerm.restart(tcp)
    setInitialPacingRate(tcp)
  }

  /// The bandwidth in use: the long-term one if the path is policed.
  var bandwidth: Int { longTerm.isUsed ? longTerm.bandwidth : maxBandwidth.value }

  /// Takes the sample of an acknowledgement, and sets the pacing rate and cwnd (`bbr_main`).
  mutating func update(_ sample: RateSample, _ tcp: inout Connection, _ random: inout RandomStream) {
    updateBandwidth(sample, tcp, &random)
    updateAckAggregation(sample, tcp)
    if mode == .probeBandwidth, isNextPhase(sample, tcp) { advancePhase(tcp) }
    checkFullPipe(sample)
    checkDrain(&tcp, &random)
    updateMinRtt(sample, &tcp, &random)
    updateGains()
    setPacingRate(bandwidth, pacingGain, tcp)
    setCwnd(sample, &tcp)
  }

  /// Restarts an idle connection: it paces at the estimated bandwidth (`bbr_cwnd_event`, `CA_EVENT_TX_START`).
  mutating func restartFromIdle(_ tcp: inout Connection, _ random: inout RandomStream) {
    guard tcp.appLimited > 0 else { return }
    isIdleRestart = true
    ackEpochStart = tcp.now
    ackEpochAcked = 0
    if mode == .probeBandwidth {
      setPacingRate(bandwidth, BBR.unit, tcp)
    } else if mode == .probeRtt {
      checkProbeRttDone(&tcp, &random)
    }
  }

  /// Saves cwnd before a loss recovery or `probeRtt` (`bbr_save_cwnd`).
  mutating func saveCwnd(_ cwnd: Int) {
    let isIntact = priorState.rawValue < PacketSender.State.recovery.rawValue && mode != .probeRtt
    priorCwnd = isIntact ? cwnd : max(priorCwnd, cwnd)
  }

  /// Notes a retransmission timeout, which counts as the end of a round (`bbr_set_state`).
  mutating func noteTimeout(_ tcp: Connection, _ random: inout RandomStream) {
    priorState = .loss
    fullBandwidth = 0
    isRoundStart = true
    var sample = RateSample()
    sample.losses = 1
    sampleLongTerm(sample, tcp, &random)
  }

  /// Forgets the signs of a full pipe after a spurious recovery (`bbr_undo_cwnd`).
  mutating func undo(_ tcp: Connection) {
    fullBandwidth = 0
    fullBandwidthCount = 0
    longTerm.reset(tcp)
  }

  /// `tcp_tso_segs`: the most segments of one transmission, about 1 ms at the pacing rate.
  var tsoSegments: Int {
    min(max((min(pacingRate >> 10, Int(SocketMemory.maxSkb))) / PacketSize.segment, pacingRate < BBR.minTsoRate ? 1 : 2), 127)
  }

  // MARK: - The model

  /// Filters the bandwidth sample and counts rounds (`bbr_update_bw`).
  private mutating func updateBandwidth(_ sample: RateSample, _ tcp: Connection, _ random: inout RandomStream) {
    isRoundStart = false
    guard sample.delivered >= 0, sample.intervalUs > 0 else { return }
    if sample.priorDelivered >= nextRoundDelivered {
      nextRoundDelivered = tcp.delivered
      rounds += 1
      isRoundStart = true
      isConservingPackets = false
    }
    sampleLongTerm(sample, tcp, &random)
    let measured = sample.delivered * BBR.bandwidthUnit / Int(sample.intervalUs)
    if !sample.isAppLimited || measured >= maxBandwidth.value { maxBandwidth.add(measured, at: rounds, window: BBR.bandwidthRounds) }
  }

  /// Samples the long-term bandwidth; after 48 round trips with it the gain cycle begins again (`bbr_lt_bw_sampling`).
  private mutating func sampleLongTerm(_ sample: RateSample, _ tcp: Connection, _ random: inout RandomStream) {
    if longTerm.isUsed {
      guard mode == .probeBandwidth, isRoundStart else { return }
      longTerm.noteRound()
      guard longTerm.isExpired else { return }
      longTerm.reset(tcp)
      startProbeBandwidth(tcp, &random)
    } else if longTerm.sample(sample, tcp, isRoundStart: isRoundStart) {
      pacingGain = BBR.unit
    }
  }

  /// Measures the segments acknowledged beyond the expected ones (`bbr_update_ack_aggregation`).
  private mutating func updateAckAggregation(_ sample: RateSample, _ tcp: Connection) {
    guard sample.ackedSacked > 0, sample.delivered >= 0, sample.intervalUs > 0 else { return }
    if isRoundStart {
      extraAckedRounds = min(31, extraAckedRounds + 1)
      if extraAckedRounds >= 5 {
        extraAckedRounds = 0
        extraAckedIsSecond.toggle()
        if extraAckedIsSecond { extraAcked.1 = 0 } else { extraAcked.0 = 0 }
      }
    }
    let elapsedUs = Int128((tcp.deliveredAt - ackEpochStart) / 1000)
    var expected = Int(clamping: Int128(bandwidth) * elapsedUs / Int128(BBR.bandwidthUnit))
    if ackEpochAcked <= expected || ackEpochAcked + sample.ackedSacked >= 1 << 20 {
      ackEpochAcked = 0
      ackEpochStart = tcp.deliveredAt
      expected = 0
    }
    ackEpochAcked = min(0xFFFFF, ackEpochAcked + sample.ackedSacked)
    let extra = min(ackEpochAcked - expected, tcp.cwnd)
    if extraAckedIsSecond { extraAcked.1 = max(extraAcked.1, extra) } else { extraAcked.0 = max(extraAcked.0, extra) }
  }

  /// True if the phase of the gain cycle is over (`bbr_is_next_cycle_phase`).
  private func isNextPhase(_ sample: RateSample, _ tcp: Connection) -> Bool {
    let isFullLength = (tcp.deliveredAt - cycleStart) / 1000 > minRttUs
    if pacingGain == BBR.unit { return isFullLength }
    let inFlight = packetsInNetwork(sample.priorInFlight, tcp)
    if pacingGain > BBR.unit { return isFullLength && (sample.losses > 0 || inFlight >= inFlightTarget(maxBandwidth.value, pacingGain)) }
    return isFullLength || inFlight <= inFlightTarget(maxBandwidth.value, BBR.unit)
  }

  private mutating func advancePhase(_ tcp: Connection) {
    cycleIndex = (cycleIndex + 1) & (BBR.cycle.count - 1)
    cycleStart = tcp.deliveredAt
  }

  /// Starts the gain cycle at a random phase other than the draining one (`bbr_reset_probe_bw_mode`).
  private mutating func startProbeBandwidth(_ tcp: Connection, _ random: inout RandomStream) {
    mode = .probeBandwidth
    cycleIndex = BBR.cycle.count - 1 - Int(random.below(7))
    advancePhase(tcp)
  }

  /// Finds the pipe full after three rounds without a quarter more bandwidth (`bbr_check_full_bw_reached`).
  private mutating func checkFullPipe(_ sample: RateSample) {
    guard !isFullPipe, isRoundStart, !sample.isAppLimited else { return }
    if maxBandwidth.value >= fullBandwidth * 5 / 4 {
      fullBandwidth = maxBandwidth.value
      fullBandwidthCount = 0
      return
    }
    fullBandwidthCount += 1
    isFullPipe = fullBandwidthCount >= 3
  }

  /// Drains the queue of the start-up until the flight fits the path (`bbr_check_drain`).
  private mutating func checkDrain(_ tcp: inout Connection, _ random: inout RandomStream) {
    if mode == .startup, isFullPipe {
      mode = .drain
      tcp.ssthresh = inFlightTarget(maxBandwidth.value, BBR.unit)
    }
    if mode == .drain, packetsInNetwork(tcp.packetsInFlight, tcp) <= inFlightTarget(maxBandwidth.value, BBR.unit) {
      startProbeBandwidth(tcp, &random)
    }
  }

  /// Tracks the minimum round trip of 10 s, and probes for it when none has been as small for so long (`bbr_update_min_rtt`).
  private mutating func updateMinRtt(_ sample: RateSample, _ tcp: inout Connection, _ random: inout RandomStream) {
    let isExpired = tcp.jiffies > minRttStamp + BBR.minRttWindow
    if sample.rttUs >= 0, sample.rttUs <= minRttUs || (isExpired && !sample.isAckDelayed) {
      minRttUs = sample.rttUs
      minRttStamp = tcp.jiffies
    }
    if isExpired, !isIdleRestart, mode != .probeRtt {
      saveCwnd(tcp.cwnd)
      mode = .probeRtt
      probeRttDone = 0
    }
    if mode == .probeRtt {
      // Low rate samples of this mode are ignored.
      tcp.appLimited = max(1, tcp.delivered + tcp.packetsInFlight)
      if probeRttDone == 0, tcp.packetsInFlight <= BBR.minCwnd {
        probeRttDone = tcp.jiffies + BBR.probeRttTime
        isProbeRttRoundDone = false
        nextRoundDelivered = tcp.delivered
      } else if probeRttDone > 0 {
        if isRoundStart { isProbeRttRoundDone = true }
        if isProbeRttRoundDone { checkProbeRttDone(&tcp, &random) }
      }
    }
    if sample.delivered > 0 { isIdleRestart = false }
  }

  private mutating func checkProbeRttDone(_ tcp: inout Connection, _ random: inout RandomStream) {
    guard probeRttDone > 0, tcp.jiffies > probeRttDone else { return }
    minRttStamp = tcp.jiffies
    tcp.cwnd = max(tcp.cwnd, priorCwnd)
    if isFullPipe { startProbeBandwidth(tcp, &random) } else { mode = .startup }
  }

  private mutating func updateGains() {
    switch mode {
    case .startup: (pacingGain, cwndGain) = (BBR.highGain, BBR.highGain)
    case .drain: (pacingGain, cwndGain) = (BBR.drainGain, BBR.highGain)
    case .probeBandwidth: (pacingGain, cwndGain) = (longTerm.isUsed ? BBR.unit : BBR.cycle[cycleIndex], BBR.cwndGainOfProbe)
    case .probeRtt: (pacingGain, cwndGain) = (BBR.unit, BBR.unit)
    }
  }

  // MARK: - The controls

  /// Paces cwnd over a round trip, of 1 ms before the first sample, with the high gain (`bbr_init_pacing_rate_from_rtt`).
  private mutating func setInitialPacingRate(_ tcp: Connection) {
    hasSeenRtt = tcp.srttUs > 0
    pacingRate = BBR.bytesPerSecond(tcp.cwnd * BBR.bandwidthUnit / Int(hasSeenRtt ? tcp.srttUs : 1000), BBR.highGain)
  }

  /// Returns 99 % of a bandwidth in bytes per second, with a gain (`bbr_rate_bytes_per_sec`).
  /// A bandwidth counts up to 128 segments a microsecond, more than any link's, so that no product overflows.
  static func bytesPerSecond(_ bandwidth: Int, _ gain: Int) -> Int {
    (((min(bandwidth, 1 << 31) * PacketSize.segment * gain) >> 8) * 990_000) >> 24
  }

  /// Sets the pacing rate; it does not fall before the pipe is full (`bbr_set_pacing_rate`).
  private mutating func setPacingRate(_ bandwidth: Int, _ gain: Int, _ tcp: Connection) {
    let rate = BBR.bytesPerSecond(bandwidth, gain)
    if !hasSeenRtt, tcp.srttUs > 0 { setInitialPacingRate(tcp) }
    if isFullPipe || rate > pacingRate { pacingRate = rate }
  }

  /// Sets cwnd: by packet conservation or towards its target (`bbr_set_cwnd`).
  private mutating func setCwnd(_ sample: RateSample, _ tcp: inout Connection) {
    if sample.ackedSacked > 0, !recoverOrRestore(sample, &tcp) {
      var target = bandwidthDelayProduct(bandwidth, cwndGain)
      // Room for data acknowledged in one piece, at most 100 ms of it.
      if isFullPipe { target += min(max(extraAcked.0, extraAcked.1), bandwidth * 100_000 / BBR.bandwidthUnit) }
      target = quantized(target)
      if isFullPipe {
        tcp.cwnd = min(tcp.cwnd + sample.ackedSacked, target)
      } else if tcp.cwnd < target || tcp.delivered < CubicWindow.initialCwnd {
        tcp.cwnd += sample.ackedSacked
      }
      tcp.cwnd = max(tcp.cwnd, BBR.minCwnd)
    }
    if mode == .probeRtt { tcp.cwnd = min(tcp.cwnd, BBR.minCwnd) }
  }

  /// Conserves packets in the first round of a recovery, and restores cwnd after it; true while it conserves packets.
  private mutating func recoverOrRestore(_ sample: RateSample, _ tcp: inout Connection) -> Bool {
    if sample.losses > 0 { tcp.cwnd = max(tcp.cwnd - sample.losses, 1) }
    let isRecovering = tcp.state.rawValue >= PacketSender.State.recovery.rawValue
    if tcp.state == .recovery, priorState != .recovery {
      isConservingPackets = true
      nextRoundDelivered = tcp.delivered
      tcp.cwnd = tcp.packetsInFlight + sample.ackedSacked
    } else if priorState.rawValue >= PacketSender.State.recovery.rawValue, !isRecovering {
      tcp.cwnd = max(tcp.cwnd, priorCwnd)
      isConservingPackets = false
    }
    priorState = tcp.state
    if isConservingPackets { tcp.cwnd = max(tcp.cwnd, tcp.packetsInFlight + sample.ackedSacked) }
    return isConservingPackets
  }

  /// Returns the segments in flight that fill the path, with a gain (`bbr_bdp`).
  func bandwidthDelayProduct(_ bandwidth: Int, _ gain: Int) -> Int {
    if minRttUs == .max { return CubicWindow.initialCwnd }
    let product = (Int128(bandwidth) * Int128(minRttUs) * Int128(gain)) >> 8
    return Int(min((product + Int128(BBR.bandwidthUnit - 1)) / Int128(BBR.bandwidthUnit), 1 << 30))
  }

  /// Adds room for whole transmissions at both ends, and rounds up to an even number (`bbr_quantization_budget`).
  private func quantized(_ cwnd: Int) -> Int {
    let even = (cwnd + 3 * tsoSegments + 1) & ~1
    return mode == .probeBandwidth && cycleIndex == 0 ? even + 2 : even
  }

  private func inFlightTarget(_ bandwidth: Int, _ gain: Int) -> Int { quantized(bandwidthDelayProduct(bandwidth, gain)) }

  /// Returns the segments in the network when the next transmission leaves (`bbr_packets_in_net_at_edt`).
  private func packetsInNetwork(_ inFlight: Int, _ tcp: Connection) -> Int {
    let delivered = bandwidth * Int(max(tcp.sendAt - tcp.now, 0) / 1000) / BBR.bandwidthUnit
    return max(0, inFlight + (pacingGain > BBR.unit ? tsoSegments : 0) - delivered)
  }
}
