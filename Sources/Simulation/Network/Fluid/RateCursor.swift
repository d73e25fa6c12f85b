// A position in the rates of a link over time: the volume up to an instant, and the instant of a volume.

/// Moves along the periods of a link. All sums are exact: rate × nanoseconds is a whole number of nanobits.
struct RateCursor {
  private let periods: ContiguousArray<LinkRate.Period>
  /// The length of one pass through the periods, and its nanobits; at most what 64 bits hold.
  private let passLength: Int64, passVolume: Int64
  private var index: Int
  private(set) var instant: Int64
  private var periodEnd: Int64
  private var rate: Int64

  /// The position at which a volume has passed.
  struct End: BitwiseCopyable {
    fileprivate var index = 0
    fileprivate var periodEnd: Int64 = 0
    /// The rate at which its last part passed; above zero.
    var rate: Int64 = 0
    /// The first whole nanosecond at which all has passed.
    var instant: Int64 = 0
    /// The nanobits beyond the volume that passed up to that instant.
    var overshoot: Int64 = 0

    /// A position later than any instant of a run.
    static let never = End(rate: 1, instant: Instant.never.nanoseconds)
  }

  /// Creates a cursor at the start of the run, which is `offset` into the periods.
  init(_ link: LinkRate, offset: Interval) {
    periods = ContiguousArray(link.periods)
    passLength = link.length.nanoseconds
    passVolume = Int64(clamping: link.perPass)
    let start = offset.nanoseconds % link.length.nanoseconds
    index = link.period(at: start)
    instant = 0
    periodEnd = link.starts[index] + periods[index].duration.nanoseconds - start
    rate = periods[index].bitsPerSecond
  }

  /// Moves to a later instant and returns the nanobits that the link can carry until then, which must fit in 64 bits.
  @inline(__always) mutating func advance(to target: Int64) -> Int64 {
    var capacity: Int64 = 0
    while target >= periodEnd {
      capacity &+= rate &* (periodEnd &- instant)
      enterNextPeriod()
      if index == 0 { capacity &+= skipPasses(to: target) &* passVolume }
    }
    capacity &+= rate &* (target &- instant)
    instant = target
    return capacity
  }

  /// Moves to a later instant, without the nanobits and their limit.
  @inline(__always) mutating func skip(to target: Int64) {
    while target >= periodEnd {
      enterNextPeriod()
      if index == 0 { _ = skipPasses(to: target) }
    }
    instant = target
  }

  /// The rate in the nanosecond that ends at the cursor's instant.
  var rateBefore: Int64 {
    @inline(__always) get {
      let start = periodEnd &- periods[index].duration.nanoseconds
      return instant == start ? periods[index == 0 ? periods.count &- 1 : index &- 1].bitsPerSecond : rate
    }
  }

  /// Returns the result of `advance(to:)` without moving.
  func capacity(until target: Int64) -> Int64 {
    if target < periodEnd { return rate * (target - instant) }
    var copy = self
    return copy.advance(to: target)
  }

  /// Returns the position at which `volume` nanobits have passed since the cursor's instant; `never` if that exceeds the time range.
  /// A volume below zero has passed before: its position is the cursor's. O(periods crossed), at most two passes.
  @inline(__always) func end(of volume: Int64) -> End {
    if volume <= 0 {
      return End(index: index, periodEnd: periodEnd, rate: max(1, rateBefore), instant: instant, overshoot: min(-volume, rateBefore))
    }
    var rest = volume
    var (index, periodEnd, rate, instant) = (index, periodEnd, rate, instant)
    while true {
      let (passing, overflow) = rate.multipliedReportingOverflow(by: periodEnd &- instant)
      if overflow || rest <= passing { break }
      rest &-= passing
      instant = periodEnd
      index &+= 1
      if index == periods.count {
        index = 0
        guard let passes = RateCursor.wholePasses(rest, passVolume, passLength, from: instant) else { return .never }
        rest -= passes * passVolume
        instant += passes * passLength
      }
      periodEnd = instant &+ periods[index].duration.nanoseconds
      rate = periods[index].bitsPerSecond
    }
    // Unsigned division is cheaper, and both operands are above zero.
    let nanoseconds = Int64(bitPattern: (UInt64(bitPattern: rest) &- 1) / UInt64(bitPattern: rate)) &+ 1
    let (finish, overflow) = instant.addingReportingOverflow(nanoseconds)
    if overflow { return .never }
    return End(index: index, periodEnd: periodEnd, rate: rate, instant: finish, overshoot: rate &* nanoseconds &- rest)
  }

  /// Returns the whole passes that a volume takes from the start of one; nil if they exceed the time range.
  @inline(never) private static func wholePasses(_ rest: Int64, _ volume: Int64, _ length: Int64, from instant: Int64) -> Int64? {
    let passes = (rest - 1) / volume
    let (all, overflow) = passes.multipliedReportingOverflow(by: length)
    // One more pass may have to be walked.
    return !overflow && all < Instant.never.nanoseconds - instant - 2 * length ? passes : nil
  }

  /// Moves over the whole passes before `target`, from the start of one; returns their number.
  @inline(never) private mutating func skipPasses(to target: Int64) -> Int64 {
    let passes = (target - instant) / passLength
    instant += passes * passLength
    periodEnd += passes * passLength
    return passes
  }

  /// Moves to a position that `end(of:)` has returned for this cursor.
  @inline(__always) mutating func move(to end: End) {
    index = end.index
    periodEnd = end.periodEnd
    rate = end.rate
    instant = end.instant
  }

  /// Returns the end of the latency of a request made at `start`, at or after the cursor.
  /// If periods have different latencies, each nanosecond uses up 1/latency of its period.
  func latencyEnd(from start: Int64) -> Int64 {
    var copy = self
    copy.skip(to: start)
    var share = 1.0
    var shareBefore = 0.0
    while true {
      let latency = Double((copy.periods[copy.index].latency ?? .zero).nanoseconds)
      let needed = share * latency
      let available = Double(copy.periodEnd - copy.instant)
      if needed <= available { return copy.instant + Int64(needed.rounded()) }
      share -= available / latency
      copy.enterNextPeriod()
      guard copy.index == 0 else { continue }
      // A latency of many passes: all but the last two at once.
      let passes = (share / (shareBefore - share)).rounded(.down) - 2
      if shareBefore > 0, passes > 0 {
        share -= passes * (shareBefore - share)
        copy.instant += Int64(passes) * passLength
        copy.periodEnd += Int64(passes) * passLength
      }
      shareBefore = share
    }
  }

  private mutating func enterNextPeriod() {
    instant = periodEnd
    index &+= 1
    if index == periods.count { index = 0 }
    periodEnd &+= periods[index].duration.nanoseconds
    rate = periods[index].bitsPerSecond
  }
}
