// What must hold of a link after every packet, checked in debug builds with sums that the link's own schedule does not use.

#if DEBUG
  /// Adds up what a link carries since it last idled, and holds it against the link's raw capacity.
  struct LinkAudit {
    private let capacity: LinkCapacity
    /// Mahimahi's opportunities come in whole packets, ahead of the mean rate that a capacity knows.
    private let isJudged: Bool
    private var busySince: Int64 = 0
    private var lastFinish: Int64 = .min
    private var carried: Int128 = 0
    private var sentBytes = 0
    private var lostBytes = 0
    private var deliveredBytes = 0
    private var inFlightBytes = 0

    init(_ rate: LinkRate, offset: Interval) {
      capacity = LinkCapacity(rate, offset: offset)
      isJudged = rate.opportunitiesMs.isEmpty
    }

    /// A packet that was handed over at `now` has left at `finish`.
    mutating func noteSent(bytes: Int, at now: Int64, finish: Int64) {
      sentBytes += bytes
      inFlightBytes += bytes
      assert(finish >= now && finish >= lastFinish, "a packet left before one that came before it")
      if now >= lastFinish {
        busySince = now
        carried = 0
      }
      lastFinish = finish
      carried += Int128(bytes) * 8_000_000_000
      // What never leaves is carried by nothing.
      let isJudged = isJudged && finish < Instant.never.nanoseconds
      assert(
        !isJudged || carried <= capacity.nanobits(by: finish) - capacity.nanobits(by: busySince), "a link carried more than its rate")
    }

    mutating func noteLost(bytes: Int) {
      sentBytes += bytes
      lostBytes += bytes
    }

    mutating func noteDelivered(bytes: Int) {
      deliveredBytes += bytes
      inFlightBytes -= bytes
      assert(inFlightBytes >= 0 && sentBytes == deliveredBytes + lostBytes + inFlightBytes, "a link made or lost bytes")
    }
  }
#endif
