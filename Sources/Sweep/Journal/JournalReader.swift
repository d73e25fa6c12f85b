// Reads a journal, in order or by the places of its records; steps over what is damaged and finds where a torn tail begins.

import Import

/// The records of a journal as it is now. Memory is the piece that was read last.
final class JournalReader {
  private let file: SystemFile
  private let size: Int
  private let pieceSize: Int
  private var piece: [UInt8] = []
  /// Where the piece begins in the file.
  private var start = 0
  /// Why the system refused to read on; nil while it has not.
  private(set) var refusal: String?
  /// The stretches that `forEach` stepped over; in a torn one the file ends in the middle of a record, as a power failure leaves it.
  private(set) var damages: [(bytes: Range<Int>, isTorn: Bool)] = []
  private(set) var endOfRecords = 0

  /// Opens a journal, of which so many bytes are read at once: many to read it in order, few to read records here and there.
  /// - Throws: `OutputProblem` where it cannot be read.
  init(path: String, pieceSize: Int = 1 << 18) throws(OutputProblem) {
    file = try SystemFile(regular: path, flags: O_RDONLY)
    size = SystemFile.size(path)
    self.pieceSize = pieceSize
  }

  deinit { file.close() }

  /// The record at a place; nil where the file has none there. O(its bytes).
  func record(at offset: Int) -> JournalRecord? { withPayload(at: offset, isTrusting: true) { RecordCoding.record($0) } ?? nil }

  /// Hands each payload and the place of its record to `body`, in order. With `isTrusting` checksums are left to an earlier reading.
  /// - Throws: what `body` throws.
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

  /// What `body` makes of the payload of the record that begins at a place; nil if none does, or it is damaged.
  /// - Throws: what `body` throws.
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

  /// The length of a payload by the header at a place; nil if there is none.
  private func length(at offset: Int) -> Int? {
    guard load(offset, RecordCoding.headerSize) else { return nil }
    return piece.withUnsafeBytes { RecordCoding.length($0, at: offset - start) }
  }

  /// True once so many bytes from a place on are in the piece.
  private func load(_ offset: Int, _ count: Int) -> Bool {
    if offset >= start, offset + count <= start + piece.count { return true }
    guard offset + count <= size else { return false }
    start = offset
    piece = [UInt8](unsafeUninitializedCapacity: max(pieceSize, count)) { buffer, initialized in
      let got = file.read(into: UnsafeMutableRawBufferPointer(buffer), at: offset)
      if got == nil { refusal = SystemFile.message }
      initialized = got ?? 0
    }
    return piece.count >= count
  }
}

/// The places of a shard's runs in a journal: 8 bytes a run, in pages that are made as runs come.
struct JournalIndex: Sendable {
  private static let pageSize = 512
  private let shard: Shard
  /// The places of records, plus 1; 0 for a run that is not there.
  private var pages: [[Int]]

  /// An index without runs, of a sweep of at most so many.
  init(limit: Int, shard: Shard) {
    self.shard = shard
    pages = [[Int]](repeating: [], count: shard.size(of: limit) / Self.pageSize + 1)
  }

  /// The place of a run's record, by the run's index among all runs of the sweep; nil where it is not there. O(1).
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
