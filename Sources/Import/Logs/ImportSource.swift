// The bytes of an import, a piece at a time: a file of any size, or what comes down a pipe.

/// Somebody wants an import to stop; nothing has been written.
package struct ImportCancelled: Error {}

/// Reads a file piece by piece, looks between pieces whether to stop, and tells how far it is.
package final class ImportSource {
  /// The most bytes that are asked for at a time: far less than what is read in a tenth of a second, and more than a call costs.
  package static let pieceSize = 1 << 18
  /// How long a pipe that brings nothing is waited for between two looks at whether to stop.
  private static let patienceMs: Int32 = 20

  /// The file as the user named it.
  package let name: String
  /// All bytes of it; nil for a pipe.
  package let size: Int?
  /// The bytes read so far.
  private(set) var position = 0
  private let file: SystemFile
  private let progress: (ImportProgress) -> Void
  private let isCancelled: () -> Bool
  private var told = -1

  /// Opens a file; `-` is standard input.
  ///
  /// - Throws: `InvalidInput` where it cannot be read.
  package init(path: String, progress: @escaping (ImportProgress) -> Void, isCancelled: @escaping () -> Bool) throws(InvalidInput) {
    name = path == "-" ? "standard input" : path
    guard let file = SystemFile(path: path == "-" ? "/dev/stdin" : path, flags: O_RDONLY) else {
      throw Self.problem(path, "cannot be read: \(SystemFile.message)", "check the path and its permissions")
    }
    self.file = file
    var status = stat()
    guard fstat(file.descriptor, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else {
      file.close()
      throw Self.problem(path, "is a folder", "name a file")
    }
    size = status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : nil
    self.progress = progress
    self.isCancelled = isCancelled
  }

  deinit { file.close() }

  /// Reads the next bytes into a buffer and returns how many; 0 at the end.
  ///
  /// - Throws: `ImportCancelled`, and `InvalidInput` where the system refuses.
  package func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    if isCancelled() { throw ImportCancelled() }
    tell()
    if size == nil {
      var poll = pollfd(fd: file.descriptor, events: Int16(POLLIN), revents: 0)
      while Platform.poll(&poll, 1, timeoutMs: Self.patienceMs) == 0 || poll.revents == 0 { if isCancelled() { throw ImportCancelled() } }
    }
    // A hundredth at a time, so that progress has no larger steps.
    let piece = size.map { min(Self.pieceSize, max(4096, $0 / 100)) } ?? Self.pieceSize
    let count = file.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(piece)))
    if count < 0 { throw Self.problem(name, "cannot be read on: \(SystemFile.message)", "check the disk it is on") }
    position += count
    return count
  }

  /// Whether to stop, for whoever works between two pieces.
  /// - Throws: `ImportCancelled` if the user ends the import.
  package func check() throws(ImportCancelled) { if isCancelled() { throw ImportCancelled() } }

  /// Tells how far it is, once for each hundredth, or each megabyte of a pipe.
  private func tell() {
    let step = size.map { $0 > 0 ? position * 100 / $0 : 100 } ?? position >> 20
    guard step != told else { return }
    told = step
    progress(ImportProgress(read: position, size: size))
  }

  private static func problem(_ file: String, _ problem: String, _ remedy: String) -> InvalidInput {
    InvalidInput(diagnostics: [Diagnostic(location: SourceLocation(file: file), key: "", problem: problem, remedy: remedy)])
  }
}

/// How far an import has come.
package struct ImportProgress: Sendable {
  /// The bytes read.
  package var read: Int
  /// The bytes there are; nil for a pipe.
  package var size: Int?

  /// The share read in per cent, rounded down; nil for a pipe.
  package var percent: Int? { size.map { $0 > 0 ? read * 100 / $0 : 100 } }
}
