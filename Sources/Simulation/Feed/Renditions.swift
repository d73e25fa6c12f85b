// The renditions of a video: encodings of different bit rates, cut into segments of equal duration.

/// The bit rates in which each video of a feed can be had, and the duration of a segment.
/// The sizes of an `Item` are those of the lowest rendition, the least that it needs. A segment has one rendition.
package struct Renditions: Hashable, Sendable {
  /// The bit rates, ascending, in bits a second.
  package let bitsPerSecond: [Int64]
  package let segment: Interval

  package static let rateRange: ClosedRange<Int64> = 10_000...100_000_000
  package static let segmentRange: ClosedRange<Int64> = 500_000_000...60_000_000_000
  package static let mostRates = 16

  package init(bitsPerSecond: [Int64], segment: Interval) {
    precondition(!bitsPerSecond.isEmpty && bitsPerSecond.count <= Self.mostRates && bitsPerSecond == bitsPerSecond.sorted())
    precondition(bitsPerSecond.allSatisfy(Self.rateRange.contains) && Self.segmentRange.contains(segment.nanoseconds))
    (self.bitsPerSecond, self.segment) = (bitsPerSecond, segment)
  }

  var count: Int { bitsPerSecond.count }
  var lowest: Int64 { bitsPerSecond[0] }
  var segmentSeconds: Double { Double(segment.nanoseconds) / 1e9 }
  var segmentNanobits: Int64 { lowest * segment.nanoseconds }

  /// Returns the video of the lowest rendition that lasts as long as one of `bytes` at a bit rate; ready with its first segment.
  func lowestItem(bytes: Int64, bitsPerSecond: Int64) -> Item {
    // At most 10⁹ bytes × 10⁸ bit/s.
    let least = min(max(1, bytes * lowest / bitsPerSecond), Volume.limitBytes)
    let first = (segmentNanobits + Volume.bytes(1).nanobits - 1) / Volume.bytes(1).nanobits
    return Item(videoBytes: least, prefixBytes: first, bitsPerSecond: lowest)
  }

  /// Returns an amount of the lowest rendition as nanobits of another, rounded up.
  func scaled(_ nanobits: Int64, to rendition: Int) -> Int64 {
    let product = nanobits.multipliedFullWidth(by: bitsPerSecond[rendition])
    let (quotient, remainder) = lowest.dividingFullWidth(product)
    return quotient + (remainder > 0 ? 1 : 0)
  }
}
