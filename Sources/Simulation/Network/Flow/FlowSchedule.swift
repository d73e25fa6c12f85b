// When bytes have left a link of the flow transport: the same meaning as the packet transport's schedule, for many packets at once.
// Within one period of a trace it is a multiplication; periods, outages and Mahimahi's opportunities are walked apart.

/// A stretch of time with one rate.
struct FlowPeriod: BitwiseCopyable {
  var began = Int64.max
  /// Until here the rate holds.
  var end = Int64.min
  /// How long a byte takes, in nanoseconds / 2²⁰: integers, because turning a `Double` into one costs ten times the multiplication.
  var timePerByte: Int64 = 0

  @inline(__always)
  func contains(_ time: Int64) -> Bool { began <= time && time < end }

  /// How long so many bytes take; at most 2¹⁸.
  @inline(__always)
  func time(of bytes: Int) -> Int64 { (Int64(truncatingIfNeeded: bytes) &* timePerByte) >> 20 }
}

/// Serves bytes in order over a `LinkRate`, with times in nanoseconds since the start of the run.
struct FlowSchedule: ~Copyable {
  /// When the last byte taken has left.
  private(set) var free: Int64 = .min / 2
  /// The stretch that the last byte taken left in.
  private(set) var period = FlowPeriod()

  private let starts: ContiguousArray<Int64>
  private let ends: ContiguousArray<Int64>
  private let timesPerByte: ContiguousArray<Int64>
  private let link: LinkRate
  private let opportunities: [Int64]
  private let outages: [NetworkConfiguration.Outage]
  private var outage = 0
  private var index = 0
  /// When the present pass through the trace began.
  private var passBegan: Int64
  /// So many periods are walked one by one.
  private static let stepLimit = 64
  private static let never = Instant.never.nanoseconds

  private var credit = 0
  private var creditAt: Int64 = .min

  init(_ rate: LinkRate, _ network: NetworkConfiguration) {
    starts = rate.starts
    ends = rate.ends
    timesPerByte = rate.timesPerByte
    link = rate
    opportunities = rate.opportunitiesMs
    outages = network.outages
    let length = opportunities.isEmpty ? rate.length.nanoseconds : opportunities[opportunities.count - 1] * 1_000_000
    passBegan = rate.isConstant && opportunities.isEmpty ? 0 : -(network.offset.nanoseconds % length)
  }

  /// How long a byte takes where that never changes; nil elsewhere.
  var constantTimePerByte: Int64? { starts.count == 1 && opportunities.isEmpty && outages.isEmpty ? timesPerByte[0] : nil }

  /// How long a full packet takes at the present rate; on opportunities, by those of the last run.
  private(set) var packetTime: Int64 = 0

  /// When `bytes` that are handed over at `now` have left; every call continues after the one before.
  @inline(__always)
  mutating func finish(bytes: Int, at now: Int64) -> Int64 {
    assert(bytes < 1 << 18, "a run of \(bytes) bytes")
    let time = later(free, now) &+ period.time(of: bytes)
    if time <= period.end {
      free = time
      return time
    }
    return finishLater(bytes: bytes, at: now)
  }

  /// When `bytes` have left that are handed over evenly, the first at `first`, the last `lastBytes` at `last`: a busy link serves them
  /// in one go, an idle one keeps their pace.
  @inline(__always)
  mutating func finish(bytes: Int, last lastBytes: Int, from first: Int64, to last: Int64) -> Int64 {
    let whole = later(free, first) &+ period.time(of: bytes)
    let time = max(whole, last &+ period.time(of: lastBytes))
    if time <= period.end {
      free = time
      return time
    }
    if free < last, bytes > lastBytes { _ = finish(bytes: bytes - lastBytes, at: first) } else { return finish(bytes: bytes, at: last) }
    return finish(bytes: lastBytes, at: last)
  }

  @inline(never)
  private mutating func finishLater(bytes: Int, at now: Int64) -> Int64 {
    free = opportunities.isEmpty ? byPeriods(bytes: bytes, from: max(now, free)) : byOpportunities(bytes: bytes, at: now)
    return free
  }

  /// Where the present period does not suffice: what it still takes, then the next ones.
  private mutating func byPeriods(bytes: Int, from start: Int64) -> Int64 {
    var left = Int64(bytes)
    var clock = start
    if outage < outages.count { clock = afterOutage(clock) }
    var steps = 0
    while clock < FlowSchedule.never {
      if clock < period.end {
        if period.timePerByte > 0 {
          let finish = clock &+ (left &* period.timePerByte) >> 20
          if finish <= period.end { return finish }
          left = max(0, left &- ((period.end &- clock) << 20) / period.timePerByte)
        }
        clock = period.end
      }
      if outage < outages.count { clock = afterOutage(clock) }
      steps += 1
      if steps > FlowSchedule.stepLimit, !skipPasses(&clock, &left) { break }
      enterPeriod(of: clock)
    }
    return FlowSchedule.never
  }

  /// Goes over whole passes that do not carry all that is left, up to the next outage; false if nothing more ever passes. O(periods) where
  /// it is of use.
  private mutating func skipPasses(_ clock: inout Int64, _ left: inout Int64) -> Bool {
    let length = ends[ends.count - 1]
    let room = ((outage < outages.count ? outages[outage].start.nanoseconds : FlowSchedule.never) - clock) / length
    guard room > 1 else { return true }
    var bytes: Int64 = 0
    for period in starts.indices where timesPerByte[period] > 0 {
      bytes += ((ends[period] - starts[period]) << 20) / timesPerByte[period]
      if bytes > left { return true }
    }
    if bytes == 0, outage >= outages.count { return false }
    let passes = min(room, bytes == 0 ? room : left / bytes - 1)
    if passes > 0 {
      left -= passes * bytes
      clock += passes * length
      passBegan += passes * length
    }
    return true
  }

  /// Makes the period of an instant, which is not before the present one, the present one.
  @inline(__always)
  private mutating func enterPeriod(of time: Int64) {
    var next = index
    var steps = 0
    while true {
      let periodEnd = passBegan &+ ends[next]
      if time < periodEnd { break }
      next &+= 1
      if next == ends.count {
        next = 0
        passBegan = periodEnd
      }
      steps &+= 1
      if steps > FlowSchedule.stepLimit {
        passBegan += (time - passBegan) / link.length.nanoseconds * link.length.nanoseconds
        next = link.period(at: time - passBegan)
      }
    }
    index = next
    period = FlowPeriod(began: passBegan &+ starts[next], end: passBegan &+ ends[next], timePerByte: timesPerByte[next])
    if !outages.isEmpty {
      // What lies before is the time of an outage, or it may be.
      period.began = max(period.began, time)
      if outage < outages.count { period.end = min(period.end, outages[outage].start.nanoseconds) }
    }
    if period.timePerByte > 0 { packetTime = period.time(of: PacketSize.segment + PacketSize.header) }
  }

  /// The first time at or after `start` that is not within an outage.
  private mutating func afterOutage(_ start: Int64) -> Int64 { outages.served(from: start, next: &outage) }

  /// Mahimahi: each opportunity drains up to 1500 bytes of what is queued then; unused ones are lost.
  private mutating func byOpportunities(bytes: Int, at now: Int64) -> Int64 {
    if free <= now {
      credit = 0
      skipOpportunities(before: now + 1)
    }
    var left = bytes
    let start = max(free, now)
    while left > credit {
      left -= credit
      credit = 0
      let time = passBegan + opportunities[index] * 1_000_000
      nextOpportunity()
      if !outages.isEmpty {
        let served = afterOutage(time)
        if served != time {
          skipOpportunities(before: served)
          continue
        }
      }
      creditAt = time
      credit = 1500
    }
    credit -= left
    packetTime = (creditAt - start) / Int64(max(1, bytes / (PacketSize.segment + PacketSize.header)))
    return creditAt
  }

  /// Goes on to the first opportunity at or after an instant.
  private mutating func skipOpportunities(before time: Int64) {
    (index, passBegan) = link.opportunity(at: time, from: index, passBegan: passBegan)
  }

  private mutating func nextOpportunity() {
    index += 1
    if index == opportunities.count {
      index = 0
      passBegan += opportunities[opportunities.count - 1] * 1_000_000
    }
  }
}
