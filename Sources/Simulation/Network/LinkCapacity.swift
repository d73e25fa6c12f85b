// How much a link could have carried by an instant: the raw capacity that bounds and reasons are judged on.

/// The cumulative capacity of a link, in nanobits since the start of the run; exact, and wide enough for any run.
struct LinkCapacity {
  private let periods: [LinkRate.Period]
  /// Where each period starts within one pass, and what has passed by then.
  private let starts: ContiguousArray<Int64>
  private let sums: ContiguousArray<Int128>
  private let length: Int64
  private let perPass: Int128
  private let offset: Int64
  private let before: Int128

  init(_ link: LinkRate, offset: Interval) {
    periods = link.periods
    length = link.length.nanoseconds
    var start: Int64 = 0
    var sum: Int128 = 0
    var starts: ContiguousArray<Int64> = []
    var sums: ContiguousArray<Int128> = []
    for period in link.periods {
      starts.append(start)
      sums.append(sum)
      start += period.duration.nanoseconds
      sum += Int128(period.bitsPerSecond) * Int128(period.duration.nanoseconds)
    }
    self.starts = starts
    self.sums = sums
    perPass = sum
    self.offset = offset.nanoseconds % length
    before = LinkCapacity.passed(self.offset, starts, sums, link.periods)
  }

  /// The nanobits that the link could have carried by `nanoseconds` into the run. O(log periods).
  func nanobits(by nanoseconds: Int64) -> Int128 {
    let time = nanoseconds + offset
    let passes = time / length
    return Int128(passes) * perPass + LinkCapacity.passed(time % length, starts, sums, periods) - before
  }

  private static func passed(
    _ time: Int64, _ starts: ContiguousArray<Int64>, _ sums: ContiguousArray<Int128>, _ periods: [LinkRate.Period]
  ) -> Int128 {
    var low = 0
    var high = starts.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= time { low = middle } else { high = middle }
    }
    return sums[low] + Int128(periods[low].bitsPerSecond) * Int128(time - starts[low])
  }
}
