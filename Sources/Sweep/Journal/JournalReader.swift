// Reads a journal in order or by offsets, skips damaged bytes and finds a torn end.

import Base

/// The records of a journal. It keeps one chunk of the file in memory.
final class JournalReader {
  private let file: SystemFile
  private let size: Int
  private let pieceSize: Int
  private var piece: [UInt8] = []
  private var start = 0
  /// The system's error while reading; nil if there is none.
  private(set) var refusal: String?
  /// The byte ranges that `forEach` skipped. A torn one ends with the file inside a record, as after a power failure.
  private(set) var damages: [(bytes: Range<Int>, isTorn: Bool)] = []
  private(set) var endOfRecords = 0

  /// Opens a journal. `pieceSize` is the size of a read: large to read in order, small for single records.
  /// - Throws: `OutputProblem` if the file cannot be read.
  init(path: String, pieceSize: Int = 1 << 18) throws(OutputProblem) {
    file = try SystemFile(regular: path, flags: O_RDONLY)
    size = SystemFile.size(path)
    self.pieceSize = pieceSize
  }

  deinit { file.close() }

  /// Returns the record at an offset; nil if there is none. O(bytes of the record).
  func record(at offset: Int, columns: [JournalColumn?] = RecordCoding.ownColumns) -> JournalRecord? {
    withPayload(at: offset, isTrusting: true) { RecordCoding.record($0, columns: columns) } ?? nil
  }

  /// Calls `body` with each payload and its record's offset, in order. With `isTrusting` checksums are not checked.
  /// - Throws: any error of `body`.
  func forEach(isTrusting: Bool = false, _ body: (_ payload: UnsafeRawBufferPointer, _ offset: Int) throws -> Void) rethrows {
    var (offset, damage): (Int, Int?) = (0, nil)
    damages = []
    while offset < size, refusal == nil {
      let length = try withPayload(at: offset, isTrusting: isTrusting && damage == nil) { payload in
        if let begin = damage { damages.append((begin..<offset, false)) }
        try body(payload, offset)
        return payload.count
      }
      guard let length else {
        damage = damage ?? offset
        offset += 1
        continue
      }
      damage = nil
      offset += RecordCoding.headerSize + length
      endOfRecords = offset
    }
    guard let begin = damage else { return }
    let isTorn = length(at: begin).map { begin + RecordCoding.headerSize + $0 > size } ?? (size - begin < RecordCoding.headerSize)
    damages.append((begin..<size, isTorn))
  }

  /// Calls `body` with the payload of the record at an offset; nil if there is no record or it is damaged.
  /// - Throws: any error of `body`.
  private func withPayload<Result>(
    at offset: Int, isTrusting: Bool, _ body: (UnsafeRawBufferPointer) throws -> Result
  ) rethrows -> Result? {
    guard let length = length(at: offset), load(offset, RecordCoding.headerSize + length) else { return nil }
    return try piece.withUnsafeBytes { bytes in
      let record = UnsafeRawBufferPointer(rebasing: bytes[(offset - start)...].prefix(RecordCoding.headerSize + length))
      guard isTrusting || RecordCoding.isWhole(record) else { return nil }
      return try body(UnsafeRawBufferPointer(rebasing: record[RecordCoding.headerSize...]))
    }
  }

  /// Returns the payload's length in the header at an offset; nil if there is no header.
  private func length(at offset: Int) -> Int? {
    guard load(offset, RecordCoding.headerSize) else { return nil }
    return piece.withUnsafeBytes { RecordCoding.length($0, at: offset - start) }
  }

  /// Loads bytes from an offset; true if all of them are in the chunk.
  private func load(_ offset: Int, _ count: Int) -> Bool {
    if offset >= start, offset + count <= start + piece.count { return true }
    guard offset + count <= size else { return false }
    guard let read = file.read(max(pieceSize, count), at: offset) else {
      refusal = SystemFile.message
      return false
    }
    (start, piece) = (offset, read)
    return piece.count >= count
  }
}

/// The offsets of a shard's runs in a journal: 8 bytes a run, in pages allocated on demand.
struct JournalIndex: Sendable {
  private static let pageSize = 512
  private let shard: Shard
  /// The offsets plus 1; 0 for a missing run.
  private var pages: [[Int]]

  /// Creates an empty index for a sweep of at most `limit` runs.
  init(limit: Int, shard: Shard) {
    self.shard = shard
    pages = [[Int]](repeating: [], count: shard.size(of: limit) / Self.pageSize + 1)
  }

  /// The offset of a run's record, by the run's index in the sweep; nil if it is missing. O(1).
  subscript(run: Int) -> Int? {
    get {
      guard shard.contains(run) else { return nil }
      let (page, slot) = (run / shard.count / Self.pageSize, run / shard.count % Self.pageSize)
      return pages[page].isEmpty || pages[page][slot] == 0 ? nil : pages[page][slot] - 1
    }
    set {
      precondition(shard.contains(run), "a run belongs to one shard")
      let (page, slot) = (run / shard.count / Self.pageSize, run / shard.count % Self.pageSize)
      if pages[page].isEmpty { pages[page] = [Int](repeating: 0, count: Self.pageSize) }
      pages[page][slot] = newValue.map { $0 + 1 } ?? 0
    }
  }
}
