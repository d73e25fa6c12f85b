// A place in a link's rate over time: how much passes until an instant, and when so much has passed.

/// Walks along a link's periods. All sums are exact: rate × nanoseconds is a whole number of nanobits.
struct RateCursor {
  private let periods: ContiguousArray<LinkRate.Period>
  /// The length of one pass through the periods, and the nanobits that pass in it, as far as 64 bits hold them.
  private let passLength: Int64
  private let passVolume: Int64
  private var index: Int
  /// Where the cursor stands.
  private(set) var instant: Int64
  private var periodEnd: Int64
  private var rate: Int64

  /// Where a volume has passed: a place for a cursor, and how much more than the volume has passed there.
  struct End: BitwiseCopyable {
    fileprivate var index = 0
    fileprivate var periodEnd: Int64 = 0
    /// The rate at which its last part passed; above zero.
    var rate: Int64 = 0
    /// The first whole nanosecond at which all has passed.
    var instant: Int64 = 0
    /// The nanobits that passed in the last nanosecond beyond the volume.
    var overshoot: Int64 = 0

    /// Later than any instant of a run.
    static let never = End(rate: 1, instant: Instant.never.nanoseconds)
  }

  /// A cursor at the start of the run, which is `offset` into the link's periods.
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

  /// Moves to a later instant and returns how many nanobits the link could carry on the way. The caller sees to it that they
  /// fit in 64 bits; use `skip` where nobody asks.
  @inline(__always)
  mutating func advance(to target: Int64) -> Int64 {
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

  /// Moves to a later instant, whatever passes meanwhile.
  @inline(__always)
  mutating func skip(to target: Int64) {
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

  /// What `advance` would return, without moving.
  func capacity(until target: Int64) -> Int64 {
    if target < periodEnd { return rate * (target - instant) }
    var copy = self
    return copy.advance(to: target)
  }

  /// Where `volume` nanobits have passed since the cursor's instant; at that instant if they passed before, and at `Instant.never` if that
  /// is later than time goes. O(periods crossed), at most two passes.
  ///
  /// The walk is in variables of its own: a copy of the cursor just after a change of it waits for the processor's store buffer.
  @inline(__always)
  func end(of volume: Int64) -> End {
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
    // Unsigned, which spares the machine's division its sign checks; both are above zero.
    let nanoseconds = Int64(bitPattern: (UInt64(bitPattern: rest) &- 1) / UInt64(bitPattern: rate)) &+ 1
    let (finish, overflow) = instant.addingReportingOverflow(nanoseconds)
    if overflow { return .never }
    return End(index: index, periodEnd: periodEnd, rate: rate, instant: finish, overshoot: rate &* nanoseconds &- rest)
  }

  /// How many whole passes a volume takes from the start of one: it may take very many through a trace that is mostly outage. Nil where
  /// time ends before that.
  @inline(never)
  private static func wholePasses(_ rest: Int64, _ volume: Int64, _ length: Int64, from instant: Int64) -> Int64? {
    let passes = (rest - 1) / volume
    let (all, overflow) = passes.multipliedReportingOverflow(by: length)
    // One more pass may have to be walked.
    return !overflow && all < Instant.never.nanoseconds - instant - 2 * length ? passes : nil
  }

  /// Goes over the whole passes until an instant, at the start of one; returns how many they are.
  @inline(never)
  private mutating func skipPasses(to target: Int64) -> Int64 {
    let passes = (target - instant) / passLength
    instant += passes * passLength
    periodEnd += passes * passLength
    return passes
  }

  /// Moves to the end of a volume, as `end(of:)` found it from where the cursor stands.
  @inline(__always)
  mutating func move(to end: End) {
    index = end.index
    periodEnd = end.periodEnd
    rate = end.rate
    instant = end.instant
  }

  /// The instant at which a request made at `start` has spent its latency: where periods tell different ones, each nanosecond
  /// spends the share of the period it falls in. `start` is at or after the cursor.
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
      // A latency of very many passes: all but the last two at once.
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
