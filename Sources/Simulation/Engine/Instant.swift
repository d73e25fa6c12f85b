// Virtual time: the only clock of a run. Wall time never enters it.

/// A point in virtual time, in whole nanoseconds since the start of the run.
public struct Instant: Comparable, Hashable, Sendable, BitwiseCopyable {
  /// Nanoseconds since the start of the run.
  public var nanoseconds: Int64

  /// Creates the instant `nanoseconds` after the start of the run.
  @inlinable public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// The start of a run.
  public static let start = Instant(nanoseconds: 0)
  /// An instant later than any event of a run; adding an interval to it does not overflow.
  public static let never = Instant(nanoseconds: Int64.max / 2)

  /// True if `left` is earlier.
  @inlinable public static func < (left: Instant, right: Instant) -> Bool { left.nanoseconds < right.nanoseconds }
  /// Returns the instant `right` after `left`.
  @inlinable public static func + (left: Instant, right: Interval) -> Instant { Instant(nanoseconds: left.nanoseconds + right.nanoseconds) }
  /// Returns the time from `right` to `left`.
  @inlinable public static func - (left: Instant, right: Instant) -> Interval {
    Interval(nanoseconds: left.nanoseconds - right.nanoseconds)
  }
}

/// A length of virtual time, in whole nanoseconds.
public struct Interval: Comparable, Hashable, Sendable, BitwiseCopyable {
  /// The length in nanoseconds; may be negative.
  public var nanoseconds: Int64

  /// Creates an interval of `nanoseconds`.
  @inlinable public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// Returns an interval of `value` milliseconds.
  @inlinable public static func milliseconds(_ value: Int64) -> Interval { Interval(nanoseconds: value * 1_000_000) }
  /// Returns an interval of `value` seconds.
  @inlinable public static func seconds(_ value: Int64) -> Interval { Interval(nanoseconds: value * 1_000_000_000) }
  /// An interval of length zero.
  public static let zero = Interval(nanoseconds: 0)

  /// The length in milliseconds, with its fraction.
  public var milliseconds: Double { Double(nanoseconds) / 1e6 }

  /// True if `left` is shorter.
  @inlinable public static func < (left: Interval, right: Interval) -> Bool { left.nanoseconds < right.nanoseconds }
  /// Returns the sum of two intervals.
  @inlinable public static func + (left: Interval, right: Interval) -> Interval {
    Interval(nanoseconds: left.nanoseconds + right.nanoseconds)
  }
  /// Returns the difference of two intervals.
  @inlinable public static func - (left: Interval, right: Interval) -> Interval {
    Interval(nanoseconds: left.nanoseconds - right.nanoseconds)
  }
  /// Lengthens `left` by `right`.
  @inlinable public static func += (left: inout Interval, right: Interval) { left.nanoseconds += right.nanoseconds }
}

/// A part of a run; both intervals are from its start.
package struct TimeSpan: Hashable, Sendable {
  package var start: Interval, end: Interval

  package init(start: Interval, duration: Interval) { (self.start, end) = (start, start + duration) }

  package var duration: Interval { end - start }
}
