// The fluid transport: transfers share the link's rate equally, each after one latency; no packets and no connections.
// It serves cross-checks and bounds; against a real client it is too optimistic.
// Ties are exact: a transfer that is complete at an instant by rational arithmetic is reported at that instant.

/// Shares a link's rate in virtual time: `shared` is the volume that each transfer has received, and it ends when that reaches its tag.
/// Source: Parekh & Gallager, IEEE/ACM ToN 1, 1993.
struct FluidTransport: Transport, ~Copyable {
  struct Flow: BitwiseCopyable {
    var total: Int64 = 0
    /// The end of its latency.
    var joins = FluidTransport.noEvent
    /// The nanobits that the link carries, at the rate `leadRate`, between its exact start and the instant of it.
    var lead: Int64 = 0, leadRate: Int64 = 1
  }

  /// The tag of a transfer that does not share the link: above all others, so that it is never the smallest.
  private static let notSharing = Int64.max
  /// The tag of a transfer that has ended and is not reported yet: below `notSharing` only.
  private static let ended = Int64.max - 1
  private static let noEvent = Int64.max
  /// Above this limit `shared` is set to zero, so that the largest transfer fits in a tag.
  private static let sharedLimit: Int64 = 1 << 60
  private static let stepVolume = Int64.max / 2

  /// The position in the trace at the last join or finish. While only one transfer waits out its latency, it is ahead of the clock, at the
  /// join: a lone join then needs no event.
  private var cursor: RateCursor
  private let latency: Int64
  private let latencyVaries: Bool
  /// The transfers by number. The last one stands for the end of `waiting` and never joins.
  private var flows: FixedArray<Flow>
  /// The value of `shared` at which each transfer ends; `notSharing` for those that do not share the link.
  private var tags: FixedArray<Int64>
  /// The order in which transfers joined, and the rank of the next one.
  private var joinRanks: FixedArray<Int>, nextJoinRank = 0
  /// The number above the highest one used.
  private var numbersUsed = 1
  private var sharingCount = 0
  /// The transfers in their latency, in the order in which they started.
  private var waiting: NumberChain
  /// Transfers that ended at the same instant as a reported one.
  private var finished: NumberChain
  private var isTied = false
  /// The nanobits that each sharing transfer has received by the exact time of the last join or finish.
  private var shared: Int64 = 0
  /// The nanobits that the link carried from that exact time to the cursor's instant; less than in a nanosecond.
  private var unshared: Int64 = 0
  /// The transfer with the smallest tag, which ends first, and that tag; `notSharing` if none shares the link.
  private var minTagTransfer = 0, minTag = FluidTransport.notSharing
  /// The position in the trace at which it ends.
  private var finishEnd = RateCursor.End.never
  /// True if nothing ends there, because the volume to the end exceeds 64 bits.
  private var isStep = false
  private var clock: Int64 = 0
  private var nextJoin = FluidTransport.noEvent
  /// The time of the next event: most calls of `advance` read nothing else.
  private var nextEvent = FluidTransport.noEvent
  /// The nanobits carried from the exact end of the last finished transfer to its instant (up to 1 ns later), and their rate.
  /// A transfer started at that instant starts earlier by that much.
  private var surplus: Int64 = 0, surplusRate: Int64 = 1
  private var surplusInstant: Int64 = -1

  /// Creates a link at the start of a run for transfers numbered 0 ..< `transfers`.
  init(_ network: NetworkConfiguration, transfers: Int) {
    cursor = RateCursor(network.down, offset: network.offset)
    latencyVaries = network.fluidLatency == nil
    latency = network.fluidLatency ?? 0
    flows = FixedArray(repeating: Flow(), count: transfers + 1)
    tags = FixedArray(repeating: FluidTransport.notSharing, count: transfers)
    joinRanks = FixedArray(repeating: 0, count: transfers)
    waiting = NumberChain(capacity: transfers)
    finished = NumberChain(capacity: transfers)
  }

  var now: Instant { Instant(nanoseconds: clock) }
  var counters: TransportCounters { TransportCounters() }

  @inline(__always) mutating func advance(until limit: Instant) -> Int? {
    assert(limit.nanoseconds >= clock, "time never decreases")
    if nextEvent > limit.nanoseconds {
      clock = limit.nanoseconds
      return nil
    }
    return nextArrival(until: limit.nanoseconds)
  }

  @inline(__always) mutating func start(_ transfer: Int, volume: Volume, host: Int, priority: Int) {
    precondition(volume > .zero, "a transfer needs at least one byte")
    numbersUsed = max(numbersUsed, transfer &+ 1)
    let joins = latencyVaries ? cursor.latencyEnd(from: clock) : clock + latency
    flows[transfer] = Flow(total: volume.nanobits, joins: joins, lead: clock == surplusInstant ? surplus : 0, leadRate: surplusRate)
    if sharingCount == 0, waiting.isEmpty, !latencyVaries {
      // With a constant latency no later start joins earlier, so the cursor may move ahead.
      cursor.skip(to: joins)
      joinAlone(transfer)
    } else {
      waiting.append(transfer)
      nextJoin = min(nextJoin, joins)
      nextEvent = min(nextEvent, joins)
    }
  }

  mutating func cancel(_ transfer: Int) -> Volume {
    // The next call of `advance` finds the next event.
    nextEvent = clock
    guard tags[transfer] != FluidTransport.notSharing else {
      waiting.remove(transfer)
      scheduleJoin()
      return .zero
    }
    settle()
    // A transfer that has not ended has something left, despite the rounding.
    let rest = max(1, remaining(transfer))
    tags[transfer] = FluidTransport.notSharing
    sharingCount -= 1
    if sharingCount == 0 { unshared = 0 }
    findMinTag()
    scheduleFinish()
    return flows[transfer].joins <= clock ? Volume(nanobits: flows[transfer].total - rest) : .zero
  }

  func received(_ transfer: Int) -> Volume {
    guard tags[transfer] != FluidTransport.notSharing, flows[transfer].joins <= clock else { return .zero }
    let share = FluidTransport.part(unshared &+ cursor.capacity(until: clock), of: sharingCount)
    return Volume(nanobits: min(flows[transfer].total, flows[transfer].total - remaining(transfer) + share))
  }

  /// Returns the equal part of a volume, rounded up: no transfer ends late, and each division ends it less than a nanobit early.
  @inline(__always) private static func part(_ capacity: Int64, of count: Int) -> Int64 {
    let count = UInt64(truncatingIfNeeded: count)
    return Int64(bitPattern: (UInt64(bitPattern: capacity) &+ count &- 1) / count)
  }

  /// Returns the nanobits that a sharing transfer lacked at the last join or finish.
  @inline(__always) private func remaining(_ transfer: Int) -> Int64 { tags[transfer] &- shared }

  func milestones(_ transfer: Int) -> (connected: Instant?, firstByte: Instant?) {
    (nil, flows[transfer].joins <= clock ? Instant(nanoseconds: flows[transfer].joins) : nil)
  }

  // MARK: - Events

  /// Goes on to the next finish at or before `limit` and returns its transfer.
  @inline(never) private mutating func nextArrival(until limit: Int64) -> Int? {
    if isTied { return removeFinished() }
    while true {
      let nextFinish = finishEnd.instant
      let next = min(nextFinish, nextJoin)
      if next > limit {
        clock = limit
        nextEvent = next
        return nil
      }
      clock = next
      if nextJoin < nextFinish {
        joinDue()
      } else if isStep {
        finishStep()
      } else {
        return finish()
      }
    }
  }

  /// Lets all transfers join whose latency ends now.
  @inline(__always) private mutating func joinDue() {
    if latencyVaries {
      joinVarying()
    } else {
      // With a constant latency they wait in the order in which they join.
      repeat {
        join(waiting.removeFirst())
        nextJoin = flows[waiting.first].joins
      } while nextJoin <= clock
    }
    scheduleFinish()
  }

  private mutating func joinVarying() {
    var transfer = waiting.first
    while transfer != waiting.end {
      let next = waiting.next(after: transfer)
      if flows[transfer].joins <= clock {
        waiting.remove(transfer)
        join(transfer)
      }
      transfer = next
    }
    scheduleJoin()
  }

  @inline(__always) private mutating func join(_ transfer: Int) {
    if flows[transfer].lead > 0 { settle(before: transfer) } else { settle() }
    if shared > FluidTransport.sharedLimit { shiftTags() }
    sharingCount &+= 1
    joinRanks[transfer] = nextJoinRank
    nextJoinRank &+= 1
    let tag = shared &+ flows[transfer].total
    tags[transfer] = tag
    minTagTransfer = tag < minTag ? transfer : minTagTransfer
    minTag = min(minTag, tag)
  }

  /// Lets a transfer join a link that carries no other.
  @inline(__always) private mutating func joinAlone(_ transfer: Int) {
    joinRanks[transfer] = 0
    nextJoinRank = 1
    sharingCount = 1
    shared = 0
    minTagTransfer = transfer
    minTag = flows[transfer].total
    tags[transfer] = minTag
    unshared = flows[transfer].lead > 0 ? lead(of: transfer).high : 0
    finishEnd = cursor.end(of: minTag &- unshared)
    isStep = false
    nextEvent = isTied ? clock : finishEnd.instant
  }

  @inline(__always) private mutating func findMinTag() {
    // It visits all numbers, sharing or not: a constant count of rounds is easy to predict for the processor.
    var (transfer, minTag) = (0, tags[0])
    var number = 1
    while number < numbersUsed {
      let tag = tags[number]
      transfer = tag < minTag ? number : transfer
      minTag = min(minTag, tag)
      number &+= 1
    }
    minTagTransfer = transfer
    self.minTag = minTag
  }

  /// Sets `shared` to zero and moves the tags accordingly, before a tag exceeds 64 bits.
  @inline(never) private mutating func shiftTags() {
    for number in 0..<numbersUsed where tags[number] != FluidTransport.notSharing { tags[number] -= shared }
    if sharingCount > 0 { minTag -= shared }
    shared = 0
  }

  /// Returns the nanobits that the link carries between a transfer's exact join and the cursor's instant, rounded down and up.
  @inline(__always) private func lead(of transfer: Int) -> (low: Int64, high: Int64) {
    let flow = flows[transfer]
    let rate = cursor.rateBefore
    return rate == flow.leadRate ? (flow.lead, flow.lead) : FluidTransport.scaled(flow.lead, by: rate, over: flow.leadRate)
  }

  /// Returns `lead` scaled to another rate, rounded down and up: the part of the nanosecond is equal.
  @inline(never) private static func scaled(_ lead: Int64, by rate: Int64, over leadRate: Int64) -> (low: Int64, high: Int64) {
    let (quotient, remainder) = leadRate.dividingFullWidth(lead.multipliedFullWidth(by: rate))
    return (quotient, remainder > 0 ? quotient + 1 : quotient)
  }

  /// Divides the carried volume among the sharing transfers up to the exact join of another one, before the clock's instant.
  @inline(never) private mutating func settle(before transfer: Int) {
    let passed = cursor.instant < clock ? cursor.advance(to: clock) : 0
    let (low, high) = lead(of: transfer)
    if sharingCount > 0 { shared &+= FluidTransport.part(max(0, unshared &+ passed &- low), of: sharingCount) }
    unshared = high
  }

  /// Ends the transfer with the smallest tag and returns it.
  @inline(__always) private mutating func finish() -> Int {
    // The end was computed from the cursor's instant, so nothing needs to be added up.
    cursor.move(to: finishEnd)
    surplusInstant = clock
    let transfer = minTagTransfer
    tags[transfer] = FluidTransport.notSharing
    surplus = finishEnd.overshoot
    surplusRate = finishEnd.rate
    if sharingCount == 1 {
      // It was alone: there is nothing to divide or to search.
      sharingCount = 0
      unshared = 0
      minTag = FluidTransport.notSharing
      finishEnd.instant = FluidTransport.noEvent
      nextEvent = nextJoin
      return transfer
    }
    shared = minTag
    unshared = surplus
    sharingCount &-= 1
    findMinTag()
    if volumeToMinTag() <= 0 { return finishTogether(with: transfer) }
    scheduleFinish()
    nextEvent = min(nextJoin, finishEnd.instant)
    return transfer
  }

  /// Returns the nanobits from the cursor's instant to the next finish; `max` if they exceed 64 bits.
  @inline(__always) private func volumeToMinTag() -> Int64 {
    let (product, overflow) = (minTag &- shared).multipliedReportingOverflow(by: Int64(truncatingIfNeeded: sharingCount))
    return overflow ? .max : product &- unshared
  }

  /// Goes on by `stepVolume` towards a finish that is too far for 64 bits.
  @inline(never) private mutating func finishStep() {
    cursor.move(to: finishEnd)
    cursor.skip(to: clock)
    shared += FluidTransport.part(FluidTransport.stepVolume + finishEnd.overshoot + unshared, of: sharingCount)
    unshared = 0
    scheduleFinish()
  }

  /// Ends all transfers that end in the same nanosecond as `transfer`; they are reported in the order in which they joined.
  @inline(never) private mutating func finishTogether(with transfer: Int) -> Int {
    tags[transfer] = FluidTransport.ended
    while sharingCount > 0, volumeToMinTag() <= 0 {
      unshared -= (minTag - shared) * Int64(sharingCount)
      shared = minTag
      tags[minTagTransfer] = FluidTransport.ended
      sharingCount -= 1
      findMinTag()
    }
    surplus = unshared
    if sharingCount == 0 { unshared = 0 }
    isTied = true
    nextEvent = clock
    while true {
      var first: Int?
      for number in 0..<numbersUsed where tags[number] == FluidTransport.ended {
        if joinRanks[number] < first.map({ joinRanks[$0] }) ?? .max { first = number }
      }
      guard let first else { break }
      finished.append(first)
      tags[first] = FluidTransport.notSharing
    }
    if sharingCount == 0 { minTag = FluidTransport.notSharing }
    scheduleFinish()
    return removeFinished()
  }

  /// Returns the next of the transfers that ended together.
  @inline(never) private mutating func removeFinished() -> Int {
    let transfer = finished.removeFirst()
    isTied = !finished.isEmpty
    nextEvent = isTied ? clock : min(nextJoin, finishEnd.instant)
    return transfer
  }

  /// Divides the volume carried since the last join or finish among the sharing transfers.
  @inline(__always) private mutating func settle() {
    // The cursor is ahead of the clock in the latency of a lone transfer.
    if cursor.instant > clock || (cursor.instant == clock && unshared == 0) { return }
    if sharingCount == 0 {
      cursor.skip(to: clock)
    } else {
      shared &+= FluidTransport.part(unshared &+ cursor.advance(to: clock), of: sharingCount)
    }
    unshared = 0
  }

  @inline(__always) private mutating func scheduleFinish() {
    if sharingCount == 0 {
      finishEnd.instant = FluidTransport.noEvent
      return
    }
    let volume = volumeToMinTag()
    isStep = volume == .max
    finishEnd = cursor.end(of: isStep ? FluidTransport.stepVolume : volume)
  }

  private mutating func scheduleJoin() {
    nextJoin = flows[waiting.first].joins
    if latencyVaries {
      var transfer = waiting.first
      while transfer != waiting.end {
        nextJoin = min(nextJoin, flows[transfer].joins)
        transfer = waiting.next(after: transfer)
      }
    }
  }
}
