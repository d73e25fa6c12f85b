// What a program prints, taken as it comes, within a limit.

import Import

/// A pipe whose one end a program writes to and whose other end is read without waiting.
package struct OutputPipe {
  /// The end that is read.
  private let reading: SystemFile
  /// The end that a program gets; nil once it has it.
  private(set) var writing: SystemFile?
  /// What has come, up to the limit and a piece more.
  private(set) var bytes: [UInt8] = []
  /// The most bytes that are taken.
  package let limit: Int
  /// Whether nothing more will come.
  private(set) var isAtEnd = false

  /// Makes a pipe; nil where the system gives none. Neither end goes to programs that are not given it.
  package init?(limit: Int) {
    guard let ends = Self.ends() else { return nil }
    self.limit = limit
    (reading, writing) = (ends.reading, ends.writing)
    _ = fcntl(reading.descriptor, F_SETFL, fcntl(reading.descriptor, F_GETFL) | O_NONBLOCK)
  }

  /// The two ends of a new pipe, which no program inherits by itself; nil where the system gives none.
  package static func ends() -> (reading: SystemFile, writing: SystemFile)? {
    var ends: [Int32] = [-1, -1]
    let isMade = ProcessGroup.starting.withLock { _ in
      guard pipe(&ends) == 0 else { return false }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      return true
    }
    guard isMade else { return nil }
    return (SystemFile(descriptor: ends[0]), SystemFile(descriptor: ends[1]))
  }

  /// Whether more has come than is taken.
  package var isFull: Bool { bytes.count > limit }

  /// What to wait on: nothing where nothing more will be taken.
  package var waited: pollfd { pollfd(fd: isAtEnd || isFull ? -1 : reading.descriptor, events: Int16(POLLIN), revents: 0) }

  /// Closes the end that a program has by now, so that the end of its output can be seen.
  mutating func handOver() {
    writing?.close()
    writing = nil
  }

  /// Takes what is there.
  package mutating func take() {
    while !isAtEnd, !isFull {
      var count = 0
      let piece = [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, size in
        count = reading.read(into: UnsafeMutableRawBufferPointer(buffer))
        size = max(0, count)
      }
      bytes += piece
      if count < 0 { return }
      if count == 0 { isAtEnd = true }
    }
  }

  /// Closes what is open.
  package mutating func close() {
    handOver()
    reading.close()
  }
}
