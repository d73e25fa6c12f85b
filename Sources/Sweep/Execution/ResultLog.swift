// A file that a program writes its result to, appended run by run or written anew each time.

import Import

/// A log as it was before a run, so that what the run wrote can be told from what stood there.
package struct ResultLog {
  /// So much of its end tells whether it is still the same file's.
  private static let tailSize = 4096

  package let path: String
  private let size: Int
  private let tail: [UInt8]
  private let version: String?

  /// Remembers how the file at a path ends.
  package init(_ path: String) {
    self.path = path
    version = SystemFile.version(path)
    size = SystemFile.size(path)
    tail = Self.bytes(path, max(0, size - Self.tailSize)..<size)
  }

  /// What has been written since, at most the last `limit` bytes: what follows the old end where that still stands, else all; nil
  /// where nothing was.
  package func written(limit: Int) -> [UInt8]? {
    guard let now = SystemFile.version(path), now != version else { return nil }
    let end = SystemFile.size(path)
    let isAppended = end > size && Self.bytes(path, (size - tail.count)..<size) == tail
    let start = max(isAppended ? size : 0, end - limit)
    return start < end ? Self.bytes(path, start..<end) : nil
  }

  private static func bytes(_ path: String, _ range: Range<Int>) -> [UInt8] {
    guard !range.isEmpty, let file = SystemFile(path: path, flags: O_RDONLY) else { return [] }
    defer { file.close() }
    lseek(file.descriptor, off_t(range.lowerBound), SEEK_SET)
    var bytes: [UInt8] = []
    while bytes.count < range.count {
      let wanted = min(1 << 16, range.count - bytes.count)
      var count = 0
      bytes += [UInt8](unsafeUninitializedCapacity: wanted) { buffer, size in
        count = file.read(into: UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[..<wanted]))
        size = max(0, count)
      }
      if count <= 0 { break }
    }
    return bytes
  }
}
