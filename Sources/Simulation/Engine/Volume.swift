// An amount of data, finer than a byte, so that a cut transfer loses nothing to rounding.

/// An amount of data in billionths of a bit: one bit a second for one nanosecond.
///
/// Flooring to bytes at each cancel would move later completions by microseconds; in this unit, rate × time is exact.
/// One item or transfer holds at most `Volume.limitBytes`.
package struct Volume: Comparable, Hashable, Sendable, BitwiseCopyable {
  package var nanobits: Int64

  /// A volume of so many billionths of a bit.
  @inlinable
  package init(nanobits: Int64) { self.nanobits = nanobits }

  /// A volume of whole bytes; at most `Volume.limitBytes`.
  @inlinable
  package static func bytes(_ count: Int64) -> Volume { Volume(nanobits: count * nanobitsPerByte) }

  package static let zero = Volume(nanobits: 0)
  /// The largest transfer, 1 GB: 8e18 of the 9.2e18 that 64 bits hold.
  package static let limitBytes: Int64 = 1_000_000_000
  @usableFromInline static let nanobitsPerByte: Int64 = 8_000_000_000

  /// The whole bytes in it, rounded down.
  @inlinable
  package var bytes: Int64 { nanobits / Volume.nanobitsPerByte }

  @inlinable
  package static func < (left: Volume, right: Volume) -> Bool { left.nanobits < right.nanobits }
}
