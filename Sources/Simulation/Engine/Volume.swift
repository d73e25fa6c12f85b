// A volume of data, finer than a byte, so that a cancelled transfer loses nothing to rounding.

/// A volume of data in billionths of a bit: a rate of 1 bit/s for 1 ns, so that rate × time is exact.
/// One item or transfer has at most `Volume.limitBytes`.
package struct Volume: Comparable, Hashable, Sendable, BitwiseCopyable {
  package var nanobits: Int64

  /// Creates a volume of billionths of a bit.
  @inlinable package init(nanobits: Int64) { self.nanobits = nanobits }

  /// Creates a volume of whole bytes; at most `Volume.limitBytes`.
  @inlinable package static func bytes(_ count: Int64) -> Volume { Volume(nanobits: count * nanobitsPerByte) }

  package static let zero = Volume(nanobits: 0)
  /// The largest transfer, 1 GB: 8e18 of the 9.2e18 that 64 bits hold.
  package static let limitBytes: Int64 = 1_000_000_000
  @usableFromInline static let nanobitsPerByte: Int64 = 8_000_000_000

  /// The whole bytes, rounded down.
  @inlinable package var bytes: Int64 { nanobits / Volume.nanobitsPerByte }

  /// The whole bytes, rounded up.
  var bytesRoundedUp: Int64 { (nanobits + Volume.nanobitsPerByte - 1) / Volume.nanobitsPerByte }

  @inlinable package static func < (left: Volume, right: Volume) -> Bool { left.nanobits < right.nanobits }
}
