// The cumulative capacity of a link, from which lower bounds and reasons for loaders are computed.

/// The cumulative capacity of a link since the start of the run, in nanobits; exact.
struct LinkCapacity {
  private let link: LinkRate
  /// The start of the run within the trace, in nanoseconds, and the nanobits before it.
  private let offset: Int64, before: Int128
  /// The position of `ascending`: the start of its pass, the nanobits before that pass, and the index of its period.
  private var passStart: Int64 = 0, passSum: Int128 = 0, index = 0

  init(_ link: LinkRate, offset: Interval) {
    self.link = link
    self.offset = offset.nanoseconds % link.length.nanoseconds
    before = link.nanobits(by: self.offset)
    passSum = -before
  }

  /// Returns the nanobits that the link can carry in the first `nanoseconds` of the run. O(log periods).
  func nanobits(by nanoseconds: Int64) -> Int128 { link.nanobits(by: nanoseconds + offset) - before }

  /// Returns `nanobits(by:)` for instants that never decrease from call to call. O(log periods passed since the last call).
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
    return passSum + link.nanobits(by: time, in: index)
  }

  /// Moves `index` to the last period that starts at or before `time` (galloping search).
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

  /// Returns rate × time in 128 bits, by one machine multiplication.
  static func product(_ rate: Int64, _ nanoseconds: Int64) -> Int128 {
    let (high, low) = rate.multipliedFullWidth(by: nanoseconds)
    return Int128(high) << 64 | Int128(low)
  }
}
