// Tells builds of the program apart by the bytes of its file.

import Import

/// A hash of a file, made for tens of megabytes in milliseconds; it guards against no one.
enum ExecutableHash {
  /// The hash of the program that runs; nil where its file cannot be read.
  static var ofThisProcess: String? {
    #if DEBUG
      // Without optimization a hash takes longer than a test's sweep; a file that was built anew is another file.
      return path.flatMap(SystemFile.version)
    #else
      return path.flatMap(of)
    #endif
  }

  /// Words of eight bytes, each mixed in by a multiplication (the constant is that of Knuth's multiplicative hash, 2^64 / φ).
  package static func of(_ path: String) -> String? {
    guard let file = SystemFile(path: path, flags: O_RDONLY) else { return nil }
    defer { file.close() }
    var hash: UInt64 = 0x9E37_79B9_7F4A_7C15
    var size: UInt64 = 0
    var piece = [UInt64](repeating: 0, count: 1 << 15)
    while true {
      let count = piece.withUnsafeMutableBytes { file.read(into: $0) }
      if count < 0 { return nil }
      if count == 0 { break }
      size += UInt64(count)
      piece.withUnsafeMutableBytes { bytes in
        // Only the last piece ends within a word, as files are read; the rest of that word is made zero.
        for place in count..<min(bytes.count, (count + 7) / 8 * 8) { bytes[place] = 0 }
      }
      for word in piece[..<((count + 7) / 8)] {
        hash = (hash ^ word) &* 0x9E37_79B9_7F4A_7C15
        hash ^= hash >> 29
      }
    }
    return PointID.text(hash ^ size)
  }

  #if canImport(Darwin)
    private static var path: String? {
      var size: UInt32 = 0
      _ = _NSGetExecutablePath(nil, &size)
      var text = [CChar](repeating: 0, count: Int(size) + 1)
      guard _NSGetExecutablePath(&text, &size) == 0 else { return nil }
      return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
  #else
    private static let path: String? = "/proc/self/exe"
  #endif
}
