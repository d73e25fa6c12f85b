// What a link can carry over time: a constant, the periods of a trace, or a trace of packet opportunities.

/// The capacity of one direction of a link over time. Traces wrap.
package struct LinkRate: Hashable, Sendable {
  package struct Period: Hashable, Sendable {
    /// Positive.
    package var duration: Interval
    /// Bits a second; zero is an outage.
    package var bitsPerSecond: Int64
    /// The latency of a request that starts here, both ways together, where the trace tells one.
    package var latency: Interval?

    package init(duration: Interval, bitsPerSecond: Int64, latency: Interval? = nil) {
      self.duration = duration
      self.bitsPerSecond = bitsPerSecond
      self.latency = latency
    }
  }

  /// The periods in order, at least one; after the last the first comes again.
  package let periods: [Period]
  /// The offsets in milliseconds at which up to 1500 bytes may leave, ascending, for a Mahimahi trace; its length is its last offset.
  /// Empty otherwise. `periods` says the same as rates, a millisecond each.
  package let opportunitiesMs: [Int64]
  /// The length of one pass through the periods, and the nanobits of it.
  package let length: Interval
  let perPass: Int128
  /// Where each period starts and ends within one pass, and the nanobits that have passed by its start. Made once a trace, not once a
  /// run: a trace may have a hundred thousand periods.
  let starts: ContiguousArray<Int64>
  let ends: ContiguousArray<Int64>
  let sums: ContiguousArray<Int128>
  /// How long a byte takes in each period, in nanoseconds / 2²⁰; 0 where nothing passes, or less than 500 bit/s: the
  /// product with the bytes of a run must fit in 64 bits.
  let timesPerByte: ContiguousArray<Int64>
  let latency: TraceLatency

  /// The same rate for ever.
  package init(constant bitsPerSecond: Int64) {
    self.init(periods: [Period(duration: Interval(nanoseconds: Instant.never.nanoseconds), bitsPerSecond: bitsPerSecond)])
  }

  /// The rates of a trace, which wraps; `periods` has a positive length and at least one rate above zero.
  package init(periods: [Period], opportunitiesMs: [Int64] = []) {
    precondition(periods.contains { $0.bitsPerSecond > 0 && $0.duration > .zero }, "a link that never carries anything")
    self.periods = periods
    self.opportunitiesMs = opportunitiesMs
    latency = TraceLatency(periods)
    var (start, sum): (Int64, Int128) = (0, 0)
    var (starts, sums): (ContiguousArray<Int64>, ContiguousArray<Int128>) = ([], [])
    starts.reserveCapacity(periods.count)
    sums.reserveCapacity(periods.count)
    for period in periods {
      starts.append(start)
      sums.append(sum)
      start += period.duration.nanoseconds
      sum += LinkCapacity.product(period.bitsPerSecond, period.duration.nanoseconds)
    }
    length = Interval(nanoseconds: start)
    self.starts = starts
    ends = ContiguousArray(starts.dropFirst() + [start])
    self.sums = sums
    perPass = sum
    // 8e9 · 2²⁰ ns a byte at one bit a second, to the nearest.
    timesPerByte = ContiguousArray(
      periods.lazy.map { period in
        let rate = period.bitsPerSecond
        return rate > 500 ? (8_388_608_000_000_000 + rate / 2) / rate : 0
      })
  }

  /// The last period that starts at or before `time`, an instant within one pass. O(log periods).
  func period(at time: Int64) -> Int {
    var (low, high) = (0, starts.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= time { low = middle } else { high = middle }
    }
    return low
  }

  /// The first opportunity at or after `time`, not before the one at `index` of the pass that began at `passBegan`, and its pass's start.
  /// O(log opportunities).
  func opportunity(at time: Int64, from index: Int, passBegan: Int64) -> (index: Int, passBegan: Int64) {
    var (index, began) = (index, passBegan)
    if began + opportunitiesMs[index] * 1_000_000 >= time { return (index, began) }
    let length = opportunitiesMs[opportunitiesMs.count - 1] * 1_000_000
    // The last opportunity of a pass is at its very end.
    let passes = max(0, time - began - 1) / length
    if passes > 0 { (index, began) = (0, began + passes * length) }
    var high = opportunitiesMs.count
    // Those before `index` are earlier than `time`, those from `high` on are not.
    while index < high {
      let middle = (index + high) / 2
      if began + opportunitiesMs[middle] * 1_000_000 < time { index = middle + 1 } else { high = middle }
    }
    return index < opportunitiesMs.count ? (index, began) : (0, began + length)
  }

  /// Returns the same rates without the latencies of the periods.
  package var withoutLatencies: LinkRate {
    LinkRate(periods: periods.map { Period(duration: $0.duration, bitsPerSecond: $0.bitsPerSecond) }, opportunitiesMs: opportunitiesMs)
  }

  package var isConstant: Bool { periods.count == 1 }
}

/// What a trace tells of the latency of a request, both ways together.
enum TraceLatency: Hashable, Sendable {
  /// Nothing, or not everywhere; the network's delays hold.
  case untold
  /// The same everywhere.
  case constant(Interval)
  /// Different ones.
  case varying

  init(_ periods: [LinkRate.Period]) {
    guard let first = periods.first?.latency, periods.allSatisfy({ $0.latency != nil }) else {
      self = .untold
      return
    }
    self = periods.allSatisfy { $0.latency == first } ? .constant(first) : .varying
  }
}
