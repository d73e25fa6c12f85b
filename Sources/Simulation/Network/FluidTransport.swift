// The exact transport: no packets, no connections, only rates shared and one latency a request.
// It is what cross-checks and bounds are computed on; against a real client it is too optimistic.

/// A link whose rate of the moment is shared equally by the transfers on the way, each after one latency.
///
/// Equal shares need no events at the trace's period ends: what each transfer got since the last change is the link's capacity
/// since then divided by their number. A transfer's exact end lies up to a nanosecond before the instant reported; what is
/// started at that very instant gets the difference back, so that a chain of transfers does not drift.
///
/// Most of a session one transfer has the link to itself, so that case has a short way of its own: its join is no event (the
/// cursor waits at the join's instant, ahead of the clock), and its finish needs no lists. It halves the cost of a transfer.
struct FluidTransport: Transport, ~Copyable {
  struct Flow: BitwiseCopyable {
    var total: Int64 = 0
    var remaining: Int64 = 0
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
  private var clock: Int64 = 0
  private var nextFinish = Instant.never.nanoseconds
  /// Where a transfer that shares with nobody ends; as old as `nextFinish`.
  private var loneEnd = RateCursor.End()
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
      total: volume.nanobits, remaining: volume.nanobits, joins: joins,
      credit: clock == surplusInstant ? surplus : 0, creditRate: surplusRate, sharing: isAlone)
    if isAlone {
      // With a constant latency nothing that starts later joins earlier, so the cursor may go ahead.
      cursor.skip(to: joins)
      sharing.append(transfer)
      if flows[transfer].credit > 0 { redeemCredit(transfer) }
      scheduleLone(transfer)
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
      scheduleFinish()
    } else {
      waiting.remove(at: waiting.index(of: transfer))
      scheduleJoin()
    }
    return hasJoined ? Volume(nanobits: flows[transfer].total - flows[transfer].remaining) : .zero
  }

  func received(_ transfer: Int) -> Volume {
    let flow = flows[transfer]
    guard flow.sharing, flow.joins <= clock else { return .zero }
    let share = cursor.capacity(until: clock) / Int64(sharing.count)
    return Volume(nanobits: min(flow.total, flow.total - flow.remaining + share))
  }

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
        sharing.append(transfer)
        flows[transfer].sharing = true
        redeemCredit(transfer)
      } else {
        index += 1
      }
    }
    scheduleJoin()
    scheduleFinish()
  }

  /// Ends the only transfer that shares the link. One volume always fits in 64 bits, so that its event is its finish.
  @inline(__always)
  private mutating func finishLone() -> Arrival {
    let transfer = sharing.removeLast()
    cursor.move(to: loneEnd)
    surplus = loneEnd.overshoot
    surplusInstant = clock
    surplusRate = loneEnd.rate
    flows[transfer].sharing = false
    flows[transfer].remaining = 0
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
    flows[transfer].remaining -= min(credit, flows[transfer].remaining - 1)
  }

  private mutating func finishDue() {
    let overshoot = settle()
    var index = 0
    while index < sharing.count {
      let transfer = sharing[index]
      if flows[transfer].remaining <= 0 {
        flows[transfer].sharing = false
        flows[transfer].remaining = 0
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
    scheduleFinish()
  }

  /// Gives every sharing transfer its part of what has passed since the last change; returns by how many nanobits of the link
  /// the smallest one has been overshot.
  @discardableResult
  private mutating func settle() -> Int64 {
    // The cursor stands ahead of the clock while a lone transfer's latency lasts.
    if cursor.instant >= clock { return 0 }
    guard !sharing.isEmpty else {
      cursor.skip(to: clock)
      return 0
    }
    let count = Int64(sharing.count)
    let capacity = cursor.advance(to: clock)
    let share = count == 1 ? capacity : capacity / count
    var least = Int64.max
    var index = 0
    while index < sharing.count {
      let transfer = sharing[index]
      flows[transfer].remaining -= share
      least = min(least, flows[transfer].remaining)
      index += 1
    }
    return least < 0 ? -least * count : 0
  }

  private mutating func scheduleJoin() {
    nextJoin = Instant.never.nanoseconds
    var index = 0
    while index < waiting.count {
      nextJoin = min(nextJoin, flows[waiting[index]].joins)
      index += 1
    }
    scheduleEvent()
  }

  private mutating func scheduleFinish() {
    guard !sharing.isEmpty else {
      nextFinish = Instant.never.nanoseconds
      return scheduleEvent()
    }
    if sharing.count == 1 { return scheduleLone(sharing[0]) }
    var least = Int64.max
    var index = 0
    while index < sharing.count {
      least = min(least, flows[sharing[index]].remaining)
      index += 1
    }
    // Very large shared volumes are walked in steps that fit in 64 bits; a step ends without a finish.
    let (volume, overflow) = least.multipliedReportingOverflow(by: Int64(sharing.count))
    nextFinish = cursor.end(of: overflow ? Int64.max / 2 : volume).instant
    scheduleEvent()
  }

  @inline(__always)
  private mutating func scheduleLone(_ transfer: Int) {
    loneEnd = cursor.end(of: flows[transfer].remaining)
    nextFinish = loneEnd.instant
    scheduleEvent()
  }

  private mutating func scheduleEvent() { nextEvent = finished.isEmpty ? min(nextFinish, nextJoin) : clock }
}
