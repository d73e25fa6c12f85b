// The exact transport: no packets, no connections, only rates shared and one latency a request.
// It is what cross-checks and bounds are computed on; against a real client it is too optimistic.

/// A link whose rate of the moment is shared equally by the transfers on the way, each after one latency.
///
/// Equal shares need no events at the trace's period ends: what each transfer got since the last change is the link's capacity
/// since then divided by their number. A transfer's exact end lies up to a nanosecond before the instant reported; what is
/// started at that very instant gets the difference back, so that a chain of transfers does not drift.
///
/// All that share get the same, so what it carries is counted once for all of them: `shared` is what each has got since the start, and a
/// transfer is done when that has come to its `tag` (virtual time: Parekh & Gallager, IEEE/ACM ToN 1, 1993).
///
/// Most of a session one transfer has the link to itself, so that case has a short way of its own: its join is no event (the
/// cursor waits at the join's instant, ahead of the clock), and its finish needs no lists. It halves the cost of a transfer.
struct FluidTransport: Transport, ~Copyable {
  struct Flow: BitwiseCopyable {
    var total: Int64 = 0
    /// What `shared` will have come to when all of it has passed; meaningless before it shares the link.
    var tag: Int64 = 0
    /// When its latency is over; meaningless once it shares the link.
    var joins: Int64 = 0
    /// What it would have got between its true start and the instant of it, at the rate `creditRate`; in nanobits.
    var credit: Int64 = 0
    var creditRate: Int64 = 0
    var sharing = false
  }

  private var cursor: RateCursor
  private let latency: Int64
  private let latencyVaries: Bool
  private var flows: FixedArray<Flow>
  /// Numbers of the transfers that share the link.
  private var sharing: ShortList
  /// Numbers of the transfers whose latency is not over.
  private var waiting: ShortList
  /// Finished, not yet reported.
  private var finished: ShortList
  /// The nanobits that a transfer which always shared would have got; wraps around, as do the tags, of which differences are taken.
  private var shared: Int64 = 0
  /// The least tag of those that share the link.
  private var leastTag: Int64 = 0
  private var clock: Int64 = 0
  private var nextFinish = Instant.never.nanoseconds
  /// Where the first one that shares the link ends, and what the link carries until then; as old as `nextFinish`.
  private var finishEnd = RateCursor.End()
  private var finishVolume: Int64 = 0
  private var nextJoin = Instant.never.nanoseconds
  /// The earliest of finish, join and report: all that most calls of `advance` look at.
  private var nextEvent = Instant.never.nanoseconds
  /// What the link carried between the last arrival's true end and its instant, and at what rate.
  private var surplus: Int64 = 0
  private var surplusRate: Int64 = 0
  private var surplusInstant: Int64 = -1

  /// A link at the start of a run, for transfers numbered 0 ..< `transfers`.
  init(_ network: NetworkConfiguration, transfers: Int) {
    cursor = RateCursor(network.down, offset: network.offset)
    latencyVaries = network.fluidLatency == nil
    latency = network.fluidLatency ?? 0
    flows = FixedArray(repeating: Flow(), count: transfers)
    sharing = ShortList(capacity: transfers)
    waiting = ShortList(capacity: transfers)
    finished = ShortList(capacity: transfers)
  }

  var now: Instant { Instant(nanoseconds: clock) }
  var counters: TransportCounters { TransportCounters() }

  @inline(__always)
  mutating func advance(until limit: Instant) -> Arrival? {
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
    let isAlone = sharing.isEmpty && waiting.isEmpty && !latencyVaries
    let joins = latencyVaries ? cursor.latencyEnd(from: clock) : clock + latency
    flows[transfer] = Flow(
      total: volume.nanobits, tag: shared &+ volume.nanobits, joins: joins,
      credit: clock == surplusInstant ? surplus : 0, creditRate: surplusRate, sharing: isAlone)
    if isAlone {
      // With a constant latency nothing that starts later joins earlier, so the cursor may go ahead.
      cursor.skip(to: joins)
      sharing.append(transfer)
      if flows[transfer].credit > 0 { redeemCredit(transfer) }
      leastTag = flows[transfer].tag
      scheduleLone()
    } else {
      waiting.append(transfer)
      nextJoin = min(nextJoin, joins)
      nextEvent = min(nextEvent, joins)
    }
  }

  mutating func cancel(_ transfer: Int) -> Volume {
    let hasJoined = flows[transfer].sharing && flows[transfer].joins <= clock
    if flows[transfer].sharing {
      settle()
      flows[transfer].sharing = false
      sharing.remove(at: sharing.index(of: transfer))
      findLeast()
      scheduleFinish()
    } else {
      waiting.remove(at: waiting.index(of: transfer))
      scheduleJoin()
    }
    return hasJoined ? Volume(nanobits: flows[transfer].total - remaining(transfer)) : .zero
  }

  func received(_ transfer: Int) -> Volume {
    let flow = flows[transfer]
    guard flow.sharing, flow.joins <= clock else { return .zero }
    let share = cursor.capacity(until: clock) / Int64(sharing.count)
    return Volume(nanobits: min(flow.total, flow.total - remaining(transfer) + share))
  }

  /// What a transfer that shares the link still had to get when the cursor was where it is.
  @inline(__always)
  private func remaining(_ transfer: Int) -> Int64 { flows[transfer].tag &- shared }

  func firstByte(_ transfer: Int) -> Instant? { flows[transfer].joins <= clock ? Instant(nanoseconds: flows[transfer].joins) : nil }

  // MARK: Events

  @inline(never)
  private mutating func nextArrival(until limit: Int64) -> Arrival? {
    while nextEvent <= limit {
      if !finished.isEmpty { return takeFinished() }
      clock = nextEvent
      if nextJoin < nextFinish {
        joinDue()
      } else if sharing.count == 1 {
        return finishLone()
      } else {
        finishDue()
      }
    }
    clock = limit
    return nil
  }

  private mutating func takeFinished() -> Arrival {
    let arrival = Arrival(transfer: finished[0])
    finished.remove(at: 0)
    scheduleEvent()
    return arrival
  }

  private mutating func joinDue() {
    settle()
    var index = 0
    while index < waiting.count {
      let transfer = waiting[index]
      if flows[transfer].joins <= clock {
        waiting.remove(at: index)
        join(transfer)
      } else if latencyVaries {
        index += 1
      } else {
        // With a constant latency they wait in the order in which they join.
        break
      }
    }
    scheduleJoin()
    scheduleFinish()
  }

  @inline(__always)
  private mutating func join(_ transfer: Int) {
    flows[transfer].tag = shared &+ flows[transfer].total
    flows[transfer].sharing = true
    sharing.append(transfer)
    redeemCredit(transfer)
    if sharing.count == 1 || flows[transfer].tag &- leastTag < 0 { leastTag = flows[transfer].tag }
  }

  /// Ends the only transfer that shares the link. One volume always fits in 64 bits, so that its event is its finish.
  @inline(__always)
  private mutating func finishLone() -> Arrival {
    let transfer = sharing.removeLast()
    cursor.move(to: finishEnd)
    surplus = finishEnd.overshoot
    surplusInstant = clock
    surplusRate = finishEnd.rate
    flows[transfer].sharing = false
    nextFinish = Instant.never.nanoseconds
    nextEvent = nextJoin
    return Arrival(transfer: transfer)
  }

  /// Gives a transfer that joins what it would have got in the fraction of a nanosecond by which it was really started earlier.
  @inline(__always)
  private mutating func redeemCredit(_ transfer: Int) {
    var credit = flows[transfer].credit
    // A finish at a period's very end may have left the rate of an outage behind.
    guard credit > 0, flows[transfer].creditRate > 0 else { return }
    if flows[transfer].creditRate != cursor.bitsPerSecond {
      credit = Int64(Double(credit) * Double(cursor.bitsPerSecond) / Double(flows[transfer].creditRate))
    }
    if sharing.count > 1 { credit /= Int64(sharing.count) }
    flows[transfer].tag &-= min(credit, remaining(transfer) - 1)
  }

  private mutating func finishDue() {
    // What has passed since the cursor's instant is known: the end was looked for from there.
    cursor.move(to: finishEnd)
    cursor.skip(to: clock)
    let overshoot = share(finishVolume + finishEnd.overshoot)
    var index = 0
    while index < sharing.count {
      let transfer = sharing[index]
      if remaining(transfer) <= 0 {
        flows[transfer].sharing = false
        sharing.remove(at: index)
        finished.append(transfer)
      } else {
        index += 1
      }
    }
    if !finished.isEmpty {
      surplus = overshoot
      surplusInstant = clock
      surplusRate = cursor.bitsPerSecond
    }
    findLeast()
    scheduleFinish()
  }

  /// Gives every sharing transfer its part of what has passed since the last change.
  private mutating func settle() {
    // The cursor stands ahead of the clock while a lone transfer's latency lasts.
    if cursor.instant >= clock { return }
    if sharing.isEmpty {
      cursor.skip(to: clock)
    } else {
      _ = share(cursor.advance(to: clock))
    }
  }

  /// Shares what the link has carried, and returns by how many nanobits of the link the smallest one has been overshot.
  @inline(__always)
  private mutating func share(_ capacity: Int64) -> Int64 {
    let count = Int64(sharing.count)
    shared &+= count == 1 ? capacity : capacity / count
    let least = leastTag &- shared
    return least < 0 ? -least * count : 0
  }

  @inline(__always)
  private mutating func findLeast() {
    guard !sharing.isEmpty else { return }
    leastTag = flows[sharing[0]].tag
    var index = 1
    while index < sharing.count {
      let tag = flows[sharing[index]].tag
      if tag &- leastTag < 0 { leastTag = tag }
      index += 1
    }
  }

  private mutating func scheduleJoin() {
    nextJoin = waiting.isEmpty ? Instant.never.nanoseconds : flows[waiting[0]].joins
    if latencyVaries {
      var index = 1
      while index < waiting.count {
        nextJoin = min(nextJoin, flows[waiting[index]].joins)
        index += 1
      }
    }
    scheduleEvent()
  }

  private mutating func scheduleFinish() {
    guard !sharing.isEmpty else {
      nextFinish = Instant.never.nanoseconds
      return scheduleEvent()
    }
    if sharing.count == 1 { return scheduleLone() }
    // Very large shared volumes are walked in steps that fit in 64 bits; a step ends without a finish.
    let (volume, overflow) = (leastTag &- shared).multipliedReportingOverflow(by: Int64(sharing.count))
    finishVolume = overflow ? Int64.max / 2 : volume
    finishEnd = cursor.end(of: finishVolume)
    nextFinish = finishEnd.instant
    scheduleEvent()
  }

  @inline(__always)
  private mutating func scheduleLone() {
    finishVolume = leastTag &- shared
    finishEnd = cursor.end(of: finishVolume)
    nextFinish = finishEnd.instant
    scheduleEvent()
  }

  private mutating func scheduleEvent() { nextEvent = finished.isEmpty ? min(nextFinish, nextJoin) : clock }
}
