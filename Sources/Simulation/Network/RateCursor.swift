// A place in a link's rate over time: how much passes until an instant, and when so much has passed.

/// Walks along a link's periods. All sums are exact: rate × nanoseconds is a whole number of nanobits.
struct RateCursor {
  private let periods: ContiguousArray<LinkRate.Period>
  private var index: Int
  /// Where the cursor stands.
  private(set) var instant: Int64
  private var periodEnd: Int64
  private var rate: Int64

  /// A cursor at the start of the run, which is `offset` into the link's periods.
  init(_ link: LinkRate, offset: Interval) {
    periods = ContiguousArray(link.periods)
    var rest = offset.nanoseconds % link.length.nanoseconds
    index = 0
    while rest >= periods[index].duration.nanoseconds {
      rest -= periods[index].duration.nanoseconds
      index = (index + 1) % periods.count
    }
    instant = 0
    periodEnd = periods[index].duration.nanoseconds - rest
    rate = periods[index].bitsPerSecond
  }

  /// The rate at the cursor, in bits a second.
  var bitsPerSecond: Int64 { rate }

  /// Moves to a later instant and returns how many nanobits the link could carry on the way. The caller sees to it that they
  /// fit in 64 bits; use `skip` where nobody asks.
  mutating func advance(to target: Int64) -> Int64 {
    var capacity: Int64 = 0
    while target >= periodEnd {
      capacity += rate * (periodEnd - instant)
      enterNextPeriod()
    }
    capacity += rate * (target - instant)
    instant = target
    return capacity
  }

  /// Moves to a later instant, whatever passes meanwhile.
  mutating func skip(to target: Int64) {
    while target >= periodEnd { enterNextPeriod() }
    instant = target
  }

  /// What `advance` would return, without moving.
  func capacity(until target: Int64) -> Int64 {
    if target < periodEnd { return rate * (target - instant) }
    var copy = self
    return copy.advance(to: target)
  }

  /// The first instant at which `volume` nanobits have passed since the cursor's.
  func finish(of volume: Int64) -> Int64 {
    var rest = volume
    let (inPeriod, overflow) = rate.multipliedReportingOverflow(by: periodEnd - instant)
    if overflow || rest <= inPeriod { return instant + RateCursor.ceilingQuotient(rest, rate) }
    rest -= inPeriod
    var next = index
    var time = periodEnd
    while true {
      next += 1
      if next == periods.count { next = 0 }
      let period = periods[next]
      let (passing, overflow) = period.bitsPerSecond.multipliedReportingOverflow(by: period.duration.nanoseconds)
      if overflow || rest <= passing { return time + RateCursor.ceilingQuotient(rest, period.bitsPerSecond) }
      rest -= passing
      time += period.duration.nanoseconds
    }
  }

  /// The instant at which a request made at `start` has spent its latency: where periods tell different ones, each nanosecond
  /// spends the share of the period it falls in. `start` is at or after the cursor.
  func latencyEnd(from start: Int64) -> Int64 {
    var copy = self
    copy.skip(to: start)
    var share = 1.0
    while true {
      let latency = Double((copy.periods[copy.index].latency ?? .zero).nanoseconds)
      let needed = share * latency
      let available = Double(copy.periodEnd - copy.instant)
      if needed <= available { return copy.instant + Int64(needed.rounded()) }
      share -= available / latency
      copy.enterNextPeriod()
    }
  }

  private mutating func enterNextPeriod() {
    instant = periodEnd
    index += 1
    if index == periods.count { index = 0 }
    periodEnd += periods[index].duration.nanoseconds
    rate = periods[index].bitsPerSecond
  }

  private static func ceilingQuotient(_ value: Int64, _ divisor: Int64) -> Int64 {
    if value == 0 { return 0 }
    // Most volumes are below 2^53 or the rate divides poorly; plain integer division is exact and fast enough.
    return (value - 1) / divisor + 1
  }
}
