// The lines of an import, one by one, in memory that does not grow with the file.

/// Splits a source into lines. Memory is one buffer, which bounds the longest line.
struct LineStream: ~Copyable {
  /// The longest line.
  private static let lineLimit = 1 << 20
  private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  private let source: ImportSource
  private let malformed: MalformedLines
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: lineLimit + ImportSource.pieceSize, alignment: 16)
  /// Lines handed on.
  private(set) var count = 0

  init(_ source: ImportSource, malformed: MalformedLines) {
    self.source = source
    self.malformed = malformed
  }

  deinit { buffer.deallocate() }

  /// Hands on each line without its end (LF or CR LF). One that is too long, and one that the body refuses, is noted as malformed.
  /// O(bytes).
  ///
  /// - Throws: what the source throws, and `InvalidInput` where malformed lines end the import.
  mutating func forEach(_ body: (TextLine) throws -> Void) throws {
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
        try malformed.note(
          LineProblem("is longer than \(Self.lineLimit) bytes", remedy: "check that the file is text in lines"), line: count)
        (filled, isSkipping) = (0, true)
      }
      if filled > 0, start > 0 { memmove(base, base + start, filled) }
    }
    if filled > 0 { try hand(on: 0, filled, body) }
  }

  /// - Throws: what `body` throws.
  @inline(__always)
  private mutating func hand(on start: Int, _ stop: Int, _ body: (TextLine) throws -> Void) throws {
    count += 1
    let end = stop > start && buffer[stop - 1] == 0x0D ? stop - 1 : stop
    let line = TextLine(number: count, bytes: UnsafeRawBufferPointer(rebasing: buffer[start..<end]))
    do { try body(line) } catch let problem as LineProblem { try malformed.note(problem, line: count) }
  }
}
