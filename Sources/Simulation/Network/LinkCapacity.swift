// How much a link could have carried by an instant: the raw capacity that bounds and reasons are judged on.

/// The cumulative capacity of a link, in nanobits since the start of the run; exact, and wide enough for any run.
struct LinkCapacity {
  private let link: LinkRate
  /// Where the run starts in the link's periods, and what had passed there.
  private let offset: Int64
  private let before: Int128
  /// Where `ascending` stands: the start of its pass in the link's time, what passed before that pass, and its period.
  private var passStart: Int64 = 0
  private var passSum: Int128 = 0
  private var index = 0

  init(_ link: LinkRate, offset: Interval) {
    self.link = link
    self.offset = offset.nanoseconds % link.length.nanoseconds
    before = LinkCapacity.passed(self.offset, of: link, period: link.period(at: self.offset))
    passSum = -before
  }

  /// The nanobits that the link could have carried by `nanoseconds` into the run. O(log periods).
  func nanobits(by nanoseconds: Int64) -> Int128 {
    let (passes, time) = (nanoseconds + offset).quotientAndRemainder(dividingBy: link.length.nanoseconds)
    let passed = LinkCapacity.passed(time, of: link, period: link.period(at: time)) - before
    return passes == 0 ? passed : passed + Int128(passes) * link.perPass
  }

  /// The same for instants that never go back from call to call. O(log periods passed since the last call).
  mutating func ascending(by nanoseconds: Int64) -> Int128 {
    var time = nanoseconds + offset - passStart
    if time >= link.length.nanoseconds {
      let passes = time / link.length.nanoseconds
      passStart += passes * link.length.nanoseconds
      passSum += Int128(passes) * link.perPass
      time -= passes * link.length.nanoseconds
      index = 0
    }
    gallop(to: time)
    return passSum + LinkCapacity.passed(time, of: link, period: index)
  }

  /// Moves `index` to the last period that starts at or before `time`, by steps that double and then halve.
  private mutating func gallop(to time: Int64) {
    var step = 1
    while index + step < link.starts.count, link.starts[index + step] <= time {
      index += step
      step *= 2
    }
    while step > 1 {
      step /= 2
      if index + step < link.starts.count, link.starts[index + step] <= time { index += step }
    }
  }

  private static func passed(_ time: Int64, of link: LinkRate, period: Int) -> Int128 {
    link.sums[period] + product(link.periods[period].bitsPerSecond, time - link.starts[period])
  }

  /// Rate × time in 128 bits, by the one machine multiplication that it is.
  static func product(_ rate: Int64, _ nanoseconds: Int64) -> Int128 {
    let (high, low) = rate.multipliedFullWidth(by: nanoseconds)
    return Int128(high) << 64 | Int128(low)
  }
}
