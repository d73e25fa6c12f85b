// The radio of a phone between packets: the promotion of an idle one, and the cycles in which a sleeping one listens.
// All transports share it; each calls it in the order of its own events.

/// The cycles in which a radio listens for packets to it: 3GPP TS 36.321 and 38.321, 5.7 (DRX), and TS 36.304, 7 (paging).
/// Cycles count from the start of the run; zero is a radio that always listens.
package struct RadioCycles: Hashable, Sendable {
  /// The time after its last packet at which a connected radio falls asleep, and the cycle in which it listens from then on.
  package var drxInactivity: Interval = .zero, drxCycle: Interval = .zero
  /// The cycle in which an idle radio listens for pages.
  package var pagingCycle: Interval = .zero
  /// The time that signalling keeps the radio active after it has become connected.
  package var settling: Interval = .zero

  package init() {}
}

/// Delays packets by the state of the radio. The client's end knows the packets of the client's order of events, the network's end those of
/// the servers', so that neither needs to know what the other will do.
package struct RadioState {
  private let tail: Int64, promotion: Int64, settling: Int64
  private let drxInactivity: Int64, drxCycle: Int64, pagingCycle: Int64
  /// True if packets of an idle client wait for a promotion.
  let promotes: Bool
  /// True if packets to a client may wait for a cycle.
  let sleeps: Bool
  /// The last activity at the client's end, and the time at which the promoted radio can send.
  private var activeAt = longAgo, readyAt = longAgo
  /// The last activity at the network's end, and the time at which the radio hears the packet that woke it.
  private var seenAt = longAgo, awakeAt = longAgo
  /// Earlier than any tail; `Instant.never` minus it is still a number.
  private static let longAgo = -Instant.never.nanoseconds / 2

  package init(_ network: NetworkConfiguration) {
    (tail, promotion) = (network.radioTail.nanoseconds, network.radioPromotion.nanoseconds)
    let cycles = network.radioCycles
    (settling, drxInactivity) = (cycles.settling.nanoseconds, cycles.drxInactivity.nanoseconds)
    (drxCycle, pagingCycle) = (cycles.drxCycle.nanoseconds, cycles.pagingCycle.nanoseconds)
    promotes = promotion > 0
    sleeps = drxCycle > 0 || pagingCycle > 0
  }

  /// Returns the time at which a packet of the client can leave. A radio that is connected sends at once, asleep or not.
  @inline(never) mutating func sendUp(at now: Int64) -> Int64 {
    if now - activeAt > tail {
      readyAt = now + promotion
      activeAt = settling > 0 ? readyAt + settling : now
    } else {
      activeAt = max(activeAt, now)
    }
    return max(now, readyAt)
  }

  @inline(never) mutating func noteReceived(at now: Int64) { activeAt = noting(now, after: activeAt) }

  /// Notes that a packet of the client reaches the network.
  @inline(never) package mutating func noteSeen(at now: Int64) { seenAt = noting(now, after: seenAt) }

  /// Returns the last activity with that of `now`, the signalling after a promotion included.
  private func noting(_ now: Int64, after last: Int64) -> Int64 { max(last, now - last > tail ? now + settling : now) }

  /// Returns the time at which a packet to the client can leave. An idle radio is paged and promoted, a sleeping one listens once a cycle.
  /// A packet that waits is not released early by one of the client.
  @inline(never) package mutating func sendDown(at now: Int64) -> Int64 {
    let idle = now - seenAt
    if pagingCycle > 0, idle > tail {
      awakeAt = next(now, pagingCycle) + promotion
      seenAt = awakeAt + settling
    } else if drxCycle > 0, idle > drxInactivity {
      awakeAt = next(now, drxCycle)
      seenAt = awakeAt
    } else {
      seenAt = max(seenAt, now)
    }
    return max(now, awakeAt)
  }

  /// Returns the first start of a cycle at or after `now`.
  private func next(_ now: Int64, _ cycle: Int64) -> Int64 { (now + cycle - 1) / cycle * cycle }
}
