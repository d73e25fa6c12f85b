// Serialisation of packets on a link: constant rates, periods of a trace, and Mahimahi's packet opportunities.
// PacketLink has the queue, losses and delays.

/// Serialises packets in order over a `LinkRate`. Times are in nanoseconds since the start of the run.
struct LinkSchedule {
  /// The rate of the present period, in bit/s, and its end.
  private var bitsPerSecond: Int64, periodEnd = Int64.max / 2
  private let link: LinkRate
  private let outages: [TimeSpan]
  private var outage = 0
  private var index = 0
  /// The start of the present pass through the opportunities.
  private var passStart: Int64 = 0
  private var creditBytes = 0
  private var creditAt: Int64 = .min
  private var cachedBytes = (0, 0)
  private var cachedTime: (Int64, Int64) = (0, 0)
  /// The time up to which only the rate delays a packet; the past for opportunities, and in a period without a rate.
  private var plainUntil = Int64.min
  /// The time at which the last packet has left.
  private(set) var freeAt: Int64 = .min / 2

  /// Periods that are walked one by one; more of them are searched by bisection.
  private static let stepLimit = 32
  private static let never = Instant.never.nanoseconds

  init(_ rate: LinkRate, offset: Interval, outages: [TimeSpan]) {
    (link, bitsPerSecond, self.outages) = (rate, rate.periods[0].bitsPerSecond, outages)
    if let last = rate.opportunitiesMs.last {
      passStart = -(offset.nanoseconds % (last * 1_000_000))
    } else if !rate.isConstant {
      periodEnd = rate.periods[0].duration.nanoseconds - offset.nanoseconds % rate.length.nanoseconds
    }
  }

  /// Returns the time at which `bytes` handed over at `now` have left. Each call continues after the one before.
  @inline(__always) mutating func finish(bytes: Int, at now: Int64) -> Int64 {
    let finish = max(now, freeAt) + cachedTime.0
    // Most packets have the length of the one before and stay within one period.
    if bytes == cachedBytes.0, finish <= plainUntil {
      freeAt = finish
      return finish
    }
    return finishOnSlowPath(bytes: bytes, at: now)
  }

  @inline(never) private mutating func finishOnSlowPath(bytes: Int, at now: Int64) -> Int64 {
    if !link.opportunitiesMs.isEmpty {
      freeAt = finishAtOpportunities(bytes: bytes, at: now)
      return freeAt
    }
    let start = afterOutage(max(now, freeAt))
    let finish = start < plainEnd && bitsPerSecond > 0 ? start + time(of: bytes) : .max
    freeAt = finish <= plainEnd ? finish : finishOverPeriods(bytes: bytes, from: start)
    plainUntil = bitsPerSecond > 0 ? plainEnd : .min
    return freeAt
  }

  /// The end of the present period, or the start of the next outage if that is earlier.
  private var plainEnd: Int64 { min(periodEnd, outage < outages.count ? outages[outage].start.nanoseconds : LinkSchedule.never) }

  /// Returns the serialisation time of a packet; the last two lengths are cached, for full segments and acknowledgements.
  private mutating func time(of bytes: Int) -> Int64 {
    if bytes == cachedBytes.0 { return cachedTime.0 }
    let needed = bytes == cachedBytes.1 ? cachedTime.1 : (Int64(bytes) * 8_000_000_000 + bitsPerSecond - 1) / bitsPerSecond
    // The latest length comes first: the next packet is likely to have it.
    cachedBytes = (bytes, cachedBytes.0)
    cachedTime = (needed, cachedTime.0)
    return needed
  }

  private mutating func afterOutage(_ start: Int64) -> Int64 { outages.served(from: start, next: &outage) }

  /// Returns the time over periods and outages, one by one or by bisection.
  private mutating func finishOverPeriods(bytes: Int, from start: Int64) -> Int64 {
    var left = Int64(bytes) * 8_000_000_000
    var clock = start
    var steps = 0
    while clock < LinkSchedule.never {
      clock = afterOutage(clock)
      if clock >= periodEnd {
        steps += 1
        if steps > LinkSchedule.stepLimit { findPeriod(of: clock) } else { nextPeriod() }
        continue
      }
      let outageStart = outage < outages.count ? outages[outage].start.nanoseconds : LinkSchedule.never
      if steps > LinkSchedule.stepLimit {
        let passed = link.nanobits(by: clock - passBegan)
        let finish = instant(of: passed + Int128(left))
        if finish <= outageStart {
          if finish < LinkSchedule.never { findPeriod(of: finish - 1) }
          return finish
        }
        left -= Int64(link.nanobits(by: outageStart - passBegan) - passed)
        clock = outageStart
        continue
      }
      let end = min(periodEnd, outageStart)
      let rate = bitsPerSecond
      if rate > 0 {
        let needed = (left + rate - 1) / rate
        if clock + needed <= end { return clock + needed }
        left -= rate * (end - clock)
      }
      clock = end
    }
    return LinkSchedule.never
  }

  /// The start of the present pass through the periods.
  private var passBegan: Int64 { periodEnd - link.ends[index] }

  /// Moves to the period of `time`, which is not before the present one. O(log periods).
  private mutating func findPeriod(of time: Int64) {
    let (passes, inPass) = (time - passBegan).quotientAndRemainder(dividingBy: link.length.nanoseconds)
    let start = passBegan + passes * link.length.nanoseconds
    index = link.period(at: inPass)
    periodEnd = start + link.ends[index]
    bitsPerSecond = link.periods[index].bitsPerSecond
    cachedBytes = (0, 0)
  }

  /// Returns the first instant at which the capacity since the start of the present pass is at least `nanobits` (above 0). O(log periods).
  private func instant(of nanobits: Int128) -> Int64 {
    let passes = (nanobits - 1) / link.perPass
    let rest = nanobits - passes * link.perPass
    guard passes <= Int128((LinkSchedule.never - max(0, passBegan)) / link.length.nanoseconds) else { return LinkSchedule.never }
    // The last period that starts with a smaller sum.
    let period = link.sums.partitioningIndex { $0 >= rest } - 1
    let rate = Int128(link.periods[period].bitsPerSecond)
    let time = passBegan + Int64(passes) * link.length.nanoseconds + link.starts[period]
    return min(LinkSchedule.never, time + Int64((rest - link.sums[period] + rate - 1) / rate))
  }

  private mutating func nextPeriod() {
    index = index + 1 == link.periods.count ? 0 : index + 1
    periodEnd += link.periods[index].duration.nanoseconds
    bitsPerSecond = link.periods[index].bitsPerSecond
    cachedBytes = (0, 0)
  }

  /// Returns the time by Mahimahi's rule: each opportunity sends up to 1500 queued bytes; unused ones are lost.
  private mutating func finishAtOpportunities(bytes: Int, at now: Int64) -> Int64 {
    if freeAt <= now {
      creditBytes = 0
      skipOpportunities(before: now + 1)
    }
    var left = bytes
    while left > 0 {
      if creditBytes == 0 {
        creditAt = passStart + link.opportunitiesMs[index] * 1_000_000
        nextOpportunity()
        if !outages.isEmpty {
          let served = afterOutage(creditAt)
          if served != creditAt {
            skipOpportunities(before: served)
            continue
          }
        }
        creditBytes = 1500
      }
      let used = min(left, creditBytes)
      left -= used
      creditBytes -= used
    }
    return creditAt
  }

  /// Moves to the first opportunity at or after `time`.
  private mutating func skipOpportunities(before time: Int64) {
    (index, passStart) = link.opportunity(at: time, from: index, passBegan: passStart)
  }

  private mutating func nextOpportunity() {
    index += 1
    if index == link.opportunitiesMs.count {
      passStart += link.opportunitiesMs[index - 1] * 1_000_000
      index = 0
    }
  }
}
