// The exact transport: no packets, no connections, only rates shared and one latency a request.
// It is what cross-checks and bounds are computed on; against a real client it is too optimistic.

/// A link whose rate of the moment is shared equally by the transfers on the way, each after one latency.
///
/// Equal shares need no events at the trace's period ends: what each transfer got since the last change is the link's capacity
/// since then divided by their number. A transfer's exact end lies up to a nanosecond before the instant reported; what is
/// started at that very instant gets the difference back, so that a chain of transfers does not drift.
struct FluidTransport: Transport {
  private struct Flow {
    var total: Int64 = 0
    var remaining: Int64 = 0
    /// When its latency is over; meaningless once it shares the link.
    var joins: Int64 = 0
    /// How much earlier than `now` it was really started, in 2⁻²⁰ ns.
    var credit: Int64 = 0
    var sharing = false
  }

  private var cursor: RateCursor
  private let latency: Int64
  private let latencyVaries: Bool
  private var flows: ContiguousArray<Flow>
  /// Numbers of the transfers that share the link.
  private var sharing: ContiguousArray<Int> = []
  /// Numbers of the transfers whose latency is not over.
  private var waiting: ContiguousArray<Int> = []
  /// Finished, not yet reported.
  private var finished: ContiguousArray<Int> = []
  private var clock: Int64 = 0
  private var nextFinish = Instant.never.nanoseconds
  private var nextJoin = Instant.never.nanoseconds
  /// How much earlier than `clock` the last arrival really was, in 2⁻²⁰ ns; zero once time goes on.
  private var early: Int64 = 0

  /// A link at the start of a run, for transfers numbered 0 ..< `transfers`.
  init(_ network: NetworkConfiguration, transfers: Int) {
    cursor = RateCursor(network.down, offset: network.offset)
    let latencies = network.down.periods.compactMap(\.latency)
    latencyVaries = latencies.count == network.down.periods.count && latencies.contains { $0 != latencies[0] }
    latency = latencies.count == network.down.periods.count ? latencies[0].nanoseconds : (network.delayDown + network.delayUp).nanoseconds
    flows = ContiguousArray(repeating: Flow(), count: transfers)
    sharing.reserveCapacity(transfers)
    waiting.reserveCapacity(transfers)
    finished.reserveCapacity(transfers)
  }

  var now: Instant { Instant(nanoseconds: clock) }
  var counters: TransportCounters { TransportCounters() }

  mutating func advance(until limit: Instant) -> Arrival? {
    assert(limit.nanoseconds >= clock, "time never goes back")
    if let arrival = takeFinished() { return arrival }
    while true {
      let next = min(nextFinish, nextJoin)
      if next > limit.nanoseconds {
        if clock != limit.nanoseconds {
          clock = limit.nanoseconds
          early = 0
        }
        return nil
      }
      if next != clock { early = 0 }
      clock = next
      if nextFinish <= nextJoin {
        finishDue()
        if let arrival = takeFinished() { return arrival }
      } else {
        joinDue()
      }
    }
  }

  mutating func start(_ transfer: Int, volume: Volume, host: Int, priority: Int) {
    precondition(volume > .zero, "a transfer of nothing never ends")
    let joins = latencyVaries ? cursor.latencyEnd(from: clock) : clock + latency
    flows[transfer] = Flow(total: volume.nanobits, remaining: volume.nanobits, joins: joins, credit: early)
    waiting.append(transfer)
    nextJoin = min(nextJoin, joins)
  }

  mutating func cancel(_ transfer: Int) -> Volume {
    if flows[transfer].sharing {
      settle()
      flows[transfer].sharing = false
      remove(transfer, from: &sharing)
      scheduleFinish()
    } else {
      remove(transfer, from: &waiting)
      scheduleJoin()
    }
    return Volume(nanobits: flows[transfer].total - flows[transfer].remaining)
  }

  func received(_ transfer: Int) -> Volume {
    let flow = flows[transfer]
    guard flow.sharing else { return .zero }
    let share = cursor.capacity(until: clock) / Int64(sharing.count)
    return Volume(nanobits: min(flow.total, flow.total - flow.remaining + share))
  }

  // MARK: Events

  private mutating func takeFinished() -> Arrival? {
    finished.isEmpty ? nil : Arrival(transfer: finished.removeFirst())
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
        let credit = (cursor.bitsPerSecond * flows[transfer].credit) >> 20
        flows[transfer].remaining -= min(credit / Int64(sharing.count), flows[transfer].remaining - 1)
      } else {
        index += 1
      }
    }
    scheduleJoin()
    scheduleFinish()
  }

  private mutating func finishDue() {
    let surplus = settle()
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
    if !finished.isEmpty, cursor.bitsPerSecond > 0 { early = (surplus << 20) / cursor.bitsPerSecond }
    scheduleFinish()
  }

  /// Gives every sharing transfer its part of what has passed since the last change; returns by how many nanobits of the link
  /// the smallest one has been overshot.
  @discardableResult
  private mutating func settle() -> Int64 {
    guard !sharing.isEmpty else {
      cursor.skip(to: clock)
      return 0
    }
    let count = Int64(sharing.count)
    let capacity = cursor.advance(to: clock)
    let share = count == 1 ? capacity : capacity / count
    var least = Int64.max
    for transfer in sharing {
      flows[transfer].remaining -= share
      least = min(least, flows[transfer].remaining)
    }
    return least < 0 ? -least * count : 0
  }

  private mutating func scheduleJoin() {
    nextJoin = Instant.never.nanoseconds
    for transfer in waiting { nextJoin = min(nextJoin, flows[transfer].joins) }
  }

  private mutating func scheduleFinish() {
    guard !sharing.isEmpty else {
      nextFinish = Instant.never.nanoseconds
      return
    }
    var least = Int64.max
    for transfer in sharing { least = min(least, flows[transfer].remaining) }
    // Very large shared volumes are walked in steps that fit in 64 bits; a step ends without a finish.
    let (volume, overflow) = least.multipliedReportingOverflow(by: Int64(sharing.count))
    nextFinish = cursor.finish(of: overflow ? Int64.max / 2 : volume)
  }

  private func remove(_ transfer: Int, from list: inout ContiguousArray<Int>) {
    guard let index = list.firstIndex(of: transfer) else { preconditionFailure("transfer \(transfer) is not on the way") }
    list.remove(at: index)
  }
}
