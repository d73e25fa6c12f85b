// The exact transport: no packets, no connections, only rates shared and one latency a request.
// It is what cross-checks and bounds are computed on; against a real client it is too optimistic.

/// A link whose rate of the moment is shared equally by the transfers on the way, each after one latency.
///
/// Equal shares need no events at the trace's period ends: what each transfer got since the last change is the link's capacity
/// since then divided by their number. A transfer's exact end lies up to a nanosecond before the instant reported, and the difference is
/// kept: what passes in it is shared by those that remain, and what is started then starts, and joins, that much earlier.
///
/// All that share get the same, so what it carries is counted once for all of them: `shared` is what each has got since some moment, and a
/// transfer is done when that has come to its `tag` (virtual time: Parekh & Gallager, IEEE/ACM ToN 1, 1993).
///
/// Ties are exact: what is complete at an instant by rational arithmetic is complete at that instant. Every division is therefore rounded
/// in favour of the transfers; none ends early by more than a nanobit for each change of who shares while it lasts.
///
/// Most of a session one transfer has the link to itself, so that its join is no event: the cursor waits at its instant, ahead of the clock.
struct FluidTransport: Transport, ~Copyable {
  struct Flow: BitwiseCopyable {
    var total: Int64 = 0
    /// When its latency is over.
    var joins = FluidTransport.noEvent
    /// What the link carries between its exact start and the instant of it, in nanobits, at the rate `leadRate`.
    var lead: Int64 = 0
    var leadRate: Int64 = 1
  }

  /// More than any tag, so that the least of all tags is that of the transfer which ends first.
  private static let notSharing = Int64.max
  /// The tag of a transfer that has ended and is not reported yet: less than only `notSharing`.
  private static let ended = Int64.max - 1
  private static let noEvent = Int64.max
  /// Up to here `shared` leaves room for the largest transfer in a tag.
  private static let sharedLimit: Int64 = 1 << 60
  private static let stepVolume = Int64.max / 2

  /// At the last change of who shares or, while a lone transfer's latency lasts, at its join, ahead of the clock.
  private var cursor: RateCursor
  private let latency: Int64
  private let latencyVaries: Bool
  /// By number; one more behind them stands for the end of `waiting` and never joins.
  private var flows: FixedArray<Flow>
  /// What `shared` will have come to when all of a transfer has passed; `notSharing` where it does not share the link.
  private var tags: FixedArray<Int64>
  /// In which order they joined, and the place of the next one that joins.
  private var places: FixedArray<Int>
  private var nextPlace = 0
  /// Only numbers below have been used.
  private var numbersUsed = 1
  private var sharingCount = 0
  /// The transfers whose latency is not over, in the order in which they started.
  private var waiting: NumberChain
  /// Finished together with another one, not yet reported.
  private var finished: NumberChain
  private var isTied = false
  /// The nanobits that a transfer which always shared would have got at the exact moment of the last change of who shares.
  private var shared: Int64 = 0
  /// The nanobits that the link carried between that moment and the cursor's instant: less than it carries in a nanosecond.
  private var unshared: Int64 = 0
  /// The transfer that ends first, and its tag; `notSharing` where none shares the link.
  private var least = 0
  private var leastTag = FluidTransport.notSharing
  /// Where that end is.
  private var finishEnd = RateCursor.End.never
  /// Whether nothing ends there, because 64 bits do not hold the volume to the end.
  private var isStep = false
  private var clock: Int64 = 0
  private var nextJoin = FluidTransport.noEvent
  /// Nothing happens before: all that most calls of `advance` look at.
  private var nextEvent = FluidTransport.noEvent
  /// What the link carried between the last arrival's true end and its instant, and at what rate.
  private var surplus: Int64 = 0, surplusRate: Int64 = 1
  private var surplusInstant: Int64 = -1

  /// A link at the start of a run, for transfers numbered 0 ..< `transfers`.
  init(_ network: NetworkConfiguration, transfers: Int) {
    cursor = RateCursor(network.down, offset: network.offset)
    latencyVaries = network.fluidLatency == nil
    latency = network.fluidLatency ?? 0
    flows = FixedArray(repeating: Flow(), count: transfers + 1)
    tags = FixedArray(repeating: FluidTransport.notSharing, count: transfers)
    places = FixedArray(repeating: 0, count: transfers)
    waiting = NumberChain(capacity: transfers)
    finished = NumberChain(capacity: transfers)
  }

  var now: Instant { Instant(nanoseconds: clock) }
  var counters: TransportCounters { TransportCounters() }

  @inline(__always)
  mutating func advance(until limit: Instant) -> Int? {
    assert(limit.nanoseconds >= clock, "time never goes back")
    if nextEvent > limit.nanoseconds {
      clock = limit.nanoseconds
      return nil
    }
    return nextArrival(until: limit.nanoseconds)
  }

  @inline(__always)
  mutating func start(_ transfer: Int, volume: Volume, host: Int, priority: Int) {
    precondition(volume > .zero, "a transfer of nothing never ends")
    numbersUsed = max(numbersUsed, transfer &+ 1)
    let joins = latencyVaries ? cursor.latencyEnd(from: clock) : clock + latency
    flows[transfer] = Flow(total: volume.nanobits, joins: joins, lead: clock == surplusInstant ? surplus : 0, leadRate: surplusRate)
    if sharingCount == 0, waiting.isEmpty, !latencyVaries {
      // With a constant latency nothing that starts later joins earlier, so the cursor may go ahead.
      cursor.skip(to: joins)
      joinAlone(transfer)
    } else {
      waiting.append(transfer)
      nextJoin = min(nextJoin, joins)
      nextEvent = min(nextEvent, joins)
    }
  }

  mutating func cancel(_ transfer: Int) -> Volume {
    // Looked for anew when it is asked for.
    nextEvent = clock
    guard tags[transfer] != FluidTransport.notSharing else {
      waiting.remove(transfer)
      scheduleJoin()
      return .zero
    }
    settle()
    // What ends later has something left, however it was rounded.
    let rest = max(1, remaining(transfer))
    tags[transfer] = FluidTransport.notSharing
    sharingCount -= 1
    if sharingCount == 0 { unshared = 0 }
    findLeast()
    foresee()
    return flows[transfer].joins <= clock ? Volume(nanobits: flows[transfer].total - rest) : .zero
  }

  func received(_ transfer: Int) -> Volume {
    guard tags[transfer] != FluidTransport.notSharing, flows[transfer].joins <= clock else { return .zero }
    let share = FluidTransport.part(unshared &+ cursor.capacity(until: clock), of: sharingCount)
    return Volume(nanobits: min(flows[transfer].total, flows[transfer].total - remaining(transfer) + share))
  }

  /// The equal part of a capacity, rounded up.
  @inline(__always)
  private static func part(_ capacity: Int64, of count: Int) -> Int64 {
    let count = UInt64(truncatingIfNeeded: count)
    return Int64(bitPattern: (UInt64(bitPattern: capacity) &+ count &- 1) / count)
  }

  /// What a transfer that shares the link still had to get at the last change.
  @inline(__always)
  private func remaining(_ transfer: Int) -> Int64 { tags[transfer] &- shared }

  func firstByte(_ transfer: Int) -> Instant? { flows[transfer].joins <= clock ? Instant(nanoseconds: flows[transfer].joins) : nil }

  // MARK: Events

  @inline(never)
  private mutating func nextArrival(until limit: Int64) -> Int? {
    if isTied { return takeFinished() }
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

  @inline(__always)
  private mutating func joinDue() {
    if latencyVaries {
      joinVarying()
    } else {
      // With a constant latency they wait in the order in which they join.
      repeat {
        join(waiting.removeFirst())
        nextJoin = flows[waiting.first].joins
      } while nextJoin <= clock
    }
    foresee()
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

  @inline(__always)
  private mutating func join(_ transfer: Int) {
    if flows[transfer].lead > 0 { settle(before: transfer) } else { settle() }
    if shared > FluidTransport.sharedLimit { shiftTags() }
    sharingCount &+= 1
    places[transfer] = nextPlace
    nextPlace &+= 1
    let tag = shared &+ flows[transfer].total
    tags[transfer] = tag
    least = tag < leastTag ? transfer : least
    leastTag = min(leastTag, tag)
  }

  /// Begins the only one that shares the link.
  @inline(__always)
  private mutating func joinAlone(_ transfer: Int) {
    places[transfer] = 0
    nextPlace = 1
    sharingCount = 1
    shared = 0
    least = transfer
    leastTag = flows[transfer].total
    tags[transfer] = leastTag
    unshared = flows[transfer].lead > 0 ? lead(of: transfer).most : 0
    finishEnd = cursor.end(of: leastTag &- unshared)
    isStep = false
    nextEvent = isTied ? clock : finishEnd.instant
  }

  /// Finds the transfer that ends first after one has left.
  @inline(__always)
  private mutating func findLeast() {
    // Over all numbers, whether they share or not: as many rounds each time are what a processor can predict.
    var (least, leastTag) = (0, tags[0])
    var number = 1
    while number < numbersUsed {
      let tag = tags[number]
      least = tag < leastTag ? number : least
      leastTag = min(leastTag, tag)
      number &+= 1
    }
    self.least = least
    self.leastTag = leastTag
  }

  /// Counts what is shared anew, before the tags come to more than 64 bits hold.
  @inline(never)
  private mutating func shiftTags() {
    for number in 0..<numbersUsed where tags[number] != FluidTransport.notSharing { tags[number] -= shared }
    if sharingCount > 0 { leastTag -= shared }
    shared = 0
  }

  /// What the link carries between the exact join of a transfer and the cursor's instant, in nanobits: rounded down and up.
  @inline(__always)
  private func lead(of transfer: Int) -> (least: Int64, most: Int64) {
    let flow = flows[transfer]
    let rate = cursor.rateBefore
    return rate == flow.leadRate ? (flow.lead, flow.lead) : FluidTransport.scaled(flow.lead, by: rate, over: flow.leadRate)
  }

  /// The lead is the same part of a nanosecond at another rate.
  @inline(never)
  private static func scaled(_ lead: Int64, by rate: Int64, over leadRate: Int64) -> (least: Int64, most: Int64) {
    let (quotient, remainder) = leadRate.dividingFullWidth(lead.multipliedFullWidth(by: rate))
    return (quotient, remainder > 0 ? quotient + 1 : quotient)
  }

  /// Gives every sharing transfer its part of what had passed when one joined a part of a nanosecond before the clock's instant.
  @inline(never)
  private mutating func settle(before transfer: Int) {
    let passed = cursor.instant < clock ? cursor.advance(to: clock) : 0
    let (least, most) = lead(of: transfer)
    if sharingCount > 0 { shared &+= FluidTransport.part(max(0, unshared &+ passed &- least), of: sharingCount) }
    unshared = most
  }

  /// Ends the transfer that ends first, and returns it.
  @inline(__always)
  private mutating func finish() -> Int {
    // What has passed since the cursor's instant is known: the end was looked for from there.
    cursor.move(to: finishEnd)
    surplusInstant = clock
    let transfer = least
    tags[transfer] = FluidTransport.notSharing
    surplus = finishEnd.overshoot
    surplusRate = finishEnd.rate
    if sharingCount == 1 {
      // Nothing to divide, and nothing to look for.
      sharingCount = 0
      unshared = 0
      leastTag = FluidTransport.notSharing
      finishEnd.instant = FluidTransport.noEvent
      nextEvent = nextJoin
      return transfer
    }
    shared = leastTag
    unshared = surplus
    sharingCount &-= 1
    findLeast()
    if leastNeeds() <= 0 { return finishTogether(with: transfer) }
    foresee()
    nextEvent = min(nextJoin, finishEnd.instant)
    return transfer
  }

  /// What must pass after the cursor's instant until the transfer that ends first has ended, as far as 64 bits hold it.
  @inline(__always)
  private func leastNeeds() -> Int64 {
    let (product, overflow) = (leastTag &- shared).multipliedReportingOverflow(by: Int64(truncatingIfNeeded: sharingCount))
    return overflow ? .max : product &- unshared
  }

  /// Very large volumes are walked in steps that fit in 64 bits; a step ends without a finish.
  @inline(never)
  private mutating func finishStep() {
    cursor.move(to: finishEnd)
    cursor.skip(to: clock)
    shared += FluidTransport.part(FluidTransport.stepVolume + finishEnd.overshoot + unshared, of: sharingCount)
    unshared = 0
    foresee()
  }

  /// Ends all that end in the same nanosecond as a transfer that just left; they are reported in the order in which they joined.
  @inline(never)
  private mutating func finishTogether(with transfer: Int) -> Int {
    tags[transfer] = FluidTransport.ended
    while sharingCount > 0, leastNeeds() <= 0 {
      unshared -= (leastTag - shared) * Int64(sharingCount)
      shared = leastTag
      tags[least] = FluidTransport.ended
      sharingCount -= 1
      findLeast()
    }
    surplus = unshared
    if sharingCount == 0 { unshared = 0 }
    isTied = true
    nextEvent = clock
    while true {
      var first: Int?
      for number in 0..<numbersUsed where tags[number] == FluidTransport.ended {
        if places[number] < first.map({ places[$0] }) ?? .max { first = number }
      }
      guard let first else { break }
      finished.append(first)
      tags[first] = FluidTransport.notSharing
    }
    if sharingCount == 0 { leastTag = FluidTransport.notSharing }
    foresee()
    return takeFinished()
  }

  @inline(never)
  private mutating func takeFinished() -> Int {
    let transfer = finished.removeFirst()
    isTied = !finished.isEmpty
    nextEvent = isTied ? clock : min(nextJoin, finishEnd.instant)
    return transfer
  }

  /// Gives every sharing transfer its part of what has passed since the last change.
  @inline(__always)
  private mutating func settle() {
    // The cursor stands ahead of the clock while a lone transfer's latency lasts.
    if cursor.instant > clock || (cursor.instant == clock && unshared == 0) { return }
    if sharingCount == 0 {
      cursor.skip(to: clock)
    } else {
      shared &+= FluidTransport.part(unshared &+ cursor.advance(to: clock), of: sharingCount)
    }
    unshared = 0
  }

  /// After a change of who shares: looks where the first of them ends.
  @inline(__always)
  private mutating func foresee() {
    if sharingCount == 0 {
      finishEnd.instant = FluidTransport.noEvent
      return
    }
    let needs = leastNeeds()
    isStep = needs == .max
    finishEnd = cursor.end(of: isStep ? FluidTransport.stepVolume : needs)
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
