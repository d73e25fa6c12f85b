// The rows of one folder's runs.csv, asked for one by one.

import Analysis
import Import

/// Reads `runs.csv` as its rows are asked for; memory is a piece of the file.
final class RowSource {
  private static let pieceSize = 1 << 16

  /// The file as the user named it.
  package let name: String
  private let file: SystemFile
  private var reader: RunReader
  private var rows: [RunRow] = []
  private var next = 0
  private var isAtEnd = false

  /// Opens a file, which is called by its path in messages, or by another name. With `sweep` its rows must be runs of that sweep.
  package init(path: String, shownAs name: String? = nil, sweep: SweepDescription? = nil) throws(Refusal) {
    self.name = name ?? path
    reader = RunReader(file: self.name, sweep: sweep)
    do { file = try SystemFile(regular: path, flags: O_RDONLY) } catch { throw Refusal("\(self.name): \(error.reason); run it again") }
  }

  deinit { file.close() }

  /// The axes in the header, once a row has been asked for.
  package var axes: [String] { reader.axes }
  /// What the rows measure, likewise.
  package var schema: RunSchema { reader.schema }

  /// The next row; nil at the end.
  ///
  /// - Throws: `FileProblems` where the file is malformed.
  package func row() throws -> RunRow? {
    while next == rows.count, !isAtEnd { try fill() }
    guard next < rows.count else { return nil }
    next += 1
    return rows[next - 1]
  }

  /// Reads the rest: a row may be missing because it is malformed.
  ///
  /// - Throws: `FileProblems` where the file is malformed.
  func checkRest() throws { while try row() != nil {} }

  private func fill() throws {
    rows.removeAll(keepingCapacity: true)
    next = 0
    var count = 0
    let piece = [UInt8](unsafeUninitializedCapacity: Self.pieceSize) { bytes, taken in
      count = file.read(into: UnsafeMutableRawBufferPointer(bytes))
      taken = max(0, count)
    }
    if count < 0 { throw Refusal("\(name): \(SystemFile.message)") }
    var found: [RunRow] = []
    if count == 0 {
      isAtEnd = true
      try reader.finish { found.append($0) }
    } else {
      reader.read(piece) { found.append($0) }
    }
    rows = found
  }
}
