// Reads whole files, within a stated size.

/// A file's name as the user wrote it, and its bytes.
package struct InputFile: Sendable {
  /// The most bytes of a file: a week of packet opportunities, or a feed of millions of items.
  static let sizeLimit = 256_000_000

  /// The name that stands in messages.
  package let name: String
  package let bytes: [UInt8]

  /// The start of the file.
  package var start: SourceLocation { SourceLocation(file: name) }

  /// Contents from elsewhere.
  package init(name: String, bytes: [UInt8]) { (self.name, self.bytes) = (name, bytes) }

  /// Reads the regular file at `path`; `name` (by default the path) stands in messages. O(size), at most `limit` and one bytes.
  /// - Throws: `ValueProblem` if there is no readable regular file, or one above `limit`.
  package init(path: String, name: String? = nil, limit: Int = sizeLimit) throws(ValueProblem) {
    let name = name ?? path
    let shown = quoted(name, limit: 160)
    // Without blocking, because a pipe would otherwise be waited for until somebody writes to it.
    guard !path.utf8.contains(0), let file = SystemFile(path: path, flags: O_RDONLY | O_NONBLOCK) else {
      if SystemFile.exists(path) {
        throw ValueProblem("\(shown) cannot be read: \(SystemFile.message)", remedy: "check its permissions")
      }
      throw ValueProblem("there is no readable file \(shown)", remedy: "check the path; it is relative to the sweep file")
    }
    defer { file.close() }
    guard let status = file.status, status.isRegular else {
      throw ValueProblem("\(shown) is not a regular file", remedy: "name a file, not a folder, a pipe or a device")
    }
    guard status.st_size <= limit else {
      throw ValueProblem("\(shown) has \(status.st_size) bytes, more than \(limit)", remedy: "split it or cut it")
    }
    guard let bytes = file.bytes(atMost: limit + 1) else {
      throw ValueProblem("\(shown) cannot be read: \(SystemFile.message)", remedy: "check the disk it is on")
    }
    // A file that grows, or one of /proc, has more than its size says.
    guard bytes.count <= limit else {
      throw ValueProblem("\(shown) has more than \(limit) bytes", remedy: "split it or cut it")
    }
    self.init(name: name, bytes: bytes)
  }

  /// Returns the path to open for one relative to a folder; an empty folder is the working folder.
  package static func path(_ path: String, in folder: String) -> String {
    path.hasPrefix("/") || folder.isEmpty ? path : "\(folder)/\(path)"
  }

  /// Reads standard input, which messages call "-".
  /// - Throws: `ValueProblem` if it cannot be read, or is too large.
  package static func standardInput(limit: Int = sizeLimit) throws(ValueProblem) -> InputFile {
    guard let bytes = SystemFile(descriptor: STDIN_FILENO).bytes(atMost: limit + 1) else {
      throw ValueProblem("standard input cannot be read: \(SystemFile.message)", remedy: "name a file, or pipe one in")
    }
    guard bytes.count <= limit else { throw ValueProblem("standard input has more than \(limit) bytes", remedy: "write fewer") }
    return InputFile(name: "-", bytes: bytes)
  }

  /// The hash of the contents. O(size).
  package var hash: String { ContentHash.of(bytes) }
}
