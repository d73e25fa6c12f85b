// The rate of a link over time: a constant, the periods of a trace, or the packet opportunities of a Mahimahi trace.

/// The rate of one direction of a link over time. Traces repeat.
package struct LinkRate: Hashable, Sendable {
  package struct Period: Hashable, Sendable {
    /// The length of the period; positive.
    package var duration: Interval
    /// The rate in bit/s; zero is an outage.
    package var bitsPerSecond: Int64
    /// The latency of a request that starts in this period, both ways together; nil if the trace has none.
    package var latency: Interval?

    package init(duration: Interval, bitsPerSecond: Int64, latency: Interval? = nil) {
      (self.duration, self.bitsPerSecond, self.latency) = (duration, bitsPerSecond, latency)
    }
  }

  /// The periods in order, at least one; they repeat.
  package let periods: [Period]
  /// The times at which up to 1500 bytes may leave, ascending, in milliseconds; the last one is the length of the trace.
  /// Empty but for Mahimahi traces, whose `periods` have the same rates by the millisecond.
  package let opportunitiesMs: [Int64]
  /// The length of one pass through the periods, and its capacity in nanobits.
  package let length: Interval
  let perPass: Int128
  /// The start and end of each period within a pass, in nanoseconds, and the nanobits before it. Runs share them.
  let starts: ContiguousArray<Int64>, ends: ContiguousArray<Int64>
  let sums: ContiguousArray<Int128>
  /// True if all periods have a latency, else the delays of the network apply; and that latency if it is the same in all.
  let hasLatencies: Bool, commonLatency: Interval?

  package init(constant bitsPerSecond: Int64) {
    self.init(periods: [Period(duration: Interval(nanoseconds: Instant.never.nanoseconds), bitsPerSecond: bitsPerSecond)])
  }

  /// Creates a trace of periods with a positive length and at least one rate above zero.
  package init(periods: [Period], opportunitiesMs: [Int64] = []) {
    precondition(periods.contains { $0.bitsPerSecond > 0 && $0.duration > .zero }, "a link needs a rate above zero")
    self.periods = periods
    self.opportunitiesMs = opportunitiesMs
    hasLatencies = periods.allSatisfy { $0.latency != nil }
    commonLatency = periods.allSatisfy { $0.latency == periods[0].latency } ? periods[0].latency : nil
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
  }

  /// Returns the last period that starts at or before `time`, which is within one pass. O(log periods).
  func period(at time: Int64) -> Int { max(0, starts.partitioningIndex { $0 > time } - 1) }

  /// Returns the nanobits from the start of a pass to `time`, which may be in a later pass. O(log periods).
  func nanobits(by time: Int64) -> Int128 {
    let (passes, inPass) = time.quotientAndRemainder(dividingBy: length.nanoseconds)
    let passed = nanobits(by: inPass, in: period(at: inPass))
    return passes == 0 ? passed : passed + Int128(passes) * perPass
  }

  /// Returns the nanobits from the start of a pass to `time`, which is in `period` of that pass.
  func nanobits(by time: Int64, in period: Int) -> Int128 {
    sums[period] + LinkCapacity.product(periods[period].bitsPerSecond, time - starts[period])
  }

  /// Returns the first opportunity at or after `time`, from `index` on in a pass, and the start of its pass. O(log opportunities).
  func opportunity(at time: Int64, from index: Int, passBegan: Int64) -> (index: Int, passBegan: Int64) {
    var (index, began) = (index, passBegan)
    if began + opportunitiesMs[index] * 1_000_000 >= time { return (index, began) }
    let length = opportunitiesMs[opportunitiesMs.count - 1] * 1_000_000
    // The last opportunity of a pass is at its end.
    let passes = max(0, time - began - 1) / length
    if passes > 0 { (index, began) = (0, began + passes * length) }
    index = opportunitiesMs[index...].partitioningIndex { began + $0 * 1_000_000 >= time }
    return index < opportunitiesMs.count ? (index, began) : (0, began + length)
  }

  package var withoutLatencies: LinkRate {
    LinkRate(periods: periods.map { Period(duration: $0.duration, bitsPerSecond: $0.bitsPerSecond) }, opportunitiesMs: opportunitiesMs)
  }

  package var isConstant: Bool { periods.count == 1 }
}
