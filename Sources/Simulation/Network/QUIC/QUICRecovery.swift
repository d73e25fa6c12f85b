// The path state that loss recovery and congestion control share (RFC 9002), and the samples of the delivery rate
// (draft-cheng-iccrg-delivery-rate-estimation) with ngtcp2's rules. Times are nanoseconds, amounts UDP payload bytes.

struct QUICSentPacket {
  var number: Int64
  var sentAt: Int64
  var length: Int64
  var frames: [QUICFrame]
  /// The largest number in the ACK frame of the packet; -1 for none.
  var ackedUpTo: Int64 = -1
  /// True for a probe after a timeout, and for one of path MTU discovery.
  var isProbe = false, isMTUProbe = false
  /// True if its frames were sent again after a timeout.
  var isReclaimed = false
  /// The state of the rate sampler when the packet was sent.
  var delivered: Int64 = 0, deliveredAt: Int64 = 0, firstSentAt: Int64 = 0
  var isAppLimited = false
}

/// An acknowledgement's effect, for the congestion control.
struct QUICAckSummary {
  var priorInFlight: Int64
  var delivered: Int64 = 0
  var lost: Int64 = 0
  /// `QUICSentPacket.delivered` and the time of the newest acknowledged packet.
  var packetDelivered: Int64 = 0, largestSentAt: Int64 = -1
}

struct QUICRecovery {
  static let never = Instant.never.nanoseconds
  static let millisecond: Int64 = 1_000_000
  static let second: Int64 = 1_000_000_000
  /// `kInitialRtt` of RFC 9002.
  static let initialRtt = 333 * millisecond
  /// The `max_ack_delay` of both ends.
  static let maxAckDelay = 25 * millisecond
  /// ngtcp2's `max_tx_udp_payload_size`, the unit of its congestion control.
  static let maximumDatagram: Int64 = 1452
  /// The initial window of RFC 9002, 7.2.
  static let initialCwnd = min(10 * maximumDatagram, max(2 * maximumDatagram, 14720))

  // RFC 9002, 5: the round trip.
  private(set) var latestRtt: Int64 = 0
  private(set) var minRtt = never
  private(set) var smoothedRtt = initialRtt
  private(set) var rttVar = initialRtt / 2
  private(set) var firstRttSampleAt = never

  var cwnd = initialCwnd
  var ssthresh = Int64.max
  var recoveryStartAt: Int64 = -1
  private(set) var bytesInFlight: Int64 = 0
  /// The pacing rate that the congestion control sets, in bytes a nanosecond; 0 for 1.25 cwnd / srtt.
  var pacingRate = 0.0
  var sendQuantum: Int64 = 64 * 1024

  // The rate sampler. A packet's state is a copy of the first three when it was sent.
  private(set) var delivered: Int64 = 0
  private var deliveredAt: Int64 = 0
  private var firstSentAt: Int64 = 0
  var appLimitedUntil: Int64 = 0
  /// The newest sample: the maximum over twelve rounds, in bytes a second, and true if it is limited by the application.
  private(set) var deliveryRate: Int64 = 0, isSampleAppLimited = false
  private var filter = WindowedMaximum()
  private var roundCount = 0
  private var nextRoundDelivered: Int64 = 0
  private var priorDelivered: Int64 = 0
  private var priorAt: Int64 = 0
  private var sendElapsed: Int64 = 0
  private var ackElapsed: Int64 = 0

  /// The probe timeout without backoff (RFC 9002, 6.2.1), at most an hour.
  var pto: Int64 { min(smoothedRtt + max(4 * rttVar, Self.millisecond), 3600 * Self.second) }
  /// The time threshold of loss detection (RFC 9002, 6.1.2).
  var lossDelay: Int64 { max(max(latestRtt, smoothedRtt) * 9 / 8, Self.millisecond) }
  var isBlocked: Bool { bytesInFlight >= cwnd }

  /// True if a packet was sent before the recovery began. One sent in answer to the loss is later by ngtcp2's clock, which runs while it writes.
  func isInRecovery(_ sentAt: Int64) -> Bool { recoveryStartAt >= 0 && sentAt < recoveryStartAt }

  /// Takes a round-trip sample with the peer's acknowledgement delay (RFC 9002, 5.3); false if it is ignored.
  mutating func addRtt(_ sample: Int64, ackDelay: Int64, isConfirmed: Bool, at now: Int64) -> Bool {
    guard minRtt != Self.never else {
      (latestRtt, minRtt, smoothedRtt, rttVar, firstRttSampleAt) = (sample, sample, sample, sample / 2, now)
      return true
    }
    var delay = ackDelay
    if isConfirmed {
      delay = min(delay, Self.maxAckDelay)
    } else if delay > 0, sample >= minRtt, sample < minRtt + delay {
      return false
    }
    latestRtt = sample
    minRtt = min(minRtt, sample)
    let adjusted = sample >= minRtt + delay ? sample - delay : sample
    rttVar = (rttVar * 3 + abs(smoothedRtt - adjusted)) / 4
    smoothedRtt = (smoothedRtt * 7 + adjusted) / 8
    return true
  }

  /// Forgets the round trip after persistent congestion (RFC 9002, 7.6).
  mutating func forgetRtt() {
    (minRtt, smoothedRtt, rttVar, firstRttSampleAt) = (Self.never, Self.initialRtt, Self.initialRtt / 2, Self.never)
  }

  mutating func noteSent(_ packet: inout QUICSentPacket) {
    if bytesInFlight == 0 { (firstSentAt, deliveredAt) = (packet.sentAt, packet.sentAt) }
    (packet.delivered, packet.deliveredAt, packet.firstSentAt) = (delivered, deliveredAt, firstSentAt)
    packet.isAppLimited = appLimitedUntil != 0
    bytesInFlight += packet.length
  }

  /// Removes a packet that is acknowledged, lost or of a discarded space from the bytes in flight.
  mutating func removeFromFlight(_ packet: QUICSentPacket) {
    bytesInFlight -= packet.length
    assert(bytesInFlight >= 0, "more bytes left the path than were in flight")
  }

  /// Adds an acknowledged packet to the rate sample (`ngtcp2_rst_update_rate_sample`).
  mutating func sample(_ packet: QUICSentPacket, at now: Int64) {
    delivered += packet.length
    deliveredAt = now
    guard packet.delivered > priorDelivered else { return }
    (priorDelivered, priorAt, isSampleAppLimited) = (packet.delivered, packet.deliveredAt, packet.isAppLimited)
    sendElapsed = packet.sentAt - packet.firstSentAt
    ackElapsed = deliveredAt - packet.deliveredAt
    firstSentAt = packet.sentAt
  }

  /// Ends the rate sample of an acknowledgement (`ngtcp2_rst_on_ack_recv`).
  mutating func finishSample(packetDelivered: Int64) {
    if appLimitedUntil != 0, delivered > appLimitedUntil { appLimitedUntil = 0 }
    if packetDelivered >= nextRoundDelivered {
      nextRoundDelivered = packetDelivered
      roundCount += 1
    }
    let interval = max(sendElapsed, ackElapsed)
    guard priorAt > 0, interval >= minRtt, interval > 0 else { return }
    let rate = Int(Double(delivered - priorDelivered) * 1e9 / Double(interval))
    if rate > filter.value || appLimitedUntil == 0 {
      filter.add(rate, at: roundCount, window: 12)
      deliveryRate = Int64(filter.value)
    }
  }
}
