// A stable name for contents: the same bytes have the same hash on every machine and in every version.

/// FNV-1a with 128 bits (Fowler, Noll & Vo; parameters of draft-eastlake-fnv). It names contents; it guards against no one.
package struct ContentHash: Sendable {
  private var state: UInt128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d

  /// The hash of nothing so far.
  package init() {}

  /// Takes in more bytes. O(bytes).
  package mutating func update(_ bytes: some Sequence<UInt8>) {
    if bytes.withContiguousStorageIfAvailable({ update($0) }) == nil { Array(bytes).withUnsafeBufferPointer { update($0) } }
  }

  private mutating func update(_ bytes: UnsafeBufferPointer<UInt8>) {
    // The prime is 2^88 + 0x13b, so that a product is two of 64 bits and a shift.
    var (high, low) = (UInt64(truncatingIfNeeded: state >> 64), UInt64(truncatingIfNeeded: state))
    for byte in bytes {
      low ^= UInt64(byte)
      let product = low.multipliedFullWidth(by: 0x13b)
      high = high &* 0x13b &+ product.high &+ low << 24
      low = product.low
    }
    state = UInt128(high) << 64 | UInt128(low)
  }

  /// Takes in a line and its newline. O(bytes).
  package mutating func update(line: String) { update("\(line)\n".utf8) }

  /// The first 16 of the hash's hexadecimal digits, as a number.
  package var highHalf: UInt64 { UInt64(truncatingIfNeeded: state >> 64) }

  /// The hash so far as 32 hexadecimal digits.
  var hexadecimal: String { Self.hexadecimal(state) }

  private static func hexadecimal(_ value: some FixedWidthInteger) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: value.bitWidth / 4 - digits.count) + digits
  }

  /// The hash of `bytes` as 32 hexadecimal digits. O(bytes).
  package static func of(_ bytes: some Sequence<UInt8>) -> String {
    var hash = ContentHash()
    hash.update(bytes)
    return hash.hexadecimal
  }

  /// The hash of lines, each ended by a newline. O(bytes).
  package static func of(lines: [String]) -> String {
    var hash = ContentHash()
    for line in lines { hash.update(line: line) }
    return hash.hexadecimal
  }

  /// A hash of a file of tens of megabytes in milliseconds, as 16 hexadecimal digits; nil where it cannot be read. Words of eight bytes
  /// are each mixed in by a multiplication (Knuth's multiplicative hash: 2^64 / φ), so it is not the hash that `of` gives.
  package static func quick(ofFile path: String) -> String? {
    guard let file = SystemFile(path: path, flags: O_RDONLY) else { return nil }
    defer { file.close() }
    let factor: UInt64 = 0x9E37_79B9_7F4A_7C15
    var (hash, size) = (factor, 0)
    var piece = [UInt64](repeating: 0, count: 1 << 15)
    while true {
      guard let count = piece.withUnsafeMutableBytes({ file.read(into: $0, at: size) }) else { return nil }
      if count == 0 { break }
      size += count
      // Only the file's last word may end early; the rest of it is made zero.
      piece.withUnsafeMutableBytes { bytes in for place in count..<(count + 7) / 8 * 8 { bytes[place] = 0 } }
      for word in piece[..<((count + 7) / 8)] {
        hash = (hash ^ word) &* factor
        hash ^= hash >> 29
      }
    }
    return hexadecimal(hash ^ UInt64(size))
  }
}
