// Invariants of a link, checked after every packet in debug builds by sums that LinkSchedule does not use.

#if DEBUG
  /// Adds up the bytes that a link carries in a busy period and compares them with its capacity.
  struct LinkAudit {
    private let capacity: LinkCapacity
    /// False for Mahimahi traces: an opportunity sends a whole packet, ahead of the mean rate.
    private let isChecked: Bool
    private var busySince: Int64 = 0
    private var lastFinish: Int64 = .min
    private var carried: Int128 = 0
    private var inFlightBytes = 0

    init(_ rate: LinkRate, offset: Interval) {
      capacity = LinkCapacity(rate, offset: offset)
      isChecked = rate.opportunitiesMs.isEmpty
    }

    /// Checks a packet that is handed over at `now` and leaves at `finish`.
    mutating func noteSent(bytes: Int, at now: Int64, finish: Int64) {
      inFlightBytes += bytes
      assert(finish >= now && finish >= lastFinish, "a packet left before one that came before it")
      if now >= lastFinish {
        busySince = now
        carried = 0
      }
      lastFinish = finish
      carried += Int128(bytes) * 8_000_000_000
      // A packet that never leaves takes no capacity.
      let isChecked = isChecked && finish < Instant.never.nanoseconds
      assert(!isChecked || carried <= capacity.nanobits(by: finish) - capacity.nanobits(by: busySince), "a link carried more than its rate")
    }

    mutating func noteDelivered(bytes: Int) {
      inFlightBytes -= bytes
      assert(inFlightBytes >= 0, "a link delivered bytes that were not sent")
    }
  }
#endif
