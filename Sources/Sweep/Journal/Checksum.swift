// A checksum that finds every flipped bit of a record.

/// CRC-32 with the polynomial of IEEE 802.3, reflected, as in zlib and PNG.
enum Checksum {
  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1 }
  }

  /// The checksum of bytes. O(bytes).
  package static func of(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    table.withUnsafeBufferPointer { table in
      var value: UInt32 = 0xFFFF_FFFF
      for byte in bytes { value = table[Int(UInt8(truncatingIfNeeded: value) ^ byte)] ^ (value >> 8) }
      return value ^ 0xFFFF_FFFF
    }
  }
}
