// What a link can carry over time: a constant, the periods of a trace, or a trace of packet opportunities.

/// The capacity of one direction of a link over time. Traces wrap.
public struct LinkRate: Hashable, Sendable {
  /// A stretch of time with one rate.
  public struct Period: Hashable, Sendable {
    /// How long it lasts; positive.
    public var duration: Interval
    /// Bits a second; zero is an outage.
    public var bitsPerSecond: Int64
    /// The latency of a request that starts here, both ways together, where the trace tells one.
    public var latency: Interval?

    /// A stretch of `duration` at `bitsPerSecond`.
    public init(duration: Interval, bitsPerSecond: Int64, latency: Interval? = nil) {
      self.duration = duration
      self.bitsPerSecond = bitsPerSecond
      self.latency = latency
    }
  }

  /// The periods in order, at least one; after the last the first comes again.
  public let periods: [Period]
  /// The offsets in milliseconds at which up to 1500 bytes may leave, ascending, for a Mahimahi trace; its length is its last offset.
  /// Empty otherwise. `periods` says the same as rates, a millisecond each.
  public let opportunitiesMs: [Int64]
  /// The length of one pass through the periods.
  public let length: Interval

  /// The same rate for ever.
  public init(constant bitsPerSecond: Int64) {
    periods = [Period(duration: Interval(nanoseconds: Instant.never.nanoseconds), bitsPerSecond: bitsPerSecond)]
    opportunitiesMs = []
    length = periods[0].duration
  }

  /// The rates of a trace, which wraps; `periods` has a positive length and at least one rate above zero.
  public init(periods: [Period], opportunitiesMs: [Int64] = []) {
    precondition(periods.contains { $0.bitsPerSecond > 0 && $0.duration > .zero }, "a link that never carries anything")
    self.periods = periods
    self.opportunitiesMs = opportunitiesMs
    length = periods.reduce(into: Interval.zero) { $0 += $1.duration }
  }

  /// The same rates; what latencies the periods told is forgotten.
  public var withoutLatencies: LinkRate {
    LinkRate(periods: periods.map { Period(duration: $0.duration, bitsPerSecond: $0.bitsPerSecond) }, opportunitiesMs: opportunitiesMs)
  }

  /// Whether the rate never changes.
  public var isConstant: Bool { periods.count == 1 }
}
