// Where a journal has each run: what is done, and how rows are found in the order of the table.

import Import

/// The place of a record's payload in a journal.
struct JournalPlace: Hashable, Sendable {
  var offset: Int
  var count: Int
}

/// The places of a shard's runs in a journal: 8 bytes a run, in pages that are made as runs come.
struct JournalIndex: Sendable {
  private static let pageSize = 512
  private let shard: Shard
  /// Offsets in the upper 48 bits, sizes in the lower 16; 0 for a run that is not there.
  private var pages: [[UInt64]]

  /// An index without runs, of a sweep of at most so many.
  init(limit: Int, shard: Shard) {
    self.shard = shard
    pages = [[UInt64]](repeating: [], count: shard.size(of: limit) / Self.pageSize + 1)
  }

  /// The place of a run, by its index among all runs of the sweep; nil where it is not there. O(1).
  subscript(run: Int) -> JournalPlace? {
    get {
      guard shard.contains(run) else { return nil }
      let (page, place) = (run / shard.count / Self.pageSize, run / shard.count % Self.pageSize)
      guard !pages[page].isEmpty, pages[page][place] != 0 else { return nil }
      return JournalPlace(offset: Int(pages[page][place] >> 16), count: Int(pages[page][place] & 0xFFFF))
    }
    set {
      precondition(shard.contains(run), "a run belongs to one shard")
      let (page, place) = (run / shard.count / Self.pageSize, run / shard.count % Self.pageSize)
      if pages[page].isEmpty { pages[page] = [UInt64](repeating: 0, count: Self.pageSize) }
      pages[page][place] = newValue.map { UInt64($0.offset) << 16 | UInt64($0.count) } ?? 0
    }
  }
}

/// Reads the records of a journal in any order. Memory is a cache of the blocks that were read last.
final class RecordReader {
  private static let blockSize = 1 << 13
  /// A prime, so that runs of one point, which lie in steps, seldom share a block's place.
  private static let blockLimit = 1021

  private let file: SystemFile
  private let blockCount: Int
  private var blocks: [UInt8]
  /// The number of the block in each place; −1 for none.
  private var numbers: [Int]
  private var payload: [UInt8] = []

  /// Opens a journal.
  ///
  /// - Throws: `OutputProblem` where it cannot be read.
  init(path: String) throws(OutputProblem) {
    file = try SystemFile(regular: path, flags: O_RDONLY)
    blockCount = min(Self.blockLimit, SystemFile.size(path) / Self.blockSize + 1)
    blocks = [UInt8](repeating: 0, count: blockCount * Self.blockSize)
    numbers = [Int](repeating: -1, count: blockCount)
  }

  deinit { file.close() }

  /// The record at a place; nil where the file has none there, or cannot be read.
  func record(_ place: JournalPlace) -> JournalRecord? {
    let (first, last) = (place.offset / Self.blockSize, (place.offset + place.count - 1) / Self.blockSize)
    guard first < last else {
      guard let start = load(first) else { return nil }
      let offset = start + place.offset % Self.blockSize
      return blocks.withUnsafeBytes { RecordCoding.record(UnsafeRawBufferPointer(rebasing: $0[offset..<offset + place.count])) }
    }
    payload.removeAll(keepingCapacity: true)
    for block in first...last {
      guard let start = load(block) else { return nil }
      let (from, to) = (max(place.offset, block * Self.blockSize), min(place.offset + place.count, (block + 1) * Self.blockSize))
      payload += blocks[start + from - block * Self.blockSize..<start + to - block * Self.blockSize]
    }
    return payload.withUnsafeBytes(RecordCoding.record)
  }

  /// Where a block begins in `blocks`; nil where the system refused to read it.
  private func load(_ block: Int) -> Int? {
    let slot = block % blockCount
    let start = slot * Self.blockSize
    if numbers[slot] == block { return start }
    numbers[slot] = -1
    let isRead = blocks.withUnsafeMutableBytes { bytes in
      let piece = UnsafeMutableRawBufferPointer(rebasing: bytes[start..<start + Self.blockSize])
      guard let count = file.read(into: piece, at: block * Self.blockSize) else { return false }
      // What an earlier block left is no part of a file that ends here.
      for place in count..<piece.count { piece[place] = 0 }
      return true
    }
    guard isRead else { return nil }
    numbers[slot] = block
    return start
  }
}
