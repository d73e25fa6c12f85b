// The bytes and the lines of an import, a piece at a time: a file of any size, or what comes down a pipe.

/// Somebody wants an import to stop; nothing has been written.
package struct ImportCancelled: Error {}

/// How far an import has come.
package struct ImportProgress: Sendable {
  /// The bytes read.
  package var read: Int
  /// The bytes there are; nil for a pipe.
  package var size: Int?

  /// The share read in per cent, rounded down; nil for a pipe.
  package var percent: Int? { size.map { $0 > 0 ? read * 100 / $0 : 100 } }
}

/// Reads a file piece by piece, looks between pieces whether to stop, and tells how far it is.
final class ImportSource {
  /// The most bytes that are asked for at a time: far less than what is read in a tenth of a second, and more than a call costs.
  static let pieceSize = 1 << 18
  private static let lineLimit = 1 << 20
  /// How long a pipe that brings nothing is waited for between two looks at whether to stop.
  private static let patienceMs: Int32 = 20

  /// The file as the user named it.
  let name: String
  private let file: SystemFile
  private var state: ImportProgress
  private let progress: (ImportProgress) -> Void
  private let isCancelled: () -> Bool
  private var reported = -1

  /// Opens a file; `-` is standard input.
  ///
  /// - Throws: `InvalidInput` where it cannot be read.
  init(path: String, progress: @escaping (ImportProgress) -> Void, isCancelled: @escaping () -> Bool) throws(InvalidInput) {
    name = path == "-" ? "standard input" : path
    guard let file = SystemFile(path: path == "-" ? "/dev/stdin" : path, flags: O_RDONLY) else {
      throw Self.problem(path, "cannot be read: \(SystemFile.message)", "check the path and its permissions")
    }
    guard let status = file.status, status.st_mode & S_IFMT != S_IFDIR else {
      file.close()
      throw Self.problem(path, "is a folder", "name a file")
    }
    (self.file, self.progress, self.isCancelled) = (file, progress, isCancelled)
    state = ImportProgress(read: 0, size: status.isRegular ? Int(status.st_size) : nil)
  }

  deinit { file.close() }

  private static func problem(_ file: String, _ problem: String, _ remedy: String) -> InvalidInput {
    InvalidInput(diagnostics: [Diagnostic(location: SourceLocation(whole: file), key: "", problem: problem, remedy: remedy)])
  }

  /// Reads the next bytes into a buffer and returns how many; 0 at the end.
  ///
  /// - Throws: `ImportCancelled`, and `InvalidInput` where the system refuses.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    try check()
    // Once for each hundredth, or each megabyte of a pipe.
    let step = state.percent ?? state.read >> 20
    if step != reported { progress(state) }
    reported = step
    if state.size == nil {
      var waited = pollfd(fd: file.descriptor, events: Int16(POLLIN), revents: 0)
      while poll(&waited, 1, Self.patienceMs) == 0 || waited.revents == 0 { try check() }
    }
    // A hundredth at a time, so that progress has no larger steps.
    let piece = state.size.map { min(Self.pieceSize, max(4096, $0 / 100)) } ?? Self.pieceSize
    let count = file.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(piece)))
    if count < 0 { throw Self.problem(name, "cannot be read on: \(SystemFile.message)", "check the disk it is on") }
    state.read += count
    return count
  }

  /// - Throws: `ImportCancelled` if the user ends the import.
  func check() throws(ImportCancelled) { if isCancelled() { throw ImportCancelled() } }

  /// Hands on each line without its end (LF or CR LF) and returns how many there were. One that is too long, and one that the body refuses,
  /// is noted as malformed. O(bytes), in memory for the longest line.
  ///
  /// - Throws: what `read` throws, and `InvalidInput` where malformed lines end the import.
  func forEachLine(_ malformed: MalformedLines, _ body: (TextLine) throws -> Void) throws -> Int {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.lineLimit + Self.pieceSize, alignment: 16)
    defer { buffer.deallocate() }
    // The rest of a line that was too long is passed over.
    var (count, filled, isSkipping) = (0, 0, false)
    /// - Throws: what `body` throws.
    func handOn(_ line: Range<Int>) throws {
      count += 1
      let bytes = buffer[line].last == 0x0D ? buffer[line].dropLast() : buffer[line]
      let line = TextLine(number: count, bytes: UnsafeRawBufferPointer(rebasing: bytes))
      do { try body(line) } catch let problem as ValueProblem { try malformed.note(problem, line: count) }
    }
    while case let got = try read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])), got > 0 {
      let end = filled + got
      var start = count == 0 && buffer[..<end].starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
      while let stop = buffer[start..<end].firstIndex(of: 0x0A) {
        if isSkipping { isSkipping = false } else { try handOn(start..<stop) }
        start = stop + 1
      }
      filled = isSkipping ? 0 : end - start
      if filled > Self.lineLimit {
        count += 1
        let problem = ValueProblem("is longer than \(Self.lineLimit) bytes", remedy: "check that the file is text in lines")
        try malformed.note(problem, line: count)
        (filled, isSkipping) = (0, true)
      }
      if start > 0 { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[start..<start + filled])) }
    }
    if filled > 0 { try handOn(0..<filled) }
    return count
  }
}

/// The malformed lines of an import, which ends with them, or leaves them out and counts them. A class, because the
/// reader and the reporter share it.
final class MalformedLines {
  /// So many are named; an import that may not leave any out reads on until it has found so many.
  private static let namedLimit = 20

  let file: String
  private let isSkipping: Bool
  /// The first of them.
  private(set) var named: [Diagnostic] = []
  /// How many there were.
  private(set) var count = 0

  init(file: String, isSkipping: Bool) { (self.file, self.isSkipping) = (file, isSkipping) }

  /// Takes note of one.
  ///
  /// - Throws: `InvalidInput` where they are fatal and enough have been found to tell.
  func note(_ problem: ValueProblem, line: Int) throws(InvalidInput) {
    count += 1
    if named.count < Self.namedLimit { named.append(diagnostic(problem, line: line)) }
    if count == Self.namedLimit { try finish() }
  }

  /// Those that are named, and a problem that ends the import whatever was asked.
  func fatal(_ problem: ValueProblem, line: Int = 1) -> InvalidInput {
    InvalidInput(diagnostics: named + [diagnostic(problem, line: line)])
  }

  /// Ends the reading.
  ///
  /// - Throws: `InvalidInput` where they are fatal and there were any.
  func finish() throws(InvalidInput) { if !isSkipping, count > 0 { throw InvalidInput(diagnostics: named, count: count) } }

  private func diagnostic(_ problem: ValueProblem, line: Int) -> Diagnostic {
    Diagnostic(location: SourceLocation(file: file, line: line), key: "", problem: problem.problem, remedy: problem.remedy)
  }
}
