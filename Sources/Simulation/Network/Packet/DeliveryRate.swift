// Delivery rate samples, as in Linux's `tcp_rate.c` (draft-cheng-iccrg-delivery-rate-estimation).
// A sample counts the segments delivered between the transmission of a segment and its acknowledgement.

/// One acknowledgement's sample of the delivery rate (`rate_sample`).
struct RateSample {
  /// `delivered` at the last transmission of the segment that gives the sample; 0 if there is none.
  var priorDelivered = 0
  /// The time at which `priorDelivered` was reached.
  fileprivate var priorTime: Int64 = 0
  /// The number of the segment that gives the sample.
  fileprivate var segment = -1
  /// True if the sender had too little data when it sent the segment.
  var isAppLimited = false
  /// Segments delivered in the interval; negative for no sample.
  var delivered = -1
  /// The longer of the send and the acknowledgement phase; negative for no valid sample.
  var intervalUs: Int64 = -1
  /// Segments that this acknowledgement delivers, and segments that it shows to be lost.
  var ackedSacked = 0
  var losses = 0
  /// The round trip of the last segment delivered; negative for none.
  var rttUs: Int64 = -1
  /// True if the receiver may have delayed the acknowledgement.
  var isAckDelayed = false
  /// Segments in flight before the acknowledgement.
  var priorInFlight = 0
}

/// The delivery state of a connection, and the state at the transmission of each segment in flight.
struct DeliveryRate {
  /// The state at the last transmission of a segment (`tcp_skb_cb.tx`).
  private struct Transmission: BitwiseCopyable {
    var firstSentAt: Int64
    var deliveredAt: Int64
    var delivered: Int
    /// The first segment of the same transmission (of the `sk_buff`).
    var unit: Int
    var isAppLimited: Bool
  }

  /// Segments delivered, with the SYN-ACK.
  private(set) var delivered = 1
  /// The time of the last delivery (`delivered_mstamp`).
  private(set) var deliveredAt: Int64 = 0
  /// The value of `delivered` up to which samples are limited by the application; 0 for none.
  var appLimited = 0
  /// The send time of the segment delivered last (`first_tx_mstamp`).
  private var firstSentAt: Int64 = 0
  private var transmissions = Ring<Transmission>(capacity: 64)

  func deallocate() { transmissions.deallocate() }

  /// Notes the transmission of segments at `now` (`tcp_rate_skb_sent`). `packetsOut` counts those out before; `oldest` is the first of them.
  mutating func noteSent(_ segments: Range<Int>, packetsOut: Int, oldest: Int, at now: Int64) {
    if packetsOut == 0 {
      firstSentAt = now
      deliveredAt = now
    }
    while transmissions.isFull(segments.upperBound - oldest) {
      let end = max(oldest, segments.lowerBound)
      transmissions.grow(keeping: max(oldest, segments.lowerBound - transmissions.capacity)..<end)
    }
    let sent = Transmission(
      firstSentAt: firstSentAt, deliveredAt: deliveredAt, delivered: delivered, unit: segments.lowerBound, isAppLimited: appLimited > 0)
    for number in segments { transmissions.address(of: number).initialize(to: sent) }
  }

  /// Counts a segment acknowledged or SACKed for the first time (`tcp_rate_skb_delivered`). The segment sent last gives the sample.
  mutating func noteDelivered(_ number: Int, sentAt: Int64, _ sample: inout RateSample) {
    delivered += 1
    if sample.priorDelivered > 0, sentAt < firstSentAt || (sentAt == firstSentAt && number < sample.segment) { return }
    let sent = transmissions[number]
    sample.priorDelivered = sent.delivered
    sample.priorTime = sent.deliveredAt
    sample.isAppLimited = sent.isAppLimited
    sample.segment = number
    firstSentAt = sentAt
    sample.intervalUs = (sentAt - sent.firstSentAt) / 1000
  }

  /// Completes a sample (`tcp_rate_gen`). An interval shorter than the minimum round trip is not valid.
  mutating func complete(_ sample: inout RateSample, minRttUs: Int64, at now: Int64) {
    if delivered > appLimited { appLimited = 0 }
    if sample.ackedSacked > 0 { deliveredAt = now }
    guard sample.priorDelivered > 0 else {
      sample.intervalUs = -1
      return
    }
    sample.delivered = delivered - sample.priorDelivered
    sample.intervalUs = max(sample.intervalUs, (now - sample.priorTime) / 1000)
    if sample.intervalUs < minRttUs { sample.intervalUs = -1 }
  }

  /// True if both segments left in one transmission.
  func areTogether(_ first: Int, _ second: Int) -> Bool { transmissions[first].unit == transmissions[second].unit }
}
