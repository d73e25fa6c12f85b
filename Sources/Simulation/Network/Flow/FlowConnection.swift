// One connection as a flow: what its server has left to send, and a window that grows, falls and rests as Linux's does.
// The equations are those of the packet transport, taken a window at a time.

/// The server's end of a connection at flow level. Windows are in segments.
struct FlowConnection {
  var generation: UInt32 = 0
  var host = 0
  var transfer = -1
  var window = 10.0
  var threshold = Double.infinity
  /// Bytes of the response that have not been sent.
  var left: Int64 = 0
  /// The stream's offset after the last byte sent, and before the response's first.
  var sent: Int64 = 0
  var responseStart: Int64 = 0
  /// The offset that has arrived in blocks that are forgotten.
  var base: Int64 = 0
  var inFlight = 0
  var tries = 0
  var lastSent: Int64 = -1
  var killAt = Int64.max
  var isCut = false
  var connectedAt: Int64 = -1
  var idleSince: Int64 = 0
  var tailTime: Int64 = 0
  var pendingAcknowledged = 0
  private var stalls = 0
  /// Requests that it has carried.
  var requests = 0

  var segmentsLeft: Int { Int((left + Int64(PacketSize.segment) - 1) / Int64(PacketSize.segment)) }

  /// Takes the bytes of so many segments from what is left.
  mutating func take(_ segments: Int) -> Int64 {
    let bytes = min(left, Int64(segments * PacketSize.segment))
    left -= bytes
    sent += bytes
    if segments > 0 { stalls = 0 }
    return bytes
  }

  /// A new response after an idle time: the window halves for each time-out slept, and the threshold remembers it.
  mutating func wake(at now: Int64, baseTime: Int64) {
    settle()
    inFlight = 0
    guard lastSent >= 0 else { return }
    let timeout = baseTime * 2 + 200_000_000
    var rest = now - lastSent - timeout
    if rest > 0 { threshold = max(threshold, window * 0.75) }
    while rest > 0, window > 10 {
      window = max(10, window / 2)
      rest -= timeout
    }
  }

  /// What the end of the last response acknowledged.
  mutating func settle() {
    if pendingAcknowledged > 0, window < threshold, Double(pendingAcknowledged) * 2 > window {
      window = min(window + Double(pendingAcknowledged), threshold)
    }
    pendingAcknowledged = 0
  }

  /// Grows the window by acknowledged segments: slow start until HyStart's measure, then one for twenty.
  mutating func grow(_ acknowledged: Int, slowStartEnd limit: Double) {
    guard window < threshold else {
      // CUBIC's one for twenty at first, and never less than Reno with CUBIC's decrease: 0.53 a round trip.
      window += Double(acknowledged) * max(0.05, 0.53 / window)
      return
    }
    window += Double(acknowledged)
    if window > limit {
      threshold = limit
      window = limit
    }
    if window > threshold { window = threshold }
  }

  /// A loss: CUBIC's decrease.
  mutating func reduce() {
    window = max(2, window * 0.7)
    threshold = window
  }

  /// Nothing arrived: time-outs that double.
  mutating func stall(_ baseTime: Int64) -> Int64 {
    stalls += 1
    return (2 * baseTime + 200_000_000) << Int64(min(stalls - 1, 5))
  }
}
