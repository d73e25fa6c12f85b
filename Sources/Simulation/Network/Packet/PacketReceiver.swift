// The receiver of the client's TCP: reassembly, SACK blocks, delayed acknowledgements and the receive window.
// It follows Linux: quick acknowledgements first, then one for every two segments or by a timer; receive buffer autotuning.

/// Receives a server's stream. The application reads at once, so the buffer holds only segments out of order.
struct PacketReceiver: ~Copyable {
  private enum Limits {
    /// `TCP_ATO_MIN`, the shortest acknowledgement delay.
    static let atoMin: Int64 = 40_000_000
    /// `TCP_DELACK_MAX`, the longest acknowledgement delay.
    static let delackMax: Int64 = 200_000_000
    /// `TCP_MAX_QUICKACKS`.
    static let maxQuickAcks = 16
    static let advmss: Int64 = 1448
    /// `tcp_rmem[2]`.
    static let maxRcvBuf: Int64 = 33_554_432
    static let initialWindow: Int64 = 64240
    static let initialRcvBuf: Int64 = 131_072
    /// `scaling_ratio`: the part of the buffer offered as window, in 1/256. A full segment takes 2304 bytes of buffer.
    static let scalingRatio: Int64 = 160
    static let segmentWindow: Int64 = 1440
  }

  /// RCV.NXT: the next segment expected.
  private(set) var rcvNxt = 0
  /// The stream offset of `rcvNxt`.
  private(set) var deliveredBytes: Int64 = 0
  /// The time of the next acknowledgement that waits; `never` if none does.
  @inline(__always) var timerAt: Int64 { min(delayedAckAt, compressedAckAt) }
  /// Segments received more than once.
  private(set) var duplicates = 0

  /// The end offsets of segments out of order, by number; negative for missing ones.
  private var endSeqs = Ring<Int64>(capacity: 64)
  private var outOfOrder = 0
  /// The payload of those segments, which is discarded if the client closes.
  private(set) var outOfOrderBytes: Int64 = 0
  /// The largest stream offset received out of order.
  private var highestStored: Int64 = 0
  private var sackBlocks: (SackBlock, SackBlock, SackBlock, SackBlock)
  private var sackBlockCount = 0
  private var dsack: Int32 = -1

  /// The stream offset and the segment number of the last acknowledgement sent (RFC 7323's Last.ACK.sent).
  private var acknowledgedBytes: Int64 = 0
  private var lastAckSent = 0
  private var tsRecent: Int64 = -1
  /// True if the next acknowledgement must be sent at once, and if a short segment or one with PSH has arrived (`ICSK_ACK_PUSHED`).
  private var ackNow = false
  private var isPushed = false
  /// Acknowledgements still to be sent without delay.
  private var quickAcks = 0
  /// `pingpong`: true if the client answers at once, so that acknowledgements are piggybacked.
  private var isPingPong = false
  /// The acknowledgement timeout, which adapts to the interval of arrivals.
  private var ato: Int64 = 0
  private var delayedAckAt = Instant.never.nanoseconds
  private var lastReceivedAt: Int64 = .min / 2
  /// Acknowledgements sent at once for the gap at `dupAckRcvNxt`.
  private var dupAckCount = 0
  private var dupAckRcvNxt = -1
  /// Acknowledgements held back while segments are out of order (ACK compression).
  private var compressedAcks = 0
  private var compressedAckAt = Instant.never.nanoseconds

  /// `rcv_ssthresh`: the window to offer, and its upper limit.
  private var rcvSsthresh = Limits.initialWindow
  private var windowClamp = Limits.initialRcvBuf * Limits.scalingRatio / 256
  private var rcvBuf = Limits.initialRcvBuf
  /// `rcvq_space`: the start of the present measurement, its stream offset and the bytes of the last one.
  private var rcvqTime: Int64 = 0
  private var rcvqSeq: Int64 = 0
  private var rcvqSpace: Int64 = 14480
  /// The time of the next adjustment of the window, one round trip after the last; `never` before the first RTT sample.
  private var rcvqDueAt = Instant.never.nanoseconds
  private var rcvRtt8Us: Int64 = 0
  private var lastRttTsEcr: Int64 = -1
  private var windowEdge = Limits.initialWindow

  init() {
    sackBlocks = (.none, .none, .none, .none)
    for segment in 0..<endSeqs.capacity { endSeqs[segment] = -1 }
  }

  func deallocate() { endSeqs.deallocate() }

  /// Starts the clocks of an established connection.
  mutating func open(at now: Int64) {
    lastReceivedAt = now
    rcvqTime = now
    scheduleRcvSpaceAdjustment()
  }

  /// Notes that the client sends data. Soon after a receipt it starts ping-pong mode.
  mutating func noteSent(at now: Int64) {
    if now - lastReceivedAt < ato { isPingPong = true }
  }

  /// True if the segment is the next one expected and none is out of order.
  @inline(__always) func isExpected(_ segment: Int32) -> Bool { Int(segment) == rcvNxt && outOfOrder == 0 }

  /// Receives an expected segment, as `receive` would; true if an acknowledgement must be sent now. `nextAt` is the arrival of the next
  /// segment if it is on the link behind this one.
  @inline(__always) mutating func receiveExpected(
    _ packet: UnsafePointer<DownPacket>, at now: Int64, nextAt: Int64, rtt: UnsafePointer<RoundTripEstimator>
  ) -> Bool {
    if rcvNxt <= lastAckSent { tsRecent = packet.pointee.tsVal }
    rcvNxt += 1
    deliveredBytes = packet.pointee.endSeq
    noteDataReceived(packet, at: now, rtt: rtt)
    if now >= rcvqDueAt { adjustRcvSpace(at: now) }
    // The other reasons to acknowledge at once need segments out of order.
    if deliveredBytes - acknowledgedBytes > Int64(PacketSize.segment) || ackNow { return true }
    if !isPingPong, quickAcks > 0 || isPushed { return true }
    // A timer would be cleared before it expires: no delay is shorter, and a full segment and the next are acknowledged.
    if nextAt - now <= Limits.atoMin / 2, delayedAckAt == Instant.never.nanoseconds, packet.pointee.length == PacketSize.segment {
      return false
    }
    return scheduleDelayedAck(at: now, rtt: rtt)
  }

  /// Receives a segment; true if an acknowledgement must be sent now.
  mutating func receive(_ packet: UnsafePointer<DownPacket>, at now: Int64, rtt: UnsafePointer<RoundTripEstimator>) -> Bool {
    let segment = Int(packet.pointee.segment)
    if segment < rcvNxt || (!endSeqs.isFull(segment - rcvNxt) && endSeqs[segment] >= 0) {
      duplicates += 1
      dsack = packet.pointee.segment
      enterQuickAckMode()
      return true
    }
    if segment <= lastAckSent { tsRecent = packet.pointee.tsVal }
    if segment != rcvNxt {
      store(packet)
      extendBlocks(packet.pointee.segment)
      if packet.pointee.length >= 128 { growWindow() }
      growRcvBuf()
      return acksOutOfOrder(at: now)
    }
    let filled = outOfOrder > 0
    rcvNxt += 1
    deliveredBytes = packet.pointee.endSeq
    if filled { drainOutOfOrder() }
    noteDataReceived(packet, at: now, rtt: rtt)
    if now >= rcvqDueAt { adjustRcvSpace(at: now) }
    if filled, outOfOrder == 0 { ackNow = true }
    if deliveredBytes - acknowledgedBytes > Int64(PacketSize.segment) || (quickAcks > 0 && !isPingPong) || ackNow { return true }
    if isPushed, !isPingPong { return true }
    if outOfOrder > 0 { return acksOutOfOrder(at: now) }
    return scheduleDelayedAck(at: now, rtt: rtt)
  }

  /// Writes the acknowledgement fields of a packet that is sent now. One that acknowledges nothing costs no quick acknowledgement.
  @inline(__always) mutating func write(_ packet: inout UpPacket) {
    packet.ackNumber = Int32(truncatingIfNeeded: rcvNxt)
    let offered = (max(0, min(rcvSsthresh, windowClamp - Int64(outOfOrder) * Limits.segmentWindow)) + 1023) & ~1023
    windowEdge = max(windowEdge, deliveredBytes + offered)
    packet.windowEdge = windowEdge
    packet.tsEcr = tsRecent
    packet.dsack = dsack
    packet.sackBlockCount = 0
    if sackBlockCount > 0 {
      packet.sackBlockCount = UInt8(truncatingIfNeeded: min(sackBlockCount, dsack >= 0 ? 2 : 3))
      packet.firstBlock = sackBlocks.0
      packet.secondBlock = sackBlocks.1
      packet.thirdBlock = sackBlocks.2
    }
    if quickAcks > 0, deliveredBytes > acknowledgedBytes || outOfOrder > 0 || dsack >= 0 {
      quickAcks -= 1
      if quickAcks == 0 { ato = Limits.atoMin }
    }
    dsack = -1
    acknowledgedBytes = deliveredBytes
    lastAckSent = rcvNxt
    ackNow = false
    isPushed = false
    delayedAckAt = Instant.never.nanoseconds
    compressedAckAt = Instant.never.nanoseconds
    compressedAcks = 0
  }

  /// The bytes of the SACK option in the next acknowledgement.
  @inline(__always) var optionBytes: Int {
    let count = min(sackBlockCount + (dsack >= 0 ? 1 : 0), 3)
    return count == 0 ? 0 : 4 + 8 * count
  }

  /// Handles the delayed acknowledgement timer: the next delay is longer, or ping-pong mode ends.
  mutating func expire(at now: Int64, rtt: UnsafePointer<RoundTripEstimator>) {
    guard delayedAckAt <= now else { return }
    if !isPingPong {
      ato = min(ato << 1, rtt.pointee.rtoUs * 1000)
    } else {
      isPingPong = false
      ato = Limits.atoMin
    }
    delayedAckAt = Instant.never.nanoseconds
  }

  mutating func stop() {
    delayedAckAt = Instant.never.nanoseconds
    compressedAckAt = Instant.never.nanoseconds
  }

  /// Updates the acknowledgement timeout, the RTT and the window (`tcp_event_data_recv`).
  @inline(__always) private mutating func noteDataReceived(
    _ packet: UnsafePointer<DownPacket>, at now: Int64, rtt: UnsafePointer<RoundTripEstimator>
  ) {
    let length = Int(packet.pointee.length)
    // A second short segment is acknowledged as soon as it is read (`ICSK_ACK_PUSHED2`).
    if length < PacketSize.segment, isPushed { ackNow = true }
    if packet.pointee.isPushed || length < PacketSize.segment { isPushed = true }
    if ato == 0 {
      increaseQuickAcks()
      ato = Limits.atoMin
    } else {
      let gap = now - lastReceivedAt
      if gap <= Limits.atoMin / 2 {
        ato = (ato >> 1) + Limits.atoMin / 2
      } else if gap < ato {
        ato = min((ato >> 1) + gap, rtt.pointee.rtoUs * 1000)
      } else if gap > rtt.pointee.rtoUs * 1000 {
        increaseQuickAcks()
      }
    }
    lastReceivedAt = now
    let tsEcr = packet.pointee.tsEcr
    if tsEcr != lastRttTsEcr, tsEcr >= 0, length >= PacketSize.segment {
      lastRttTsEcr = tsEcr
      let sample = max(1, now / 1_000_000 - tsEcr / 1_000_000) * 1000
      rcvRtt8Us = rcvRtt8Us == 0 || sample << 3 < rcvRtt8Us ? sample << 3 : rcvRtt8Us + sample - (rcvRtt8Us >> 3)
      scheduleRcvSpaceAdjustment()
    }
    if length >= 128 { growWindow() }
  }

  /// Computes `rcvqDueAt` after a change of `rcvqTime` or of the round trip.
  @inline(__always) private mutating func scheduleRcvSpaceAdjustment() {
    rcvqDueAt = rcvRtt8Us > 0 ? rcvqTime + (rcvRtt8Us >> 3) * 1000 : Instant.never.nanoseconds
  }

  /// Grows the window by two segments within its limit (`tcp_grow_window`).
  @inline(__always) private mutating func growWindow() {
    // The segment still takes its part of the buffer, as those out of order do.
    let room = windowClamp - Int64(outOfOrder + 1) * Limits.segmentWindow - rcvSsthresh
    if room > 0 {
      rcvSsthresh += min(room, 2 * Limits.advmss)
      quickAcks |= 1
    }
  }

  /// Permits quick acknowledgements of half the window, at most 16 (`tcp_incr_quickack`).
  private mutating func increaseQuickAcks() {
    quickAcks = max(quickAcks, min(Limits.maxQuickAcks, max(2, Int(rcvSsthresh) / (2 * PacketSize.segment))))
  }

  private mutating func enterQuickAckMode() {
    increaseQuickAcks()
    isPingPong = false
    ato = Limits.atoMin
  }

  /// True if a segment out of order is acknowledged now: the first three of a gap, or when 44 wait. Others wait up to 1 ms.
  private mutating func acksOutOfOrder(at now: Int64) -> Bool {
    if dupAckRcvNxt != rcvNxt {
      dupAckRcvNxt = rcvNxt
      dupAckCount = 0
    }
    if dupAckCount < 3 {
      dupAckCount += 1
      return true
    }
    compressedAcks += 1
    if compressedAcks >= 44 { return true }
    if compressedAckAt == Instant.never.nanoseconds { compressedAckAt = now + min(1_000_000, (rcvRtt8Us >> 3) * 50) }
    return false
  }

  /// True if a compressed acknowledgement must leave before this segment, because more than two SACK blocks would be new
  /// (`tcp_sack_compress_send_ack`).
  @inline(__always) func hidesBlocks(_ segment: Int32) -> Bool {
    guard compressedAcks > 0, sackBlockCount >= 2, Int(segment) > rcvNxt else { return false }
    let isNext = { (block: SackBlock) in block.end >= segment && block.start <= segment + 1 }
    return !isNext(sackBlocks.0) && !isNext(sackBlocks.1)
  }

  /// Sets the delayed acknowledgement timer; true if it must be sent now (`tcp_send_delayed_ack`).
  @inline(__always) private mutating func scheduleDelayedAck(at now: Int64, rtt: UnsafePointer<RoundTripEstimator>) -> Bool {
    var wait = ato
    if wait > Limits.atoMin {
      var most: Int64 = isPingPong || isPushed ? Limits.delackMax : 500_000_000
      if rtt.pointee.hasSample { most = min(most, max(rtt.pointee.srttUs * 1000, Limits.atoMin)) }
      wait = min(wait, most)
    }
    wait = min(wait, Limits.delackMax)
    if delayedAckAt <= now + (wait >> 2) { return true }
    delayedAckAt = min(delayedAckAt, KernelTimer.expiry(at: now, after: wait))
    return false
  }

  /// Raises the window limit to twice the bytes read in a round trip, and more while they grow (`tcp_rcv_space_adjust`).
  private mutating func adjustRcvSpace(at now: Int64) {
    let copied = deliveredBytes - rcvqSeq
    if copied > rcvqSpace {
      let before = rcvqSpace
      rcvqSpace = copied
      growRcvBuf(by: 4 * copied * (copied - before) / before)
    }
    rcvqSeq = deliveredBytes
    rcvqTime = now
    scheduleRcvSpaceAdjustment()
  }

  /// Raises the receive buffer for twice the bytes read in a round trip, `growth`, and the span out of order (`tcp_rcvbuf_grow`).
  private mutating func growRcvBuf(by growth: Int64 = 0) {
    let span = outOfOrder > 0 ? highestStored - deliveredBytes : 0
    let size = min((2 * rcvqSpace + growth + span) * 256 / Limits.scalingRatio, Limits.maxRcvBuf)
    guard size > rcvBuf else { return }
    rcvBuf = size
    windowClamp = size * Limits.scalingRatio / 256
  }

  private mutating func store(_ packet: UnsafePointer<DownPacket>) {
    let segment = Int(packet.pointee.segment)
    while endSeqs.isFull(segment - rcvNxt) { grow() }
    endSeqs[segment] = packet.pointee.endSeq
    outOfOrder += 1
    outOfOrderBytes += Int64(packet.pointee.length)
    highestStored = max(highestStored, packet.pointee.endSeq)
  }

  /// Advances `rcvNxt` over stored segments and drops SACK blocks before it.
  private mutating func drainOutOfOrder() {
    let before = deliveredBytes
    while endSeqs[rcvNxt] >= 0 {
      deliveredBytes = endSeqs[rcvNxt]
      endSeqs[rcvNxt] = -1
      rcvNxt += 1
      outOfOrder -= 1
    }
    outOfOrderBytes -= deliveredBytes - before
    assert(outOfOrderBytes >= 0 && (outOfOrder > 0 || outOfOrderBytes == 0), "the segments out of order and their bytes disagree")
    withUnsafeMutablePointer(to: &sackBlocks) { tuple in
      tuple.withMemoryRebound(to: SackBlock.self, capacity: 4) { list in
        var kept = 0
        for index in 0..<sackBlockCount where Int(list[index].start) > rcvNxt {
          list[kept] = list[index]
          kept += 1
        }
        sackBlockCount = kept
      }
    }
  }

  /// Puts a segment into the first SACK block and merges adjacent blocks.
  private mutating func extendBlocks(_ segment: Int32) {
    withUnsafeMutablePointer(to: &sackBlocks) { tuple in
      tuple.withMemoryRebound(to: SackBlock.self, capacity: 4) { list in
        var merged = SackBlock(start: segment, end: segment + 1)
        var kept = 0
        for index in 0..<sackBlockCount {
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
        sackBlockCount = kept + 1
      }
    }
  }

  private mutating func grow() {
    let unset = rcvNxt + endSeqs.capacity
    endSeqs.grow(keeping: rcvNxt..<unset)
    for segment in unset..<rcvNxt + endSeqs.capacity { endSeqs[segment] = -1 }
  }
}
