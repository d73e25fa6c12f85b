// The lines of an import, one by one, in memory that does not grow with the file.

/// Splits a source into lines. Memory is one buffer, which bounds the longest line.
struct LineStream: ~Copyable {
  /// The longest line.
  package static let lineLimit = 1 << 20

  private let source: ImportSource
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: lineLimit + ImportSource.pieceSize, alignment: 16)
  /// Lines handed on.
  private(set) var count = 0

  package init(_ source: ImportSource) { self.source = source }

  deinit { buffer.deallocate() }

  /// Hands on each line with its number, counted from 1, without its line's end (LF or CR LF); nil for one that is too long.
  /// O(bytes).
  package mutating func forEach(_ body: (Int, UnsafeRawBufferPointer?) throws -> Void) throws {
    guard let base = buffer.baseAddress else { return }
    var filled = 0
    // The rest of a line that was too long is passed over.
    var isSkipping = false
    while true {
      let got = try source.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
      if got == 0 { break }
      let end = filled + got
      var start = count == 0 && end >= 3 && memcmp(base, Self.mark, 3) == 0 ? 3 : 0
      while let found = memchr(base + start, 0x0A, end - start) {
        let stop = UnsafeMutableRawPointer(found) - base
        if isSkipping { isSkipping = false } else { try hand(on: start, stop, body) }
        start = stop + 1
      }
      filled = end - start
      if isSkipping { filled = 0 }
      if filled > Self.lineLimit {
        count += 1
        try body(count, nil)
        (filled, isSkipping) = (0, true)
      }
      if filled > 0, start > 0 { memmove(base, base + start, filled) }
    }
    if filled > 0 { try hand(on: 0, filled, body) }
  }

  @inline(__always)
  private mutating func hand(on start: Int, _ stop: Int, _ body: (Int, UnsafeRawBufferPointer?) throws -> Void) throws {
    count += 1
    let end = stop > start && buffer[stop - 1] == 0x0D ? stop - 1 : stop
    try body(count, UnsafeRawBufferPointer(rebasing: buffer[start..<end]))
  }

  private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
}
