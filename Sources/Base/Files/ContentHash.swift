// Hashes of contents: equal bytes have equal hashes on every machine and in every version.

/// FNV-1a with 128 bits (Fowler, Noll & Vo; parameters of draft-eastlake-fnv). It identifies contents; it is no protection against attacks.
package struct ContentHash: Sendable {
  private var state: UInt128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d

  package init() {}

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

  /// Adds a line and its newline to the hash. O(bytes).
  package mutating func update(line: String) { update("\(line)\n".utf8) }

  /// The first 16 hexadecimal digits of the hash, as a number.
  package var highHalf: UInt64 { UInt64(truncatingIfNeeded: state >> 64) }

  var hexadecimal: String { Self.hexadecimal(state) }

  package static func hexadecimal(_ value: some FixedWidthInteger) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: value.bitWidth / 4 - digits.count) + digits
  }

  /// Returns the hash of `bytes` as 32 hexadecimal digits. O(bytes).
  package static func of(_ bytes: some Sequence<UInt8>) -> String {
    var hash = ContentHash()
    hash.update(bytes)
    return hash.hexadecimal
  }

  /// Returns the hash of lines, each ended by a newline. O(bytes).
  package static func of(lines: [String]) -> String {
    var hash = ContentHash()
    for line in lines { hash.update(line: line) }
    return hash.hexadecimal
  }

  /// Returns the linker's hash of a program as 16 hexadecimal digits, from the ELF note `NT_GNU_BUILD_ID`; nil if its first page has none.
  package static func byLinker(ofProgram path: String) -> String? {
    guard let file = try? SystemFile(regular: path, flags: O_RDONLY) else { return nil }
    defer { file.close() }
    var page = [UInt32](repeating: 0, count: 1024)
    _ = page.withUnsafeMutableBytes { file.read(into: $0, at: 0) }
    // The note begins with the lengths of its name and its hash, its type, and its name "GNU".
    let note = (0..<page.count - 6).first { page[$0] == 4 && page[$0 + 1] >= 8 && page[$0 + 2] == 3 && page[$0 + 3] == 0x55_4E47 }
    return note.map { hexadecimal(UInt64(page[$0 + 4].byteSwapped) << 32 | UInt64(page[$0 + 5].byteSwapped)) }
  }

  /// Returns a fast hash of a large file as 16 hexadecimal digits; nil if it cannot be read. It differs from the hash of `of`.
  /// Mixes in 8 bytes at a time by multiplication (Knuth's multiplicative hash: 2^64 / φ).
  package static func quick(ofFile path: String) -> String? {
    guard let file = try? SystemFile(regular: path, flags: O_RDONLY) else { return nil }
    defer { file.close() }
    let factor: UInt64 = 0x9E37_79B9_7F4A_7C15
    var (hash, size) = (factor, 0)
    var piece = [UInt64](repeating: 0, count: 1 << 15)
    while true {
      guard let count = piece.withUnsafeMutableBytes({ file.read(into: $0, at: size) }) else { return nil }
      if count == 0 { break }
      size += count
      // Only the file's last word can be incomplete; its missing bytes are zero.
      piece.withUnsafeMutableBytes { bytes in for index in count..<(count + 7) / 8 * 8 { bytes[index] = 0 } }
      for word in piece[..<((count + 7) / 8)] {
        hash = (hash ^ word) &* factor
        hash ^= hash >> 29
      }
    }
    return hexadecimal(hash ^ UInt64(size))
  }
}
