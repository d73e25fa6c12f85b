// Virtual time. A run has no other clock; wall time never enters it.

/// A point in virtual time, in whole nanoseconds since the start of the run.
public struct Instant: Comparable, Hashable, Sendable, BitwiseCopyable {
  /// Nanoseconds since the start of the run.
  public var nanoseconds: Int64

  /// The instant `nanoseconds` after the start of the run.
  @inlinable
  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// The start of a run.
  public static let start = Instant(nanoseconds: 0)
  /// Later than anything that happens in a run; still far enough from overflow to add an interval to it.
  public static let never = Instant(nanoseconds: Int64.max / 2)

  /// Whether `left` comes first.
  @inlinable
  public static func < (left: Instant, right: Instant) -> Bool { left.nanoseconds < right.nanoseconds }
  /// The instant that much later.
  @inlinable
  public static func + (left: Instant, right: Interval) -> Instant {
    Instant(nanoseconds: left.nanoseconds + right.nanoseconds)
  }
  /// The time from `right` to `left`.
  @inlinable
  public static func - (left: Instant, right: Instant) -> Interval {
    Interval(nanoseconds: left.nanoseconds - right.nanoseconds)
  }
}

/// A length of virtual time, in whole nanoseconds.
public struct Interval: Comparable, Hashable, Sendable, BitwiseCopyable {
  /// The length in nanoseconds; may be negative.
  public var nanoseconds: Int64

  /// An interval of so many nanoseconds.
  @inlinable
  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// An interval of so many milliseconds.
  @inlinable
  public static func milliseconds(_ value: Int64) -> Interval { Interval(nanoseconds: value * 1_000_000) }
  /// An interval of so many seconds.
  @inlinable
  public static func seconds(_ value: Int64) -> Interval { Interval(nanoseconds: value * 1_000_000_000) }
  /// No time at all.
  public static let zero = Interval(nanoseconds: 0)

  /// The length in milliseconds, with its fraction.
  public var milliseconds: Double { Double(nanoseconds) / 1e6 }

  /// Whether `left` is shorter.
  @inlinable
  public static func < (left: Interval, right: Interval) -> Bool { left.nanoseconds < right.nanoseconds }
  /// Both lengths together.
  @inlinable
  public static func + (left: Interval, right: Interval) -> Interval {
    Interval(nanoseconds: left.nanoseconds + right.nanoseconds)
  }
  /// The difference in length.
  @inlinable
  public static func - (left: Interval, right: Interval) -> Interval {
    Interval(nanoseconds: left.nanoseconds - right.nanoseconds)
  }
  /// Lengthens `left`.
  @inlinable
  public static func += (left: inout Interval, right: Interval) { left.nanoseconds += right.nanoseconds }
}
