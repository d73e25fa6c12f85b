// The smoothed round trip and the retransmission timeout (RFC 6298), as in Linux's `tcp_rtt_estimator`.

/// The round-trip estimates of one end of a connection, in microseconds.
struct RoundTripEstimator {
  /// `TCP_RTO_MIN`: 200 ms.
  static let minRtoUs: Int64 = 200_000
  /// `TCP_RTO_MAX`: 120 s.
  static let maxRtoUs: Int64 = 120_000_000

  /// SRTT × 8; 0 before the first sample.
  private(set) var srtt8Us: Int64 = 0
  private(set) var minRttUs: Int64 = .max
  /// The retransmission timeout without backoff.
  private(set) var rtoUs: Int64 = 1_000_000
  /// `mdev_us`: the mean deviation × 4.
  private var mdev4Us: Int64 = 0
  /// `mdev_max_us`: the largest mean deviation × 4 in this window of data, at least `minRtoUs`.
  private var mdevMax4Us: Int64 = 0
  /// `rttvar_us`: RTTVAR × 4.
  private var rttvar4Us: Int64 = 0
  /// `rtt_seq`: where the next window of data begins.
  private var rttSeq = 0

  var srttUs: Int64 { srtt8Us >> 3 }
  var hasSample: Bool { srtt8Us > 0 }

  /// Adds a sample to SRTT, RTTVAR and RTO; RTTVAR falls at most once per window of data.
  @inline(__always) mutating func add(sampleUs: Int64, sndUna: Int, sndNxt: Int) {
    if srtt8Us == 0 {
      srtt8Us = max(1, sampleUs << 3)
      mdev4Us = sampleUs << 1
      rttvar4Us = max(mdev4Us, RoundTripEstimator.minRtoUs)
      mdevMax4Us = rttvar4Us
      rttSeq = sndNxt
    } else {
      let error = sampleUs - (srtt8Us >> 3)
      srtt8Us = max(1, srtt8Us + error)
      let growth = abs(error) - (mdev4Us >> 2)
      // A shorter round trip raises the deviation by an eighth only. No branch: none could be predicted.
      mdev4Us += growth >> (error < 0 && growth > 0 ? 3 : 0)
      if mdev4Us > mdevMax4Us {
        mdevMax4Us = mdev4Us
        rttvar4Us = max(rttvar4Us, mdevMax4Us)
      }
      if sndUna > rttSeq {
        if mdevMax4Us < rttvar4Us { rttvar4Us -= (rttvar4Us - mdevMax4Us) >> 2 }
        rttSeq = sndNxt
        mdevMax4Us = RoundTripEstimator.minRtoUs
      }
    }
    rtoUs = srttUs + rttvar4Us
  }

  mutating func noteMinRtt(_ sampleUs: Int64) { if sampleUs < minRttUs { minRttUs = max(1, sampleUs) } }

  /// Sets the RTO to 3 s if the handshake gave no sample (RFC 6298, 5.7).
  mutating func reinitialize() {
    guard srtt8Us == 0 else { return }
    rttvar4Us = 3_000_000
    mdev4Us = 3_000_000
    mdevMax4Us = 3_000_000
    rtoUs = 3_000_000
  }
}
