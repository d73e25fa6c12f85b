// Virtual time. A run has no other clock; wall time never enters it.

/// A point in virtual time, in whole nanoseconds since the start of the run.
package struct Instant: Comparable, Hashable, Sendable, BitwiseCopyable {
  /// Nanoseconds since the start of the run.
  package var nanoseconds: Int64

  /// The instant `nanoseconds` after the start of the run.
  @inlinable
  package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// The start of a run.
  package static let start = Instant(nanoseconds: 0)
  /// Later than anything that happens in a run; still far enough from overflow to add an interval to it.
  package static let never = Instant(nanoseconds: Int64.max / 2)

  /// Whether `left` comes first.
  @inlinable
  package static func < (left: Instant, right: Instant) -> Bool { left.nanoseconds < right.nanoseconds }
  /// The instant that much later.
  @inlinable
  package static func + (left: Instant, right: Interval) -> Instant {
    Instant(nanoseconds: left.nanoseconds + right.nanoseconds)
  }
  /// The time from `right` to `left`.
  @inlinable
  package static func - (left: Instant, right: Instant) -> Interval {
    Interval(nanoseconds: left.nanoseconds - right.nanoseconds)
  }
}

/// A length of virtual time, in whole nanoseconds.
package struct Interval: Comparable, Hashable, Sendable, BitwiseCopyable {
  /// The length in nanoseconds; may be negative.
  package var nanoseconds: Int64

  /// An interval of so many nanoseconds.
  @inlinable
  package init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// An interval of so many milliseconds.
  @inlinable
  package static func milliseconds(_ value: Int64) -> Interval { Interval(nanoseconds: value * 1_000_000) }
  /// An interval of so many seconds.
  @inlinable
  package static func seconds(_ value: Int64) -> Interval { Interval(nanoseconds: value * 1_000_000_000) }
  /// No time at all.
  package static let zero = Interval(nanoseconds: 0)

  /// The length in milliseconds, with its fraction.
  package var milliseconds: Double { Double(nanoseconds) / 1e6 }

  /// Whether `left` is shorter.
  @inlinable
  package static func < (left: Interval, right: Interval) -> Bool { left.nanoseconds < right.nanoseconds }
  /// Both lengths together.
  @inlinable
  package static func + (left: Interval, right: Interval) -> Interval {
    Interval(nanoseconds: left.nanoseconds + right.nanoseconds)
  }
  /// The difference in length.
  @inlinable
  package static func - (left: Interval, right: Interval) -> Interval {
    Interval(nanoseconds: left.nanoseconds - right.nanoseconds)
  }
  /// Lengthens `left`.
  @inlinable
  package static func += (left: inout Interval, right: Interval) { left.nanoseconds += right.nanoseconds }
}
