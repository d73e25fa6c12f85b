// Smoothed round trip and retransmission time-out, as Linux keeps them: RFC 6298 with a variance that decays once a window.

/// Round-trip state of one end of a connection; times in whole microseconds.
struct RoundTripEstimator {
  static let shortestTimeoutUs: Int64 = 200_000

  /// Eight times the smoothed round trip; 0 before the first sample.
  private(set) var smoothed8Us: Int64 = 0
  /// The smallest sample so far.
  private(set) var leastUs: Int64 = .max
  /// The retransmission time-out without back-off.
  private(set) var timeoutUs: Int64 = 1_000_000
  private var deviation4Us: Int64 = 0
  private var deviationMost4Us: Int64 = 0
  private var varianceUs: Int64 = 0
  private var windowEnd = 0

  var smoothedUs: Int64 { smoothed8Us >> 3 }
  var hasSample: Bool { smoothed8Us > 0 }

  /// Takes in a sample; `unacknowledged` and `next` are the ends of the window and tell when a new one begins.
  @inline(__always)
  mutating func add(sampleUs: Int64, unacknowledged: Int, next: Int) {
    if smoothed8Us == 0 {
      smoothed8Us = max(1, sampleUs << 3)
      deviation4Us = sampleUs << 1
      varianceUs = max(deviation4Us, RoundTripEstimator.shortestTimeoutUs)
      deviationMost4Us = varianceUs
      windowEnd = next
    } else {
      var error = sampleUs - (smoothed8Us >> 3)
      smoothed8Us = max(1, smoothed8Us + error)
      if error < 0 {
        // A falling round trip widens the deviation only slowly.
        error = -error - (deviation4Us >> 2)
        if error > 0 { error >>= 3 }
      } else {
        error -= deviation4Us >> 2
      }
      deviation4Us += error
      if deviation4Us > deviationMost4Us {
        deviationMost4Us = deviation4Us
        varianceUs = max(varianceUs, deviationMost4Us)
      }
      if unacknowledged > windowEnd {
        if deviationMost4Us < varianceUs { varianceUs -= (varianceUs - deviationMost4Us) >> 2 }
        windowEnd = next
        deviationMost4Us = RoundTripEstimator.shortestTimeoutUs
      }
    }
    timeoutUs = smoothedUs + varianceUs
  }

  /// Notes a sample for the minimum alone.
  mutating func noteLeast(_ sampleUs: Int64) { if sampleUs < leastUs { leastUs = max(1, sampleUs) } }

  /// The handshake gave no sample: three seconds (RFC 6298, 5.7).
  mutating func fallBack() {
    guard smoothed8Us == 0 else { return }
    varianceUs = 3_000_000
    deviation4Us = 3_000_000
    deviationMost4Us = 3_000_000
    timeoutUs = 3_000_000
  }
}
