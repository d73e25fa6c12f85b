// When a link is in service again: the one walk along its outages, for every transport that has packets.

extension [NetworkConfiguration.Outage] {
  /// The first time at or after `start`, in nanoseconds, that is not within an outage. `next` is the first outage that is not over, and
  /// moves on; from call to call times do not go back. O(outages passed).
  func served(from start: Int64, next: inout Int) -> Int64 {
    while next < count {
      let until = (self[next].start + self[next].duration).nanoseconds
      if start < self[next].start.nanoseconds { return start }
      next += 1
      if start < until { return until }
    }
    return start
  }
}
