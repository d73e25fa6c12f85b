// The client's half of TCP as a receiver: order, SACK blocks, when to acknowledge, and how wide to open the window.
// Follows Linux: quick acknowledgements at first, then every second segment or a timer; a window tuned to what was read.

/// Receives one server's stream. The application reads at once, so nothing waits in its buffer but what is out of order.
struct PacketReceiver: ~Copyable {
  private enum Limits {
    static let delayLeast: Int64 = 40_000_000
    static let delayMost: Int64 = 200_000_000
    static let quickMost = 16
    static let segmentAdvertised: Int64 = 1460
    static let bufferMost: Int64 = 33_554_432
    static let windowFirst: Int64 = 64240
    static let bufferFirst: Int64 = 131_072
    /// The share of the buffer that is window, in 1/256: a full segment occupies 2304 bytes.
    static let windowShare: Int64 = 160
    static let segmentShare: Int64 = 1440
  }

  /// The segment that is waited for.
  private(set) var next = 0
  /// The stream offset up to which everything has arrived.
  private(set) var deliveredBytes: Int64 = 0
  /// When an acknowledgement that waits falls due; `never` while there is none.
  @inline(__always)
  var timerAt: Int64 { min(delayedAt, compressedAt) }
  /// Segments that came a second time.
  private(set) var duplicates = 0

  private var ends: UnsafeMutablePointer<Int64>
  private var mask: Int
  private var outOfOrder = 0
  private var blocks: (SackBlock, SackBlock, SackBlock, SackBlock)
  private var blockCount = 0
  private var duplicate: Int32 = -1

  private var acknowledgedBytes: Int64 = 0
  private var acknowledgedSegment = 0
  private var recentStamp: Int64 = -1
  private var mustSend = false
  private var hasShort = false
  private var quick = 0
  /// The client answers at once, so acknowledgements ride on its requests.
  private var isConversation = false
  private var delay: Int64 = 0
  private var delayedAt = Instant.never.nanoseconds
  private var lastData: Int64 = .min / 2
  private var sentForDisorder = 0
  private var disorderAt = -1
  private var compressed = 0
  private var compressedAt = Instant.never.nanoseconds

  private var window = Limits.windowFirst
  private var windowClamp = Limits.bufferFirst * Limits.windowShare / 256
  private var buffer = Limits.bufferFirst
  private var measuredAt: Int64 = 0
  /// When the window is next tuned: a round trip after the last time; far away before the first sample of it.
  private var tunesAt = Instant.never.nanoseconds
  private var measuredFrom: Int64 = 0
  private var measuredSpace: Int64 = 14600
  private var roundTrip8Us: Int64 = 0
  private var lastEcho: Int64 = -1
  private var edge = Limits.windowFirst

  init() {
    mask = 63
    ends = UnsafeMutablePointer<Int64>.allocate(capacity: 64)
    ends.initialize(repeating: -1, count: 64)
    blocks = (.none, .none, .none, .none)
  }

  func deallocate() { ends.deallocate() }

  /// The connection is established at `now`.
  mutating func open(at now: Int64) {
    lastData = now
    measuredAt = now
    scheduleTuning()
  }

  /// The client sends data at `now`: it carries the acknowledgement, and answers at once mean a conversation.
  mutating func noteSent(at now: Int64) {
    if now - lastData < delay { isConversation = true }
  }

  /// Whether a segment is the one that is waited for, and nothing beyond it has come.
  @inline(__always)
  func isExpected(_ segment: Int32) -> Bool { Int(segment) == next && outOfOrder == 0 }

  /// Takes in a segment that is expected, as `take` would; true where an acknowledgement has to leave now.
  @inline(__always)
  mutating func takeExpected(_ packet: UnsafePointer<DownPacket>, at now: Int64, roundTrip: UnsafePointer<RoundTripEstimator>) -> Bool {
    if next <= acknowledgedSegment { recentStamp = packet.pointee.sentAt }
    next += 1
    deliveredBytes = packet.pointee.end
    noteArrival(packet, at: now, roundTrip: roundTrip)
    if now >= tunesAt { tuneWindow(at: now) }
    // Nothing has to be sent at once but for what stands here: the rest of the reasons are of segments out of order.
    if deliveredBytes - acknowledgedBytes > Int64(PacketSize.segment) { return true }
    if !isConversation, quick > 0 || hasShort { return true }
    return scheduleDelayed(at: now, roundTrip: roundTrip)
  }

  /// Takes in a segment; true where an acknowledgement has to leave now.
  mutating func take(_ packet: UnsafePointer<DownPacket>, at now: Int64, roundTrip: UnsafePointer<RoundTripEstimator>) -> Bool {
    let segment = Int(packet.pointee.segment)
    if segment < next || (segment - next <= mask && ends[segment & mask] >= 0) {
      duplicates += 1
      duplicate = packet.pointee.segment
      enterQuick()
      return true
    }
    if segment <= acknowledgedSegment { recentStamp = packet.pointee.sentAt }
    if segment != next {
      store(packet)
      extendBlocks(packet.pointee.segment)
      if packet.pointee.length >= 128 { widen() }
      return acknowledgesDisorder(at: now)
    }
    let filled = outOfOrder > 0
    next += 1
    deliveredBytes = packet.pointee.end
    if filled { takeStored() }
    noteArrival(packet, at: now, roundTrip: roundTrip)
    if now >= tunesAt { tuneWindow(at: now) }
    if filled, outOfOrder == 0 { mustSend = true }
    if deliveredBytes - acknowledgedBytes > Int64(PacketSize.segment) || (quick > 0 && !isConversation) || mustSend { return true }
    if hasShort, !isConversation { return true }
    if outOfOrder > 0 { return acknowledgesDisorder(at: now) }
    return scheduleDelayed(at: now, roundTrip: roundTrip)
  }

  /// Fills in what an acknowledgement says, at the moment that it is sent.
  @inline(__always)
  mutating func write(_ packet: inout UpPacket) {
    packet.acknowledged = Int32(truncatingIfNeeded: next)
    let offered = (max(window, 0) + 1023) & ~1023
    edge = max(edge, deliveredBytes + offered)
    packet.windowEdge = edge
    packet.echo = recentStamp
    packet.duplicate = duplicate
    packet.blocks = 0
    if blockCount > 0 {
      packet.blocks = UInt8(truncatingIfNeeded: min(blockCount, duplicate >= 0 ? 2 : 3))
      packet.first = blocks.0
      packet.second = blocks.1
      packet.third = blocks.2
    }
    duplicate = -1
    if quick > 0 {
      quick -= 1
      if quick == 0 { delay = Limits.delayLeast }
    }
    acknowledgedBytes = deliveredBytes
    acknowledgedSegment = next
    mustSend = false
    hasShort = false
    delayedAt = Instant.never.nanoseconds
    compressedAt = Instant.never.nanoseconds
    compressed = 0
  }

  /// The options' bytes that SACK blocks add to an acknowledgement.
  @inline(__always)
  var optionBytes: Int {
    let count = min(blockCount + (duplicate >= 0 ? 1 : 0), 3)
    return count == 0 ? 0 : 4 + 8 * count
  }

  /// The delayed acknowledgement is due: the application was slower than hoped, and the next delay is longer.
  mutating func expire(at now: Int64, roundTrip: UnsafePointer<RoundTripEstimator>) {
    guard delayedAt <= now else { return }
    if !isConversation {
      delay = min(delay << 1, roundTrip.pointee.timeoutUs * 1000)
    } else {
      isConversation = false
      delay = Limits.delayLeast
    }
    delayedAt = Instant.never.nanoseconds
  }

  /// The client has closed: nothing waits any more.
  mutating func stop() {
    delayedAt = Instant.never.nanoseconds
    compressedAt = Instant.never.nanoseconds
  }

  @inline(__always)
  private mutating func noteArrival(
    _ packet: UnsafePointer<DownPacket>, at now: Int64, roundTrip: UnsafePointer<RoundTripEstimator>
  ) {
    let length = Int(packet.pointee.length)
    if length < PacketSize.segment { hasShort = true }
    if delay == 0 {
      quickAcknowledge()
      delay = Limits.delayLeast
    } else {
      let gap = now - lastData
      if gap <= Limits.delayLeast / 2 {
        delay = (delay >> 1) + Limits.delayLeast / 2
      } else if gap < delay {
        delay = min((delay >> 1) + gap, roundTrip.pointee.timeoutUs * 1000)
      } else if gap > roundTrip.pointee.timeoutUs * 1000 {
        quickAcknowledge()
      }
    }
    lastData = now
    let echo = packet.pointee.echo
    if echo != lastEcho, echo >= 0, length >= PacketSize.segment {
      lastEcho = echo
      let sample = max(1, now / 1_000_000 - echo / 1_000_000) * 1000
      roundTrip8Us = roundTrip8Us == 0 || sample << 3 < roundTrip8Us ? sample << 3 : roundTrip8Us + sample - (roundTrip8Us >> 3)
      scheduleTuning()
    }
    if length >= 128 { widen() }
  }

  /// After a change of the time of the last tuning or of the round trip.
  @inline(__always)
  private mutating func scheduleTuning() {
    tunesAt = roundTrip8Us > 0 ? measuredAt + (roundTrip8Us >> 3) * 1000 : Instant.never.nanoseconds
  }

  @inline(__always)
  private mutating func widen() {
    // The segment itself still lies in the buffer.
    let room = windowClamp - Limits.segmentShare - window
    if room > 0 {
      window += min(room, 2 * Limits.segmentAdvertised)
      quick |= 1
    }
  }

  private mutating func quickAcknowledge() {
    quick = max(quick, min(Limits.quickMost, max(2, Int(window) / (2 * PacketSize.segment))))
  }

  private mutating func enterQuick() {
    quickAcknowledge()
    isConversation = false
    delay = Limits.delayLeast
  }

  /// The first three acknowledgements of a hole leave at once; later ones wait up to a millisecond for company.
  private mutating func acknowledgesDisorder(at now: Int64) -> Bool {
    if disorderAt != next {
      disorderAt = next
      sentForDisorder = 0
    }
    if sentForDisorder < 3 {
      sentForDisorder += 1
      return true
    }
    compressed += 1
    if compressed >= 44 { return true }
    if compressedAt == Instant.never.nanoseconds {
      compressedAt = now + min(1_000_000, (roundTrip8Us >> 3) * 50)
    }
    return false
  }

  @inline(__always)
  private mutating func scheduleDelayed(at now: Int64, roundTrip: UnsafePointer<RoundTripEstimator>) -> Bool {
    var wait = delay
    if wait > Limits.delayLeast {
      var most: Int64 = isConversation || hasShort ? Limits.delayMost : 500_000_000
      if roundTrip.pointee.hasSample { most = min(most, max(roundTrip.pointee.smoothedUs * 1000, Limits.delayLeast)) }
      wait = min(wait, most)
    }
    wait = min(wait, Limits.delayMost)
    if delayedAt < Instant.never.nanoseconds {
      if delayedAt <= now + (wait >> 2) { return true }
      delayedAt = min(delayedAt, KernelTimer.expiry(at: now, after: wait))
    } else {
      delayedAt = KernelTimer.expiry(at: now, after: wait)
    }
    return false
  }

  /// Linux measures what was read in a round trip and offers twice that, and more while it grows.
  private mutating func tuneWindow(at now: Int64) {
    let copied = deliveredBytes - measuredFrom
    if copied > measuredSpace {
      var wanted = 2 * copied
      wanted += 2 * (wanted * (copied - measuredSpace) / measuredSpace)
      let size = min(wanted * 256 / Limits.windowShare, Limits.bufferMost)
      if size > buffer {
        buffer = size
        windowClamp = size * Limits.windowShare / 256
      }
      measuredSpace = copied
    }
    measuredFrom = deliveredBytes
    measuredAt = now
    scheduleTuning()
  }

  private mutating func store(_ packet: UnsafePointer<DownPacket>) {
    let segment = Int(packet.pointee.segment)
    while segment - next > mask { grow() }
    ends[segment & mask] = packet.pointee.end
    outOfOrder += 1
  }

  private mutating func takeStored() {
    while ends[next & mask] >= 0 {
      deliveredBytes = ends[next & mask]
      ends[next & mask] = -1
      next += 1
      outOfOrder -= 1
    }
    withUnsafeMutablePointer(to: &blocks) { tuple in
      tuple.withMemoryRebound(to: SackBlock.self, capacity: 4) { list in
        var kept = 0
        for index in 0..<blockCount where Int(list[index].start) > next {
          list[kept] = list[index]
          kept += 1
        }
        blockCount = kept
      }
    }
  }

  /// The newest block comes first, and blocks that meet become one.
  private mutating func extendBlocks(_ segment: Int32) {
    withUnsafeMutablePointer(to: &blocks) { tuple in
      tuple.withMemoryRebound(to: SackBlock.self, capacity: 4) { list in
        var merged = SackBlock(start: segment, end: segment + 1)
        var kept = 0
        for index in 0..<blockCount {
          if list[index].end >= merged.start, list[index].start <= merged.end {
            merged = SackBlock(start: min(merged.start, list[index].start), end: max(merged.end, list[index].end))
          } else {
            list[kept] = list[index]
            kept += 1
          }
        }
        kept = min(kept, 3)
        for index in stride(from: kept, to: 0, by: -1) { list[index] = list[index - 1] }
        list[0] = merged
        blockCount = kept + 1
      }
    }
  }

  private mutating func grow() {
    let largerMask = mask * 2 + 1
    let larger = UnsafeMutablePointer<Int64>.allocate(capacity: largerMask + 1)
    larger.initialize(repeating: -1, count: largerMask + 1)
    for segment in next...next + mask { larger[segment & largerMask] = ends[segment & mask] }
    ends.deallocate()
    ends = larger
    mask = largerMask
  }
}
