// Reads a journal, in order or by the places of its records; steps over what is damaged and finds where a torn tail begins.

import Import

/// The records of a journal as it is now. Its file is mapped, so that the system reads what is asked for and keeps what memory it likes.
final class JournalReader {
  private let bytes: UnsafeRawBufferPointer
  /// The stretches that `forEach` stepped over; in a torn one the file ends in the middle of a record, as a power failure leaves it.
  private(set) var damages: [(bytes: Range<Int>, isTorn: Bool)] = []
  /// Where the last whole record ends.
  private(set) var endOfRecords = 0

  /// Opens a journal.
  /// - Throws: `OutputProblem` where it cannot be read.
  init(path: String) throws(OutputProblem) {
    let file = try SystemFile(regular: path, flags: O_RDONLY)
    defer { file.close() }
    let size = SystemFile.size(path)
    // The system maps nothing of no length.
    let start = size == 0 ? nil : mmap(nil, size, PROT_READ, MAP_PRIVATE, file.descriptor, 0)
    guard start != UnsafeMutableRawPointer(bitPattern: -1) else { throw OutputProblem(path: path, problem: SystemFile.message) }
    bytes = UnsafeRawBufferPointer(start: start, count: size)
  }

  deinit { if let start = bytes.baseAddress { munmap(UnsafeMutableRawPointer(mutating: start), bytes.count) } }

  /// The record at a place; nil where the file has none there. O(its bytes).
  func record(at place: Int) -> JournalRecord? { RecordCoding.payload(bytes, at: place).flatMap(RecordCoding.record) }

  /// Hands each payload and the place of its record to `body`, in order. With `isTrusting` checksums are left to an earlier reading.
  /// - Throws: what `body` throws.
  func forEach(isTrusting: Bool = false, _ body: (_ payload: UnsafeRawBufferPointer, _ place: Int) throws -> Void) rethrows {
    var (place, damage): (Int, Int?) = (0, nil)
    damages = []
    while place < bytes.count {
      guard let payload = RecordCoding.payload(bytes, at: place),
        isTrusting && damage == nil || RecordCoding.isWhole(payload, bytes, at: place)
      else {
        damage = damage ?? place
        place += 1
        continue
      }
      if let begin = damage { damages.append((begin..<place, false)) }
      damage = nil
      try body(payload, place)
      place += RecordCoding.headerSize + payload.count
      endOfRecords = place
    }
    guard let begin = damage else { return }
    let isCut = RecordCoding.length(bytes, at: begin).map { begin + RecordCoding.headerSize + $0 > bytes.count }
    let isTorn = isCut ?? (bytes.count - begin < RecordCoding.headerSize)
    damages.append((begin..<bytes.count, isTorn))
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
