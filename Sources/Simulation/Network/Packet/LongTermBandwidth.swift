// BBR's answer to a policed path: the long-term bandwidth, as in Linux's `tcp_bbr.c`.

/// Long-term bandwidth: two intervals of at least four rounds with much loss and equal rates show a token-bucket policer.
struct LongTermBandwidth {
  /// True if the path is policed: then `bandwidth` is used in place of the maximum.
  private(set) var isUsed = false
  private(set) var bandwidth = 0
  private var isSampling = false
  private var rounds = 0
  private var startMs: Int64 = 0
  private var startDelivered = 0
  private var startLost = 0

  mutating func restart(_ tcp: BBR.Connection) {
    startMs = tcp.deliveredAt / 1_000_000
    startDelivered = tcp.delivered
    startLost = tcp.lost
    rounds = 0
  }

  mutating func reset(_ tcp: BBR.Connection) {
    self = LongTermBandwidth()
    restart(tcp)
  }

  /// True after 48 rounds with the long-term bandwidth.
  var isExpired: Bool { rounds >= 48 }

  mutating func noteRound() { rounds += 1 }

  /// Takes a sample; true if the path is now found to be policed.
  mutating func sample(_ sample: RateSample, _ tcp: BBR.Connection, isRoundStart: Bool) -> Bool {
    if !isSampling {
      // The policer has no tokens left at the first loss.
      guard sample.losses > 0 else { return false }
      restart(tcp)
      isSampling = true
    }
    if sample.isAppLimited {
      reset(tcp)
      return false
    }
    if isRoundStart { rounds += 1 }
    if rounds < 4 { return false }
    if rounds > 16 {
      reset(tcp)
      return false
    }
    let delivered = tcp.delivered - startDelivered
    let ms = tcp.deliveredAt / 1_000_000 - startMs
    // An interval ends at a loss, with at least 50 losses per 256 segments delivered.
    guard sample.losses > 0, delivered > 0, (tcp.lost - startLost) << 8 >= 50 * delivered, ms >= 1 else { return false }
    return endInterval(delivered * BBR.bandwidthUnit / Int(ms * 1000), tcp)
  }

  /// Compares the bandwidths of two intervals: equal within an eighth or 4 kbit/s (`bbr_lt_bw_interval_done`).
  private mutating func endInterval(_ measured: Int, _ tcp: BBR.Connection) -> Bool {
    let difference = abs(measured - bandwidth)
    if bandwidth > 0, difference * 8 <= bandwidth || BBR.bytesPerSecond(difference, BBR.unit) <= 500 {
      bandwidth = (measured + bandwidth) >> 1
      isUsed = true
      rounds = 0
      return true
    }
    bandwidth = measured
    restart(tcp)
    return false
  }
}
