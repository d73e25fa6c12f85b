// Reads the bytes and lines of an import in pieces, from a file of any size or a pipe.

import Base

/// The user ended the import. Nothing was written.
package struct ImportCancelled: Error {}

package struct ImportProgress: Sendable {
  /// The bytes read so far.
  package var read: Int
  /// The size of the input in bytes; nil for a pipe.
  package var size: Int?

  /// The share read in per cent, rounded down; nil for a pipe.
  package var percent: Int? { size.map { $0 > 0 ? read * 100 / $0 : 100 } }
}

/// Reads a file in pieces; between pieces it checks for cancellation and reports progress.
final class ImportSource {
  /// The bytes of one read. Reading them takes much less than 0.1 s, and much longer than the call itself.
  static let pieceSize = 1 << 18
  static let lineLimit = 1 << 20
  /// The time between two checks for cancellation while a pipe has no data, in milliseconds.
  private static let patienceMs: Int32 = 20
  /// The first bytes of files that are not text in UTF-8.
  private static let otherForms: [(first: [UInt8], problem: String, remedy: String)] =
    [
      ([0x1F, 0x8B], "gzip", "gunzip"), ([0x50, 0x4B, 0x03, 0x04], "zip", "unzip"), ([0x28, 0xB5, 0x2F, 0xFD], "zstd", "unzstd"),
      ([0x42, 0x5A, 0x68], "bzip2", "bunzip2"), ([0xFD, 0x37, 0x7A, 0x58, 0x5A], "xz", "unxz"),
    ].map { ($0, "is compressed with \($1)", "unpack it with \($2)") }
    + [[0xFF, 0xFE], [0xFE, 0xFF], [0x00, 0x7B], [0x7B, 0x00]].map {
      ($0, "is in UTF-16", "convert it, such as with iconv -f UTF-16 -t UTF-8")
    }

  let name: String
  private let file: SystemFile
  private var state: ImportProgress
  private let progress: (ImportProgress) -> Void
  private let isCancelled: () -> Bool
  private var reported = -1

  /// Opens a file; `-` is standard input.
  /// - Throws: `InvalidInput` if it cannot be read.
  init(path: String, progress: @escaping (ImportProgress) -> Void, isCancelled: @escaping () -> Bool) throws(InvalidInput) {
    name = path == "-" ? "standard input" : path
    guard let file = SystemFile(path: path == "-" ? "/dev/stdin" : path, flags: O_RDONLY) else {
      let reason = SystemFile.message
      throw Self.problem(path, "cannot be read: \(reason)", InputFile.remedy(for: path, otherwise: "check the path and its permissions"))
    }
    guard let status = file.status, status.st_mode & S_IFMT != S_IFDIR else {
      file.close()
      throw Self.problem(path, "is a folder", "name a file")
    }
    InputFile.noteInput(path == "-" ? "/dev/stdin" : path)
    (self.file, self.progress, self.isCancelled) = (file, progress, isCancelled)
    state = ImportProgress(read: 0, size: status.isRegular ? Int(status.st_size) : nil)
  }

  deinit { file.close() }

  private static func problem(_ file: String, _ problem: String, _ remedy: String) -> InvalidInput {
    InvalidInput(at: SourceLocation(whole: file), key: "", problem: problem, remedy: remedy)
  }

  /// Reads the next bytes into a buffer and returns their number; 0 at the end.
  /// - Throws: `ImportCancelled`, and `InvalidInput` if the system fails.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    try check()
    // Progress is reported for each hundredth, or each megabyte of a pipe.
    let step = state.percent ?? state.read >> 20
    if step != reported { progress(state) }
    reported = step
    if state.size == nil {
      var waited = pollfd(fd: file.descriptor, events: Int16(POLLIN), revents: 0)
      while poll(&waited, 1, Self.patienceMs) == 0 || waited.revents == 0 { try check() }
    }
    // At most a hundredth at a time, so that progress has no larger steps.
    let piece = state.size.map { min(Self.pieceSize, max(4096, $0 / 100)) } ?? Self.pieceSize
    let count = file.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(piece)))
    if count < 0 { throw Self.problem(name, "cannot be read on: \(SystemFile.message)", "check the disk it is on") }
    if state.read == 0, let form = Self.otherForms.first(where: { buffer.prefix(count).starts(with: $0.first) }) {
      throw Self.problem(name, form.problem, form.remedy)
    }
    state.read += count
    return count
  }

  /// Returns all bytes of a small file.
  /// - Throws: any error of `read`, and `InvalidInput` above the limit.
  func contents(atMost limit: Int) throws -> [UInt8] {
    var bytes: [UInt8] = []
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceSize, alignment: 16)
    defer { buffer.deallocate() }
    while case let count = try read(into: buffer), count > 0 {
      bytes += buffer[..<count]
      guard bytes.count <= limit else { throw Self.problem(name, "has more than \(limit) bytes", "give the part that matters alone") }
    }
    return bytes
  }

  /// - Throws: `ImportCancelled` if the user ends the import.
  func check() throws(ImportCancelled) { if isCancelled() { throw ImportCancelled() } }

  /// Calls `body` with each line, without LF or CR LF, and returns the number of lines. O(bytes), in memory for the longest line.
  /// Notes lines that are too long, or that `body` refuses, as malformed.
  /// - Throws: any error of `read`, and `InvalidInput` if malformed lines end the import.
  func forEachLine(_ malformed: MalformedLines, limit: Int = ImportSource.lineLimit, _ body: (TextLine) throws -> Void) throws -> Int {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: limit + Self.pieceSize, alignment: 16)
    defer { buffer.deallocate() }
    // `isSkipping` is true in the rest of a line that was too long.
    var (count, filled, isSkipping) = (0, 0, false)
    /// - Throws: any error of `body`.
    func passOn(_ line: Range<Int>) throws {
      count += 1
      let bytes = buffer[line].last == 0x0D ? buffer[line].dropLast() : buffer[line]
      let line = TextLine(number: count, bytes: UnsafeRawBufferPointer(rebasing: bytes))
      try malformed.noting(line: count) { try body(line) }
    }
    while case let got = try read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])), got > 0 {
      let end = filled + got
      var start = count == 0 && buffer[..<end].starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
      while let stop = buffer[start..<end].firstIndex(of: 0x0A) {
        if isSkipping { isSkipping = false } else { try passOn(start..<stop) }
        start = stop + 1
      }
      filled = isSkipping ? 0 : end - start
      if filled > limit {
        count += 1
        let problem = ValueProblem("is longer than \(limit) bytes", remedy: "check that the file is text in lines")
        try malformed.note(problem, line: count)
        (filled, isSkipping) = (0, true)
      }
      if start > 0 { buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[start..<start + filled])) }
    }
    if filled > 0 { try passOn(0..<filled) }
    return count
  }
}

/// A problem of the whole file, such as a missing column: it ends the import even if malformed lines are skipped.
struct FormatProblem: Error {
  let problem: String, remedy: String
  init(_ problem: String, remedy: String) { (self.problem, self.remedy) = (problem, remedy) }
}

/// The malformed lines of an import. They end it, or are skipped and counted. A class, because reader and reporter share it.
final class MalformedLines {
  /// The most malformed lines that are named. An import that skips none stops after this many.
  private static let namedLimit = 20

  let file: String
  private let isSkipping: Bool
  /// The problems of the first malformed lines.
  private(set) var named: [Diagnostic] = []
  private(set) var count = 0

  init(file: String, isSkipping: Bool) { (self.file, self.isSkipping) = (file, isSkipping) }

  /// - Throws: `InvalidInput` if malformed lines are fatal and the most that are named were found.
  func note(_ problem: ValueProblem, line: Int) throws(InvalidInput) {
    count += 1
    if named.count < Self.namedLimit { named.append(diagnostic(problem, line: line)) }
    if count == Self.namedLimit { try finish() }
  }

  /// Reads a line and notes it if `body` refuses it.
  /// - Throws: `InvalidInput` for a problem of the whole file, and if malformed lines end the import; any other error of `body`.
  func noting(line: Int, _ body: () throws -> Void) throws {
    do { try body() } catch let problem as ValueProblem { try note(problem, line: line) } catch let file as FormatProblem {
      throw fatal(file.problem, remedy: file.remedy, line: line)
    }
  }

  /// Returns the named problems and one that ends the import in any case.
  func fatal(_ problem: String, remedy: String, line: Int = 1) -> InvalidInput {
    InvalidInput(diagnostics: named + [diagnostic(ValueProblem(problem, remedy: remedy), line: line)])
  }

  /// Ends the reading; malformed lines end the import unless they are skipped.
  /// - Throws: `InvalidInput` if malformed lines are fatal and there are any.
  func finish() throws(InvalidInput) { if !isSkipping, count > 0 { throw InvalidInput(diagnostics: named, count: count) } }

  private func diagnostic(_ problem: ValueProblem, line: Int) -> Diagnostic {
    Diagnostic(location: SourceLocation(file: file, line: line), key: "", problem: problem.problem, remedy: problem.remedy)
  }
}
