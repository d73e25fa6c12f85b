// Reads a journal from its start in pieces, steps over what is damaged and finds where a torn tail begins.

import Import

/// What is wrong with a stretch of a journal.
struct JournalDamage: Hashable, Sendable {
  /// The first byte of it.
  package var offset: Int
  /// How many bytes.
  package var count: Int
  /// Whether the file ends in the middle of a record: what a power failure or a full disk leaves.
  var isTorn: Bool
}

/// Streams the payloads of a journal. Memory is one buffer; a stretch that is no record is searched for the next one.
final class JournalReader {
  private static let pieceSize = 1 << 18

  private let file: SystemFile
  private var buffer: [UInt8] = []
  /// The next byte of the buffer to look at.
  private var place = 0
  /// Where the buffer starts in the file.
  private var start = 0
  private var isAtEnd = false

  /// What was stepped over.
  private(set) var damages: [JournalDamage] = []
  /// Where the last whole record ends.
  private(set) var endOfRecords = 0

  /// Opens a journal.
  ///
  /// - Throws: `OutputProblem` where it cannot be read.
  init(path: String) throws(OutputProblem) {
    file = try SystemFile(regular: path, flags: O_RDONLY)
  }

  deinit { file.close() }

  /// Hands each payload and its place to `body`, in order. With `isTrusting` checksums are left to an earlier reading.
  ///
  /// - Returns: false if the system stopped the reading.
  /// - Throws: what `body` throws.
  func forEach(isTrusting: Bool = false, _ body: (UnsafeRawBufferPointer, JournalPlace) throws -> Void) rethrows -> Bool {
    while true {
      guard let size = try take(isTrusting: isTrusting, body) else { return false }
      if size == 0 { return true }
    }
  }

  /// Steps over one record, or over damage: the bytes taken, 0 at the end, nil where the system refused.
  /// - Throws: what `body` throws.
  private func take(isTrusting: Bool, _ body: (UnsafeRawBufferPointer, JournalPlace) throws -> Void) rethrows -> Int? {
    guard fill(RecordCoding.headerSize) else { return nil }
    if place == buffer.count { return 0 }
    var length = payloadLength(at: place)
    if let wanted = length {
      guard fill(RecordCoding.headerSize + wanted) else { return nil }
      if !isWhole(at: place, length: wanted, isTrusting: isTrusting) { length = nil }
    }
    guard let length else { return skipDamage() }
    let first = place + RecordCoding.headerSize
    let stands = JournalPlace(offset: start + first, count: length)
    try buffer.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[first..<first + length]), stands) }
    place = first + length
    endOfRecords = start + place
    return RecordCoding.headerSize + length
  }

  /// Searches for the next whole record.
  private func skipDamage() -> Int? {
    let begin = start + place
    let isTornHere = payloadLength(at: place).map { place + RecordCoding.headerSize + $0 > buffer.count }
    let wasShort = buffer.count - place < RecordCoding.headerSize
    place += 1
    while true {
      guard fill(RecordCoding.headerSize) else { return nil }
      guard buffer.count - place >= RecordCoding.headerSize else {
        place = buffer.count
        damages.append(JournalDamage(offset: begin, count: start + place - begin, isTorn: wasShort || isTornHere == true))
        return start + place - begin
      }
      if let length = payloadLength(at: place) {
        guard fill(RecordCoding.headerSize + length) else { return nil }
        if isWhole(at: place, length: length, isTrusting: false) {
          damages.append(JournalDamage(offset: begin, count: start + place - begin, isTorn: false))
          return start + place - begin
        }
      }
      place += 1
    }
  }

  /// The length that a header gives; nil if there is no header.
  private func payloadLength(at place: Int) -> Int? {
    guard buffer.count - place >= RecordCoding.headerSize, buffer[place] == RecordCoding.mark.0, buffer[place + 1] == RecordCoding.mark.1
    else { return nil }
    let length = Int(buffer.withUnsafeBytes { RecordCoding.number($0, at: place + 2, size: 4) })
    return length > 0 && length <= RecordCoding.payloadLimit ? length : nil
  }

  private func isWhole(at place: Int, length: Int, isTrusting: Bool) -> Bool {
    let first = place + RecordCoding.headerSize
    guard first + length <= buffer.count else { return false }
    if isTrusting { return true }
    return buffer.withUnsafeBytes { bytes in
      let sum = UInt32(RecordCoding.number(bytes, at: place + 6, size: 4))
      return RecordCoding.checksum(UnsafeRawBufferPointer(rebasing: bytes[first..<first + length])) == sum
    }
  }

  /// Reads on until so many bytes lie ahead, or the file ends. False if the system refused.
  private func fill(_ count: Int) -> Bool {
    guard buffer.count - place < count, !isAtEnd else { return true }
    buffer.removeFirst(place)
    start += place
    place = 0
    while buffer.count < count, !isAtEnd {
      let size = max(Self.pieceSize, count - buffer.count)
      var got = 0
      buffer += [UInt8](unsafeUninitializedCapacity: size) { bytes, count in
        got = file.read(into: UnsafeMutableRawBufferPointer(bytes))
        count = max(0, got)
      }
      if got < 0 { return false }
      if got == 0 { isAtEnd = true }
    }
    return true
  }
}
